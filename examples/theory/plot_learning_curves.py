"""
Learning curves: would more rows help?
======================================

With more rows the training error increases, the error on new rows decreases, and both approach the
error of the best model of the class. The level at which they meet is bias; how many rows it takes
is variance. That is the whole diagnosis.
"""

# %%
# Three models, one problem
# -------------------------
# A cubic with noise, and polynomials of degree 1, 3 and 9, each fitted to 120 training sets of
# every size. With few rows the most flexible model is the worst of the three; with many it is
# nearly the best, and the straight line does not improve.

import matplotlib.pyplot as plt
import numpy as np

from learnable import FunctionTransformer, LinearRegression, make_pipeline
from learnable.plot import ErrorCurveDisplay, LearningCurveDisplay
from learnable.theory import NoisyFunction, error_by_size


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


problem = NoisyFunction(cubic, noise=0.5, draw=spread)
sizes = [12, 15, 20, 40, 80, 160, 320, 640]
curves = {
    degree: error_by_size(polynomial(degree), problem, sizes, repeats=120, random_state=0)
    for degree in (1, 3, 9)
}

fig, ax = plt.subplots(figsize=(7.4, 4.6))
words = {1: "degree 1, underfits", 3: "degree 3, correct", 9: "degree 9, flexible"}
for (degree, curve), colour in zip(curves.items(), ("C0", "C2", "C1"), strict=True):
    ax.plot(sizes, np.median(curve.test, axis=1), "o-", color=colour, label=words[degree])
    ax.plot(sizes, np.median(curve.train, axis=1), "s--", color=colour, markersize=3, linewidth=1)
ax.axhline(0.25, color="#6b7280", linestyle=":")
ax.text(640, 0.235, "irreducible noise", ha="right", va="top", fontsize=8, color="#6b7280")
ax.plot([], [], color="black", label="new rows (median of 120)")
ax.plot([], [], color="black", linestyle="--", linewidth=1, label="training rows")
ax.set(xscale="log", xlabel="rows", ylabel="mean squared error", ylim=(0, 1.6))
ax.set_xticks(sizes, [str(size) for size in sizes])
ax.minorticks_off()
ax.legend(loc="upper right")
plt.show()

# %%
# Two interpretations
# -------------------
# The same two curves, of the straight line and of degree 5. **Left, after Vapnik and
# Chervonenkis:** the error on new rows is the training error plus the generalisation gap, which
# grows with the complexity of the class and shrinks with the number of rows. **Right, by bias and
# variance:** both curves approach the error of the best function in the class. Its noise and bias
# are not reduced by more rows; what lies above it is variance.

sizes = sizes[2:]
curve = error_by_size(polynomial(5), problem, sizes, repeats=250, random_state=0)
line = error_by_size(polynomial(1), problem, sizes, repeats=250, random_state=0)
fig, axes = plt.subplots(2, 2, figsize=(9.0, 6.6), sharex=True, sharey=True)
for row, (found, name) in enumerate(((line, "degree 1"), (curve, "degree 5"))):
    seen, new = found.train_error, found.test_error
    limit = (seen[-1] + new[-1]) / 2
    left, right = axes[row]
    left.fill_between(sizes, 0, seen, color="C0", alpha=0.25, label="training error")
    left.fill_between(sizes, seen, new, color="C1", alpha=0.3, label="generalisation gap")
    right.fill_between(sizes, 0, 0.25, color="#6b7280", alpha=0.25, label="noise")
    right.fill_between(sizes, 0.25, limit, color="C0", alpha=0.25, label="squared bias")
    right.fill_between(
        sizes, limit, np.maximum(new, limit), color="C1", alpha=0.3, label="variance"
    )
    right.axhline(limit, color="black", linewidth=0.8, linestyle=":")
    for ax in (left, right):
        ax.plot(sizes, new, "o-", color="C1", markersize=4)
        ax.plot(sizes, seen, "o-", color="C0", markersize=4)
        ax.set(xscale="log", ylim=(0, 1.3), xlim=(sizes[0], sizes[-1]))
        ax.set_xticks(sizes, [str(size) for size in sizes])
        ax.minorticks_off()
        ax.set_title(name, fontsize=10)
axes[0, 0].set_title("Vapnik and Chervonenkis: degree 1", fontsize=10)
axes[0, 1].set_title("bias and variance: degree 1", fontsize=10)
axes[0, 0].legend(loc="upper right")
axes[0, 1].legend(loc="upper right")
axes[1, 0].annotate("error on new rows", (21, 0.66), (45, 1.1), fontsize=8,
                    arrowprops={"arrowstyle": "->"})  # fmt: skip
axes[1, 1].annotate("asymptote", (300, (curve.train_error[-1] + curve.test_error[-1]) / 2),
                    (200, 0.75), fontsize=8, arrowprops={"arrowstyle": "->"})  # fmt: skip
for ax in axes[:, 0]:
    ax.set_ylabel("mean squared error")
for ax in axes[1]:
    ax.set_xlabel("rows")
plt.show()

# %%
# Diagnosis and remedies
# ----------------------
# Suppose an error of 0.3 is acceptable. Training and test error at one size show what to try.

for name, found in (("degree 1", line), ("degree 5", curve)):
    for index in (0, -1):
        advice = found.diagnose(0.3, at=index)
        print(f"{name}, {sizes[index]} rows: {advice.regime}")
        print("   ", "; ".join(advice.remedies) or "nothing to do")

fig, ax = plt.subplots()
ErrorCurveDisplay.from_curve(curve, target=0.3, ax=ax)
ax.set(ylim=(0, 0.8), ylabel="mean squared error", title="degree 5: bands of two standard errors")
plt.show()

# %%
# For your own table
# ------------------
# New training sets cannot be drawn from a table. Cross-validation with growing subsets of the
# training rows shows the same: if the two curves still approach each other, more rows help.

X, y = problem(np.random.default_rng(1), 300)
shown = LearningCurveDisplay.from_estimator(
    polynomial(5), X, y, train_sizes=[20, 40, 80, 160, 240], cv=5,
    scoring="neg_mean_squared_error", negate_score=True,
)  # fmt: skip
shown.ax_.set(ylim=(0, 0.45))
plt.show()
# sphinx_gallery_thumbnail_number = 2
