"""
Eight schools: a hierarchical model by NUTS
===========================================

Effects of coaching in eight schools, and why divergences matter.
"""

# %%
# The model
# ---------
# Each school reports an effect ``y`` with a known standard error (Rubin, 1981). The true effects
# are drawn from a normal distribution with mean ``mu`` and standard deviation ``tau``, which are
# unknown. Written as it stands, the model is a funnel: where ``tau`` is small, the effects must be
# close to ``mu``.

import matplotlib.pyplot as plt
import numpy as np

from learnable.plot import ChainTraceDisplay, DrawsPairDisplay, PosteriorDrawsDisplay, RankDisplay
from learnable.sampling import sample

y = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
error = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def prior(mu, tau):
    return -0.5 * (mu / 5) ** 2 - np.log(1 + (tau / 5) ** 2)


def centred(mu, tau, theta):
    fit = -0.5 * (((y - theta) / error) ** 2).sum()
    return fit - 0.5 * (((theta - mu) / tau) ** 2).sum() - 8 * np.log(tau) + prior(mu, tau)


def non_centred(mu, tau, z):
    residual = (y - mu - tau * z) / error
    return -0.5 * (residual**2).sum() - 0.5 * (z**2).sum() + prior(mu, tau)


bounds = {"tau": (0, None)}
funnel = sample(
    centred, {"mu": 0.0, "tau": 1.0, "theta": np.zeros(8)}, bounds=bounds, random_state=1
)
draws = sample(
    non_centred, {"mu": 0.0, "tau": 1.0, "z": np.zeros(8)}, bounds=bounds, random_state=1
)
for name, run in (("centred", funnel), ("non-centred", draws)):
    print(f"{name}: {run.n_diverging} divergent transitions, {run.certificate_}")

# %%
# Divergent transitions gather where ``tau`` is small: the centred chains do not go there. With
# standardised effects ``z`` nothing is left of the funnel.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
for ax, run, title in zip(axes, (funnel, draws), ("centred", "non-centred"), strict=True):
    run.posterior["log tau"] = np.log(run["tau"])
    DrawsPairDisplay.from_draws(run, "mu", "log tau", ax=ax)
    ax.set_title(title)
plt.show()

# %%
# Traces and ranks
# ----------------
# Above, the centred chains stick and disagree; below, the others mix, and their ranks are uniform.

fig, axes = plt.subplots(2, 2, figsize=(9, 4.6), layout="constrained")
for row, run in zip(axes, (funnel, draws), strict=True):
    ChainTraceDisplay.from_draws(run, "log tau", ax=row[0])
    RankDisplay.from_draws(run, "log tau", ax=row[1])
plt.show()

# %%
# Effects
# -------
# The effects of the schools are shrunk towards each other: school A reported 28 points.

effects = draws["mu"][..., None] + draws["tau"][..., None] * draws["z"]
draws.posterior["theta"] = effects
PosteriorDrawsDisplay.from_draws(draws, ["mu", "tau", *(f"theta[{k}]" for k in range(8))])
plt.show()
