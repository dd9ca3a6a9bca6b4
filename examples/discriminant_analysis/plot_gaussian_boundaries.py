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
# Hills, planes and chances
# -------------------------
# Above the plane, the density of each class times its prior: the class whose hill is highest wins.
# The logarithm makes discriminants of densities. With one covariance for all classes the squares
# cancel, so that discriminants are planes and meet along straight lines; with a covariance for each
# class they are quadrics. Bayes' rule makes probabilities of them: near a mean one class has
# nearly all, and valleys run along the boundaries, where two classes share.

X, y = three
wide = X * np.where(y == 0, 1.6, 0.7)[:, None]
linear = LinearDiscriminantAnalysis().fit(X, y)
quadratic = QuadraticDiscriminantAnalysis().fit(wide, y)
fig = plt.figure(figsize=(11.4, 7.4), layout="constrained")
for line, (model, rows) in enumerate(((linear, X), (quadratic, wide))):
    for column, what in enumerate(("densities", "discriminants", "probabilities")):
        ax = fig.add_subplot(2, 3, 3 * line + column + 1, projection="3d")
        DiscriminantSurfaceDisplay.from_estimator(model, rows, y, what=what, ax=ax)
        kind = "one covariance" if line == 0 else "a covariance each"
        ax.set_title(f"{kind}: {what}", fontsize="medium")
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
