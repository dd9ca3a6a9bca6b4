"""
Fisher's discriminant
=====================

The one-dimensional projection that separates two classes best: class means far apart, classes
narrow.
"""

# %%
# The direction of the means is not optimal
# -----------------------------------------
# Both classes are elongated in the same direction. Projected on the line that joins their means
# they overlap; Fisher's direction :math:`S_w^{-1}(m_2 - m_1)` turns away from the long axis.

import matplotlib.pyplot as plt
import numpy as np

from learnable import FisherDiscriminant
from learnable.datasets import load_iris

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 200)
X = (
    rng.normal(size=(400, 2)) @ np.array([[2.0, 1.4], [0.0, 0.5]])
    + np.array([[0, 0], [2.2, -0.4]])[y]
)
model = FisherDiscriminant().fit(X, y)
fisher = model.scalings_[:, 0] / np.linalg.norm(model.scalings_[:, 0])
straight = np.diff(model.means_, axis=0)[0]
straight = straight / np.linalg.norm(straight)

COLOURS = ("#2563a8", "#d9730d")
fig, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for k, colour in enumerate(COLOURS):
    axes[0].plot(*X[y == k].T, ".", markersize=3, color=colour)
centre = model.means_.mean(axis=0)
for direction, style, name in ((straight, "--", "between the means"), (fisher, "-", "Fisher")):
    ends = centre + np.outer([-4, 4], direction)
    axes[0].plot(*ends.T, style, color="black", label=name)
axes[0].set_aspect("equal")
axes[0].legend(fontsize="small", frameon=False)
for ax, direction, name in ((axes[1], straight, "between the means"), (axes[2], fisher, "Fisher")):
    for k, colour in enumerate(COLOURS):
        ax.hist((X[y == k] - centre) @ direction, bins=30, alpha=0.5, color=colour)
    between = np.var([(X[y == k] @ direction).mean() for k in (0, 1)])
    within = np.mean([(X[y == k] @ direction).var() for k in (0, 1)])
    ax.set_title(f"{name}: J = {between / within:.2f}", fontsize="medium")
    ax.set_yticks([])
plt.show()

# %%
# Supervised and unsupervised projections
# ---------------------------------------
# Principal components are directions of maximum variance and ignore the classes; Fisher's
# directions use them. Two directions suffice for both to show the three kinds of iris, but only the
# second plot keeps them as far apart as possible.

flowers = load_iris()
centred = flowers.data - flowers.data.mean(axis=0)
principal = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
projection = FisherDiscriminant().fit(flowers.data, flowers.target)
shown = {"principal components": principal, "Fisher": projection.transform(flowers.data)}
fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for ax, (name, rows) in zip(axes, shown.items(), strict=True):
    for k, colour in enumerate(("#2563a8", "#d9730d", "#2a8f6a")):
        ax.plot(*rows[flowers.target == k].T, ".", color=colour, label=flowers.target_names[k])
    right = FisherDiscriminant().fit(rows, flowers.target).score(rows, flowers.target)
    ax.set_title(f"{name}: {right:.0%} correct by nearest mean", fontsize="medium")
axes[0].legend(frameon=False, fontsize="small")
plt.show()

# %%
# Where it fails
# --------------
# The direction depends on class means and one covariance only. Two classes with the same mean, one
# around the other or in a cross, have no useful direction: J is near zero, and the projection shows
# nothing.

angle = rng.uniform(0, 2 * np.pi, 400)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) * np.repeat([0.6, 2.0], 200)[:, None]
ring += 0.2 * rng.normal(size=ring.shape)
cross = rng.normal(size=(400, 2)) * np.where(y[:, None] == 0, [2.0, 0.25], [0.25, 2.0])
fig, axes = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
for row, (name, rows) in zip(axes, {"ring": ring, "cross": cross}.items(), strict=True):
    failed = FisherDiscriminant().fit(rows, y)
    for k, colour in enumerate(COLOURS):
        row[0].plot(*rows[y == k].T, ".", markersize=3, color=colour)
        row[1].hist(failed.transform(rows[y == k])[:, 0], bins=30, alpha=0.5, color=colour)
    row[0].set_title(name, fontsize="medium")
    row[1].set_title(
        f"J = {failed.criterion_[0]:.3f}, {failed.score(rows, y):.0%} correct", fontsize="medium"
    )
plt.show()
