"""
Digits as sums of parts
=======================

Nonnegative factors are strokes, principal components are not; learned atoms remove noise.
"""

# %%
# Parts and components
# --------------------
# Every digit is a sum of nonnegative parts. Singular vectors have both signs and cancel each other.

import matplotlib.pyplot as plt
import numpy as np

from learnable import KSVD, NMF, TruncatedSVD, load_digits, sparse_encode
from learnable.decomposition import dct_dictionary

digits = np.asarray(load_digits().data)
parts = NMF(16, solver="hals", tol=2e-2, max_iter=1000, random_state=0).fit(digits).components_
vectors = TruncatedSVD(16, random_state=0).fit(digits).components_
fig, axes = plt.subplots(4, 8, figsize=(8, 4.4), layout="constrained")
for k in range(16):
    for images, column, colours in ((parts, 0, "Greys"), (vectors, 4, "RdBu")):
        ax = axes[k // 4, column + k % 4]
        size = np.abs(images[k]).max()
        ax.imshow(images[k].reshape(8, 8), cmap=colours, vmin=-size if column else 0, vmax=size)
        ax.axis("off")
fig.suptitle("nonnegative factors (left), singular vectors (right: red is negative)")
plt.show()

# %%
# An image without its noise
# --------------------------
# Patches of a noisy image are coded with few atoms; what needs many atoms is noise. Atoms learned
# from the noisy patches themselves do better than cosines.

rng = np.random.default_rng(0)
rows, columns = np.mgrid[0:64, 0:64] / 64
image = np.sin(12 * rows + 6 * columns**2) + (np.hypot(rows - 0.5, columns - 0.5) < 0.3)
noisy = image + 0.3 * rng.standard_normal(image.shape)
windows = np.lib.stride_tricks.sliding_window_view(noisy, (8, 8))
patches = windows.reshape(-1, 64)
means = patches.mean(axis=1, keepdims=True)
learned = KSVD(100, transform_n_nonzero_coefs=2, max_iter=15, tol=1e-2, random_state=0)
atoms = learned.fit(patches[::3] - means[::3]).components_


def cleaned(atoms):
    """The mean of all coded patches that cover a pixel."""
    coded = (
        sparse_encode(patches - means, atoms, algorithm="omp", alpha=64 * 0.3**2 * 1.1) @ atoms
        + means
    )
    total, count = np.zeros_like(image), np.zeros_like(image)
    for patch, (i, j) in zip(coded, np.ndindex(windows.shape[:2]), strict=True):
        total[i : i + 8, j : j + 8] += patch.reshape(8, 8)
        count[i : i + 8, j : j + 8] += 1
    return total / count


cosines = dct_dictionary(8, 10, two_dimensional=True)
shown = {"noisy": noisy, "cosines": cleaned(cosines), "learned atoms": cleaned(atoms)}
fig, axes = plt.subplots(1, 3, figsize=(8, 3), layout="constrained")
for ax, (name, picture) in zip(axes, shown.items(), strict=True):
    ax.imshow(picture, cmap="gray", vmin=-1.5, vmax=2.5)
    ax.set_title(f"{name}: RMSE {np.sqrt(np.mean((picture - image) ** 2)):.2f}")
    ax.axis("off")
plt.show()
