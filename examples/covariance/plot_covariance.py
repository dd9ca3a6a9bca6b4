"""
Covariance estimation
=====================

Shrinkage where rows are few, a robust covariance among outliers, and the network of a sparse
inverse covariance.
"""

# %%
# Shrinkage
# ---------
# The mean squared error of three estimates of the covariance of 20 columns, for 5 to 100 rows.
# Few rows make the eigenvalues of the empirical covariance spread too far; shrinkage pulls them
# together.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse

from learnable import OAS, EmpiricalCovariance, GraphicalLasso, LedoitWolf, MinCovDet

rng = np.random.default_rng(0)
truth = 0.6 ** np.abs(np.subtract.outer(np.arange(20), np.arange(20)))
root = np.linalg.cholesky(truth)
sizes = [5, 10, 20, 40, 100]
fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
for cls, colour in ((EmpiricalCovariance, "#9ca3af"), (LedoitWolf, "#2563a8"), (OAS, "#c2410c")):
    errors = []
    for n in sizes:
        draws = [rng.normal(size=(n, 20)) @ root.T for _ in range(20)]
        errors.append(np.mean([cls().fit(X).error_norm(truth) for X in draws]))
    ax.loglog(sizes, errors, "o-", color=colour, label=cls.__name__)
ax.set(xlabel="rows", ylabel="mean squared error / columns")
ax.legend(frameon=False)
plt.show()

# %%
# Outliers
# --------
# A fifth of the rows are outliers. They stretch the empirical covariance towards themselves, so
# that their distances look ordinary; the minimum covariance determinant ignores them.

X = rng.multivariate_normal([0, 0], [[1.0, 0.7], [0.7, 1.0]], size=150)
X[:30] = rng.normal([4.0, -3.0], 0.6, size=(30, 2))


def draw(ax, model, colour, label):
    """The 97.5 % ellipse of a covariance."""
    values, vectors = np.linalg.eigh(model.covariance_)
    angle = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
    width, height = 2 * np.sqrt(7.378 * values[::-1])
    shape = {"fill": False, "edgecolor": colour, "linewidth": 2, "label": label}
    ax.add_patch(Ellipse(model.location_, width, height, angle=angle, **shape))


fig, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
ax.plot(*X.T, ".", color="#6b7280", markersize=5)
draw(ax, EmpiricalCovariance().fit(X), "#9ca3af", "empirical")
draw(ax, MinCovDet(random_state=0).fit(X), "#c2410c", "minimum determinant")
ax.set(xlabel="first column", ylabel="second column", xlim=(-4.5, 7), ylim=(-6, 5.5))
ax.legend(frameon=False, loc="upper right")
plt.show()

# %%
# The network of a sparse inverse covariance
# ------------------------------------------
# Columns of a Markov chain: every pair is correlated, but only neighbours are dependent given all
# others. The graphical lasso finds the chain, and a few weak edges besides. Lines are partial
# correlations.

chain = np.zeros((400, 8))
chain[:, 0] = rng.normal(size=400)
for j in range(1, 8):
    chain[:, j] = 0.75 * chain[:, j - 1] + 0.66 * rng.normal(size=400)
model = GraphicalLasso(alpha=0.2).fit(chain)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
axes[0].imshow(np.corrcoef(chain.T), cmap="RdBu_r", vmin=-1, vmax=1)
axes[0].set_title("correlations")
angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
place = np.column_stack([np.sin(angle), np.cos(angle)])
for a, b, correlation in model.edges():
    colour = "#c2410c" if correlation > 0 else "#2563a8"
    axes[1].plot(*place[[a, b]].T, color=colour, linewidth=12 * abs(correlation), zorder=1)
axes[1].scatter(*place.T, s=420, color="white", edgecolor="#374151", zorder=2)
for j, (x, y) in enumerate(place):
    axes[1].text(x, y, f"x{j + 1}", ha="center", va="center", zorder=3)
axes[1].set_title("partial correlations of the graphical lasso")
axes[1].set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35), aspect="equal")
axes[1].axis("off")
plt.show()
