"""
The validation curve: underfitting and overfitting
==================================================

The training error always prefers no penalty. Held-out rows prefer something in between: on the left
the model overfits, on the right it underfits. This page draws both errors as functions of
``alpha``, with the two rules that select a value.
"""

# %%
# The curve
# ---------
# Sixty rows, forty features, of which six are relevant. Each point is the mean error of ten folds;
# the bars are one standard error of that mean, sd / √10.

import matplotlib.pyplot as plt
import numpy as np

from learnable import KFold, Ridge, StandardScaler, make_pipeline
from learnable.model_selection import (
    GridSearchCV,
    minimal_error_rule,
    one_standard_error_rule,
    validation_curve,
)
from learnable.plot import ValidationCurveDisplay

rng = np.random.default_rng(3)
n, p = 60, 40
X = rng.normal(size=(n, p))
truth = np.zeros(p)
truth[:6] = [1.2, -1.0, 0.8, 0.8, -0.6, 0.5]
y = X @ truth + 1.2 * rng.normal(size=n)

model = make_pipeline(StandardScaler(), Ridge())
folds = KFold(10, shuffle=True, random_state=0)
alphas = np.geomspace(0.03, 1000, 24)
train, test = validation_curve(
    model,
    X,
    y,
    param_name="ridge__alpha",
    param_range=alphas,
    cv=folds,
    scoring="neg_mean_squared_error",
)
best = minimal_error_rule(test)
simple = one_standard_error_rule(test, -np.arange(len(alphas)))
error, standard_error = -test.mean(axis=1), test.std(axis=1, ddof=1) / np.sqrt(10)

fig, ax = plt.subplots(figsize=(7.8, 4.8), layout="constrained")
ax.axvspan(alphas[0] / 1.3, alphas[best] / 3, color="#2563a8", alpha=0.07, linewidth=0)
ax.axvspan(alphas[simple] * 2, alphas[-1] * 1.3, color="#d9730d", alpha=0.09, linewidth=0)
ax.errorbar(alphas, error, standard_error, fmt="o-", markersize=4, capsize=2, color="#2563a8",
            label="held-out rows, ± one standard error")  # fmt: skip
ax.plot(alphas, -train.mean(axis=1), "s--", markersize=3, color="#6b7280", label="training rows")
bound = error[best] + standard_error[best]
ax.axhline(bound, color="#2a8f6a", linewidth=0.9, linestyle=":")
ax.text(alphas[-1] * 1.2, bound, "minimum + one standard error", fontsize=8, ha="right",
        va="bottom", color="#2a8f6a")  # fmt: skip
for place, colour, words in (
    (best, "#b3261e", "minimum error"),
    (simple, "#2a8f6a", "one standard error"),
):
    ax.axvline(alphas[place], color=colour, linewidth=1)
    ax.plot(alphas[place], error[place], "o", color=colour, markersize=8, label=words, zorder=5)
ax.text(0.035, 1.6, "overfitting", fontsize=9, color="#2563a8", va="top")
ax.text(950, 0.35, "underfitting", fontsize=9, color="#d9730d", ha="right")
ax.set(xscale="log", xlabel="regularisation strength alpha", ylabel="mean squared error")
ax.set(xlim=(alphas[0] / 1.3, alphas[-1] * 1.3), ylim=(0, 11.5))
ax.legend(loc="upper center", ncols=2)
plt.show()

# %%
# Two rules
# ---------
# The minimum is uncertain: the bars around it overlap for a range of values. The one-standard-error
# rule takes the strongest penalty below the dotted line: the simplest model that is not
# significantly worse than the best. It prefers simplicity and does not promise a smaller error. A
# search knows both rules.

grid = {"ridge__alpha": alphas}
for rule in ("min", "one_se"):
    search = GridSearchCV(model, grid, cv=folds, scoring="neg_mean_squared_error", rule=rule)
    found = search.fit(X, y).best_params_["ridge__alpha"]
    new = rng.normal(size=(5000, p))
    loss = np.mean((new @ truth + 1.2 * rng.normal(size=5000) - search.predict(new)) ** 2)
    print(f"{rule:7s} alpha {found:7.2f}, error on 5000 new rows {loss:.2f}")

# %%
# In one line
# -----------
# ``ValidationCurveDisplay`` draws the same for any hyperparameter of any estimator. Here the bands
# are one standard deviation over the folds, and ``simpler`` says in which direction models are
# simpler.

ValidationCurveDisplay.from_estimator(
    model,
    X,
    y,
    param_name="ridge__alpha",
    param_range=alphas,
    cv=folds,
    scoring="neg_mean_squared_error",
    negate_score=True,
    simpler="larger",
)
plt.show()
