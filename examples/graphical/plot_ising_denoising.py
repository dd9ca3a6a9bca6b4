"""
Denoising an image by the Ising model
=====================================

Neighbouring pixels tend to agree: three ways to restore a noisy binary image.
"""

# %%
# The most probable image
# -----------------------
# Every pixel was flipped with probability 0.15. A minimum cut finds the most probable image
# exactly; Gibbs sampling takes the most frequent value of each pixel; iterated conditional modes
# stop at a local optimum.

import matplotlib.pyplot as plt
import numpy as np

from learnable.graphical import denoise_image

rows, columns = np.indices((60, 60))
clean = ((rows - 30) ** 2 + (columns - 25) ** 2 < 300).astype(int)
clean[10:50, 48:54] = 1
noisy = np.where(np.random.default_rng(0).random(clean.shape) < 0.15, 1 - clean, clean)
images = {"original": clean, "noisy": noisy}
for method in ("icm", "gibbs", "exact"):
    images[method] = denoise_image(noisy, noise=0.15, method=method, random_state=0)

fig, axes = plt.subplots(1, 5, figsize=(9, 2.2), layout="constrained")
for ax, (name, image) in zip(axes, images.items(), strict=True):
    ax.imshow(image, cmap="Greys", interpolation="nearest")
    ax.set(title=f"{name}: {np.mean(image != clean):.1%} wrong", xticks=[], yticks=[])
    ax.title.set_fontsize(9)
plt.show()
