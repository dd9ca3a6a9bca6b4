"""
Density estimation
==================

Densities of one feature and of two, and anomaly detection by thresholding them.
"""

# %%
# Bandwidth
# ---------
# Kernel density estimates with three bandwidths, and a histogram. The bandwidth in the middle
# maximises the likelihood of held-out rows.

import warnings

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    ConvergenceWarning,
    DensityAnomalyDetector,
    GaussianDensity,
    GaussianMixture,
    HistogramDensity,
    KernelDensity,
    KMeans,
    choose_clusters,
    choose_components,
)
from learnable.plot import ClusterChoiceDisplay, ComponentChoiceDisplay, DensityDisplay

rng = np.random.default_rng(0)
rows = np.concatenate([rng.normal(-2, 0.6, 90), rng.normal(1.5, 1.0, 160)])[:, None]
best = KernelDensity(bandwidth="cross_validation").fit(rows).bandwidth_
grid = np.linspace(-5, 5.5, 500)[:, None]
fig, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained", sharey=True)
models = [KernelDensity(bandwidth=width).fit(rows) for width in (best / 5, best, best * 4)]
names = ["too narrow", f"h = {best:.2f}, by cross-validation", "too wide", "histogram"]
for ax, model, name in zip(
    axes, [*models, HistogramDensity(bins=15).fit(rows)], names, strict=True
):
    ax.plot(grid, np.exp(model.score_samples(grid)), color="#2563a8")
    ax.plot(rows[:, 0], np.full(len(rows), -0.012), "|", color="#9ca3af", markersize=5)
    ax.set_title(name, fontsize=10)
axes[0].set_ylabel("density")
plt.show()

# %%
# Bias and variance of a histogram
# --------------------------------
# Twenty samples of the same density, and their histograms. Few wide bins hardly vary from sample to
# sample, but their mean is far from the density: low variance, large bias. Many narrow bins are
# right on average and vary a lot.

truth = 0.36 * np.exp(-(((grid[:, 0] + 2) / 0.6) ** 2) / 2) / 0.6 + 0.64 * np.exp(
    -((grid[:, 0] - 1.5) ** 2) / 2
)
truth /= np.sqrt(2 * np.pi)
fig, axes = plt.subplots(1, 3, figsize=(10, 2.9), layout="constrained", sharey=True)
for ax, bins in zip(axes, (4, 15, 80), strict=True):
    curves = []
    for _ in range(20):
        low = rng.random(250) < 0.36
        sample = np.where(low, rng.normal(-2, 0.6, 250), rng.normal(1.5, 1.0, 250))
        ends = np.append(sample, [-5.0, 5.5])  # the same bins for all samples; they hardly count
        density = HistogramDensity(bins=bins).fit(
            ends[:, None], sample_weight=np.append(np.ones(250), [1e-9, 1e-9])
        )
        curves.append(np.exp(density.score_samples(grid)))
        ax.plot(grid, curves[-1], color="#9ca3af", linewidth=0.5)
    ax.plot(grid, np.mean(curves, axis=0), color="#2563a8", label="mean")
    ax.plot(grid, truth, color="black", linestyle="--", linewidth=1, label="density")
    bias = np.mean((np.mean(curves, axis=0) - truth) ** 2)
    variance = np.mean(np.var(curves, axis=0))
    ax.set_title(f"{bins} bins: bias² {bias:.4f}, variance {variance:.4f}", fontsize=9)
axes[0].set_ylabel("density")
axes[0].legend(fontsize=8)
plt.show()

# %%
# Anomaly detection
# -----------------
# Processor and memory load of machines in a data centre: most serve pages, some compute at night. A
# machine is an outlier if the density at its load is low: outside the thick contour, which contains
# 99 % of the rows.

serving = rng.multivariate_normal([35, 45], [[60, 35], [35, 50]], 420)
computing = rng.multivariate_normal([78, 70], [[25, -10], [-10, 30]], 160)
odd = np.array([[92.0, 22.0], [12.0, 88.0], [55.0, 92.0], [97.0, 96.0]])
load = np.clip(np.concatenate([serving, computing, odd]), 0, 100)
densities = {
    "one Gaussian": GaussianDensity(),
    "a mixture of two": GaussianMixture(2, random_state=0),
    "kernels": KernelDensity(bandwidth="cross_validation"),
}
fig, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained", sharey=True)
for ax, (name, density) in zip(axes, densities.items(), strict=True):
    detector = DensityAnomalyDetector(density, contamination=0.01).fit(load)
    DensityDisplay.from_estimator(detector, load, ax=ax)
    ax.set(xlabel="processor, %", ylabel="", title=name)
axes[0].set_ylabel("memory, %")
plt.show()

# %%
# EM iterations
# -------------
# The density of a mixture of two components after one, three and many EM iterations.

fig, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained", sharey=True)
for ax, steps in zip(axes, (1, 3, 100), strict=True):
    mixture = GaussianMixture(
        2, init_params="random_from_data", tol=1e-6, max_iter=steps, random_state=3
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few steps do not converge
        mixture.fit(load)
    DensityDisplay.from_estimator(mixture, load, ax=ax)
    ax.set(xlabel="processor, %", ylabel="", title=f"after {mixture.n_iter_}")
axes[0].set_ylabel("memory, %")
plt.show()

# %%
# The number of components
# ------------------------
# The sum of squares of k-means has its knee at the number of clusters, and BIC its minimum at the
# number of components.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
elbow = choose_clusters(KMeans(n_init=5, random_state=0), load, range(1, 8), criterion="elbow")
ClusterChoiceDisplay.from_choice(elbow, ax=axes[0])
bic = choose_components(GaussianMixture(n_init=3, random_state=0), load, range(1, 8))
ComponentChoiceDisplay.from_choice(bic, ax=axes[1])
plt.show()
