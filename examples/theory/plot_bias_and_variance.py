"""
Bias, variance, and model complexity
====================================

The expected error on new rows has three parts,

.. math:: E\\,(y - f_D(x))^2 = \\sigma^2 + \\text{bias}^2 + \\text{variance},

irreducible noise, the squared difference of the mean prediction from the truth, and the variance
of the prediction over training sets. This page simulates many training sets and decomposes the
error.
"""

# %%
# Many fits of the same model
# ---------------------------
# Each thin line is fitted to another sample of 30 points; the thick one is their mean.

import matplotlib.pyplot as plt
import numpy as np

from learnable import FunctionTransformer, LinearRegression, make_pipeline
from learnable.plot import BiasVarianceDisplay
from learnable.theory import NoisyFunction, bias_variance, vc_penalty


def powers(X, degree):
    """The columns x, x^2, ..., x^degree."""
    return X ** np.arange(1, degree + 1)


def polynomial(degree):
    return make_pipeline(
        FunctionTransformer(powers, kw_args={"degree": degree}), LinearRegression()
    )


def spread(rng, n):
    """Points between -1 and 1, denser at the ends, where polynomials are wild."""
    return np.cos(np.pi * rng.random((n, 1)))


def wave(X):
    return np.sin(4 * X[:, 0] + 0.6)


problem = NoisyFunction(wave, noise=0.5, draw=spread)
parts = {
    degree: bias_variance(
        polynomial(degree), problem, n=30, repeats=150, n_test=400, random_state=0
    )
    for degree in range(1, 11)
}

fig, axes = plt.subplots(1, 3, figsize=(8.6, 3.4), sharey=True)
for ax, degree in zip(axes, (1, 5, 10), strict=True):
    found = parts[degree]
    order = found.X[:, 0].argsort()
    x = found.X[order, 0]
    ax.plot(x, found.predictions[:25, order].T, color="C0", alpha=0.25, linewidth=0.7)
    ax.plot(x, found.mean_prediction[order], color="C1", linewidth=2, label="mean prediction")
    ax.plot(x, found.truth[order], color="black", linestyle="--", label="truth")
    ax.set(title=f"degree {degree}", xlabel="x", ylim=(-2.2, 2.2))
    ax.text(
        0.04,
        0.04,
        f"bias² {max(found.squared_bias, 0):.3f}, variance {found.variance:.3f}",
        transform=ax.transAxes,
        fontsize=8,
    )
axes[0].legend(loc="upper left", fontsize=8)
plt.show()

# %%
# The decomposition
# -----------------

display = BiasVarianceDisplay.from_parts(parts)
display.ax_.set(xlabel="degree of the polynomial", ylim=(0, 0.9))
display.ax_.plot(list(parts), [found.error for found in parts.values()], "x", color="C3",
                 label="measured error")  # fmt: skip
display.ax_.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.42, 1))
plt.show()
print(parts[5])

# %%
# Bias and variance as a target
# -----------------------------
# The predictions at two points, one dot for each training set; the truth is the red cross. Bias
# shifts the dots away from the truth, variance spreads them.

at = np.array([[-0.4], [0.35]])
truth = wave(at)
fig, axes = plt.subplots(1, 2, figsize=(8.2, 4.8), sharex=True, sharey=True)
for ax, (degree, word) in zip(
    axes, {1: "high bias, low variance", 10: "low bias, high variance"}.items(), strict=True
):
    darts = np.array(
        [
            polynomial(degree).fit(*problem(np.random.default_rng(k), 30)).predict(at)
            for k in range(150)
        ]
    )
    for radius in (0.3, 0.6, 0.9, 1.2):
        ax.add_patch(plt.Circle(truth, radius, fill=False, color="#6b7280", linewidth=0.8))
    ax.plot(*darts.T, ".", markersize=4)
    ax.plot(*truth, "+", color="C3", markersize=12, markeredgewidth=2)
    ax.set(title=f"degree {degree}: {word}", aspect="equal", xlabel="prediction at x = -0.4")
    ax.set(xlim=(truth[0] - 1.6, truth[0] + 1.6), ylim=(truth[1] - 1.6, truth[1] + 1.6))
axes[0].set_ylabel("prediction at x = 0.35")
plt.show()

# %%
# The VC bound
# ------------
# The same trade-off without an assumption about the data: the training error decreases with the VC
# dimension of the model class, the penalty of the bound increases, and their sum has its minimum in
# between. The bound holds for every distribution, so it is wide: it takes a million rows to be
# informative here.

dimensions = np.arange(1, 61)
n = 1_000_000
error = 0.05 + 0.4 * np.exp(-dimensions / 8)
penalty = np.array([vc_penalty(int(d), n) for d in dimensions])
fig, ax = plt.subplots()
ax.plot(dimensions, error, label="training error (an example)")
ax.plot(dimensions, penalty, label=f"penalty for {n:,} rows")
ax.plot(
    dimensions, error + penalty, color="black", linewidth=2, label="bound for the error on new rows"
)
best = dimensions[(error + penalty).argmin()]
ax.axvline(best, color="#6b7280", linestyle=":", label=f"best dimension, {best}")
ax.set(xlabel="VC dimension", ylabel="error rate", ylim=(0, 0.55))
ax.legend()
plt.show()
# sphinx_gallery_thumbnail_number = 2
