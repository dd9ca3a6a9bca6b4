"""
How likely is each class?
=========================

Logistic regression draws a straight border like other linear classifiers, but it also says how sure
it is on either side. Here are its borders, the paths of its weights, and weights as pictures.
"""

# %%
# Kinds of iris
# -------------
# Two columns, two pairs of kinds. The dark line is where both kinds are equally likely, the others
# are where one of them has a probability of 0.1 or 0.9. The first pair is far apart, so the
# probability changes quickly; the second overlaps.

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
    chance = model.predict_proba(np.column_stack([across.ravel(), up.ravel()]))[:, 1]
    surface = chance.reshape(across.shape)
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
fig.suptitle("probability of the second kind")
plt.show()

# %%
# The path of an absolute penalty
# -------------------------------
# With a strong penalty no column counts. As it weakens, columns enter one after another, and some
# leave again. The horizontal axis is 1 / C; the dashed line is the default, C = 1.

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
# Weights as pictures
# -------------------
# A model of each digit against the rest has a weight for every pixel. Where the weight is blue, ink
# speaks for the digit, where it is red, against it: a zero has an empty middle.

digits = load_digits()
model = LogisticRegression(strategy="ovr", C=0.05).fit(digits.data / 16, digits.target)
CoefficientImageDisplay.from_estimator(model)
plt.show()
print(f"share of digits told rightly: {model.score(digits.data / 16, digits.target):.3f}")
# sphinx_gallery_thumbnail_number = 1
