"""
Underfitting and overfitting
============================

Twenty points from a cubic with noise, and polynomials of several degrees. The straight line
underfits; the polynomial of degree 7 follows the noise and overfits. The training error alone shows
neither.
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
new, targets = problem(rng, 2000)
line = np.linspace(-1, 1, 300).reshape(-1, 1)

degrees = {1: "underfits", 3: "good fit", 7: "overfits"}
fig, axes = plt.subplots(1, 3, figsize=(8.6, 3.4), sharey=True)
seen, unseen = {}, {}
for ax, (degree, word) in zip(axes, degrees.items(), strict=True):
    model = polynomial(degree).fit(X, y)
    seen[degree] = np.mean((y - model.predict(X)) ** 2)
    unseen[degree] = np.mean((targets - model.predict(new)) ** 2)
    ax.plot(line[:, 0], cubic(line), color="#6b7280", linestyle="--", label="truth")
    ax.plot(line[:, 0], model.predict(line), label=f"degree {degree}")
    ax.plot(X[:, 0], y, "o", color="black", markersize=3)
    ax.set(title=f"{word}: degree {degree}", xlabel="x", ylim=(-3.2, 3.2))
    ax.text(0.04, 0.04, f"training {seen[degree]:.2f}, test {unseen[degree]:.2f}",
            transform=ax.transAxes, fontsize=8)  # fmt: skip
axes[0].legend(loc="upper left", fontsize=8)
plt.show()

# %%
# By definition a model overfits if another one has a larger training error and yet a smaller test
# error:

found = overfits(list(seen.values()), list(unseen.values()))
print(dict(zip(degrees, found.tolist(), strict=True)))

# %%
# Training and test error
# -----------------------
# One sample may mislead. Over 100 training sets of 20 points the training error decreases
# monotonically, while the test error decreases up to degree 3 and then increases.

from learnable.plot import ErrorCurveDisplay

models = {degree: polynomial(degree) for degree in range(1, 11)}
curve = error_by_complexity(models, problem, n=20, repeats=100, random_state=0)
display = ErrorCurveDisplay.from_curve(curve)
display.ax_.set(
    xlabel="degree of the polynomial", ylabel="mean squared error", yscale="log", ylim=(0.04, 9)
)
display.ax_.axhline(problem.noise**2, color="#6b7280", linewidth=0.9, label="irreducible noise")
display.ax_.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.27, 1))
plt.show()
print("best degree:", curve.turning_point)
# %%
# Depth of a tree, epochs of training
# -----------------------------------
# Other complexities behave alike. A deeper tree has more leaves, and each further epoch of gradient
# descent lets the coefficients of 45 columns, of which two matter, grow further from zero: to stop
# early is to regularise.

import warnings

from learnable import DecisionTreeRegressor, GradientDescentRegressor


def wide(rng, n):
    X = rng.normal(size=(n, 45))
    return X, X[:, 0] + X[:, 1] + 2 * rng.normal(size=n)


depths = {depth: DecisionTreeRegressor(max_depth=depth) for depth in range(1, 11)}
epochs = {
    count: GradientDescentRegressor(max_iter=count, tol=None, learning_rate=0.1)
    for count in (1, 2, 5, 10, 20, 50, 100, 300, 1000)
}
fig, axes = plt.subplots(1, 2, figsize=(9.4, 3.6), layout="constrained")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # few epochs do not converge, which is the point
    by_depth = error_by_complexity(depths, problem, n=60, repeats=50, random_state=0)
    by_epochs = error_by_complexity(epochs, wide, n=50, repeats=20, random_state=0)
for ax, found, label in zip(
    axes, (by_depth, by_epochs), ("depth of the tree", "epochs"), strict=True
):
    ErrorCurveDisplay.from_curve(found, ax=ax)
    ax.set(xlabel=label, ylabel="mean squared error")
axes[1].set(xscale="log")
plt.show()
print("best depth:", by_depth.turning_point, " best number of epochs:", by_epochs.turning_point)
# sphinx_gallery_thumbnail_number = 1
