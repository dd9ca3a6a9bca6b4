"""
Robust regression
=================

A misplaced decimal point, a broken sensor, a row from another population: least squares is
dominated by such outliers, because it squares the residuals. Robust methods limit the influence of
large residuals.
"""

# %%
# Losses and their derivatives
# ----------------------------
# The derivative of the squared error grows without bound. That of the absolute error is constant.
# Huber's loss is quadratic up to :math:`\delta` and linear beyond; log-cosh is a smooth version of
# it. For Student's t the derivative *decreases* for large residuals, so that extreme outliers have
# the least influence.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import (
    HuberRegressor,
    LinearRegression,
    LogCoshRegressor,
    QuantileRegressor,
    RANSACRegressor,
    StudentTRegressor,
    TheilSenRegressor,
)
from learnable.parts.losses import Absolute, Huber, LogCosh, Squared, StudentT
from learnable.plot import LossDisplay

fig, axes = plt.subplots(1, 2, figsize=(8.4, 4.0))
LossDisplay.from_losses(
    [Squared(), Absolute(), Huber(0.1), Huber(1.0), Huber(3.0), LogCosh(), StudentT(3.0)],
    ax=axes[0],
)
axes[0].set(title="loss", ylim=(0, 4))
residual = np.linspace(-6, 6, 601)
for loss in (
    Squared(),
    Absolute(),
    Huber(0.1),
    Huber(1.0),
    Huber(3.0),
    LogCosh(),
    StudentT(3.0),
):
    axes[1].plot(residual, -loss.gradient(residual, np.zeros_like(residual)), linewidth=1.8)
axes[1].set(title="influence: the derivative of the loss", xlabel="residual", ylim=(-3.5, 3.5))
plt.show()

# %%
# Seven regressions on the same points
# ------------------------------------
# Sixty rows from a line with slope 2; twelve of the right-most thirty are contaminated with large
# negative errors. That is a fifth of all rows, all on one side.

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, size=60))
y = 1 + 2 * x + rng.normal(size=60)
contaminated = rng.choice(np.arange(30, 60), size=12, replace=False)
y[contaminated] = rng.normal(loc=-4, scale=2, size=12)
X = x[:, None]

models = {
    "least squares": LinearRegression(),
    "least absolute deviations": QuantileRegressor(alpha=0),
    "Huber": HuberRegressor(alpha=0),
    "log-cosh": LogCoshRegressor(),
    "Student t": StudentTRegressor(degrees=3),
    "RANSAC": RANSACRegressor(random_state=0),
    "Theil-Sen": TheilSenRegressor(random_state=0),
}
line = np.array([[0.0], [10.0]])
fig, ax = plt.subplots(figsize=(8.0, 4.8))
ax.plot(x, y, "o", color="black", markersize=4, alpha=0.6)
ax.plot(x[contaminated], y[contaminated], "x", color="C3", markersize=8, label="outliers")
ax.plot(line, 1 + 2 * line, color="#6b7280", linewidth=7, alpha=0.25, label="truth: slope 2")
for name, model in models.items():
    model.fit(X, y)
    slope = (model.predict([[1.0]]) - model.predict([[0.0]]))[0]
    ax.plot(line, model.predict(line), linewidth=1.8, label=f"{name}: {slope:.2f}")
ax.set(xlabel="x", ylabel="y")
ax.legend(loc="upper left", fontsize=8)
plt.show()

# %%
# Which rows are outliers?
# ------------------------
# The robust fits identify outliers. Huber's regression marks them; Student's t gives each row a
# weight; RANSAC divides rows into inliers and outliers.

huber, student, consensus = models["Huber"], models["Student t"], models["RANSAC"]
marked, dropped = huber.outliers_, ~consensus.inlier_mask_
print(f"Huber marks {marked.sum()} rows, {marked[contaminated].sum()} of the 12 outliers")
print(f"RANSAC drops {dropped.sum()}, {dropped[contaminated].sum()} of the outliers")
weights = student.weights_
good = np.setdiff1d(np.arange(60), contaminated)
print(f"weights: outliers {weights[contaminated].mean():.3f}, others {weights[good].mean():.3f}")

# %%
# Breakdown
# ---------
# The fraction of contaminated rows with large x increases. Least squares is biased from the first
# one on. The others tolerate a quarter of all rows, and then break down one after the other, when
# the outliers are the majority of the rows with large x.


def damaged(count, seed):
    """The line again, with `count` rows among those with large x moved to the floor."""
    rng = np.random.default_rng(seed)
    target = 1 + 2 * x + rng.normal(size=60)
    bad = 59 - rng.choice(40, size=count, replace=False)
    target[bad] = rng.normal(loc=-4, scale=2, size=count)
    return target


counts = np.arange(0, 31, 3)
fig, ax = plt.subplots()
for name, model in models.items():
    errors = np.zeros((6, len(counts)))
    for seed, column in np.ndindex(errors.shape):
        fitted = model.clone().fit(X, damaged(counts[column], seed))
        errors[seed, column] = abs((fitted.predict([[1.0]]) - fitted.predict([[0.0]]))[0] - 2)
    ax.plot(counts / 60, errors.mean(axis=0), ".-", label=name)
ax.set(xlabel="fraction of outliers", ylabel="error of the slope, mean of 6 samples", ylim=(0, 3.5))
ax.legend()
plt.show()

# %%
# None of these losses protects against outliers in the *features*: a row far away in :math:`x` has
# a high leverage whatever the loss. RANSAC and Theil-Sen are the exceptions.
#
# Iteratively reweighted least squares
# ------------------------------------
# Least absolute deviations is a linear programme, and can also be solved by iteratively reweighted
# least squares: give each row the weight :math:`1 / \max(|r_i|, \varepsilon)`, fit, recompute the
# residuals, repeat. The objective :math:`\frac{1}{2} \sum_i (r_i^2 / \mu_i + \mu_i)` decreases with
# each step and converges to the sum of absolute residuals.

weight = np.ones(60)
for step in range(12):
    weighted = LinearRegression().fit(X, y, sample_weight=weight)
    r = np.abs(y - weighted.predict(X))
    weight = 1 / np.maximum(r, 1e-6)
    if step % 2 == 1:
        print(f"step {step + 1:2}: sum of absolute residuals {r.sum():.6f}")
median = models["least absolute deviations"]
print(f"linear programme:                  {np.abs(y - median.predict(X)).sum():.6f}")
print(median.certificate_)

# %%
# Quantile regression
# -------------------
# With asymmetric slopes the absolute loss gives other quantiles: the line that 90 % of the rows lie
# below, and the one for 10 %. Between them is an 80 % prediction interval that widens with the
# noise, without any assumption about its distribution.

wide = 1 + 2 * x + rng.normal(size=60) * (0.3 + 0.3 * x)
fig, ax = plt.subplots()
ax.plot(x, wide, "o", color="black", markersize=4, alpha=0.6)
for quantile in (0.1, 0.5, 0.9):
    ax.plot(
        line,
        QuantileRegressor(quantile=quantile, alpha=0).fit(X, wide).predict(line),
        label=f"{quantile:.0%} below",
    )
ax.set(xlabel="x", ylabel="y")
ax.legend()
plt.show()
# sphinx_gallery_thumbnail_number = 2
