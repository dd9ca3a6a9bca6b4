"""
Regression trees
================

A regression tree predicts the mean of a box. It needs no assumption about the shape of the
function, and approximates it by steps.
"""

# %%
# A wave with outliers
# --------------------
# y = cos(2x), and every fifth point is an outlier. Two levels underfit; with five, the tree follows
# single outliers. At least five points per leaf is a compromise.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ObliqueTreeClassifier,
    plot_tree,
    prune,
    train_test_split,
)
from learnable.datasets._source_tables import source_table
from learnable.plot import DecisionBoundaryDisplay, ImportancesDisplay, PartitionDisplay

rng = np.random.default_rng(0)
x = np.sort(5 * rng.random(80))[:, None]
y = np.cos(2 * x[:, 0])
y[::5] += 3 * (0.5 - rng.random(16))
grid = np.linspace(0, 5, 600)[:, None]
trees = {
    "two levels": DecisionTreeRegressor(max_depth=2),
    "five levels": DecisionTreeRegressor(max_depth=5),
    "five points in a leaf": DecisionTreeRegressor(min_samples_leaf=5),
}
fig, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained", sharey=True)
for ax, (name, tree) in zip(axes, trees.items(), strict=True):
    ax.plot(grid, np.cos(2 * grid), "--", color="#6b7280", linewidth=1)
    ax.plot(x, y, ".", color="#2563a8", markersize=5)
    ax.plot(grid, tree.fit(x, y).predict(grid), color="#d9730d", linewidth=2)
    ax.set(title=name, xlabel="x")
plt.show()

# %%
# The tree of two levels as a diagram: in every node its points and the means of both children; in
# every leaf its points.

plot_tree(trees["two levels"], feature_names=["x"], impurity=False, rounded=True, X=x, y=y)
plt.show()

# %%
# Housing values
# --------------
# The value of homes in 506 areas (the :ref:`page on coefficient tables
# <sphx_glr_gallery_linear_model_plot_coefficient_table.py>` says what is wrong with this table). A
# full tree, and one that is pruned on a validation set.

houses = pd.read_csv(source_table("boston.csv")).drop(columns="b")
X, value = houses.drop(columns="medv"), houses["medv"].to_numpy()
X_train, X_test, y_train, y_test = train_test_split(X, value, test_size=0.2, random_state=0)
X_grow, X_prune, y_grow, y_prune = train_test_split(X_train, y_train, test_size=0.3, random_state=0)
full = DecisionTreeRegressor(random_state=0).fit(X_grow, y_grow)
for name, tree in {"full": full, "pruned": prune(full, X_prune, y_prune)}.items():
    error = np.sqrt(np.mean((tree.predict(X_test) - y_test) ** 2))
    print(f"{name:7} {tree.get_n_leaves():4} leaves, root mean squared error {error:.2f}")

# %%
# Feature importances: the fraction of the impurity decrease due to each feature.

ImportancesDisplay.from_estimator(full)
plt.show()

# %%
# Oblique decision boundaries
# ---------------------------
# Every split is parallel to an axis. An oblique boundary becomes a staircase; rotated by 45 degrees
# it is a single split; and oblique trees find it by themselves. A ring stays a ring under rotation.

points = rng.uniform(-1, 1, (700, 2))
turn = np.array([[1.0, -1.0], [1.0, 1.0]]) / np.sqrt(2)
slanted = (points.sum(axis=1) > 0.1).astype(int)
ring = (np.hypot(*points.T) < 0.6).astype(int)
fig, axes = plt.subplots(2, 2, figsize=(8.2, 7.4), layout="constrained")
for row, target in zip(axes, (slanted, ring), strict=True):
    for ax, data, name in zip(row, (points, points @ turn), ("original", "rotated"), strict=True):
        tree = DecisionTreeClassifier().fit(data, target)
        PartitionDisplay.from_estimator(tree, data, target, ax=ax)
        ax.set_title(f"{name}: {tree.get_n_leaves()} boxes")
plt.show()

# %%
# An oblique tree on the original features:

oblique = ObliqueTreeClassifier(max_depth=1).fit(points, slanted)
DecisionBoundaryDisplay.from_estimator(oblique, points, slanted, eps=0.1)
print(oblique.rules()[0])
plt.show()
# sphinx_gallery_thumbnail_number = 1
