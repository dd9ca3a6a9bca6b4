"""
Gaussian classes and the boundaries between them
================================================

Classes that are normal with one covariance in common have straight boundaries; give each its own
covariance, and the boundaries bend.
"""

# %%
# Two and three classes
# ---------------------
# Ellipses show one and two standard deviations. With equal priors the point half way between two
# means lies on their boundary; three boundaries of three classes meet in one point.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    LinearDiscriminantAnalysis,
    Pipeline,
    PolynomialFeatures,
    QuadraticDiscriminantAnalysis,
)
from learnable.plot import DiscriminantSurfaceDisplay, GaussianClassesDisplay

rng = np.random.default_rng(3)
shape = np.array([[1.0, 0.0], [0.6, 0.6]])


def gaussian_classes(centres, count=150):
    y = np.repeat(np.arange(len(centres)), count)
    return rng.normal(size=(len(y), 2)) @ shape.T + np.array(centres)[y], y


two, three = gaussian_classes([(0, 0), (3, 1)]), gaussian_classes([(0, 0), (3.4, 0.4), (0.8, 3.2)])
fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, (X, y) in zip(axes, (two, three), strict=True):
    model = LinearDiscriminantAnalysis().fit(X, y)
    GaussianClassesDisplay.from_estimator(model, X, y, ax=ax)
plt.show()

# %%
# Their discriminants are planes, and a boundary is where two planes cut; with a covariance for each
# class they are quadrics.

X, y = three
wide = X * np.where(y == 0, 1.6, 0.7)[:, None]
fig = plt.figure(figsize=(9, 4.2), layout="constrained")
for place, (model, rows) in enumerate(
    ((LinearDiscriminantAnalysis(), X), (QuadraticDiscriminantAnalysis(), wide)), start=1
):
    ax = fig.add_subplot(1, 2, place, projection="3d")
    DiscriminantSurfaceDisplay.from_estimator(model.fit(rows, y), rows, ax=ax)
    ax.set_title(type(model).__name__, fontsize="medium")
plt.show()

# %%
# Probabilities of the three classes: near a mean one class has them all, along a boundary two
# share.

DiscriminantSurfaceDisplay.from_estimator(
    LinearDiscriminantAnalysis().fit(X, y), X, what="probabilities"
)
plt.show()

# %%
# A problem that no line solves
# -----------------------------
# One class inside the other. A line does what it can; a quadratic discriminant finds the ellipse.
# So does the linear one, once it sees squares and products of the columns: it is linear in them.

angle = rng.uniform(0, 2 * np.pi, 400)
radius = np.repeat([0.8, 2.3], 200) + 0.35 * rng.normal(size=400)
X, y = (
    np.column_stack([radius * np.cos(angle), 0.7 * radius * np.sin(angle)]),
    np.repeat([0, 1], 200),
)
models = {
    "linear": LinearDiscriminantAnalysis(),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "linear in squares": Pipeline(
        [
            ("squares", PolynomialFeatures(2, include_bias=False)),
            ("linear", LinearDiscriminantAnalysis()),
        ]
    ),
}
across, up = np.meshgrid(np.linspace(-3.4, 3.4, 300), np.linspace(-2.6, 2.6, 300))
grid = np.column_stack([across.ravel(), up.ravel()])
fig, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    told = model.predict(grid).reshape(across.shape)
    ax.contourf(
        across, up, told, levels=[-0.5, 0.5, 1.5], colors=["#2563a8", "#d9730d"], alpha=0.15
    )
    ax.contour(across, up, told, levels=[0.5], colors="black", linewidths=0.9)
    for k, colour in enumerate(("#2563a8", "#d9730d")):
        ax.plot(*X[y == k].T, ".", markersize=3, color=colour)
    ax.set_title(f"{name}: {model.score(X, y):.0%} right", fontsize="medium")
plt.show()
