"""
k-means and its relatives
=========================

Lloyd's algorithm step by step, data on which it fails, initialisation, soft assignments, the number
of clusters, and colour quantisation.
"""

# %%
# Iterations
# ----------
# From three rows that lie side by side the centroids find the clusters. The titles give the number
# of iterations and the sum of squared distances, which never increases.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    FuzzyCMeans,
    GaussianMixture,
    KMeans,
    choose_clusters,
    kmeans_plusplus,
    make_blobs,
)
from learnable.plot import ClusterChoiceDisplay, ClusterDisplay, QuantizedImageDisplay

X, _ = make_blobs(400, centers=[[0, 0], [6, 1], [2, 6]], cluster_std=1.1, random_state=0)
ClusterDisplay.over_steps(KMeans(3, init=X[np.argsort(X[:, 0])[:3]], tol=0), X, (1, 2, 4, 50))
plt.show()

# %%
# Where it fails
# --------------
# Too few clusters, elongated clusters, clusters of unequal width, and a poor initialisation:
# k-means assumes spherical clusters of equal width and finds a local optimum.

long_groups = X @ np.array([[0.6, -0.6], [-0.4, 0.85]])
uneven, _ = make_blobs(
    400, centers=[[0, 0], [6, 1], [2, 6]], cluster_std=[0.4, 2.2, 0.7], random_state=1
)
side = X[X[:, 0] > 4.5][:3]
cases = {
    "two clusters are too few": (KMeans(2, random_state=0), X),
    "elongated clusters": (KMeans(3, random_state=0), long_groups),
    "unequal widths": (KMeans(3, random_state=0), uneven),
    "poor initialisation": (KMeans(3, init=side, max_iter=2, tol=1e9), X),
}
fig, axes = plt.subplots(1, 4, figsize=(13, 3.3), layout="constrained")
for ax, (title, (model, rows)) in zip(axes, cases.items(), strict=True):
    ClusterDisplay.from_estimator(model.fit(rows), rows, ax=ax)
    ax.set_title(title, fontsize=9)
plt.show()

# %%
# Initialisation
# --------------
# The sum of squares after one run, relative to the best of many runs: k-means++ (centroids drawn by
# squared distance), the best of several candidates per centroid (greedy k-means++), and random
# rows.

many, _ = make_blobs(600, centers=12, cluster_std=0.6, random_state=5)
best = KMeans(12, n_init=20, random_state=0).fit(many).inertia_
ways = {
    "random rows": {"init": "random", "n_init": 1},
    "k-means++": {"trials": 1},
    "greedy k-means++": {},
}
costs = [
    [KMeans(12, random_state=s, **way).fit(many).inertia_ / best for s in range(30)]
    for way in ways.values()
]
fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.boxplot(costs, orientation="horizontal", tick_labels=list(ways))
ax.set_xlabel("sum of squares / best sum of squares")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The initial centroids of one such draw are far apart.

seeds, _ = kmeans_plusplus(many, 12, random_state=0)
apart = np.linalg.norm(seeds[:, None] - seeds, axis=2)
print(f"smallest distance between two initial centroids: {apart[apart > 0].min():.2f}")

# %%
# Soft assignments
# ----------------
# Fuzzy c-means gives each row memberships in all clusters; pale rows lie in between. A Gaussian
# mixture also learns the shape of elongated clusters.

fig, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
models = {
    "k-means": KMeans(3, random_state=0),
    "fuzzy c-means": FuzzyCMeans(3, random_state=0),
    "mixture": GaussianMixture(3, n_init=5, random_state=0),
}
for ax, (title, model) in zip(axes, models.items(), strict=True):
    ClusterDisplay.from_estimator(model.fit(long_groups), long_groups, ax=ax)
    ax.set_title(title, fontsize=9)
plt.show()

# %%
# How many clusters?
# ------------------
# The within-cluster sum of squares always decreases with more clusters; its knee is the elbow. The
# gap statistic compares it with that of uniform data, the silhouette with the next cluster, and BIC
# penalises the number of parameters.

fig, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained")
for ax, criterion in zip(axes, ("elbow", "silhouette", "gap", "bic"), strict=True):
    choice = choose_clusters(
        KMeans(random_state=0), X, range(1, 8), criterion=criterion, random_state=0
    )
    ClusterChoiceDisplay.from_choice(choice, ax=ax)
plt.show()

# %%
# Colour quantisation
# -------------------
# The pixels of an image are rows with three features. A codebook of a few colours needs a fraction
# of the memory.

down, across = np.mgrid[0:1:96j, 0:1:96j]
light = np.exp(-8 * ((across - 0.3) ** 2 + (down - 0.35) ** 2))
image = np.stack([0.2 + 0.7 * light, 0.35 + 0.5 * down * across, 0.9 - 0.6 * down], axis=-1)
QuantizedImageDisplay.from_image(np.uint8(255 * np.clip(image, 0, 1)), (64, 16, 4), random_state=0)
plt.show()
