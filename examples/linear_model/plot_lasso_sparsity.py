"""
Why the lasso gives zeros
=========================

Ridge makes coefficients small. The lasso makes some of them exactly zero, which is why it selects
features. One figure shows the difference.
"""

# %%
# A penalty is a constraint
# -------------------------
# For every ``alpha`` there is a bound :math:`t` such that the penalised problem has the same
# solution as
#
# .. math::
#
#    \min_w \lVert y - Xw \rVert^2 \quad \text{subject to} \quad \operatorname{penalty}(w) \le t.
#
# The ellipses are the sets of equal squared error around the least-squares solution; the blue
# region is what the constraint allows. The constrained solution is where the smallest ellipse
# touches the region. The region of the lasso has corners on the axes, where one coefficient is
# zero. That of ridge is round and has none.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import Lasso, enet_path, lasso_path, ridge_path
from learnable.plot import ConstraintRegionDisplay, RegularizationPathDisplay

rng = np.random.default_rng(3)
X = rng.normal(size=(100, 2)) @ np.array([[1.0, 0.5], [0.0, 0.9]])
y = X @ [0.5, 1.6] + 0.5 * rng.normal(size=100)

fig, axes = plt.subplots(1, 3, figsize=(8.6, 3.4), sharey=True)
titles = {
    "l1": "lasso: $|w_1| + |w_2| \\leq t$",
    "elasticnet": "elastic net",
    "l2": "ridge: $\\sqrt{w_1^2 + w_2^2} \\leq t$",
}
for ax, (penalty, title) in zip(axes, titles.items(), strict=True):
    display = ConstraintRegionDisplay.from_data(X, y, penalty=penalty, size=1.0, ax=ax)
    ax.set(title=title, xlim=(-1.6, 2.1), ylim=(-1.6, 2.1))
    ax.label_outer()
    print(f"{penalty:10} best inside the region:", display.best().round(4))
plt.show()

# %%
# The penalised problem gives the same points. Here is the ``alpha`` whose lasso has norm 1, found
# by bisection:

centred, target = X - X.mean(axis=0), y - y.mean()
low, high = 0.0, 10.0
for _ in range(60):
    middle = (low + high) / 2
    size = np.abs(Lasso(alpha=middle, tol=1e-12).fit(X, y).coef_).sum()
    low, high = (middle, high) if size > 1 else (low, middle)
print(f"alpha {middle:.6f} gives", Lasso(alpha=middle, tol=1e-12).fit(X, y).coef_.round(4))

# %%
# One feature at a time: soft thresholding
# ----------------------------------------
# With one feature the lasso has a closed form. Least squares gives :math:`\rho / z` with
# :math:`\rho = x^\top y` and :math:`z = x^\top x`; ridge shrinks it by a factor, :math:`\rho / (z +
# \lambda)`; the lasso subtracts a constant and stops at zero, :math:`S(\rho, \lambda) / z` with the
# soft threshold :math:`S(\rho, \lambda) = \operatorname{sign}(\rho) \max(|\rho| - \lambda, 0)`.
# Coordinate descent applies this to one feature after the other, with the others fixed, until
# convergence.

from learnable.parts.penalties import soft_threshold

rho = np.linspace(-3, 3, 301)
fig, ax = plt.subplots(figsize=(5.5, 4))
ax.plot(rho, rho, color="#6b7280", linestyle="--", label="least squares")
ax.plot(rho, rho / 2, label="ridge: proportional shrinkage")
ax.plot(rho, soft_threshold(rho, 1.0), label="lasso: the soft threshold")
ax.set(
    xlabel=r"$\rho$, inner product of feature and target",
    ylabel="coefficient (feature of norm 1)",
    aspect="equal",
)
ax.legend()
plt.show()

# %%

w = np.zeros(2)
n, alpha = 100, 0.2
for sweep in range(1, 5):
    for j in (0, 1):
        partial = target - centred @ w + centred[:, j] * w[j]
        w[j] = soft_threshold(centred[:, j] @ partial, n * alpha) / (centred[:, j] @ centred[:, j])
    print(f"sweep {sweep}: {w.round(6)}")
print("Lasso:  ", Lasso(alpha=alpha, tol=1e-12).fit(X, y).coef_.round(6))

# %%
# Regularisation paths
# --------------------
# Now eight features, three of them relevant, two of which (x0 and x1) are highly correlated. From
# left to right the penalty weakens. The lasso adds one feature after the other and gives x0 all the
# weight of the pair at first; ridge has all features from the start and gives the pair equal
# weights; the elastic net is in between.

X = rng.normal(size=(60, 8))
X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=60)
y = 2 * X[:, 0] + 2 * X[:, 1] - 1.5 * X[:, 2] + rng.normal(size=60)
X, y = (X - X.mean(axis=0)) / X.std(axis=0), y - y.mean()
paths = {
    "lasso": lasso_path(X, y, eps=1e-3),
    "elastic net": enet_path(X, y, l1_ratio=0.5, eps=1e-3),
    "ridge": ridge_path(X, y),
}
fig, axes = plt.subplots(1, 3, figsize=(8.6, 3.4), sharey=True)
for ax, (name, (alphas, coefs, _)) in zip(axes, paths.items(), strict=True):
    RegularizationPathDisplay.from_path(alphas, coefs, ax=ax)
    ax.set_title(name, color="black", fontsize=10, loc="left")
plt.show()

# %%
# Which one?
# ----------
# - Few relevant features: lasso.
# - Many small effects, or groups of correlated features: ridge.
# - Not sure: the elastic net, with ``l1_ratio`` and ``alpha`` chosen by cross-validation
#   (:class:`~learnable.linear_model.ElasticNetCV`).
#
# Two kinds of true coefficients, ten samples of each, and the error of the estimates:

from learnable.linear_model import ElasticNetCV, LassoCV, RidgeCV

few, many = np.zeros(40), 0.35 * rng.choice([-1, 1], size=40)
few[:3] = [2.0, -1.5, 1.0]
searches = {
    "lasso": LassoCV(cv=5, alphas=30),
    "elastic net": ElasticNetCV(cv=5, alphas=30, l1_ratio=[0.1, 0.5, 0.9]),
    "ridge": RidgeCV(np.geomspace(0.1, 1000, 30)),
}
for world, truth in {
    "3 of 40 features are relevant": few,
    "all 40 have small effects": many,
}.items():
    errors = {name: [] for name in searches}
    for seed in range(10):
        draw = np.random.default_rng(seed)
        Z = draw.normal(size=(80, 40))
        target = Z @ truth + 1.5 * draw.normal(size=80)
        for name, search in searches.items():
            errors[name].append(np.sum((search.clone().fit(Z, target).coef_ - truth) ** 2))
    print(
        f"{world}:",
        ", ".join(f"{name} {np.mean(values):.2f}" for name, values in errors.items()),
    )
# sphinx_gallery_thumbnail_number = 3
