"""
Gradient descent and the closed form
====================================

Does school enrolment increase with income? The simplest model is a line, :math:`\\hat y = a x + b`,
and there are two ways to fit it: gradient descent and the closed form. They agree if gradient
descent converges.

The data are simulated after the real ones: 60 countries, gross domestic product per head in
dollars, and enrolment in percent, which rises with income and levels off.
"""

# %%
# Gradient descent
# ----------------
# The loss is :math:`E = \frac{1}{2} \sum_i (a x_i + b - y_i)^2`, and its partial derivatives are
# sums of residuals. A gradient step updates both parameters with the learning rate :math:`\alpha`:
#
# .. math::
#
#    a \leftarrow a - \alpha \sum_i (\hat y_i - y_i)\, x_i, \qquad
#    b \leftarrow b - \alpha \sum_i (\hat y_i - y_i).
#
# With incomes in dollars :math:`\sum_i x_i^2` is about :math:`10^{10}`, so the learning rate must
# be tiny: take :math:`\alpha = 10^{-11}` and five epochs. ``GradientDescentRegressor`` averages
# over the rows where this formula sums, so its learning rate is :math:`n \alpha`.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import GradientDescentRegressor, LinearRegression

rng = np.random.default_rng(7)
n = 60
gdp = np.sort(np.exp(rng.uniform(np.log(600), np.log(45000), size=n)))
enrolment = np.clip(48 + 40 * (1 - np.exp(-gdp / 12000)) + rng.normal(scale=6, size=n), 20, 100)

a = b = 0.0
for epoch in range(5):
    residual = a * gdp + b - enrolment
    a, b = a - 1e-11 * residual @ gdp, b - 1e-11 * residual.sum()
    rmse = np.sqrt(np.mean((a * gdp + b - enrolment) ** 2))
    print(f"epoch {epoch + 1}: a = {a:.6f}  b = {b:.2e}  RMSE {rmse:.3f}")

# %%
# The estimator gives the same values, and stores the error of every epoch in its trace.

walk = GradientDescentRegressor(learning_rate=n * 1e-11, max_iter=5, tol=None, keep_path=True)
walk.fit(gdp[:, None], enrolment)
print(f"a {walk.coef_[0]:.6f}  b {walk.intercept_:.2e}")
print("RMSE by epoch", walk.trace_["rmse"].round(3))
assert np.allclose([walk.coef_[0], walk.intercept_], [a, b])

# %%
# The closed form
# ---------------
# Setting both derivatives to zero gives two linear equations, which
# :class:`~learnable.linear_model.LinearRegression` solves.

exact = LinearRegression().fit(gdp[:, None], enrolment)
print(exact.summary())

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.8))
x = np.array([0, 46000])
axes[0].plot(gdp, enrolment, ".", color="black", alpha=0.6)
for epoch, (slope, intercept) in enumerate(
    zip(walk.coef_path_[1:, 0], walk.intercept_path_[1:], strict=True), 1
):
    axes[0].plot(x, slope * x + intercept, color="C1", alpha=0.2 + 0.16 * epoch, linewidth=1.2)
axes[0].plot([], [], color="C1", label="gradient descent, epochs 1 to 5")
axes[0].plot(x, exact.predict(x[:, None]), color="C0", linewidth=2, label="closed form")
axes[0].set(xlabel="GDP per head in dollars", ylabel="enrolment in percent", ylim=(0, 150))
axes[0].legend(loc="upper left")
best = np.sqrt(np.mean((exact.predict(gdp[:, None]) - enrolment) ** 2))
axes[1].plot(range(1, 6), walk.trace_["rmse"], "o-", color="C1")
axes[1].axhline(best, color="C0", label="closed form")
axes[1].set(xlabel="epoch", ylabel="root mean squared error", ylim=(0, None), xticks=range(1, 6))
axes[1].legend()
plt.show()

# %%
# Five epochs have changed the slope and left the intercept at zero. The loss is hundreds of
# millions of times more sensitive to the slope of the line than to the intercept, so a learning
# rate that is stable for the slope does nothing for the intercept: it would take billions of epochs
# to converge.
#
# Standardised features and a good learning rate
# ----------------------------------------------
# The problem is the scale of the feature. With standardised incomes the contours of the loss are
# circles: with half the largest stable learning rate (``learning_rate="auto"``) one step reaches
# the minimum.

scaled = (gdp - gdp.mean()) / gdp.std()
good = GradientDescentRegressor(learning_rate="auto", tol=1e-10).fit(scaled[:, None], enrolment)
slope = good.coef_[0] / gdp.std()
intercept = good.intercept_ - slope * gdp.mean()
print(f"epochs: {good.n_iter_}, learning rate {good.learning_rate_:.3g}, {good.trace_.stopped}")
print(f"a {slope:.10f}, closed form {exact.coef_[0]:.10f}")
print(f"b {intercept:.7f},  closed form {exact.intercept_:.7f}")

# %%
# The contours show why: in dollars the minimum is a valley, thousands of times longer than wide,
# drawn here with stretched axes. With standardised incomes it is round, and even a small learning
# rate converges.

few = GradientDescentRegressor(learning_rate=0.3, max_iter=15, tol=None, keep_path=True)
few.fit(scaled[:, None], enrolment)
views = {
    "dollar": (gdp, walk, exact.coef_[0], exact.intercept_, (-0.004, 0.01)),
    "standard deviation": (scaled, few, good.coef_[0], good.intercept_, (-25, 45)),
}
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.8), sharey=True)
for ax, (unit, (column, model, slope, intercept, reach)) in zip(axes, views.items(), strict=True):
    A, B = np.meshgrid(np.linspace(*reach, 150), np.linspace(-20, 90, 150))
    error = np.sqrt(np.mean((A[..., None] * column + B[..., None] - enrolment) ** 2, axis=-1))
    levels = best * np.geomspace(1.05, 12, 12)
    ax.contour(A, B, error, levels=levels, colors="#6b7280", linewidths=0.7)
    ax.plot(model.coef_path_[:, 0], model.intercept_path_, "o-", color="C1", markersize=3)
    ax.plot(slope, intercept, "*", color="C0", markersize=12)
    ax.set(xlabel=f"a, per {unit}", title=f"income in {unit}s")
    ax.locator_params(axis="x", nbins=5)
axes[0].set_ylabel("b")
plt.show()
# sphinx_gallery_thumbnail_number = 1
