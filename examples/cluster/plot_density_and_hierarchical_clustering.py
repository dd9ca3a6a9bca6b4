"""
Density-based, hierarchical and spectral clustering
===================================================

Dendrograms, DBSCAN, OPTICS, HDBSCAN and graph cuts: clusters of any shape.
"""

# %%
# Dendrogram
# ----------
# Every row starts as a cluster, and the two nearest are merged. The height of a bracket is the
# distance at which its clusters merged; a long vertical gap is a good height to cut.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AgglomerativeClustering,
    SpectralClustering,
    linkage,
    make_circles,
    make_moons,
)
from learnable.plot import (
    DendrogramDisplay,
    KDistanceDisplay,
    ReachabilityDisplay,
    SpectralStepsDisplay,
)

rng = np.random.default_rng(0)
X = np.vstack(
    [rng.normal(size=(14, 2)) * spread + centre for spread, centre in ((1, 0), (1.5, 7), (0.7, 12))]
)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for ax, method, height in zip(axes, ("ward", "single"), (15.0, 2.0), strict=True):
    DendrogramDisplay.from_linkage(linkage(X, method), height=height, ax=ax)
    ax.set_title(method)
plt.show()

# %%
# Linkage
# -------
# Single linkage follows chains of any shape. Complete and Ward linkage prefer compact clusters, and
# cut the moons.

moons, _ = make_moons(300, noise=0.05, random_state=0)
fig, axes = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained", sharey=True)
for ax, method in zip(axes, ("single", "average", "complete", "ward"), strict=True):
    labels = AgglomerativeClustering(2, linkage=method).fit_predict(moons)
    ax.scatter(*moons.T, c=labels, s=8, cmap="coolwarm")
    ax.set(title=method, xticks=[], yticks=[])
plt.show()

# %%
# DBSCAN
# ------
# The neighbourhood radius ``eps`` decides the result: mostly noise (grey), fragments, the two
# rings, or a single cluster.

rings, _ = make_circles(400, noise=0.05, factor=0.45, random_state=0)
fig, axes = plt.subplots(1, 4, figsize=(11, 2.9), layout="constrained", sharey=True)
for ax, eps in zip(axes, (0.05, 0.1, 0.2, 0.4), strict=True):
    model = DBSCAN(eps=eps).fit(rings)
    noise = model.labels_ == -1
    ax.scatter(*rings[noise].T, color="#d1d5db", s=8)
    ax.scatter(*rings[~noise].T, c=model.labels_[~noise] % 10, s=8, cmap="tab10", vmin=0, vmax=9)
    ax.set(title=f"eps = {eps}, clusters: {model.labels_.max() + 1}", xticks=[], yticks=[])
plt.show()

# %%
# Choosing eps
# ------------
# The distance of every row to its ``min_samples``-th neighbour, in decreasing order. Rows left of
# the knee are isolated; the height of the knee is a good ``eps``.

with_noise = np.vstack([rings, rng.uniform(-1.5, 1.5, (40, 2))])
KDistanceDisplay.from_data(with_noise, min_samples=5)
plt.show()

# %%
# Clusters of different density: OPTICS and HDBSCAN
# -------------------------------------------------
# No single radius suits a dense and a sparse cluster. OPTICS orders rows by reachability distance:
# clusters are valleys, whatever their depth. HDBSCAN keeps the most stable clusters.

mixed = np.vstack(
    [
        rng.normal(size=(150, 2)) * spread + centre
        for spread, centre in ((0.2, 0), (0.9, 4), (0.4, -4))
    ]
    + [rng.uniform(-7, 7, (30, 2))]
)
fig, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained", width_ratios=[2, 1, 1])
valleys = OPTICS(min_samples=15, xi=0.1).fit(mixed)
ReachabilityDisplay.from_estimator(valleys, ax=axes[0])
for ax, model in zip(axes[1:], (valleys, HDBSCAN(min_cluster_size=15).fit(mixed)), strict=True):
    noise = model.labels_ == -1
    ax.scatter(*mixed[noise].T, color="#d1d5db", s=6)
    ax.scatter(*mixed[~noise].T, c=model.labels_[~noise], s=6, cmap="tab10", vmin=0, vmax=9)
    ax.set(title=type(model).__name__, xticks=[], yticks=[])
plt.show()

# %%
# Spectral clustering
# -------------------
# The smallest eigenvectors of the Laplacian of a neighbour graph are nearly constant on components
# that few edges connect: in these coordinates every cluster is compact.

touching, _ = make_moons(300, noise=0.07, random_state=2)
model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(touching)
SpectralStepsDisplay.from_estimator(model)
plt.show()
