"""
Handwritten ones and fives: perceptron, pocket, logistic regression
===================================================================

Two features extracted from sixty-four pixels: the mean intensity of a digit, and its symmetry.
Three linear classifiers on these features.
"""

# %%
# Feature extraction
# ------------------
# Turned upside down, a one still looks like a one, and a five does not. Symmetry is minus the mean
# difference between an image and its flipped copy, so that 0 is perfect symmetry; both features are
# standardised.

import matplotlib.pyplot as plt
import numpy as np

from learnable.datasets import load_digits
from learnable.feature_extraction.image import intensity_symmetry
from learnable.linear_model import LogisticRegression, Perceptron, Pocket
from learnable.model_selection import train_test_split
from learnable.plot import DecisionBoundaryDisplay

digits = load_digits()
rows = np.isin(digits.target, (1, 5))
pictures, y = digits.images[rows] / 16, digits.target[rows]
X = intensity_symmetry(pictures, flip="vertical")
X = (X - X.mean(axis=0)) / X.std(axis=0)

fig, axes = plt.subplots(2, 6, figsize=(7.2, 2.6), layout="constrained")
for line, digit in zip(axes, (1, 5), strict=True):
    for ax, index in zip(line, np.flatnonzero(y == digit), strict=False):
        ax.imshow(pictures[index], cmap="Greys")
        ax.set(xticks=[], yticks=[])
        ax.set_title(f"{X[index, 0]:.1f}, {X[index, 1]:.1f}", fontsize=8)
fig.suptitle("intensity and symmetry, standardised", fontsize=10)
plt.show()

# %%
# Three linear classifiers
# ------------------------
# The perceptron stops after its last update; the pocket algorithm keeps the best line so far;
# logistic regression has class probabilities, and its decision boundary is where they are one half.

seen, new, seen_y, new_y = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
models = {
    "perceptron": Perceptron(tol=None, max_iter=60, random_state=0),
    "pocket": Pocket(max_iter=300, random_state=0),
    "logistic regression": LogisticRegression(),
}
fig, axes = plt.subplots(1, 3, figsize=(11.4, 3.9), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(seen, seen_y)
    DecisionBoundaryDisplay.from_estimator(
        model, seen, seen_y, response_method="predict", eps=0.3, ax=ax
    )
    wrong = [1 - model.score(seen, seen_y), 1 - model.score(new, new_y)]
    ax.set_title(f"{name}: {wrong[0]:.1%} error,\n{wrong[1]:.1%} on new digits", fontsize=10)
    ax.set(xlabel="intensity")
axes[0].set_ylabel("symmetry")
axes[0].legend(frameon=False, loc="lower left")
plt.show()

# %%
# Why the perceptron needs a pocket
# ---------------------------------
# The digits are not linearly separable, so the perceptron never converges: the error rate jumps
# with every update. The error of the pocket can only decrease.

pocket = models["pocket"]
fig, ax = plt.subplots(figsize=(6.6, 3.4), layout="constrained")
ax.plot(pocket.trace_["now"], color="#9ca3af", linewidth=0.6, label="perceptron")
ax.plot(pocket.trace_["objective"], color="#2563a8", linewidth=2, label="pocket")
ax.set(xlabel="updates", ylabel="error rate")
ax.legend(frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 2
