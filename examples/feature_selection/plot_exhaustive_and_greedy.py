"""
Exhaustive and greedy search
============================

The best subset of columns and the smallest tree can only be found by trying all of them, which
takes 2 to the power of the number of columns. Greedy search takes the best step at a time, and may
miss them.
"""

# %%
# Best subsets against forward selection and the lasso
# ----------------------------------------------------
# The L0 problem: the least squares fit with at most k columns. The first column that forward
# selection takes is the sum of two others with noise; it never gets rid of it again.

import itertools
import time

import matplotlib.pyplot as plt
import numpy as np

from learnable import DecisionTreeClassifier, OrthogonalMatchingPursuit
from learnable.linear_model import lasso_path

rng = np.random.default_rng(1)
n, p = 60, 12
X = rng.normal(size=(n, p))
X[:, 2] = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n)
y = 2 * X[:, 0] + 2 * X[:, 1] + X[:, 5] + 0.3 * rng.normal(size=n)
X, y = X - X.mean(axis=0), y - y.mean()


def residual(columns):
    columns = list(columns)
    return np.sum((y - X[:, columns] @ np.linalg.lstsq(X[:, columns], y, rcond=None)[0]) ** 2)


sizes = range(1, 7)
exhaustive = [min(residual(c) for c in itertools.combinations(range(p), k)) for k in sizes]
greedy = []
for k in sizes:
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=k).fit(X, y)
    greedy.append(residual(np.flatnonzero(model.coef_)))
_, path, _ = lasso_path(X, y)
by_lasso = []
for k in sizes:
    chosen = [np.flatnonzero(w) for w in path.T if np.count_nonzero(w) == k]
    by_lasso.append(min((residual(c) for c in chosen), default=np.nan))
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.semilogy(sizes, exhaustive, "o-", label="all subsets")
ax.semilogy(sizes, greedy, "s--", markersize=9, fillstyle="none", label="greedy")
ax.semilogy(sizes, by_lasso, "x:", label="lasso")
ax.set(xlabel="columns in the model", ylabel="residual sum of squares")
ax.legend(frameon=False)
plt.show()

# %%
# The cost of certainty: the number of subsets doubles with each column.

counts, seconds = [4, 6, 8, 10, 12], []
for columns in counts:
    began = time.perf_counter()
    for k in range(1, columns + 1):
        for subset in itertools.combinations(range(columns), k):
            residual(subset)
    seconds.append(time.perf_counter() - began)
print({c: f"{s:.3f} s" for c, s in zip(counts, seconds, strict=True)})

# %%
# The smallest tree
# -----------------
# On the exclusive or of two columns beside a column that agrees with the class in three of four
# rows, greedy growth splits on the misleading column first, as each column of the exclusive or
# alone says nothing. The smallest tree without errors has four leaves; the greedy one more.

bits = np.array(list(itertools.product([0, 1], repeat=4)))
label = bits[:, 0] ^ bits[:, 1]
hint = np.where(np.arange(16) % 4 == 0, 1 - label, label)
table = np.column_stack([bits, hint])
grown = DecisionTreeClassifier(random_state=0).fit(table, label)
smallest = DecisionTreeClassifier(random_state=0).fit(table[:, :2], label)
print("leaves of the greedy tree:", grown.get_n_leaves())
print("leaves of the smallest tree:", smallest.get_n_leaves())
# sphinx_gallery_thumbnail_number = 1
