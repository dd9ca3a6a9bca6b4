"""
One density for all clusters, one objective for two methods
===========================================================

DBSCAN has a single radius, and so fails where clusters have different densities. Spectral
clustering is kernel k-means with a kernel made from a graph.
"""

# %%
# Clusters of different densities
# -------------------------------
# Two dense clusters are near each other, a thin one is far away. A small radius separates the dense
# ones and calls the thin one noise; a radius that keeps the thin one joins the dense ones. Methods
# that consider all radii find the three.

import matplotlib.pyplot as plt
import numpy as np

from learnable import DBSCAN, HDBSCAN, KernelKMeans, SpectralClustering, make_circles
from learnable.metrics import adjusted_rand_score

rng = np.random.default_rng(2)
X = np.vstack(
    [
        rng.normal(size=(120, 2)) * 0.12 + [0, 0],
        rng.normal(size=(120, 2)) * 0.12 + [0.75, 0],
        rng.normal(size=(120, 2)) * 2.2 + [9, 3],
    ]
)
truth = np.repeat([0, 1, 2], 120)
models = {
    "DBSCAN, radius 0.15": DBSCAN(eps=0.15, min_samples=5),
    "DBSCAN, radius 0.7": DBSCAN(eps=0.7, min_samples=5),
    "HDBSCAN": HDBSCAN(min_cluster_size=15),
}


def agreement(labels):
    """The adjusted Rand index, where each row of noise is a cluster of its own."""
    alone = np.where(labels < 0, labels.max() + 1 + np.arange(len(labels)), labels)
    return adjusted_rand_score(truth, alone)


fig, axes = plt.subplots(1, 3, figsize=(10.5, 3.4), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    labels = model.fit(X).labels_
    ax.scatter(*X[labels < 0].T, s=8, color="#9ca3af", label="noise")
    ax.scatter(*X[labels >= 0].T, s=8, c=labels[labels >= 0], cmap="viridis")
    ax.set_title(f"{name}: agreement {agreement(labels):.2f}", fontsize=10)
axes[0].legend(frameon=False)
plt.show()
best = max(
    agreement(DBSCAN(eps=radius, min_samples=5).fit(X).labels_)
    for radius in np.geomspace(0.05, 3, 40)
)
print(f"best of 40 radii: {best:.2f}")

# %%
# Spectral clustering as kernel k-means
# -------------------------------------
# With a weight d for each row, its degree in the graph W, and the kernel D⁻¹ W D⁻¹, the objective
# of kernel k-means is the normalised cut up to a constant. Spectral clustering relaxes that problem
# to eigenvectors, and finds the rings. Kernel k-means descends on the same objective from random
# starts and may end in a worse local minimum; the rings are a minimum of it as well.

rings, ring = make_circles(240, noise=0.04, factor=0.4, random_state=0)
square = ((rings[:, None] - rings) ** 2).sum(axis=2)
W = np.exp(-square / 0.02)
degree = W.sum(axis=1)
kernel = W / degree[:, None] / degree


def normalised_cut(labels):
    return sum(W[labels == k][:, labels != k].sum() / degree[labels == k].sum() for k in (0, 1))


spectral = SpectralClustering(2, affinity="precomputed", random_state=0).fit(W)
by_kernel = KernelKMeans(2, kernel="precomputed", n_init=100, random_state=0)
by_kernel.fit(kernel, sample_weight=degree)
fig, axes = plt.subplots(1, 2, figsize=(7.6, 3.8), layout="constrained", sharey=True)
for ax, name, labels in (
    (axes[0], "spectral clustering", spectral.labels_),
    (axes[1], "kernel k-means", by_kernel.labels_),
):
    ax.scatter(*rings.T, s=10, c=labels, cmap="viridis")
    ax.set(title=f"{name}: cut {normalised_cut(labels):.3f}", aspect="equal")
plt.show()


def next_labels(labels):
    """One assignment of weighted kernel k-means."""
    share = np.stack([degree * (labels == k) / degree[labels == k].sum() for k in (0, 1)])
    norms = np.einsum("ki,ij,kj->k", share, kernel, share)
    return (norms[:, None] - 2 * share @ kernel).argmin(axis=0)


moved = np.count_nonzero(next_labels(spectral.labels_) != spectral.labels_)
print("rows that kernel k-means moves from the spectral clusters:", moved)

# %%
# The sum of squares of kernel k-means and the cut differ by a constant, whatever the labels:


def sum_of_squares(labels):
    parts = [np.flatnonzero(labels == k) for k in (0, 1)]
    total = float(degree @ np.diag(kernel))
    return total - sum(
        degree[c] @ kernel[np.ix_(c, c)] @ degree[c] / degree[c].sum() for c in parts
    )


for _ in range(3):
    labels = rng.integers(0, 2, len(rings))
    print(f"{sum_of_squares(labels) - normalised_cut(labels):.6f}")
# sphinx_gallery_thumbnail_number = 1
