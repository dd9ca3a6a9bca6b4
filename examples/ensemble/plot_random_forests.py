"""
From one tree to a random forest
================================

A single deep tree has a high variance. The average of many trees, fitted to bootstrap samples with
random feature subsets, is more stable.
"""

# %%
# Decision regions
# ----------------
# The decision boundary of a single tree consists of large boxes and isolated islands; that of a
# hundred trees is smooth where rows are dense, and uncertain where classes overlap.

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
# Out-of-bag rows estimate the error without a validation set. The error levels off and does not
# increase: more trees only cost time. Fewer candidate features per node make trees more different.

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
        label=f"{columns} of 12 features per node",
    )
ax.set(xlabel="trees", ylabel="out-of-bag error")
ax.legend(frameon=False)
plt.show()

# %%
# Prediction intervals and outliers
# ---------------------------------
# The training rows that share leaves with a new one give quantiles of its target. And rows that
# random splits isolate early are outliers (isolation forest).

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
    grid[:, 0], low, high, color="#2563a8", alpha=0.2, linewidth=0, label="90 % prediction interval"
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
axes[1].scatter(*rows[~found].T, s=9, color="#2563a8", linewidth=0, label="inliers")
axes[1].scatter(*rows[found].T, s=16, color="#d9730d", linewidth=0, label="outliers")
axes[1].set(title="isolation forest")
axes[1].legend(loc="upper left")
plt.show()
