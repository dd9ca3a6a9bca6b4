"""
Penalties are priors
====================

Least squares is the maximum likelihood estimate under Gaussian noise. With a prior over the
coefficients, the maximum a posteriori estimate solves a penalised problem. Which one depends on two
densities: that of the noise, and that of the prior.
"""

# %%
# The table of likelihoods and priors
# -----------------------------------
# The negative logarithm turns a product of densities into the sum of a loss and a penalty:
#
# =============  =========================  ==========================  ==========================
# noise          flat prior                 Gaussian prior              Laplace prior
# =============  =========================  ==========================  ==========================
# **Gaussian**   least squares              ridge                       lasso
# **Laplace**    least absolute deviations  the same with :math:`w^2`   the same with :math:`|w|`
# **Student t**  robust, outliers fade      the same with :math:`w^2`   the same with :math:`|w|`
# =============  =========================  ==========================  ==========================
#
# :func:`~learnable.linear_model.likelihood_prior` returns the estimator of a cell, with ``alpha``
# computed from the two scales:

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import BayesianRidge, LinearRegression, Ridge, likelihood_prior

for noise in ("gaussian", "laplace", "student"):
    for belief in ("uniform", "gaussian", "laplace"):
        print(f"{noise:9} {belief:9}", likelihood_prior(noise, belief, rows=100, prior_scale=0.5))

# %%
# The densities, and their negative logarithms:

grid = np.linspace(-4, 4, 401)
densities = {
    "Gaussian": np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi),
    "Laplace": np.exp(-np.abs(grid) * np.sqrt(2)) / np.sqrt(2),
    "Student t, 3 degrees": 2 / (np.pi * np.sqrt(3)) / (1 + grid**2 / 3) ** 2,
}
fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.5))
for name, density in densities.items():
    axes[0].plot(grid, density, label=name)
    axes[1].plot(grid, -np.log(density / density.max()), label=name)
axes[0].set(title="density of the noise, or of a coefficient", xlabel="size")
axes[1].set(title="negative log density", xlabel="size", ylim=(0, 6))
axes[0].legend()
plt.show()

# %%
# The negative log density of the Gaussian is a parabola; that of the Laplace distribution is not
# differentiable at zero, which is why it sets coefficients exactly to zero; that of Student's t
# flattens, which is why outliers lose their influence.
#
# Ridge is the mean of a posterior
# --------------------------------
# With noise :math:`N(0, \sigma^2)` and the prior :math:`w \sim N(0, \tau^2 I)` the posterior is
# Gaussian too; its mean, which is also its mode, is ridge regression with :math:`\alpha = \sigma^2
# / \tau^2`. Here is the posterior of two coefficients after 3, 10 and 100 rows, with ridge marked
# on it.

rng = np.random.default_rng(4)
sigma, tau, truth = 1.0, 1.0, np.array([0.8, -0.4])
X = rng.normal(size=(100, 2)) @ np.array([[1.0, 0.7], [0.0, 0.7]])
y = X @ truth + sigma * rng.normal(size=100)
axis = np.linspace(-2, 2, 121)
W = np.stack(np.meshgrid(axis, axis), axis=-1)

fig, axes = plt.subplots(1, 4, figsize=(8.6, 2.6), sharex=True, sharey=True)
for ax, n in zip(axes, (0, 3, 10, 100), strict=True):
    misfit = np.sum((y[:n] - W @ X[:n].T) ** 2, axis=-1) / (2 * sigma**2)
    log_posterior = -misfit - np.sum(W**2, axis=-1) / (2 * tau**2)
    ax.contourf(
        axis,
        axis,
        np.exp(log_posterior - log_posterior.max()),
        levels=np.linspace(0.02, 1, 12),
        cmap="Blues",
    )
    ax.plot(*truth, "+", color="black", markersize=10, label="truth")
    if n:
        mode = Ridge(alpha=sigma**2 / tau**2, fit_intercept=False).fit(X[:n], y[:n]).coef_
        ax.plot(*mode, "D", color="C3", markersize=5, label="ridge")
        peak = W.reshape(-1, 2)[log_posterior.argmax()]
        assert np.abs(peak - mode).max() < axis[1] - axis[0]
    ax.set(title=f"{n} rows" if n else "prior", aspect="equal", xlabel="first coefficient")
axes[0].set_ylabel("second coefficient")
axes[-1].legend(loc="upper right")
plt.show()

# %%
# Predictive uncertainty
# ----------------------
# ``BayesianRidge`` estimates :math:`\sigma` and :math:`\tau` by maximising the evidence, and its
# predictions have a standard deviation. The band is narrow where there are rows and wide where
# there are none: between the two groups of points, and outside. The model is a sine wave on a dozen
# Gaussian basis functions.

x = np.concatenate([rng.uniform(0, 3, 25), rng.uniform(6, 8, 25)])
target = np.sin(x) + 0.15 * rng.normal(size=50)
centres = np.linspace(-1, 11, 16)


def basis(x):
    return np.exp(-((x[:, None] - centres) ** 2) / 2)


model = BayesianRidge(tol=1e-8, compute_score=True, max_iter=1000).fit(basis(x), target)
line = np.linspace(-0.5, 10.5, 300)
mean, deviation = model.predict(basis(line), return_std=True)

fig, ax = plt.subplots(figsize=(8, 4))
ax.fill_between(
    line, mean - 1.96 * deviation, mean + 1.96 * deviation, alpha=0.2, label="95 % band"
)
ax.plot(line, mean, label="posterior mean")
ax.plot(line, np.sin(line), color="#6b7280", linestyle="--", linewidth=1, label="truth")
ax.plot(x, target, ".", color="black", markersize=5)
ax.set(xlabel="x", ylabel="y", ylim=(-2.2, 2.2))
ax.legend(ncols=3, loc="upper center")
plt.show()

strength = model.lambda_ / model.alpha_
print(f"estimated noise {model.alpha_**-0.5:.3f} (true 0.15); alpha {strength:.4f}")
same = Ridge(alpha=strength).fit(basis(x), target)
print("largest difference to ridge with that alpha:", np.abs(same.coef_ - model.coef_).max())

# %%
# Least squares on the same basis functions has coefficients in the hundreds, and oscillates between
# the two groups of points:

free = LinearRegression().fit(basis(x), target)
print(
    f"largest coefficient: {np.abs(free.coef_).max():.0f}, Bayesian {np.abs(model.coef_).max():.2f}"
)
gap = (line > 3) & (line < 6)
wild, calm = (np.abs(z - np.sin(line))[gap].max() for z in (free.predict(basis(line)), mean))
print(f"largest error between the groups: {wild:.1f}, Bayesian {calm:.2f}")
# sphinx_gallery_thumbnail_number = 3
