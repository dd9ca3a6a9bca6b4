"""
Least angle regression, lasso and stagewise regression
======================================================

Start from the empty model. Find the feature most correlated with the target and increase its
coefficient. The three methods of this page differ in the step length, and give almost the same
paths. All three end at least squares, and all three are useful before they get there: early
stopping is regularisation.

- **Least angle regression** moves until another feature is as correlated with the residual as
  the active one, then moves both so that they stay tied, and so on: as many steps as features.
- **The lasso** is the same, except that a coefficient that would change its sign is set to zero and
  leaves the active set.
- **Stagewise regression** takes thousands of tiny steps, each for the currently most correlated
  feature.
"""

# %%
# Ten measurements of 442 diabetes patients
# -----------------------------------------
# The features are centred and have norm 1, so that their coefficients can be compared. The
# horizontal axis is the L1 norm, :math:`\sum_j |w_j|`. Each dotted line is a knot, where a feature
# enters or leaves; between knots every path is a straight line, so the knots determine the whole
# path exactly.

import matplotlib.pyplot as plt
import numpy as np

from learnable.datasets import load_diabetes
from learnable.linear_model import StagewiseRegressor, lars_path

data = load_diabetes()
X, y = data.data, data.target - data.target.mean()

_, order, angles = lars_path(X, y, method="lar")
_, _, lasso = lars_path(X, y, method="lasso")
stagewise = StagewiseRegressor(step_size=0.002, n_steps=20000).fit(X, y).coef_path_[:, ::25]

fig, axes = plt.subplots(1, 3, figsize=(8.6, 4.0), sharey=True)
for ax, (name, path) in zip(
    axes, {"least angle": angles, "lasso": lasso, "stagewise": stagewise}.items(), strict=True
):
    size = np.abs(path).sum(axis=0)
    for j, line in enumerate(path):
        style = {"color": f"C{j % 7}", "linestyle": "-" if j < 7 else "--", "linewidth": 1.5}
        ax.plot(size, line, label=data.feature_names[j], **style)
    if path.shape[1] < 20:
        for place in size:
            ax.axvline(place, color="#6b7280", linewidth=0.5, linestyle=":")
    ax.axhline(0, color="#6b7280", linewidth=0.8)
    ax.set(title=name, xlabel="L1 norm of the coefficients, $|w|_1$")
axes[0].set_ylabel("coefficient")
axes[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
plt.show()

print("order of entry:", ", ".join(data.feature_names[j] for j in order))
print(f"knots: least angle {angles.shape[1]}, lasso {lasso.shape[1]}")

# %%
# Least angle regression has eleven knots, one per feature and the origin. The lasso has more: near
# the end ``s3`` reaches zero, leaves, and comes back with the other sign. Stagewise regression with
# small steps agrees with both wherever the paths are monotone.
#
# Where to stop
# -------------
# ``LarsCV`` and ``LassoLarsCV`` evaluate every knot of every fold; ``LassoLarsIC`` needs no folds
# and weighs fit against the number of features. Orthogonal matching pursuit is the greedy relative:
# it refits all selected features after each selection.

from learnable.linear_model import LarsCV, LassoLarsCV, LassoLarsIC, OrthogonalMatchingPursuitCV

choices = {
    "LarsCV": LarsCV(cv=10),
    "LassoLarsCV": LassoLarsCV(cv=10),
    "LassoLarsIC, AIC": LassoLarsIC("aic"),
    "LassoLarsIC, BIC": LassoLarsIC("bic"),
    "matching pursuit": OrthogonalMatchingPursuitCV(cv=10),
}
for name, model in choices.items():
    model.fit(X, data.target)
    kept = [data.feature_names[j] for j in np.flatnonzero(model.coef_)]
    print(f"{name:17} selects {len(kept)}: {', '.join(kept)}")

# %%
# Early stopping is regularisation
# --------------------------------
# The number of stagewise steps plays the role of the regularisation strength. Here are the
# coefficients after 300 steps beside the lasso with the same norm:

short = StagewiseRegressor(step_size=0.002, n_steps=300).fit(X, y).coef_
sizes = np.abs(lasso).sum(axis=0)
same_size = np.array([np.interp(np.abs(short).sum(), sizes, row) for row in lasso])
for name, few, shrunk in zip(data.feature_names, short, same_size, strict=True):
    print(f"{name:4} stagewise {few:8.2f}   lasso {shrunk:8.2f}")
