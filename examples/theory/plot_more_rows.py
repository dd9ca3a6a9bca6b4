"""
Would more rows help?
=====================

The error on the rows seen rises with their number, the error on new rows falls, and both
approach the error of the best model of the class. How high they meet is bias; how long it
takes is variance. That is the whole diagnosis.
"""

# %%
# A simple model and a flexible one
# ---------------------------------

import matplotlib.pyplot as plt
import numpy as np

from learnable import FunctionTransformer, LinearRegression, make_pipeline
from learnable.plot import ErrorCurveDisplay
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
sizes = [15, 20, 40, 80, 160, 320, 640]
curves = {
    degree: error_by_size(polynomial(degree), problem, sizes, repeats=200, random_state=0)
    for degree in (1, 5)
}

fig, axes = plt.subplots(1, 2, figsize=(8.6, 4.0), sharey=True)
for ax, (degree, curve) in zip(axes, curves.items(), strict=True):
    ErrorCurveDisplay.from_curve(curve, ax=ax)
    ax.set(title=f"polynomial of degree {degree}", ylim=(0, 1.4), ylabel="")
    ax.axhline(0.25, color="#6b7280", linestyle=":")
    ax.text(sizes[-1], 0.26, "noise", ha="right", va="bottom", fontsize=8, color="#6b7280")
line, bent = curves.values()
axes[0].set_ylabel("mean squared error")
axes[0].annotate("bias: even endless data\nleave this error", (400, line.test_error[-1]),
                 (28, 1.15), fontsize=8, arrowprops={"arrowstyle": "->"})  # fmt: skip
axes[1].annotate("variance: the gap,\nwhich rows close", (22, 0.3), (60, 0.85),
                 fontsize=8, arrowprops={"arrowstyle": "->"})  # fmt: skip
plt.show()

# %%
# The VC reading of the same picture: the curve for new rows is the error on rows seen plus a
# penalty for the size of the class, which shrinks with the rows. The reading by bias and
# variance: the height of the asymptote above the noise is squared bias, what lies above the
# asymptote is variance.
#
# Diagnosis and remedies
# ----------------------
# Suppose an error of 0.3 is wanted.

for degree, curve in curves.items():
    for place in (0, -1):
        advice = curve.diagnose(0.3, at=place)
        print(f"degree {degree}, {sizes[place]} rows: {advice.regime}")
        print("   ", "; ".join(advice.remedies) or "nothing to do")
