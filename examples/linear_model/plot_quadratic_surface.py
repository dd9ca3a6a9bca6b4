"""
Polynomial regression: a quadratic surface
==========================================

"Linear" in linear regression refers to the coefficients, not to the original features. With the
squares and the product of two features the surface is curved; the model is still linear in its
coefficients, so the solution is still exact and unique.

The data come from a surface that we know,

.. math:: y = 2 x_1 + x_2 - 0.8\\, x_1 x_2 + 0.5\\, x_1^2 + \\varepsilon,

so we can see whether the coefficients come back.
"""

# %%
# Two models of the same data
# ---------------------------
# The linear model uses :math:`x_1` and :math:`x_2`; the other all five terms of a quadratic.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable.linear_model import LinearRegression

rng = np.random.default_rng(0)
x1, x2 = rng.uniform(-3, 3, size=(2, 200))
surface = 2 * x1 + x2 - 0.8 * x1 * x2 + 0.5 * x1**2
y = surface + rng.normal(size=200)


def linear_terms(x1, x2):
    return pd.DataFrame({"x1": x1, "x2": x2})


def quadratic_terms(x1, x2):
    return pd.DataFrame({"x1": x1, "x2": x2, "x1 x2": x1 * x2, "x1²": x1**2, "x2²": x2**2})


plain = LinearRegression().fit(linear_terms(x1, x2), y)
curved = LinearRegression().fit(quadratic_terms(x1, x2), y)

# %%
# On the left the best plane; on the right the same method with the quadratic features. The lines
# from the points to the fit are the residuals.

g1, g2 = np.meshgrid(np.linspace(-3, 3, 25), np.linspace(-3, 3, 25))
fig, axes = plt.subplots(1, 2, figsize=(8.6, 4.1), subplot_kw={"projection": "3d"})
for ax, model, terms, name in (
    (axes[0], plain, linear_terms, "linear features"),
    (axes[1], curved, quadratic_terms, "quadratic features"),
):
    height = model.predict(terms(g1.ravel(), g2.ravel())).reshape(g1.shape)
    fitted = model.predict(terms(x1, x2))
    ax.plot_surface(g1, g2, height, cmap="viridis", alpha=0.6, linewidth=0)
    ax.scatter(x1, x2, y, color="black", s=6, alpha=0.7)
    for a, b, low, high in zip(x1, x2, fitted, y, strict=True):
        ax.plot([a, a], [b, b], [low, high], color="#b3261e", linewidth=0.6, alpha=0.7)
    ax.set(xlabel="$x_1$", ylabel="$x_2$", zlabel="$y$", zlim=(-12, 18))
    ax.set_title(f"{name}: R² = {model.score(terms(x1, x2), y):.2f}", loc="center")
    ax.view_init(elev=15, azim=-50)
    ax.set_box_aspect((1, 1, 0.75), zoom=1.05)
plt.show()

# %%
# Confidence intervals of the coefficients
# ----------------------------------------
# The true values are 2, 1, -0.8, 0.5 and, for the square that is not in the surface, 0: its
# confidence interval includes zero and its p value is large, as they should be.

print(curved.summary())

# %%
# The standard error of a coefficient is proportional to the noise.

for noise in (1.0, 0.1, 0.001):
    model = LinearRegression().fit(
        quadratic_terms(x1, x2), surface + rng.normal(scale=noise, size=200)
    )
    print(f"noise {noise:<6}", " ".join(f"{weight:8.4f}" for weight in model.coef_))

# %%
# The exclusive or
# ----------------
# No line separates the corners (0, 0) and (1, 1) from (0, 1) and (1, 0). With the product as a
# third feature least squares fits the four targets exactly: :math:`-1 + 2 x_1 + 2 x_2 - 4 x_1 x_2`.

corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
targets = np.array([-1, 1, 1, -1])
exclusive_or = LinearRegression().fit(np.column_stack([corners, corners.prod(axis=1)]), targets)
print(
    "constant",
    round(exclusive_or.intercept_, 10),
    " coefficients",
    exclusive_or.coef_.round(10),
)

# %%
# Powers multiply quickly: with 20 columns there are 230 terms of degree two and 1770 of degree
# three. With many terms, regularise: see
# :ref:`sphx_glr_gallery_linear_model_plot_choosing_alpha.py`.
