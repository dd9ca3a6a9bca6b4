"""
Kernels
=======

A kernel measures the similarity of two rows. Kernel ridge regression gives very different curves
through the same points with different kernels, and the width of a Gaussian kernel controls the
bias-variance trade-off.
"""

# %%
# Six kernels around one point
# ----------------------------
# The kernel between every point of the plane and the point (1, 0.5). Gaussian and Laplacian kernels
# decrease with the distance, polynomial ones grow with the inner product, and the cosine depends on
# the direction only.

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernel_ridge import KernelRidge
from learnable.kernels import Cosine, Gaussian, Laplacian, Linear, Polynomial, Sigmoid, gram

kernels = {
    "linear": Linear(),
    "quadratic": Polynomial.quadratic(1.0),
    "Gaussian": Gaussian(1.0),
    "Laplacian": Laplacian(1.0),
    "cosine": Cosine(),
    "sigmoid": Sigmoid(1.0, 0.0),
}
side = np.linspace(-2.5, 2.5, 121)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
point = np.array([[1.0, 0.5]])

fig, axes = plt.subplots(2, 3, figsize=(8.6, 5.6), layout="constrained", sharex=True, sharey=True)
for ax, (name, kernel) in zip(axes.flat, kernels.items(), strict=True):
    similarity = kernel(plane, point).reshape(len(side), len(side))
    shown = ax.contourf(side, side, similarity, levels=14, cmap="viridis")
    ax.plot(*point[0], "o", color="white", markeredgecolor="black")
    ax.set_title(name, fontsize=10)
    ax.set_aspect("equal")
    fig.colorbar(shown, ax=ax, shrink=0.8)
plt.show()

# %%
# One regression, four widths
# ---------------------------
# Kernel ridge regression with the same ``alpha``. A narrow kernel overfits, a wide one underfits.
# The leave-one-out error, which is exact and needs no refitting, selects the width.

rng = np.random.default_rng(3)
X = np.sort(rng.uniform(0, 10, size=(40, 1)), axis=0)
y = np.sin(X[:, 0]) + 0.25 * rng.normal(size=40)
grid = np.linspace(-0.5, 10.5, 400)[:, None]

fig, axes = plt.subplots(1, 4, figsize=(8.6, 2.6), sharey=True, layout="constrained")
for ax, width in zip(axes, (0.1, 0.5, 1.5, 8.0), strict=True):
    model = KernelRidge(alpha=0.1, kernel=Gaussian.of_width(width), leave_one_out=True).fit(X, y)
    error = np.sqrt(np.mean((model.loo_predictions_ - y) ** 2))
    ax.plot(grid, model.predict(grid), color="tab:orange")
    ax.plot(grid, np.sin(grid), color="gray", linewidth=0.8, linestyle="--")
    ax.plot(X, y, ".", color="tab:blue")
    ax.set_title(f"width {width}\nleave-one-out error {error:.2f}", fontsize=9)
    ax.set_ylim(-1.8, 1.8)
plt.show()

# %%
# Strings
# -------
# A kernel does not need a feature vector. Here it counts the pairs of letters that two words share,
# which is an inner product of counts, and normalises by the lengths.

words = ["banana", "bandana", "cabana", "kernel", "colonel", "internal", "eternal", "bandit"]


def pairs(word):
    return [word[i : i + 2] for i in range(len(word) - 1)]


def shared(left, right):
    return sum(pairs(left).count(pair) * pairs(right).count(pair) for pair in set(pairs(left)))


K = gram(words, shared)
K = K / np.sqrt(np.outer(np.diag(K), np.diag(K)))
fig, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
image = ax.imshow(K, cmap="viridis", vmin=0, vmax=1)
ax.set_xticks(range(len(words)), words, rotation=45, ha="right")
ax.set_yticks(range(len(words)), words)
fig.colorbar(image, label="similarity")
plt.show()
