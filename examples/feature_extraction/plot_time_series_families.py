"""
Features of time series
=======================

A time series becomes a row of a table when it is described by features: its distribution,
autocorrelation, stationarity, entropy, nonlinearity, trend and seasonality.
:func:`~learnable.feature_extraction.time_series_features` computes them by family, under names such
as ``trend.slope``.
"""

# %%
# Nine series
# -----------
# Each series has a property that one of the families detects.

import matplotlib.pyplot as plt
import numpy as np

from learnable.feature_extraction import TimeSeriesFeatures

rng = np.random.default_rng(1)
n = 240
t = np.arange(n)
noise = rng.normal(size=n)
memory = np.zeros(n)
for step in range(1, n):
    memory[step] = 0.9 * memory[step - 1] + noise[step]
logistic = np.empty(n)
logistic[0] = 0.3
for step in range(1, n):
    logistic[step] = 3.95 * logistic[step - 1] * (1 - logistic[step - 1])

series = {
    "noise": noise,
    "heavy tails": rng.standard_t(2, size=n),
    "memory": memory,
    "random walk": noise.cumsum(),
    "trend": 0.03 * t + noise,
    "wave": np.sin(2 * np.pi * t / 40) + 0.2 * noise,
    "season": np.tile(rng.normal(size=12), 20) + 0.3 * noise,
    "chaos": logistic,
    "bursts": noise * np.where(np.sin(t / 20) > 0, 3.0, 0.5),
}

fig, axes = plt.subplots(3, 3, figsize=(8.6, 5), sharex=True, layout="constrained")
for ax, (name, values) in zip(axes.flat, series.items(), strict=True):
    ax.plot(t, values, linewidth=0.8)
    ax.set_title(name, fontsize=10)
    ax.set_yticks([])
fig.supxlabel("time")
plt.show()

# %%
# What the features detect
# ------------------------
# One or two features of each family, scaled by the largest absolute value over the nine series.
# Kurtosis detects the heavy tails. The KPSS statistic is large for nonstationary series (random
# walk and trend), and the Dickey-Fuller statistic distinguishes the two: it is near 0 for the
# random walk only. The fraction of variance at the strongest frequency and the strength of
# seasonality belong to periodic series. Bursts have the second largest kurtosis, although their
# noise is normal. Chaos is deterministic but resembles noise; its permutation entropy and its third
# moment over time reveal it.

chosen = [
    "distribution.kurtosis",
    "autocorrelation.lag_1",
    "stationarity.kpss",
    "stationarity.dickey_fuller",
    "entropy.permutation",
    "entropy.sample",
    "nonlinear.third_moment",
    "nonlinear.spread_memory",
    "trend.strength",
    "periodicity.share",
    "seasonality.strength",
]
features = TimeSeriesFeatures()
table = features.fit_transform(np.array(list(series.values())))
names = list(features.get_feature_names_out())
panel = table[:, [names.index(name) for name in chosen]]
panel = panel / np.abs(panel).max(axis=0)

fig, ax = plt.subplots(figsize=(8.6, 4.4), layout="constrained")
image = ax.imshow(panel, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto")
ax.set_yticks(range(len(series)), list(series))
ax.set_xticks(
    range(len(chosen)), [name.replace(".", "\n") for name in chosen], rotation=60, fontsize=8
)
for row, column in np.ndindex(panel.shape):
    value = panel[row, column]
    ax.text(
        column,
        row,
        f"{value:.2f}",
        ha="center",
        va="center",
        fontsize=7,
        color="white" if abs(value) > 0.6 else "black",
    )
fig.colorbar(image, label="value / largest absolute value of the feature")
plt.show()
