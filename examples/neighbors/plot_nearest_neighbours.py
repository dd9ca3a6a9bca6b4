"""
k-nearest neighbours
====================

The number of neighbours controls how smooth the prediction is: decision boundaries, regression
curves, and their bias-variance trade-off.
"""

# %%
# Majority vote
# -------------
# A new point, the star, gets the majority class of its nearest rows. The number of neighbours may
# decide it.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocallyWeightedRegressor,
    score_every_k,
)
from learnable.plot import DecisionBoundaryDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 2))
y = (X[:, 1] > np.sin(2 * X[:, 0])).astype(int) ^ (rng.random(120) < 0.12)
new = np.array([[0.15, 0.05]])
fig, axes = plt.subplots(1, 3, figsize=(8.4, 3.2), layout="constrained", sharex=True, sharey=True)
for k, ax in zip((1, 3, 7), axes, strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    (distances,), (voters,) = model.kneighbors(new)
    for row in X[voters]:
        ax.plot(*zip(new[0], row, strict=True), color="#9ca3af", linewidth=1, zorder=1)
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=18, edgecolor="white", linewidth=0.4)
    ax.add_patch(plt.Circle(new[0], distances[-1], fill=False, color="#6b7280", linestyle=":"))
    ax.plot(*new.T, marker="*", color="#111827", markersize=11)
    ax.set(xlim=(-0.45, 0.75), ylim=(-0.55, 0.65), aspect="equal")
    ax.set_title(f"{y[voters].sum()} of {k} for red", fontsize=10)
plt.show()

# %%
# Decision boundaries
# -------------------
# Two overlapping classes. With one neighbour every outlier has an island of its own (overfitting);
# with more of them the decision boundary becomes smooth.

fig, axes = plt.subplots(2, 2, figsize=(7.2, 6.4), layout="constrained", sharex=True, sharey=True)
for k, ax in zip((1, 3, 5, 7), axes.flat, strict=True):
    model = KNeighborsClassifier(k).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(model, X, y, ax=ax)
    ax.set_title(f"{k} neighbour" + "s" * (k > 1))
plt.show()

# %%
# Choosing the number of neighbours
# ---------------------------------
# The leave-one-out accuracy for every number of neighbours, from a single search.

found = score_every_k(X, y, most=40)
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(found.n_neighbors, found.scores, color="#2563a8")
ax.axvline(found.best, color="#9ca3af", linewidth=1)
ax.set(xlabel="neighbours", ylabel="leave-one-out accuracy")
plt.show()

# %%
# Regression
# ----------
# The mean of neighbours jumps wherever one neighbour replaces another, and is biased at the
# boundary; smoothly decaying weights, and a local line instead of a constant, correct both.

x = np.sort(rng.uniform(0, 6, 70))
t = np.sin(x) + 0.25 * rng.normal(size=70)
grid = np.linspace(0, 6, 400)[:, None]
curves = {
    "mean of 12": KNeighborsRegressor(12),
    "12, weighted by distance": LocallyWeightedRegressor(12, degree=0),
    "local line, 20": LocallyWeightedRegressor(20),
}
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(x, t, "o", color="#9ca3af", markersize=3)
for (name, model), colour in zip(curves.items(), ("#d97706", "#2563a8", "#15803d"), strict=True):
    ax.plot(grid, model.fit(x[:, None], t).predict(grid), label=name, color=colour)
ax.legend(frameon=False)
ax.set(xlabel="x", ylabel="y")
plt.show()
