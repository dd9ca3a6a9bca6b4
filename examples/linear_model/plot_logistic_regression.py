"""
Logistic regression
===================

Logistic regression has a linear decision boundary like other linear classifiers, and class
probabilities on either side. This page shows its probabilities, its regularisation path, and its
coefficients as images.
"""

# %%
# Decision boundaries and probabilities
# -------------------------------------
# Two features, two pairs of iris species. The dark line is the decision boundary, where both are
# equally likely; the others are where one of them has a probability of 0.1 or 0.9. The first pair
# is well separated, so the probability changes quickly; the second overlaps.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable.datasets import load_breast_cancer, load_digits, load_iris
from learnable.linear_model import LogisticRegression
from learnable.plot import CoefficientImageDisplay, RegularizationPathDisplay

iris = load_iris()
fig, axes = plt.subplots(1, 2, figsize=(9.6, 4.2))
for ax, pair in zip(axes, [(0, 1), (1, 2)], strict=True):
    rows = np.isin(iris.target, pair)
    X, y = iris.data[rows][:, 2:], iris.target[rows]
    model = LogisticRegression(C=10.0).fit(X, y)
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    across, up = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
    probability = model.predict_proba(np.column_stack([across.ravel(), up.ravel()]))[:, 1]
    surface = probability.reshape(across.shape)
    ax.contourf(across, up, surface, levels=np.linspace(0, 1, 11), cmap="RdBu", alpha=0.35)
    lines = ax.contour(
        across,
        up,
        surface,
        levels=[0.1, 0.5, 0.9],
        colors="black",
        linewidths=[0.8, 1.8, 0.8],
    )
    ax.clabel(lines, fontsize=8)
    for label, marker, colour in zip(pair, "os", ("C3", "C0"), strict=True):
        ax.plot(
            *X[y == label].T, marker, color=colour, markersize=4, label=iris.target_names[label]
        )
    ax.set(xlabel="petal length", ylabel="petal width")
    ax.legend(loc="lower right")
fig.suptitle("probability of the second species")
plt.show()

# %%
# The path of an L1 penalty
# -------------------------
# With a strong penalty all coefficients are zero. As it weakens, features enter one after another,
# and some leave again. The horizontal axis is 1 / C; the dashed line is the default, C = 1.

cancer = load_breast_cancer()
X = cancer.data[:, :10]  # the means; errors and worst values follow in the same order
X = (X - X.mean(axis=0)) / X.std(axis=0)
fig, ax = plt.subplots(figsize=(8.0, 4.4), layout="constrained")
lasso = LogisticRegression(l1_ratio=1.0)
RegularizationPathDisplay.from_estimator(
    lasso, pd.DataFrame(X, columns=cancer.feature_names[:10]), cancer.target, ax=ax
)
plt.show()

# %%
# Coefficients as images
# ----------------------
# A one-vs-rest model of each digit has a coefficient for every pixel. Blue pixels are evidence for
# the digit, red ones against it: a zero has an empty centre.

digits = load_digits()
model = LogisticRegression(strategy="ovr", C=0.05).fit(digits.data / 16, digits.target)
CoefficientImageDisplay.from_estimator(model)
plt.show()
print(f"accuracy: {model.score(digits.data / 16, digits.target):.3f}")
# sphinx_gallery_thumbnail_number = 1
