"""
Choosing the regularisation strength
====================================

The training error cannot choose the regularisation strength ``alpha``: it always prefers none. This
page compares four ways on the same table: the minimum cross-validated error, the one-standard-error
rule, and the information criteria AIC and BIC, which need no folds.

The table: 80 rows, 30 features, of which five are relevant.
"""

# %%
# Effective degrees of freedom
# ----------------------------
# A shrunk coefficient counts as less than one free parameter. The effective degrees of freedom
# measure how closely the fit follows the target, :math:`\mathrm{df} = \sum_i
# \operatorname{Cov}(y_i, \hat y_i) / \sigma^2`. For ridge this is :math:`\sum_j d_j^2 / (d_j^2 +
# \alpha)`, for the lasso the expected number of nonzero coefficients. The formula can be checked:
# draw new targets around the fit, fit again, and measure the covariance.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import (
    LassoCV,
    LassoLarsIC,
    LinearRegression,
    Ridge,
    RidgeCV,
    effective_degrees_of_freedom,
    information_criterion,
)

rng = np.random.default_rng(0)
n, p = 80, 30
X = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n, 1))
truth = np.zeros(p)
truth[:5] = [1.5, -1.0, 0.8, 0.5, -0.4]
y = X @ truth + 1.5 * rng.normal(size=n)
fresh = rng.normal(size=(4000, p)) + 0.7 * rng.normal(size=(4000, 1))
fresh_y = fresh @ truth + 1.5 * rng.normal(size=4000)

alphas = np.geomspace(0.1, 3000, 50)
freedom = np.array([effective_degrees_of_freedom(Ridge(alpha), X, y) for alpha in alphas])
drawn = np.array(
    [
        effective_degrees_of_freedom(
            Ridge(a), X, y, method="monte_carlo", n_draws=200, random_state=0
        )
        for a in alphas[::7]
    ]
)

fig, ax = plt.subplots()
ax.plot(alphas, freedom, label="formula")
ax.plot(alphas[::7], drawn, "o", label="200 simulated targets")
ax.axhline(p + 1, color="#6b7280", linestyle=":")
ax.text(3000, p + 1.4, "least squares: 30 features and an intercept", color="#6b7280", ha="right")
ax.set(xscale="log", xlabel="alpha", ylabel="effective degrees of freedom", ylim=(0, 35))
ax.legend()
plt.show()

# %%
# Ridge: four criteria
# --------------------
# ``RidgeCV`` computes the leave-one-out error of every row, for every ``alpha``, from one
# factorisation. The standard error of each mean follows from the same values, and with it the
# one-standard-error rule: the strongest penalty within one standard error of the minimum. AIC adds
# 2 for every degree of freedom, BIC :math:`\log n`.

search = RidgeCV(alphas=alphas, store_cv_results=True).fit(X, y)
errors = search.cv_results_.mean(axis=0)
standard_error = search.cv_results_.std(axis=0, ddof=1) / np.sqrt(n)
least = errors.argmin()
one_se = np.flatnonzero(errors <= errors[least] + standard_error[least]).max()

predictions = [Ridge(alpha).fit(X, y).predict(X) for alpha in alphas]
aic, bic = (
    np.array(
        [
            information_criterion(y, z, df, criterion=name)
            for z, df in zip(predictions, freedom, strict=True)
        ]
    )
    for name in ("aic", "bic")
)
test_error = np.array(
    [np.mean((fresh_y - Ridge(alpha).fit(X, y).predict(fresh)) ** 2) for alpha in alphas]
)

fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.8))
axes[0].fill_between(alphas, errors - standard_error, errors + standard_error, alpha=0.15)
axes[0].plot(alphas, errors, label="leave-one-out, ± one standard error")
axes[0].plot(alphas, test_error, color="black", label="4000 new rows")
axes[0].plot(
    alphas,
    [np.mean((y - z) ** 2) for z in predictions],
    color="C4",
    linestyle="--",
    label="training rows",
)
axes[1].plot(alphas, aic - aic.min(), color="C2", label="AIC")
axes[1].plot(alphas, bic - bic.min(), color="C5", label="BIC")
marks = {
    "minimum error": (least, "C0"),
    "one standard error": (one_se, "C1"),
    "AIC": (aic.argmin(), "C2"),
    "BIC": (bic.argmin(), "C5"),
}
for name, (index, colour) in marks.items():
    axes[0].axvline(alphas[index], color=colour, linestyle=":", linewidth=1.2)
    figures = f"alpha {alphas[index]:6.2f}, df {freedom[index]:.1f}, error {test_error[index]:.3f}"
    print(f"{name:19} {figures}")
print(
    f"{'best possible':19} alpha {alphas[test_error.argmin()]:6.2f}, error {test_error.min():.3f}"
)
axes[0].set(xscale="log", xlabel="alpha", ylabel="mean squared error", ylim=(0, 6), title="error")
axes[1].set(
    xscale="log", xlabel="alpha", ylabel="above the minimum", ylim=(0, 40), title="criteria"
)
axes[0].legend(loc="upper left")
axes[1].legend()
plt.show()

# %%
# The training error only decreases as the penalty weakens, and says nothing. The cross-validated
# error follows the error on new rows, and is flat around its minimum: many values of ``alpha`` are
# nearly as good, which the one-standard-error rule exploits.
#
# Lasso: how many features?
# -------------------------
# For the lasso, ``alpha`` decides the number of features. ``LassoCV`` follows a path in each fold
# and takes the minimum error, or with ``rule="one_standard_error"`` the simpler model that is
# nearly as good; ``LassoLarsIC`` weighs the fit at every knot of the path against the number of
# features.

least_squares = LinearRegression().fit(X, y)
chosen = {
    "least squares": least_squares.coef_,
    "minimum CV error": LassoCV(cv=10).fit(X, y).coef_,
    "one standard error": LassoCV(cv=10, rule="one_standard_error").fit(X, y).coef_,
    "AIC": LassoLarsIC("aic").fit(X, y).coef_,
    "BIC": LassoLarsIC("bic").fit(X, y).coef_,
}
fig, axes = plt.subplots(1, 5, figsize=(8.6, 3.2), sharey=True)
for ax, (name, coef) in zip(axes, chosen.items(), strict=True):
    ax.bar(range(p), coef, color=["C0" if w else "C4" for w in truth])
    ax.plot(range(5), truth[:5], "_", color="black", markersize=9)
    error = np.mean((fresh_y - (fresh - X.mean(axis=0)) @ coef - y.mean()) ** 2)
    ax.set_title(f"{name}\n{np.count_nonzero(coef)} features\nerror {error:.2f}", fontsize=9)
    ax.set_xlabel("feature")
axes[0].set_ylabel("coefficient (truth: black marks)")
plt.show()
# sphinx_gallery_thumbnail_number = 2
