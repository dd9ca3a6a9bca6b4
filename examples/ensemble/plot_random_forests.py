"""
From one tree to a forest
=========================

One deep tree follows every row it saw. The mean of many that saw other rows, and looked at other
columns, is steadier.
"""

# %%
# One, a few, many
# ----------------
# The boundary of a single tree is made of large boxes and lone islands; that of a hundred is smooth
# where rows are dense, and unsure where classes mix.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    make_moons,
)
from learnable.plot import DecisionBoundaryDisplay

X, y = make_moons(n_samples=250, noise=0.3, random_state=1)
models = {
    "one tree": DecisionTreeClassifier(random_state=0),
    "random forest of 5": RandomForestClassifier(5, random_state=0),
    "random forest of 200": RandomForestClassifier(200, random_state=0),
    "extra trees, 200": ExtraTreesClassifier(200, random_state=0),
}
fig, axes = plt.subplots(1, 4, figsize=(13, 3.5), layout="constrained", sharex=True, sharey=True)
for ax, (title, model) in zip(axes, models.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(model.fit(X, y), X, y, ax=ax)
    ax.set_title(title, fontsize=10)
plt.show()

# %%
# How many trees?
# ---------------
# Rows that a tree did not draw judge it. The error by such rows levels out and does not rise: more
# trees cost time, nothing else. Fewer columns at a node make trees that differ more.

rng = np.random.default_rng(0)
table = rng.normal(size=(800, 12))
target = (table[:, :4].sum(axis=1) + 0.8 * rng.normal(size=800) > 0).astype(int)
fig, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
for columns, colour in ((1, "#5b8c5a"), (3, "#2563a8"), (12, "#d9730d")):
    forest = RandomForestClassifier(250, max_features=columns, oob_score=True, random_state=0).fit(
        table, target
    )
    ax.plot(
        np.arange(15, 251),
        1 - forest.oob_curve_[14:],
        color=colour,
        label=f"{columns} of 12 columns at a node",
    )
ax.set(xlabel="trees", ylabel="error of the trees that did not see a row")
ax.legend(frameon=False)
plt.show()

# %%
# Where targets lie, and which rows are odd
# -----------------------------------------
# The rows that share leaves with a new one tell how far its target may be. And rows that random
# divisions leave alone early are odd.

x = rng.uniform(0, 6, 900)[:, None]
noisy = np.sin(x[:, 0]) + (0.05 + 0.12 * x[:, 0]) * rng.normal(size=900)
spread = RandomForestRegressor(200, min_samples_leaf=15, keep_targets=True, random_state=0).fit(
    x, noisy
)
grid = np.linspace(0, 6, 300)[:, None]
low, middle, high = spread.predict_quantiles(grid, [0.05, 0.5, 0.95]).T
fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
axes[0].scatter(x[:, 0], noisy, s=6, color="0.6", linewidth=0)
axes[0].fill_between(
    grid[:, 0], low, high, color="#2563a8", alpha=0.2, linewidth=0, label="nine of ten targets"
)
axes[0].plot(grid[:, 0], middle, color="#2563a8", label="median")
axes[0].set(title="quantiles of a forest", xlabel="x", ylabel="y")
axes[0].legend(frameon=False, loc="lower left")
rows = np.vstack(
    [
        rng.normal((0, 0), 0.6, (200, 2)),
        rng.normal((3, 2), 0.4, (120, 2)),
        rng.uniform(-3, 6, (15, 2)),
    ]
)
odd = IsolationForest(random_state=0, contamination=0.06).fit(rows)
u, v = np.meshgrid(np.linspace(-4, 7, 150), np.linspace(-4, 7, 150))
score = odd.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
axes[1].contourf(u, v, score, levels=12, cmap="Greys_r", alpha=0.6)
found = odd.predict(rows) == -1
axes[1].scatter(*rows[~found].T, s=9, color="#2563a8", linewidth=0, label="ordinary")
axes[1].scatter(*rows[found].T, s=16, color="#d9730d", linewidth=0, label="odd")
axes[1].set(title="rows that are soon alone")
axes[1].legend(loc="upper left")
plt.show()
