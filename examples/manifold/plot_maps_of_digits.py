"""
Maps of handwritten digits
==========================

Isomap, t-SNE and UMAP place images of digits in the plane: images that look alike lie together.
"""

# %%
# Isomap: spectrum and map
# ------------------------
# Geodesic distances between 8 x 8 images of digits. The eigenvalues fall slowly: two dimensions are
# not enough for all digits, and the map overlaps.

import matplotlib.pyplot as plt
import numpy as np

from learnable import TSNE, UMAP, Isomap, load_digits
from learnable.plot import EigenvalueDisplay, EmbeddingDisplay, ShepardDisplay

digits = load_digits()
X, y, images = digits.data, digits.target, digits.images
isomap = Isomap(n_neighbors=10, n_components=10).fit(X)
fig, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
EigenvalueDisplay.from_estimator(isomap, ax=axes[0])
EmbeddingDisplay.from_embedding(isomap.embedding_, y, ax=axes[1])
axes[0].set_title("eigenvalues of the geodesic distances")
axes[1].set_title("the first two of ten dimensions")
plt.show()

# %%
# One digit and its poses
# -----------------------
# Isomap of the ones alone: the directions of the map are how the digit is written, slanted or
# upright, with or without a foot.

ones = y == 1
poses = Isomap(n_neighbors=15).fit(X[ones])
EmbeddingDisplay.from_estimator(poses, images=images[ones])
plt.show()

# %%
# t-SNE and UMAP
# --------------
# Both keep neighbours and give up distances: clusters separate. Titles state how far to trust the
# map; the intervals are of 95 %.

maps = {"t-SNE": TSNE(random_state=0).fit(X), "UMAP": UMAP(random_state=0).fit(X)}
fig, axes = plt.subplots(1, 2, figsize=(11, 5.4), layout="constrained")
for ax, (name, model) in zip(axes, maps.items(), strict=True):
    EmbeddingDisplay.from_estimator(model, y, ax=ax)
    ax.set_title(f"{name}: {ax.get_title()}", fontsize="small")
plt.show()

# %%
# Shepard plots: distances of the images beside those in the map. Isomap keeps their order, t-SNE
# separates near pairs from far ones only.

fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, (name, model) in zip(axes, {"Isomap": isomap, **maps}.items(), strict=True):
    ShepardDisplay.from_estimator(model, ax=ax)
    ax.set_title(name)
plt.show()

# %%
# Perplexity and number of neighbours
# -----------------------------------
# Few neighbours: many small clusters. Many: the whole shows, and details merge.

fig, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
some = np.arange(600)
for ax, perplexity in zip(axes[0], (5, 30, 100), strict=True):
    model = TSNE(perplexity=perplexity, random_state=0, max_iter=500).fit(X[some])
    EmbeddingDisplay.from_embedding(model.embedding_, y[some], ax=ax)
    ax.set_title(f"t-SNE, perplexity {perplexity}")
for ax, n_neighbors in zip(axes[1], (5, 15, 100), strict=True):
    model = UMAP(n_neighbors=n_neighbors, random_state=0).fit(X[some])
    EmbeddingDisplay.from_embedding(model.embedding_, y[some], ax=ax)
    ax.set_title(f"UMAP, n_neighbors {n_neighbors}")
plt.show()
