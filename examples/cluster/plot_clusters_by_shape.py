"""
Groups of any shape
===================

Trees of merges, dense places and how far they reach: groups that need no middle.
"""

# %%
# A tree of merges
# ----------------
# Every row begins as a group, and the two nearest merge. A bracket stands at the distance at which
# its groups merged; a long way up without any is where the tree is best cut.

import matplotlib.pyplot as plt
import numpy as np

from learnable import DBSCAN, AgglomerativeClustering, linkage, make_circles, make_moons
from learnable.plot import DendrogramDisplay, KDistanceDisplay

rng = np.random.default_rng(0)
X = np.vstack(
    [rng.normal(size=(14, 2)) * spread + centre for spread, centre in ((1, 0), (1.5, 7), (0.7, 12))]
)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for ax, method in zip(axes, ("ward", "single"), strict=True):
    DendrogramDisplay.from_linkage(linkage(X, method), ax=ax)
    ax.set_title(method)
plt.show()

# %%
# What is near?
# -------------
# Single linkage follows chains, whatever their shape. Complete and ward linkage look for compact
# groups, and cut the moons.

moons, _ = make_moons(300, noise=0.05, random_state=0)
fig, axes = plt.subplots(1, 4, figsize=(11, 2.8), layout="constrained", sharey=True)
for ax, method in zip(axes, ("single", "average", "complete", "ward"), strict=True):
    labels = AgglomerativeClustering(2, linkage=method).fit_predict(moons)
    ax.scatter(*moons.T, c=labels, s=8, cmap="coolwarm")
    ax.set(title=method, xticks=[], yticks=[])
plt.show()

# %%
# Dense places
# ------------
# How far a row reaches decides what DBSCAN finds: nothing but noise (grey), pieces, the two rings,
# or one group.

rings, _ = make_circles(400, noise=0.05, factor=0.45, random_state=0)
fig, axes = plt.subplots(1, 4, figsize=(11, 2.9), layout="constrained", sharey=True)
for ax, eps in zip(axes, (0.05, 0.1, 0.2, 0.4), strict=True):
    model = DBSCAN(eps=eps).fit(rings)
    noise = model.labels_ == -1
    ax.scatter(*rings[noise].T, color="#d1d5db", s=8)
    ax.scatter(*rings[~noise].T, c=model.labels_[~noise] % 10, s=8, cmap="tab10", vmin=0, vmax=9)
    ax.set(title=f"eps = {eps}: {model.labels_.max() + 1} groups", xticks=[], yticks=[])
plt.show()

# %%
# How far should a row reach?
# ---------------------------
# The distance of every row to its last neighbour within reach, falling. Rows left of the bend are
# lonely; its height is a good choice.

KDistanceDisplay.from_data(rings, min_samples=5)
plt.show()
