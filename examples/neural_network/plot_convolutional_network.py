"""
What a convolutional network sees
=================================

Filters and feature maps of a small network for handwritten digits, and the symmetry that only
random weights break.
"""

# %%
# Filters of the first layer
# --------------------------
# Each filter is a window of 3 x 3 weights. After training they look for edges of some direction,
# for spots, or for the middle of strokes.

import matplotlib.pyplot as plt
import numpy as np

from learnable import load_digits
from learnable.neural_network import Conv, Dense, Dropout, Flatten, MaxPool, NetworkClassifier

X, y = load_digits(return_X_y=True)
test = np.arange(len(y)) % 4 == 0
layers = [
    Conv(8, 3, "relu", padding="same"), MaxPool(2), Conv(16, 3, "relu", padding="same"), MaxPool(2),
    Flatten(), Dropout(0.2), Dense(32, "relu"),
]  # fmt: skip
model = NetworkClassifier(
    layers, input_shape=(8, 8, 1), learning_rate_init=0.005, schedule="cosine", max_iter=25,
    batch_size=32, random_state=0,
).fit(X[~test] / 16, y[~test])  # fmt: skip
print(model.summary())
print(f"accuracy on new digits: {model.score(X[test] / 16, y[test]):.3f}")

filters = model.layer_weights(0)[0]["weights"]
fig, axes = plt.subplots(1, 8, figsize=(9, 1.5), layout="constrained")
for k, ax in enumerate(axes):
    largest = np.abs(filters[..., k]).max()
    ax.imshow(filters[:, :, 0, k], cmap="RdBu_r", vmin=-largest, vmax=largest)
    ax.set(xticks=[], yticks=[], title=str(k + 1))
plt.show()

# %%
# Feature maps: from edges to parts
# ---------------------------------
# Where the filters respond in three digits. The second convolution combines the maps of the first
# one over a receptive field of 8 pixels: its 16 maps respond to parts of digits.

digits = [np.flatnonzero(test & (y == digit))[0] for digit in (0, 4, 7)]
first = model.activations(X[digits] / 16, layer=0)
second = model.activations(X[digits] / 16, layer=2)
fig, axes = plt.subplots(3, 17, figsize=(10, 2.1), layout="constrained")
for row, digit in enumerate(digits):
    images = [X[digit].reshape(8, 8)]
    images += [first[row, ..., k] for k in range(8)] + [second[row, ..., k] for k in range(8)]
    for ax, image in zip(axes[row], images, strict=True):
        ax.imshow(image, cmap="gray_r" if ax is axes[row, 0] else "viridis")
        ax.set(xticks=[], yticks=[])
axes[0, 0].set_title("digit", fontsize=8)
axes[0, 4].set_title("first layer", fontsize=8)
axes[0, 12].set_title("second convolution", fontsize=8)
plt.show()

# %%
# Learned features
# ----------------
# The 32 values of the last hidden layer separate the classes: a nearest-centroid classifier, which
# knows nothing but means, is far better on them than on pixels.

from learnable import NearestCentroid

features = model.activations(X / 16, layer=-1)
for name, table in (("pixels", X), ("learned features", features)):
    score = NearestCentroid().fit(table[~test], y[~test]).score(table[test], y[test])
    print(f"nearest centroid on {name}: {score:.3f}")

# %%
# All weights zero
# ----------------
# Units that begin alike get the same gradient and stay alike. With zero weights ReLU units never
# learn at all; small random numbers break the symmetry.

fig, ax = plt.subplots()
for kind in ("zeros", "small_normal", "glorot_uniform", "normal"):
    network = NetworkClassifier(
        [Dense(32, "relu"), Dense(32, "relu")], initialiser=kind, learning_rate_init=0.003,
        schedule="cosine", max_iter=20, n_iter_no_change=1000, random_state=0,
    ).fit(X[~test] / 16, y[~test])  # fmt: skip
    ax.plot(np.arange(1, 21), network.loss_curve_, label=kind)
ax.set(xlabel="epoch", ylabel="training loss", yscale="log")
ax.legend(title="initial weights")
plt.show()
