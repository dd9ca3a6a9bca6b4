"""
One line, two ways: gradient descent and the closed form
========================================================

Does school enrolment go with income? The first model anybody fits is a line, :math:`\\hat y = a
x + b`, and there are two roads to it: walk downhill, or solve for the bottom. They end at the
same place, if the walk is long enough.

The data are made up, in the shape of the real thing: 60 countries, gross domestic product per
head in dollars, and enrolment in percent, which rises with income and levels off.
"""

# %%
# The walk
# --------
# The error is :math:`E = \frac{1}{2} \sum_i (a x_i + b - y_i)^2`, and its slopes are sums of
# residuals. A step of gradient descent moves against them by a rate :math:`\alpha`, both at
# once:
#
# .. math::
#
#    a \leftarrow a - \alpha \sum_i (\hat y_i - y_i)\, x_i, \qquad
#    b \leftarrow b - \alpha \sum_i (\hat y_i - y_i).
#
# With incomes in dollars :math:`\sum_i x_i^2` is about :math:`10^{10}`, so the rate must be
# tiny: take :math:`\alpha = 10^{-11}` and five passes over the data.
# ``GradientDescentRegressor`` averages over the rows where this formula sums, so that its rate
# is :math:`n \alpha`.

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
# The estimator takes the same steps to the same numbers, and keeps the error of every epoch in
# its trace.

walk = GradientDescentRegressor(learning_rate=n * 1e-11, max_iter=5, tol=None, keep_path=True)
walk.fit(gdp[:, None], enrolment)
print(f"slope {walk.coef_[0]:.6f}  constant {walk.intercept_:.2e}")
print("RMSE by epoch", walk.trace_["rmse"].round(3))
assert np.allclose([walk.coef_[0], walk.intercept_], [a, b])

# %%
# The closed form
# ---------------
# Setting both slopes to zero gives two linear equations, which
# :class:`~learnable.linear_model.LinearRegression` solves.

exact = LinearRegression().fit(gdp[:, None], enrolment)
print(exact.summary())

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.8))
x = np.array([0, 46000])
axes[0].plot(gdp, enrolment, ".", color="black", alpha=0.6)
for epoch, (slope, constant) in enumerate(
    zip(walk.coef_path_[1:, 0], walk.intercept_path_[1:], strict=True), 1
):
    axes[0].plot(x, slope * x + constant, color="C1", alpha=0.2 + 0.16 * epoch, linewidth=1.2)
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
# Five epochs have turned the slope and left the constant at zero. The error is hundreds of
# millions of times more sensitive to the slope than to the constant, so a rate that is safe for
# the slope does nothing for the constant: it would take thousands of millions of epochs to
# arrive.
#
# What a good rate does
# ---------------------
# Nothing is wrong with gradient descent; the units are wrong. Measure income in standard
# deviations from its mean and the bowl is round: with half the largest stable rate
# (``learning_rate="auto"``) one step leads straight to the bottom.

scaled = (gdp - gdp.mean()) / gdp.std()
good = GradientDescentRegressor(learning_rate="auto", tol=1e-10).fit(scaled[:, None], enrolment)
slope = good.coef_[0] / gdp.std()
constant = good.intercept_ - slope * gdp.mean()
print(f"epochs: {good.n_iter_}, rate {good.learning_rate_:.3g}, {good.trace_.stopped}")
print(f"slope    {slope:.10f}, closed form {exact.coef_[0]:.10f}")
print(f"constant {constant:.7f},  closed form {exact.intercept_:.7f}")

# %%
# The contours show why. Look at the axes: in dollars the bowl is a gutter, thousands of times
# longer than wide, drawn here with stretched axes so that it fits. In standard deviations it is
# round, and even a small rate finds its way.

few = GradientDescentRegressor(learning_rate=0.3, max_iter=15, tol=None, keep_path=True)
few.fit(scaled[:, None], enrolment)
views = {
    "dollar": (gdp, walk, exact.coef_[0], exact.intercept_, (-0.004, 0.01)),
    "standard deviation": (scaled, few, good.coef_[0], good.intercept_, (-25, 45)),
}
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.8), sharey=True)
for ax, (unit, (column, model, slope, constant, reach)) in zip(axes, views.items(), strict=True):
    A, B = np.meshgrid(np.linspace(*reach, 150), np.linspace(-20, 90, 150))
    error = np.sqrt(np.mean((A[..., None] * column + B[..., None] - enrolment) ** 2, axis=-1))
    levels = best * np.geomspace(1.05, 12, 12)
    ax.contour(A, B, error, levels=levels, colors="#6b7280", linewidths=0.7)
    ax.plot(model.coef_path_[:, 0], model.intercept_path_, "o-", color="C1", markersize=3)
    ax.plot(slope, constant, "*", color="C0", markersize=12)
    ax.set(xlabel=f"slope per {unit}", title=f"income in {unit}s")
    ax.locator_params(axis="x", nbins=5)
axes[0].set_ylabel("constant")
plt.show()
# sphinx_gallery_thumbnail_number = 1
