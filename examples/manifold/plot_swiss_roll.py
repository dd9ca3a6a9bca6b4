"""
The Swiss roll by several methods
=================================

A strip of paper rolled up in space: two dimensions that no projection shows.
"""

# %%
# Distances in the plane, worked out
# ----------------------------------
# Classical multidimensional scaling finds coordinates from distances: three points at distance one
# from each other are a triangle, four a tetrahedron.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    TSNE,
    UMAP,
    ClassicalMDS,
    DiffusionMap,
    Isomap,
    LocallyLinearEmbedding,
    SpectralEmbedding,
)
from learnable.datasets import make_swiss_roll

triangle = ClassicalMDS(2, metric="precomputed").fit_transform(np.ones((3, 3)) - np.eye(3))
tetrahedron = ClassicalMDS(3, metric="precomputed").fit_transform(np.ones((4, 4)) - np.eye(4))
fig = plt.figure(figsize=(8, 3.6), layout="constrained")
ax = fig.add_subplot(121)
ax.plot(*np.vstack([triangle, triangle[:1]]).T, "o-", color="C0")
ax.set(aspect="equal", title="triangle")
ax = fig.add_subplot(122, projection="3d")
for i in range(4):
    for j in range(i):
        ax.plot(*tetrahedron[[i, j]].T, "o-", color="C0")
ax.set_title("tetrahedron")
plt.show()

# %%
# Seven maps
# ----------
# Colours are the position along the strip. Classical scaling, which keeps straight distances,
# shows the roll from the side; methods that follow neighbours unroll it. Titles give the
# trustworthiness of each map with its interval.

X, arc = make_swiss_roll(1000, random_state=0)
methods = {
    "Isomap": Isomap(n_neighbors=8),
    "classical MDS": ClassicalMDS(),
    "Laplacian eigenmaps": SpectralEmbedding(n_neighbors=8),
    "diffusion map": DiffusionMap(gamma=0.5, alpha=1.0),
    "LTSA": LocallyLinearEmbedding(n_neighbors=12, method="ltsa", random_state=0),
    "t-SNE": TSNE(random_state=0),
    "UMAP": UMAP(random_state=0),
}
fig = plt.figure(figsize=(14, 7), layout="constrained")
ax = fig.add_subplot(241, projection="3d")
ax.scatter(*X.T, c=arc, s=5)
ax.set_title("1000 rows in space")
for number, (name, method) in enumerate(methods.items(), start=2):
    ax = fig.add_subplot(2, 4, number)
    ax.scatter(*method.fit_transform(X).T, c=arc, s=5)
    report = method.faithfulness()
    low, high = report.trustworthiness_interval
    ax.set_title(
        f"{name}: {report.trustworthiness:.3f} ({low:.3f} to {high:.3f})", fontsize="medium"
    )
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# Locally linear embedding in four variants
# -----------------------------------------
# All rebuild rows from their neighbours, with one set of weights for each row (standard), several
# (modified), by curvature (Hessian), or by tangent spaces (LTSA).

fig, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
for ax, variant in zip(axes, ("standard", "modified", "hessian", "ltsa"), strict=True):
    lle = LocallyLinearEmbedding(n_neighbors=12, method=variant, random_state=0)
    ax.scatter(*lle.fit_transform(X).T, c=arc, s=5)
    ax.set(title=variant, xticks=[], yticks=[])
plt.show()

# %%
# Diffusion over time
# -------------------
# The distance of two rows in a diffusion map is how differently a random walk from each is spread
# after :math:`t` steps. With time small structure fades, and the slowest direction remains.

fig, axes = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained")
for ax, t in zip(axes, (1, 10, 100, 1000), strict=True):
    ax.scatter(*DiffusionMap(gamma=0.5, alpha=1.0, t=t).fit_transform(X).T, c=arc, s=5)
    ax.set(title=f"t = {t}", xticks=[], yticks=[], aspect="equal")
plt.show()
