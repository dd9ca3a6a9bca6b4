"""
Stated complexity against measured time
=======================================

A complexity such as :math:`O(p^3)` says how the time grows, not how long it takes. On logarithmic
axes it is the slope of a line.
"""

# %%
# Measured exponents
# ------------------
# Fixed costs flatten the line at small sizes, and blocked matrix products may stay below the stated
# order for long.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    DecisionTreeClassifier,
    HistGradientBoostingRegressor,
    KMeans,
    KNeighborsClassifier,
    LinearRegression,
    RandomForestClassifier,
)
from learnable.theory import measure_growth

rng = np.random.default_rng(0)


def least_squares(p):
    X = rng.standard_normal((p + 20, p))
    return lambda: LinearRegression().fit(X, X[:, 0])


def nearest_neighbours(n):
    X = rng.standard_normal((n, 40))
    model = KNeighborsClassifier(algorithm="brute").fit(X, np.arange(n) % 2)
    return lambda: model.predict(X[:60])


def k_means(n):
    X = rng.standard_normal((n, 20))
    return lambda: KMeans(8, n_init=1, max_iter=5, tol=0, init=X[:8]).fit(X)


def tree(n):
    X = rng.standard_normal((n, 10))
    y = (X[:, 0] > 0).astype(int) ^ (rng.random(n) < 0.1)
    return lambda: DecisionTreeClassifier(max_depth=6).fit(X, y)


def forest(trees):
    X = rng.standard_normal((2000, 10))
    y = rng.integers(0, 2, 2000)
    return lambda: RandomForestClassifier(trees, max_depth=6, random_state=0).fit(X, y)


def boosted_trees(rounds):
    X = rng.standard_normal((5000, 10))
    return lambda: HistGradientBoostingRegressor(max_iter=rounds).fit(X, X[:, 0] * X[:, 1])


tasks = {
    "least squares, p^3": (least_squares, [200, 400, 800]),
    "query of k-NN, N": (nearest_neighbours, [20_000, 40_000, 80_000]),
    "k-means, N": (k_means, [20_000, 40_000, 80_000]),
    "tree of fixed depth, N": (tree, [5_000, 10_000, 20_000]),
    "forest, number of trees": (forest, [20, 40, 80]),
    "boosted trees, rounds": (boosted_trees, [20, 40, 80]),
}
fig, ax = plt.subplots()
for name, (task, sizes) in tasks.items():
    order = measure_growth(task, sizes)
    ax.loglog(order.sizes, order.costs, "o-", label=f"{name}: exponent {order.exponent:.2f}")
    print(f"{name}: {order}")
ax.set(xlabel="size", ylabel="seconds")
ax.legend(frameon=False)
plt.show()
