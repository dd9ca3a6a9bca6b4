"""
Counts and amounts: Poisson and gamma regression
================================================

Least squares assumes noise of constant variance, and may predict minus three accidents.
Counts and amounts of money are different: they cannot be negative, their effects
multiply rather than add, and their spread grows with their mean. A generalised linear model
keeps the linear predictor and changes the link and the noise distribution:

.. math:: \\mathbb{E}[y] = \\exp(Xw + b),

with a loss that suits the target: Poisson for counts (variance = mean), gamma for positive
amounts (standard deviation proportional to the mean), Tweedie for amounts with exact zeros.
"""

# %%
# Counts
# ------
# Simulated data: accidents per month at crossings with increasing traffic. The true mean grows by a
# factor of :math:`e^{0.8}` for every thousand cars.

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
# The band contains 95 % of the counts of a Poisson variable with the fitted mean: it widens with
# the mean, as the data do. The straight line starts below zero and is too low at the end.

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
# Exposure as a weight
# --------------------
# If one crossing was observed for a year and another for a month, model the rate and pass the time
# as the weight: a rate with weight 12 is equivalent to twelve months of data with that rate.

months = rng.integers(1, 13, size=150)
seen = rng.poisson(months * np.exp(-1.0 + 0.8 * cars))
rates = PoissonRegressor(alpha=0).fit(cars[:, None], seen / months, sample_weight=months)
print(f"factor from rates weighted by months {np.exp(rates.coef_[0]):.3f}")

# %%
# Positive amounts
# ----------------
# The cost of a repair, with a standard deviation of 40 % of its mean. Gamma regression minimises
# relative errors; least squares is dominated by the few most expensive repairs.

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
# ``score`` is D², the fraction of the deviance that the model explains, which is R² for the squared
# error.

print(f"Poisson D² {counts.score(cars[:, None], accidents):.3f}")
print(f"gamma D²   {amounts.score(age[:, None], cost):.3f}")

# %%
# Coefficient tables have standard errors from the Hessian of the log-likelihood:

print(counts.summary())
# sphinx_gallery_thumbnail_number = 1
