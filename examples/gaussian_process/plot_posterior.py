"""
Gaussian process regression
===========================

Functions before and after observations, what kernels expect of them, and a series composed of
trend, season and noise.
"""

# %%
# Prior and posterior
# -------------------
# Without observations the functions vary around zero with the deviation of the prior. Five
# observations leave those that pass through them.

import matplotlib.pyplot as plt
import numpy as np

from learnable import GaussianProcessRegressor
from learnable.gaussian_process.kernels import (
    RBF,
    DotProduct,
    ExpSineSquared,
    Matern,
    RationalQuadratic,
    WhiteKernel,
)

grid = np.linspace(0, 10, 200)[:, None]
X = np.array([[1.0], [3.0], [5.0], [6.0], [8.0]])
y = np.sin(X[:, 0]) + 0.3 * X[:, 0] - 1.2


def draw(ax, model, title, fitted=True):
    """Mean, band of two standard deviations, and three functions."""
    mean, std = model.predict(grid, return_std=True)
    ax.fill_between(grid[:, 0], mean - 2 * std, mean + 2 * std, color="#2563a8", alpha=0.15)
    ax.plot(grid, model.sample_y(grid, 3, random_state=1), lw=0.9, color="#c2410c", alpha=0.7)
    ax.plot(grid, mean, color="#2563a8", lw=2)
    if fitted:
        ax.plot(X, y, "o", color="black", ms=5)
    ax.set_title(title, fontsize=10)


fig, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
model = GaussianProcessRegressor(1.5 * RBF(1.5), optimizer=None)
draw(axes[0], model, "prior", fitted=False)
draw(axes[1], model.fit(X, y), "posterior")
plt.show()

# %%
# Kernels compared
# ----------------
# The same observations under other expectations: rough, periodic, on many length scales, linear.

kernels = {
    "Matérn, nu = 0.5": 1.5 * Matern(2.0, nu=0.5),
    "periodic": 1.5 * ExpSineSquared(1.0, periodicity=6.0),
    "rational quadratic": 1.5 * RationalQuadratic(1.5, alpha=0.3),
    "linear, with noise": DotProduct(1.0) + WhiteKernel(0.3),
}
fig, axes = plt.subplots(1, 4, figsize=(11, 2.6), layout="constrained", sharey=True)
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    draw(ax, GaussianProcessRegressor(kernel, optimizer=None, alpha=1e-4).fit(X, y), name)
plt.show()

# %%
# A series of trend, season and noise
# -----------------------------------
# Forty years of monthly values with a rising trend, a season that slowly changes its shape, and
# noise. The kernel is the sum of one for each, and its hyperparameters maximise the marginal
# likelihood. The forecast continues trend and season; its band widens.

rng = np.random.default_rng(0)
time = np.arange(0, 40, 1 / 6)
level = 0.02 * time**2 + 0.3 * time
season = 2.5 * np.sin(2 * np.pi * time) + 0.8 * np.cos(4 * np.pi * time)
series = level + season + 0.4 * rng.normal(size=len(time))
kernel = (
    100.0 * RBF(40.0)
    + 4.0 * RBF(100.0, "fixed") * ExpSineSquared(1.0, 1.0, periodicity_bounds="fixed")
    + WhiteKernel(0.1)
)
model = GaussianProcessRegressor(kernel, normalize_y=False, alpha=1e-6).fit(
    time[:, None], series - series.mean()
)
future = np.arange(0, 50, 1 / 12)
mean, std = model.predict(future[:, None], return_std=True)
mean += series.mean()
fig, ax = plt.subplots(figsize=(9, 3), layout="constrained")
ax.plot(time, series, ".", ms=3, color="black", label="observed")
ax.plot(future, mean, color="#2563a8", lw=1, label="posterior mean")
ax.fill_between(future, mean - 2 * std, mean + 2 * std, color="#2563a8", alpha=0.2)
ax.axvline(40, color="0.6", lw=0.8)
ax.set(xlabel="year", title="trend + season + noise")
print(model.kernel_)
ax.legend(frameon=False)
plt.show()
