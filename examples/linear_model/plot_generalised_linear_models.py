"""
Counts and amounts: Poisson and gamma regression
================================================

Least squares assumes noise of the same size everywhere, and happily predicts minus three
accidents. Counts and amounts of money are not like that: they cannot be negative, their effects
multiply rather than add, and their spread grows with their mean. A generalised linear model
keeps the weighted sum and changes what stands around it:

.. math:: \\mathbb{E}[y] = \\exp(Xw + b),

with a loss that fits the kind of number: Poisson for counts (variance = mean), gamma for
positive amounts (standard deviation proportional to the mean), Tweedie for sums that may be
zero.
"""

# %%
# Counts
# ------
# Made-up data: accidents per month at crossings with more and more traffic. The true mean grows
# by a factor of :math:`e^{0.8}` for every thousand cars.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import GammaRegressor, LinearRegression, PoissonRegressor

rng = np.random.default_rng(3)
cars = np.sort(rng.uniform(0, 4, size=150))
accidents = rng.poisson(np.exp(-1.0 + 0.8 * cars))

counts = PoissonRegressor(alpha=0).fit(cars[:, None], accidents)
line = LinearRegression().fit(cars[:, None], accidents)
print(f"true factor per thousand cars {np.exp(0.8):.3f}, fitted {np.exp(counts.coef_[0]):.3f}")
print(counts.certificate_)

# %%
# The band holds 95 % of the counts that a Poisson variable with the fitted mean would show: it
# widens with the mean, and so do the data. The straight line starts below zero and is too low
# at the end.

from scipy.stats import poisson

grid = np.linspace(0, 4, 200)[:, None]
mean = counts.predict(grid)
fig, ax = plt.subplots()
ax.fill_between(
    grid[:, 0], poisson.ppf(0.025, mean), poisson.ppf(0.975, mean), alpha=0.15, step="mid"
)
ax.plot(cars, accidents, ".", color="black", alpha=0.5)
ax.plot(grid, mean, linewidth=2, label="Poisson regression, and 95 % of its counts")
ax.plot(grid, line.predict(grid), "--", label="least squares")
ax.axhline(0, color="#6b7280", linewidth=0.8)
ax.set(xlabel="thousand cars a day", ylabel="accidents a month")
ax.legend()
plt.show()

# %%
# Weights stand for exposure
# --------------------------
# If one crossing was watched for a year and another for a month, model the rate and give the
# time as the weight: a rate of counts with weight 12 is exactly twelve months of data with that
# rate.

months = rng.integers(1, 13, size=150)
seen = rng.poisson(months * np.exp(-1.0 + 0.8 * cars))
rates = PoissonRegressor(alpha=0).fit(cars[:, None], seen / months, sample_weight=months)
print(f"factor from rates weighted by months {np.exp(rates.coef_[0]):.3f}")

# %%
# Amounts
# -------
# The cost of a repair, with a spread of 40 % around its mean wherever it lies. Gamma regression
# looks at relative errors; least squares is ruled by the few most expensive repairs.

age = np.sort(rng.uniform(0, 10, size=200))
true_mean = np.exp(4.0 + 0.25 * age)
cost = rng.gamma(shape=1 / 0.4**2, scale=true_mean * 0.4**2)
amounts = GammaRegressor(alpha=0).fit(age[:, None], cost)
line = LinearRegression().fit(age[:, None], cost)

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.6))
grid = np.linspace(0, 10, 100)[:, None]
axes[0].plot(age, cost, ".", color="black", alpha=0.4)
axes[0].plot(grid, amounts.predict(grid), linewidth=2, label="gamma regression")
axes[0].plot(grid, line.predict(grid), "--", label="least squares")
axes[0].set(xlabel="age in years", ylabel="cost of a repair")
axes[0].legend()
axes[1].plot(age, cost / amounts.predict(age[:, None]), ".", label="gamma regression")
axes[1].axhline(1, color="#6b7280", linewidth=0.8)
axes[1].set(
    xlabel="age in years",
    ylabel="cost / predicted cost",
    title="relative residuals",
)
plt.show()

# %%
# The quality of such a fit is measured on its own scale: ``score`` is D², the share of the
# deviance that the model explains, which is R² where the loss is the squared error.

print(f"Poisson D² {counts.score(cars[:, None], accidents):.3f}")
print(f"gamma D²   {amounts.score(age[:, None], cost):.3f}")

# %%
# And they have coefficient tables, with standard errors from the curvature of the likelihood:

print(counts.summary())
# sphinx_gallery_thumbnail_number = 1
