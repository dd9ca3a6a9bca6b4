"""
Too simple, right, too bent
===========================

Twenty points from a cubic with noise, and polynomials of several degrees. The straight line
cannot follow the curve; the polynomial of degree 7 follows the noise. The error on the points
that were seen tells neither from the other.
"""

# %%
# Three fits
# ----------

import matplotlib.pyplot as plt
import numpy as np

from learnable import FunctionTransformer, LinearRegression, make_pipeline
from learnable.theory import NoisyFunction, error_by_complexity, overfits


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


def cubic(X):
    return 4 * X[:, 0] ** 3 - 2 * X[:, 0]


problem = NoisyFunction(cubic, noise=0.35, draw=spread)
rng = np.random.default_rng(3)
X, y = problem(rng, 20)
new, answers = problem(rng, 2000)
line = np.linspace(-1, 1, 300).reshape(-1, 1)

degrees = {1: "too simple", 3: "right", 7: "too bent"}
fig, axes = plt.subplots(1, 3, figsize=(8.6, 3.4), sharey=True)
seen, unseen = {}, {}
for ax, (degree, word) in zip(axes, degrees.items(), strict=True):
    model = polynomial(degree).fit(X, y)
    seen[degree] = np.mean((y - model.predict(X)) ** 2)
    unseen[degree] = np.mean((answers - model.predict(new)) ** 2)
    ax.plot(line[:, 0], cubic(line), color="#6b7280", linestyle="--", label="truth")
    ax.plot(line[:, 0], model.predict(line), label=f"degree {degree}")
    ax.plot(X[:, 0], y, "o", color="black", markersize=3)
    ax.set(title=f"{word}: degree {degree}", xlabel="x", ylim=(-3.2, 3.2))
    ax.text(0.04, 0.04, f"error {seen[degree]:.2f} seen, {unseen[degree]:.2f} new",
            transform=ax.transAxes, fontsize=8)  # fmt: skip
axes[0].legend(loc="upper left", fontsize=8)
plt.show()

# %%
# By definition a model overfits if another one is worse on the rows seen and yet better on
# new ones:

found = overfits(list(seen.values()), list(unseen.values()))
print(dict(zip(degrees, found.tolist(), strict=True)))

# %%
# Where the error turns
# ---------------------
# One sample may mislead. Over 100 training sets of 20 points the error on the rows seen falls
# all the way, while the error on new rows falls to degree 3 and then rises.

from learnable.plot import ErrorCurveDisplay

models = {degree: polynomial(degree) for degree in range(1, 11)}
curve = error_by_complexity(models, problem, n=20, repeats=100, random_state=0)
display = ErrorCurveDisplay.from_curve(curve)
display.ax_.set(
    xlabel="degree of the polynomial", ylabel="mean squared error", yscale="log", ylim=(0.04, 9)
)
display.ax_.axhline(
    problem.noise**2, color="#6b7280", linewidth=0.9, label="noise: no model gets below"
)
display.ax_.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.27, 1))
plt.show()
print("best degree:", curve.turning_point)
# sphinx_gallery_thumbnail_number = 1
