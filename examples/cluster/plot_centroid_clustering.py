"""
Clusters about centres
======================

Nearest centres and means of the nearest, in turn: what it finds, where it fails, and how many
groups there are.
"""

# %%
# Step by step
# ------------
# From three rows that lie side by side the centres find their groups. Above each picture stands the
# number of steps and the sum of squared distances, which never rises.

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
# Too few groups, long groups, groups of unequal width, and centres that begin badly: k-means looks
# for round groups of equal width, from where it begins.

long_groups = X @ np.array([[0.6, -0.6], [-0.4, 0.85]])
uneven, _ = make_blobs(
    400, centers=[[0, 0], [6, 1], [2, 6]], cluster_std=[0.4, 2.2, 0.7], random_state=1
)
side = X[X[:, 0] > 4.5][:3]
cases = {
    "two groups are too few": (KMeans(2, random_state=0), X),
    "long groups": (KMeans(3, random_state=0), long_groups),
    "unequal widths": (KMeans(3, random_state=0), uneven),
    "a bad beginning": (KMeans(3, init=side, max_iter=2, tol=1e9), X),
}
fig, axes = plt.subplots(1, 4, figsize=(13, 3.3), layout="constrained")
for ax, (title, (model, rows)) in zip(axes, cases.items(), strict=True):
    ClusterDisplay.from_estimator(model.fit(rows), rows, ax=ax)
    ax.set_title(title, fontsize=9)
plt.show()

# %%
# Seeds far apart
# ---------------
# The sum of squares after one run over that of the best of many: seeds drawn by squared distance
# (k-means++), the best of several such draws for each seed, and any rows.

many, _ = make_blobs(600, centers=12, cluster_std=0.6, random_state=5)
best = KMeans(12, n_init=20, random_state=0).fit(many).inertia_
ways = {
    "any rows": {"init": "random", "n_init": 1},
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
# The seeds of one such draw lie apart from each other.

seeds, _ = kmeans_plusplus(many, 12, random_state=0)
apart = np.linalg.norm(seeds[:, None] - seeds, axis=2)
print(f"least distance between two seeds: {apart[apart > 0].min():.2f}")

# %%
# Shares, and a mixture
# ---------------------
# Fuzzy c-means gives each row shares in all groups, and pale rows belong to none in particular. A
# mixture of normal distributions also learns the shape of long groups.

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
# How many groups?
# ----------------
# The sum of squares always falls with more groups, and its bend is the elbow. The gap compares it
# with rows that have no groups, the silhouette with the next group, BIC with the price of
# parameters.

fig, axes = plt.subplots(1, 4, figsize=(14, 3.2), layout="constrained")
for ax, criterion in zip(axes, ("elbow", "silhouette", "gap", "bic"), strict=True):
    choice = choose_clusters(
        KMeans(random_state=0), X, range(1, 8), criterion=criterion, random_state=0
    )
    ClusterChoiceDisplay.from_choice(choice, ax=ax)
plt.show()

# %%
# Few colours
# -----------
# The pixels of an image are rows of three numbers. A codebook of a few colours takes a fraction of
# the memory.

down, across = np.mgrid[0:1:96j, 0:1:96j]
light = np.exp(-8 * ((across - 0.3) ** 2 + (down - 0.35) ** 2))
image = np.stack([0.2 + 0.7 * light, 0.35 + 0.5 * down * across, 0.9 - 0.6 * down], axis=-1)
QuantizedImageDisplay.from_image(np.uint8(255 * np.clip(image, 0, 1)), (64, 16, 4), random_state=0)
plt.show()
