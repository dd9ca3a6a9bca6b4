"""
Kernel approximation
====================

The kernel matrix of a million rows does not fit into memory. Features whose inner products
approximate the kernel do: :class:`~learnable.kernel_approximation.Nystroem` computes them from a
sample of rows, :class:`~learnable.kernel_approximation.RBFSampler` from random Fourier features.
"""

# %%
# Approximation error
# -------------------
# The mean error of the kernel matrix of 400 rows, for a growing number of features, over five
# seeds. Nystroem's method adapts to the data and needs far fewer features; the error of random
# features decreases with the square root of their number.

import matplotlib.pyplot as plt
import numpy as np

from learnable.kernel_approximation import Nystroem, RBFSampler
from learnable.kernels import Gaussian

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 4)) * [2, 1, 0.5, 0.2]
K = Gaussian(0.2)(X)

counts = [5, 10, 20, 40, 80, 160, 320]
makers = {"Nystroem": Nystroem, "random features": RBFSampler}
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, make in makers.items():
    errors = []
    for count in counts:
        columns = [
            make(gamma=0.2, n_components=count, random_state=seed).fit_transform(X)
            for seed in range(5)
        ]
        errors.append(np.mean([np.abs(Z @ Z.T - K).mean() for Z in columns]))
    ax.loglog(counts, errors, "o-", label=name)
ax.set(xlabel="features", ylabel="mean error of the kernel")
ax.set_xticks(counts, [str(count) for count in counts])
ax.minorticks_off()
ax.legend()
plt.show()
