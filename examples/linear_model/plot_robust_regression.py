"""
When some rows are wrong
========================

A misplaced decimal point, a broken sensor, a row from another population: least squares takes
every row seriously, and the far ones most of all, because it squares what is left over. Robust
methods differ in what they do with a large residual.
"""

# %%
# What a residual costs
# ---------------------
# The squared error grows without bound, and its slope too. The absolute error keeps a constant
# slope. Huber's loss is the square up to :math:`\delta` and straight beyond; log-cosh is the
# same without the seam. Student's t goes further: its slope *falls* for large residuals, so
# that the farthest rows pull least.

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
axes[1].set(title="pull on the fit: the slope of the loss", xlabel="residual", ylim=(-3.5, 3.5))
plt.show()

# %%
# Seven lines through the same points
# -----------------------------------
# Sixty rows from a line with slope 2, and then twelve of the right-most thirty are spoiled:
# some drop to the floor. That is a fifth of all rows, all on one side.

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, size=60))
y = 1 + 2 * x + rng.normal(size=60)
spoiled = rng.choice(np.arange(30, 60), size=12, replace=False)
y[spoiled] = rng.normal(loc=-4, scale=2, size=12)
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
ax.plot(x[spoiled], y[spoiled], "x", color="C3", markersize=8, label="spoiled rows")
ax.plot(line, 1 + 2 * line, color="#6b7280", linewidth=7, alpha=0.25, label="truth: slope 2")
for name, model in models.items():
    model.fit(X, y)
    slope = (model.predict([[1.0]]) - model.predict([[0.0]]))[0]
    ax.plot(line, model.predict(line), linewidth=1.8, label=f"{name}: {slope:.2f}")
ax.set(xlabel="x", ylabel="y")
ax.legend(loc="upper left", fontsize=8)
plt.show()

# %%
# Who was taken seriously?
# ------------------------
# The robust fits can say which rows they distrust. Least absolute deviations looks only at the
# side of the line a row is on; Huber marks outliers; Student's t gives each row a weight;
# RANSAC counts it or does not.

huber, student, consensus = models["Huber"], models["Student t"], models["RANSAC"]
marked, dropped = huber.outliers_, ~consensus.inlier_mask_
print(f"Huber marks {marked.sum()} rows, {marked[spoiled].sum()} of the 12 spoiled ones")
print(f"RANSAC drops {dropped.sum()}, {dropped[spoiled].sum()} of the spoiled ones")
weights = student.weights_
good = np.setdiff1d(np.arange(60), spoiled)
print(f"weight by t: spoiled {weights[spoiled].mean():.3f}, others {weights[good].mean():.3f}")

# %%
# How much can they take?
# -----------------------
# More and more of the rows with large x are spoiled. Least squares bends from the first one on. The
# others hold for a quarter of all rows, and then, one after the other, follow the crowd, which by
# then the spoiled rows are among the rows with large x.


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
ax.set(xlabel="share of spoiled rows", ylabel="error of the slope, mean of 6 draws", ylim=(0, 3.5))
ax.legend()
plt.show()

# %%
# None of these looks at outliers among the *columns*: a row far off in :math:`x` has a long
# lever whatever the loss. RANSAC and Theil-Sen are the exceptions: to the one such a row finds
# no company, to the other its small fits are few among many.
#
# How absolute errors become squares
# ----------------------------------
# Least absolute deviations can be solved as a linear programme, or by least squares again and
# again: give each row the weight :math:`1 / \max(|r_i|, \varepsilon)`, fit, compute new
# residuals, repeat. The objective :math:`\frac{1}{2} \sum_i (r_i^2 / \mu_i + \mu_i)` falls with
# each step and ends at the sum of absolute residuals.

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
# Not only the middle
# -------------------
# The same loss with unequal slopes gives other quantiles: the line that 90 % of the rows lie
# below, and the one that 10 % do. Between them is a band that widens with the noise, without
# any assumption about its shape.

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
