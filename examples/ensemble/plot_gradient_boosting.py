"""
Gradient boosting, iteration by iteration
=========================================

Each iteration adds a small tree that is fitted to the negative gradient of the loss. This page
shows how a curve is approximated by steps, the training and validation loss for several learning
rates, and the effect of outliers.
"""

# %%
# Approximation by steps
# ----------------------
# Trees of four leaves with a learning rate of one half. After one iteration there are four steps;
# after a hundred the steps also follow the noise.

import matplotlib.pyplot as plt
import numpy as np

from learnable.datasets import load_diabetes
from learnable.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from learnable.model_selection import train_test_split

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, np.pi, 120))
y = np.cos(2 * x) + 0.3 * rng.normal(size=len(x))
model = GradientBoostingRegressor(learning_rate=0.5, max_leaf_nodes=4, n_estimators=100)
model.fit(x[:, None], y)
grid = np.linspace(0, np.pi, 400)
stages = list(model.staged_predict(grid[:, None]))
fig, axes = plt.subplots(1, 4, figsize=(12, 3), sharey=True)
for ax, count in zip(axes, (1, 3, 10, 100), strict=True):
    ax.plot(x, y, ".", color="0.7", markersize=4)
    ax.plot(grid, np.cos(2 * grid), color="0.3", linewidth=1, label="the truth")
    ax.plot(
        grid, stages[count - 1], color="C0", label=f"{count} iteration{'s' if count > 1 else ''}"
    )
    ax.set(xlabel="x")
    ax.legend(loc="upper center", fontsize=8)
axes[0].set(ylabel="y")
fig.tight_layout()

# %%
# Learning rate and number of iterations
# --------------------------------------
# The training loss only decreases. The loss of held-out rows decreases and then increases again:
# the smaller the learning rate, the later and the more slowly.

data = load_diabetes()
X, X_new, y, y_new = train_test_split(data.data, data.target, test_size=0.4, random_state=0)
fig, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharex=True)
for rate, colour in ((1.0, "C3"), (0.3, "C1"), (0.05, "C0")):
    model = GradientBoostingRegressor(learning_rate=rate, max_depth=2, n_estimators=200).fit(X, y)
    for ax, rows, target in ((axes[0], X, y), (axes[1], X_new, y_new)):
        losses = [np.mean((target - stage) ** 2) for stage in model.staged_predict(rows)]
        ax.plot(np.arange(1, 201), losses, color=colour, label=f"learning rate {rate:g}")
axes[0].set(title="training rows", xlabel="iterations", ylabel="mean squared error")
axes[1].set(title="held-out rows", xlabel="iterations", ylim=(2500, 7500))
axes[1].legend()
fig.tight_layout()

# %%
# Outliers
# --------
# The squared error follows three outliers; the absolute and Huber's loss limit their influence.

x = np.sort(rng.uniform(0, 6, 100))
y = np.sin(x) + 0.15 * rng.normal(size=100)
y[[20, 50, 80]] = 8.0, -7.0, 9.0
grid = np.linspace(0, 6, 400)
fig, ax = plt.subplots(figsize=(7.2, 3.6))
ax.plot(x, y, ".", color="0.7")
for loss, colour in (("squared_error", "C3"), ("absolute_error", "C0"), ("huber", "C2")):
    model = GradientBoostingRegressor(loss=loss, max_depth=2, n_estimators=60).fit(x[:, None], y)
    ax.plot(grid, model.predict(grid[:, None]), color=colour, label=loss)
ax.set(ylim=(-2.5, 2.5), xlabel="x", ylabel="y")
ax.legend()
fig.tight_layout()

# %%
# Monotonicity constraints
# ------------------------
# If the target is known to increase with a feature, a monotonicity constraint keeps the model from
# following the noise.

x = rng.uniform(0, 5, 300)
y = np.log1p(x) + 0.4 * rng.normal(size=300)
grid = np.linspace(0, 5, 400)
fig, ax = plt.subplots(figsize=(7.2, 3.6))
ax.plot(x, y, ".", color="0.8")
for direction, label, colour in (([0], "unconstrained", "C1"), ([1], "increasing", "C0")):
    model = HistGradientBoostingRegressor(monotonic_cst=direction, min_samples_leaf=5)
    ax.plot(grid, model.fit(x[:, None], y).predict(grid[:, None]), color=colour, label=label)
ax.set(xlabel="x", ylabel="y")
ax.legend()
fig.tight_layout()
plt.show()
