"""
Feature selection and leakage
=============================

Two questions about a table with more features than are relevant: which features depend on the
target, and what happens to a score if the selection has seen the test rows?
"""

# %%
# Univariate scores
# -----------------
# The F test detects linear dependence only. Mutual information also finds the second feature, whose
# square determines the target; the last three features are noise.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    Ridge,
    SelectKBest,
    cross_val_score,
    f_regression,
    make_pipeline,
    mutual_info_regression,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(500, 5))
y = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=500)
scores = {
    "F statistic": f_regression(X, y)[0],
    "mutual information": mutual_info_regression(X, y, random_state=0),
}

fig, axes = plt.subplots(1, 2, figsize=(8.2, 2.8))
for ax, (name, values) in zip(axes, scores.items(), strict=True):
    ax.bar(["x", "z (as z²)", "noise", "noise 2", "noise 3"], values)
    ax.set(title=name, ylabel="score")
plt.show()

# %%
# Selection outside and inside the cross-validation
# -------------------------------------------------
# Now all features are noise, so the true R² of every model is at most zero. If the ten best
# features are selected on all rows before the cross-validation, the score increases with the number
# of features: information about the test folds leaks into the selection. Inside a pipeline, the
# selection uses training folds only, and the score is honest.


def scores_of_noise(p):
    """R² with selection before the cross-validation, and inside it."""
    X, y = rng.normal(size=(100, p)), rng.normal(size=100)
    selected = SelectKBest(f_regression, k=10).fit_transform(X, y)
    pipeline = make_pipeline(SelectKBest(f_regression, k=10), Ridge(alpha=10.0))
    models = ((Ridge(alpha=10.0), selected), (pipeline, X))
    return [cross_val_score(model, table, y).mean() for model, table in models]


sizes = [20, 50, 100, 200, 500, 1000]
leaking, honest = np.array(
    [np.mean([scores_of_noise(p) for _ in range(8)], axis=0) for p in sizes]
).T

fig, ax = plt.subplots(figsize=(6.4, 3.6))
ax.plot(sizes, leaking, "o-", label="selected on all rows (leakage)")
ax.plot(sizes, honest, "o-", label="selected inside the pipeline")
ax.axhline(0, color="0.4", linestyle=":", linewidth=1)
ax.set(xscale="log", xlabel="number of noise features", ylabel="cross-validated R²")
ax.legend()
plt.show()
