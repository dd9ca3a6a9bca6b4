"""
Linear and quadratic discriminant analysis
==========================================

Normal classes with a common covariance have linear decision boundaries; with one covariance per
class the boundaries are quadratic.
"""

# %%
# Two and three classes
# ---------------------
# Ellipses show one and two standard deviations. With equal priors the midpoint of two means lies on
# their boundary; the three boundaries of three classes meet in one point.

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
# Densities, discriminants, posterior probabilities
# -------------------------------------------------
# The class-conditional density times the prior: the class with the highest surface is predicted.
# Its logarithm is the discriminant function. With a common covariance the quadratic terms cancel,
# so discriminants are planes that intersect in straight lines; with one covariance per class they
# are quadratic. Bayes' rule turns them into posterior probabilities.

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
# Classes that are not linearly separable
# ---------------------------------------
# One class inside the other. A line fails; a quadratic discriminant finds the ellipse. So does
# linear discriminant analysis with squares and products as features.

angle = rng.uniform(0, 2 * np.pi, 400)
radius = np.repeat([0.8, 2.3], 200) + 0.35 * rng.normal(size=400)
X, y = (
    np.column_stack([radius * np.cos(angle), 0.7 * radius * np.sin(angle)]),
    np.repeat([0, 1], 200),
)
models = {
    "linear": LinearDiscriminantAnalysis(),
    "quadratic": QuadraticDiscriminantAnalysis(),
    "linear, squared features": Pipeline(
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
    predicted = model.predict(grid).reshape(across.shape)
    ax.contourf(
        across, up, predicted, levels=[-0.5, 0.5, 1.5], colors=["#2563a8", "#d9730d"], alpha=0.15
    )
    ax.contour(across, up, predicted, levels=[0.5], colors="black", linewidths=0.9)
    for k, colour in enumerate(("#2563a8", "#d9730d")):
        ax.plot(*X[y == k].T, ".", markersize=3, color=colour)
    ax.set_title(f"{name}: {model.score(X, y):.0%} correct", fontsize="medium")
plt.show()
