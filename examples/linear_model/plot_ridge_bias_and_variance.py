"""
Bias and variance of ridge regression
=====================================

Least squares is unbiased and may have a large variance. Ridge regression,

.. math:: \\min_w \\; \\lVert y - Xw \\rVert^2 + \\alpha \\lVert w \\rVert^2,

is biased, by an amount that a formula gives, and has a smaller variance. This page simulates
thousands of samples and checks the formulas.
"""

# %%
# Bias and variance of the coefficients
# -------------------------------------
# For a fixed design the estimate has mean :math:`(X^\top X + \alpha I)^{-1} X^\top X \beta` and
# covariance :math:`\sigma^2 (X^\top X + \alpha I)^{-1} X^\top X (X^\top X + \alpha I)^{-1}`.
# Two highly correlated features make the effect large. All samples are fitted in one call: each
# is a target of its own.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import LinearRegression, Ridge

rng = np.random.default_rng(0)
n, sigma = 30, 1.0
base = rng.normal(size=(n, 3))
X = np.column_stack([base[:, 0], base[:, 0] + 0.15 * base[:, 1], base[:, 2]])
X -= X.mean(axis=0)
beta = np.array([1.0, 1.0, -0.5])
samples = X @ beta + sigma * rng.normal(size=(4000, n))

alphas = np.geomspace(1e-2, 1e3, 26)
gram = X.T @ X
simulated, formula = [], []
for alpha in alphas:
    drawn = Ridge(alpha=alpha).fit(X, samples.T).coef_
    simulated.append([np.sum((drawn.mean(axis=0) - beta) ** 2), drawn.var(axis=0).sum()])
    shrink = np.linalg.inv(gram + alpha * np.eye(3))
    bias = shrink @ gram @ beta - beta
    formula.append([bias @ bias, sigma**2 * np.trace(shrink @ gram @ shrink)])
simulated, formula = np.array(simulated), np.array(formula)

fig, ax = plt.subplots()
for column, (name, colour) in enumerate([("squared bias", "C1"), ("variance", "C0")]):
    ax.plot(alphas, formula[:, column], color=colour, label=f"{name}: formula")
    ax.plot(
        alphas,
        simulated[:, column],
        "o",
        color=colour,
        markersize=4,
        label=f"{name}: 4000 samples",
    )
ax.plot(
    alphas,
    formula.sum(axis=1),
    color="black",
    linewidth=2,
    label="their sum: mean squared error",
)
best = alphas[formula.sum(axis=1).argmin()]
ax.axvline(best, color="#6b7280", linestyle=":", label=f"best alpha, {best:.2g}")
ax.set(
    xscale="log",
    xlabel="alpha",
    yscale="log",
    ylabel="error of the coefficients",
    ylim=(1e-3, 20),
)
ax.legend(fontsize=8, loc="lower left")
plt.show()

# %%
# At the left end is least squares: no bias and a large variance. A little shrinkage removes most of
# the variance for almost no bias. That there is always such an ``alpha`` is a theorem; to find it
# takes cross-validation.
#
# Which directions are shrunk
# ---------------------------
# In the coordinates of the singular vectors, ridge multiplies the least-squares coefficients by
# :math:`d_j^2 / (d_j^2 + \alpha)`: directions of small variance (small :math:`d_j`) are shrunk
# most. Those are the ones with the largest variance of the least-squares estimate. The sum of the
# factors is the effective degrees of freedom.

U, d, _ = np.linalg.svd(X, full_matrices=False)
y = samples[0] - samples[0].mean()
factors = d[:, None] ** 2 / (d[:, None] ** 2 + alphas)
for alpha, factor in zip(alphas, factors.T, strict=True):
    fitted = Ridge(alpha=alpha).fit(X, y).predict(X)
    assert np.allclose(fitted, (U * factor) @ U.T @ y)

fig, ax = plt.subplots()
for j, line in enumerate(factors):
    ax.plot(alphas, line, label=f"direction with $d_{j + 1}$ = {d[j]:.2f}")
ax.plot(
    alphas,
    factors.sum(axis=0) / 3,
    color="black",
    linestyle="--",
    label="effective degrees of freedom / 3",
)
ax.set(xscale="log", xlabel="alpha", ylabel="shrinkage factor")
ax.legend()
plt.show()

# %%
# The variance of a prediction: σ² p / n
# --------------------------------------
# Each estimated coefficient adds variance, whether its feature is relevant or not. The variance of
# a fitted value is :math:`\sigma^2 x^\top (X^\top X)^{-1} x`; averaged over the rows it is
# :math:`\sigma^2 p / n` exactly, and over new rows from the same distribution a little more: for
# normal features :math:`\sigma^2 p / (n - p - 1)`.


def variance_of_predictions(n, p, repeats=200):
    """On the training rows and on new rows, over random designs; the truth is zero everywhere."""
    seen, new = [], []
    for _ in range(repeats):
        X, fresh = rng.normal(size=(n, p)), rng.normal(size=(50, p))
        model = LinearRegression(fit_intercept=False).fit(X, rng.normal(size=n))
        seen.append(np.mean(model.predict(X) ** 2))
        new.append(np.mean(model.predict(fresh) ** 2))
    return np.mean(seen), np.mean(new)


for n, p in [(200, 5), (200, 10), (200, 40), (50, 10)]:
    seen, new = variance_of_predictions(n, p)
    print(f"n={n:<4} p={p:<3} training rows {seen:.3f}, p / n           = {p / n:.3f}")
    print(f"{'':12}new rows      {new:.3f}, p / (n - p - 1) = {p / (n - p - 1):.3f}")

# %%
# The generalisation gap
# ----------------------
# The training error is too low for the same reason: it is reduced by :math:`\sigma^2 p / n` while
# the error on new rows is increased by as much, so the difference is about :math:`2 \sigma^2 p /
# n`. Multiplied by :math:`n / p` it is roughly constant.

sizes, by_size = [30, 60, 120, 240, 480], {2: [], 5: [], 10: []}
for p, gap in by_size.items():
    for n in sizes:
        differences = []
        for _ in range(40):
            X, fresh = rng.normal(size=(n, p)), rng.normal(size=(200, p))
            Y = X.sum(axis=1, keepdims=True) + rng.normal(size=(n, 100))  # 100 samples at once
            truth = fresh.sum(axis=1, keepdims=True) + rng.normal(size=(200, 100))
            model = LinearRegression(fit_intercept=False).fit(X, Y)
            differences.append(
                np.mean((truth - model.predict(fresh)) ** 2) - np.mean((Y - model.predict(X)) ** 2)
            )
        gap.append(np.mean(differences))

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.6))
for p, gap in by_size.items():
    axes[0].plot(sizes, gap, "o-", label=f"p = {p}")
    axes[1].plot(sizes, np.array(gap) * sizes / p, "o-", label=f"p = {p}")
axes[0].set(
    xscale="log",
    yscale="log",
    xlabel="rows n",
    ylabel="test error - training error",
    title="generalisation gap",
)
axes[1].axhline(2, color="#6b7280", linestyle="--")
axes[1].set(xscale="log", xlabel="rows n", ylim=(0, 5), title="gap times n / p")
for ax in axes:
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
axes[0].legend()
plt.show()
# sphinx_gallery_thumbnail_number = 1
