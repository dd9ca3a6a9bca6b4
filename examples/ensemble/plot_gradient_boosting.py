"""
How boosting learns, stage by stage
===================================

Each stage adds a small tree that answers a part of what is still wrong. Here is a curve that grows
out of steps, the loss of rows that were seen and of rows that were not, and what an outlier does.
"""

# %%
# A curve out of steps
# --------------------
# Trees of four leaves, each with half of what it found. After one stage there are four steps; after
# a hundred the steps follow the noise too.

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
    ax.plot(grid, stages[count - 1], color="C0", label=f"{count} stage{'s' if count > 1 else ''}")
    ax.set(xlabel="x")
    ax.legend(loc="upper center", fontsize=8)
axes[0].set(ylabel="y")
fig.tight_layout()

# %%
# Rate and number of stages
# -------------------------
# The loss of the training rows only falls. That of rows held out falls and then rises again: the
# lower the rate, the later and the more gently.

data = load_diabetes()
X, X_new, y, y_new = train_test_split(data.data, data.target, test_size=0.4, random_state=0)
fig, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), sharex=True)
for rate, colour in ((1.0, "C3"), (0.3, "C1"), (0.05, "C0")):
    model = GradientBoostingRegressor(learning_rate=rate, max_depth=2, n_estimators=200).fit(X, y)
    for ax, rows, target in ((axes[0], X, y), (axes[1], X_new, y_new)):
        losses = [np.mean((target - stage) ** 2) for stage in model.staged_predict(rows)]
        ax.plot(np.arange(1, 201), losses, color=colour, label=f"rate {rate:g}")
axes[0].set(title="rows that were learned from", xlabel="stages", ylabel="mean squared error")
axes[1].set(title="rows held out", xlabel="stages", ylim=(2500, 7500))
axes[1].legend()
fig.tight_layout()

# %%
# Outliers
# --------
# Squares pull the steps towards three wild points. The absolute and Huber's loss only count them.

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
# A direction that must hold
# --------------------------
# If we know that a score can only rise with a column, the model may be told so, and follows noise
# less.

x = rng.uniform(0, 5, 300)
y = np.log1p(x) + 0.4 * rng.normal(size=300)
grid = np.linspace(0, 5, 400)
fig, ax = plt.subplots(figsize=(7.2, 3.6))
ax.plot(x, y, ".", color="0.8")
for direction, label, colour in (([0], "free", "C1"), ([1], "rising", "C0")):
    model = HistGradientBoostingRegressor(monotonic_cst=direction, min_samples_leaf=5)
    ax.plot(grid, model.fit(x[:, None], y).predict(grid[:, None]), color=colour, label=label)
ax.set(xlabel="x", ylabel="y")
ax.legend()
fig.tight_layout()
plt.show()
