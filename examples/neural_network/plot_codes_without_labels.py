"""
Codes learned without labels
============================

What encoders learn from images alone: how few labels a classifier then needs, that wrong labels
cannot change a code, and what a decoder of another domain makes of it.
"""

# %%
# Few labels
# ----------
# A linear classifier on the codes of a contrastive encoder, beside the same classifier on the
# pixels, for 1 to 20 labelled images of each digit.

import matplotlib.pyplot as plt
import numpy as np

from learnable import load_digits
from learnable.neural_network import (
    ContrastiveEncoder,
    Dense,
    SharedAutoencoder,
    label_efficiency,
    linear_probe,
)

X, y = load_digits(return_X_y=True)
X = X / 16
encoder = ContrastiveEncoder(64, [Dense(128, "relu")], max_iter=12, random_state=0).fit(X[:1200])
found = label_efficiency(encoder, X[:1200], y[:1200], X[1200:], y[1200:], random_state=0)
fig, ax = plt.subplots(layout="constrained")
ax.plot(found["labels"], found["codes"], "o-", color="#7b3294", label="codes")
ax.plot(found["labels"], found["columns"], "o-", color="#6b7280", label="pixels")
ax.set(xlabel="labelled images of each digit", ylabel="accuracy on other images")
ax.legend(loc="lower right")
plt.show()

# %%
# Wrong labels
# ------------
# The encoder has seen no label, so that wrong ones reach the linear classifier alone.

draws = np.random.default_rng(0)
shares, accuracies = (0.0, 0.2, 0.4, 0.6), []
for share in shares:
    wrong = np.where(draws.random(1200) < share, draws.integers(0, 10, 1200), y[:1200])
    accuracies.append(linear_probe(encoder, X[:1200], wrong).score(X[1200:], y[1200:]))
fig, ax = plt.subplots(layout="constrained")
ax.bar([f"{share:.0%}" for share in shares], accuracies, color="#7b3294")
ax.set(xlabel="labels replaced by random ones", ylabel="accuracy on other images", ylim=(0, 1))
plt.show()

# %%
# Swapped decoders
# ----------------
# One encoder, and a decoder for each of two domains: digits, and the same digits in faint italics.
# The code of a digit, decoded by the other decoder, is the digit in the other style.

italics = X.reshape(-1, 8, 8).copy()
for row, shift in enumerate((2, 1, 1, 0, 0, -1, -1, -2)):
    italics[:, row] = 0.6 * np.roll(italics[:, row], shift, axis=1)
italics = italics.reshape(-1, 64)
rows = np.vstack([X[:1200], italics[:1200]])
domains = np.repeat(["digits", "faint italics"], 1200)
both = SharedAutoencoder(24, [Dense(96, "relu")], max_iter=50, random_state=0).fit(rows, domains)
swapped = both.swap(X[1200:1208], "faint italics")
fig, axes = plt.subplots(3, 8, figsize=(8, 3.2), layout="constrained")
lines = (X[1200:1208], swapped, italics[1200:1208])
for line, images, title in zip(axes, lines, ("digit", "swapped", "italics"), strict=True):
    for ax, image in zip(line, images, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
    line[0].set_ylabel(title)
plt.show()
