"""
Denoising by fewer dimensions
=============================

Noise spreads over all directions, the signal over a few. What is reconstructed from the first
components has most of the signal and little of the noise.
"""

# %%
# Noisy digits
# ------------
# Components are learned from noisy images alone. Few components lose detail, many keep the noise;
# the error against the clean images is smallest in between.

import matplotlib.pyplot as plt
import numpy as np

from learnable import PCA, KernelPCA, KNeighborsClassifier
from learnable.datasets import load_digits

digits = load_digits()
rng = np.random.default_rng(0)
clean = digits.data / 16
noisy = clean + 0.3 * rng.normal(size=clean.shape)
train = np.arange(len(clean)) % 2 == 0
counts = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64]
errors = []
for count in counts:
    model = PCA(count).fit(noisy[train])
    restored = model.inverse_transform(model.transform(noisy[~train]))
    errors.append(np.mean((restored - clean[~train]) ** 2))
fig, ax = plt.subplots(figsize=(6.2, 3.6), layout="constrained")
ax.plot(counts, errors, "o-", label="reconstruction")
ax.axhline(np.mean((noisy[~train] - clean[~train]) ** 2), color="0.5", ls="--", label="noisy image")
ax.set(xlabel="components", ylabel="squared error against the clean image", ylim=(0, None))
ax.legend(frameon=False)
plt.show()
best = counts[int(np.argmin(errors))]
print("best number of components:", best)

# %%
# Images, and what a classifier gains
# -----------------------------------
# Kernel PCA maps back by a regression of the images on their scores.

linear = PCA(best).fit(noisy[train])
curved = KernelPCA(40, kernel="rbf", gamma=0.02, fit_inverse_transform=True, alpha=0.02).fit(
    noisy[train]
)
shown = np.flatnonzero(~train)[:8]
rows = {
    "clean": clean[shown],
    "noisy": noisy[shown],
    "PCA": linear.inverse_transform(linear.transform(noisy[shown])),
    "kernel PCA": curved.inverse_transform(curved.transform(noisy[shown])),
}
fig, axes = plt.subplots(4, 8, figsize=(7.2, 4), layout="constrained")
for line, (name, images) in zip(axes, rows.items(), strict=True):
    for ax, image in zip(line, images, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
    line[0].set_ylabel(name)
plt.show()
for name, images in (
    ("noisy", noisy),
    ("denoised", linear.inverse_transform(linear.transform(noisy))),
):
    neighbours = KNeighborsClassifier(1).fit(images[train], digits.target[train])
    print(f"{name}: {neighbours.score(images[~train], digits.target[~train]):.1%} correct")
# sphinx_gallery_thumbnail_number = 2
