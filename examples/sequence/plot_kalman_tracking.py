"""
Tracking with missing measurements, and states that last
========================================================

A Kalman smoother follows a position through a gap in its measurements; a hidden semi-Markov model
learns how long states last.
"""

# %%
# A moving object
# ---------------
# The state is a position and a speed in the plane; the measurements are positions with noise. Ten
# of them in a row are missing. The position follows from the speed, so that the transition matrix
# is known; the variance of the measurements is estimated by EM.

import matplotlib.pyplot as plt
import numpy as np

from learnable.sequence import HiddenSemiMarkovModel, LinearGaussianSSM, MixedHMM

rng = np.random.default_rng(4)
speed = np.cumsum(0.25 * rng.standard_normal((80, 2)), axis=0)
position = np.cumsum(speed, axis=0)
X = position + 2 * rng.standard_normal((80, 2))
X[45:55] = np.nan

tracker = LinearGaussianSSM(
    4,
    transition_matrix=np.kron([[1, 1], [0, 1]], np.eye(2)),
    transition_covariance=np.diag([1e-6, 1e-6, 0.0625, 0.0625]),
    observation_matrix=np.eye(2, 4),
    observation_offset=[0, 0],
    initial_mean=np.zeros(4),
    initial_covariance=np.eye(4),
).fit(X)
print(tracker.observation_covariance_.round(1))

# %%
# The smoother uses all measurements, before and after each step. Ellipses show two standard
# deviations of the position: they grow where measurements are missing.

from matplotlib.patches import Ellipse

means, covariances = tracker.smooth(X)
fig, ax = plt.subplots(figsize=(6.5, 4.6), layout="constrained")
for mean, covariance in zip(means[::2, :2], covariances[::2, :2, :2], strict=True):
    values, vectors = np.linalg.eigh(covariance)
    angle = np.degrees(np.arctan2(*vectors[::-1, 1]))
    width, height = 4 * np.sqrt(values[::-1])
    ax.add_patch(Ellipse(tuple(mean), width, height, angle=angle, color="C0", alpha=0.15, lw=0))
ax.plot(*position.T, color="0.6", label="true position")
ax.plot(*means[:, :2].T, color="C0", label="smoothed position")
ax.plot(*X.T, "C1.", ms=5, label="measurements")
ax.set(aspect="equal", xlabel="east", ylabel="north")
ax.legend(frameon=False)
plt.show()

# %%
# Forecasts
# ---------
# After the last measurement the mean goes on with the last speed, and the interval widens.

ahead, spread = tracker.forecast(X, steps=15)
fig, ax = plt.subplots(figsize=(6.5, 2.8), layout="constrained")
steps = np.arange(80, 95)
half = 1.96 * np.sqrt(spread[0, :, 0, 0])
ax.plot(np.arange(80), X[:, 0], "C1.", ms=4, label="measurements")
ax.plot(np.arange(80), means[:, 0], "C0", label="smoothed position")
ax.plot(steps, ahead[0, :, 0], "C0--", label="forecast")
ax.fill_between(steps, ahead[0, :, 0] - half, ahead[0, :, 0] + half, color="C0", alpha=0.15, lw=0)
ax.set(xlabel="step", ylabel="east")
ax.legend(frameon=False)
plt.show()

# %%
# States that last
# ----------------
# A machine works for about 20 steps and pauses for exactly 5. A hidden Markov model gives both a
# geometric number of steps, of which 1 is the most probable; the hidden semi-Markov model learns a
# table of durations.

states = np.concatenate([[0] * rng.integers(16, 25) + [1] * 5 for _ in range(40)])
rows = rng.normal(np.where(states, 0.0, 1.5), 1.0)[:, None]
semi = HiddenSemiMarkovModel(
    2, duration="table", duration_prior=1.05, max_duration=40, n_iter=500, n_init=3, random_state=0
).fit(rows)
plain = MixedHMM(2, n_iter=500, n_init=3, random_state=0).fit(rows)

fig, axes = plt.subplots(1, 2, figsize=(8, 2.8), layout="constrained", sharey=True)
d = np.arange(1, 41)
for ax, name, level in zip(axes, ("working", "pausing"), (1, 0), strict=True):
    k = int(np.argsort(semi.parameters_[:, 0, 0])[level])
    j = int(np.argsort(plain.parameters_[:, 0, 0])[level])
    stay = plain.transmat_[j, j]
    ax.bar(d, semi.durationprob_[k], color="C0", label="hidden semi-Markov model")
    ax.plot(d, (1 - stay) * stay ** (d - 1), "C1", label="hidden Markov model")
    ax.set(xlabel="duration", title=name)
axes[0].set_ylabel("probability")
axes[0].legend(frameon=False)
plt.show()

# %%
# Durations help where single rows say little: the fraction of steps with the correct state.

for name, model in (("semi-Markov", semi), ("Markov", plain)):
    high = model.predict(rows) == np.argmax(model.parameters_[:, 0, 0])
    print(f"{name}: {np.mean(high == (states == 0)):.3f}")
