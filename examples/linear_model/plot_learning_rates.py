"""
Learning rate and batch size
============================

Gradient descent has one hyperparameter that matters, the learning rate. Too small and it makes no
progress; too large and the steps overshoot the minimum and the loss increases. For the squared
error the limit is known: a learning rate above :math:`2 / L`, with :math:`L` the largest eigenvalue
of the Hessian, diverges.
"""

# %%
# Too small, right, too large
# ---------------------------
# Two correlated features, so that the contours are ellipses. ``keep_path=True`` stores the
# coefficients of every epoch. The last learning rate is just above the limit: the fit warns, says
# so in ``trace_.stopped``, and names the largest stable learning rate.

import warnings

import matplotlib.pyplot as plt
import numpy as np

from learnable.core import ConvergenceWarning
from learnable.linear_model import GradientDescentRegressor, LinearRegression

rng = np.random.default_rng(1)
X = rng.normal(size=(200, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
X -= X.mean(axis=0)
y = X @ [2.0, -1.0] + rng.normal(size=200)
largest = np.linalg.eigvalsh(X.T @ X / 200)[-1]
rates = {
    "too small": 0.02,
    "right": 1 / largest,
    "nearly too large": 1.9 / largest,
    "too large": 2.05 / largest,
}
best = LinearRegression().fit(X, y)

fits = {}
for name, rate in rates.items():
    model = GradientDescentRegressor(
        learning_rate=rate, max_iter=40, tol=None, keep_path=True, coef_init=[-1.5, 1.5]
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fits[name] = model.fit(X, y)
    print(f"{name:17} learning rate {rate:.3f}: stopped by {model.trace_.stopped}")
print(caught[0].message)

# %%

fig, axes = plt.subplots(1, 4, figsize=(8.6, 2.7), sharex=True, sharey=True)
grid = np.linspace(-4, 6, 120)
W = np.stack(np.meshgrid(grid, grid - 1), axis=-1)
error = np.mean((y - y.mean() - W @ X.T) ** 2, axis=-1)
for ax, (name, model) in zip(axes, fits.items(), strict=True):
    ax.contour(
        W[..., 0],
        W[..., 1],
        error,
        levels=error.min() + np.geomspace(0.05, 40, 12),
        colors="#6b7280",
        linewidths=0.6,
    )
    ax.plot(*model.coef_path_.T, "o-", color="C1", markersize=2.5, linewidth=0.9)
    ax.plot(*best.coef_, "*", color="C0", markersize=10)
    ax.set(title=name, xlim=(-4, 6), ylim=(-5, 5), xlabel="first coefficient")
axes[0].set_ylabel("second coefficient")
plt.show()

# %%
# The same as a curve over the epochs. The rate of convergence is determined by the condition
# number, the ratio of the largest to the smallest eigenvalue of the Hessian; standardising the
# features improves it.

fig, ax = plt.subplots()
floor = np.mean((y - best.predict(X)) ** 2) / 2
for name, model in fits.items():
    ax.plot(
        np.maximum(model.trace_["objective"] - floor, 1e-16), label=f"{name}: {rates[name]:.2g}"
    )
ax.set(yscale="log", ylim=(1e-14, 1e3), xlabel="epoch", ylabel="objective above its minimum")
ax.legend(title="learning rate")
plt.show()

# %%
# Batch, stochastic, mini-batch
# -----------------------------
# A batch step uses every row; a stochastic step one, so that an epoch has as many steps as there
# are rows; a mini-batch step a few. Stochastic steps get close in very few epochs and then
# fluctuate around the minimum. A decreasing learning rate (``schedule="invscaling"``) makes them
# converge.

settings = {
    "batch": {"batch_size": None, "learning_rate": 0.5},
    "stochastic": {"batch_size": 1, "learning_rate": 0.05},
    "stochastic, decreasing rate": {
        "batch_size": 1,
        "learning_rate": 0.2,
        "schedule": "invscaling",
        "power_t": 0.5,
    },
    "mini-batches of 20": {"batch_size": 20, "learning_rate": 0.3},
}
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.8))
zoom = np.linspace(-0.35, 0.35, 80)
Z = np.stack(np.meshgrid(zoom + best.coef_[0], zoom + best.coef_[1]), axis=-1)
axes[1].contour(
    Z[..., 0],
    Z[..., 1],
    np.mean((y - y.mean() - Z @ X.T) ** 2, axis=-1),
    12,
    colors="#6b7280",
    linewidths=0.5,
)
for name, setting in settings.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GradientDescentRegressor(
            max_iter=30, tol=None, keep_path=True, random_state=0, **setting
        ).fit(X, y)
    axes[0].plot(np.arange(1, 31), np.maximum(model.trace_["objective"] - floor, 1e-16), label=name)
    axes[1].plot(*model.coef_path_.T, "o-", markersize=3, linewidth=0.8, label=name)
axes[0].set(
    yscale="log",
    ylim=(1e-9, 10),
    xlabel="epoch",
    ylabel="objective above its minimum",
    title="30 epochs",
)
axes[1].set(
    xlim=zoom[[0, -1]] + best.coef_[0],
    ylim=zoom[[0, -1]] + best.coef_[1],
    title="the last steps, enlarged",
)
axes[1].set(xlabel="first coefficient", ylabel="second coefficient")
axes[0].legend()
plt.show()

# %%
# Which one to use? For a linear model with squared error, none: the closed form is exact, and takes
# a millisecond here. Gradient descent is for problems without a closed form, and stochastic
# gradient descent for data that do not fit in memory: :class:`~learnable.linear_model.SGDRegressor`
# learns from batches.

from learnable.linear_model import SGDRegressor

stream = SGDRegressor(alpha=0, eta0=0.1, random_state=0)
for passes in range(5):
    for part in np.array_split(np.arange(200), 10):
        stream.partial_fit(X[part], y[part])
    print(
        f"pass {passes + 1}, ten batches:",
        stream.coef_.round(3),
        " least squares:",
        best.coef_.round(3),
    )
# sphinx_gallery_thumbnail_number = 1
