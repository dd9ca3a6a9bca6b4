"""
The margin and the cost C
=========================

Many lines separate two classes; the linear support vector machine takes the one with the maximum
margin. If rows lie inside the margin, or on its wrong side, C is the cost of these margin
violations.
"""

# %%
# The maximum margin
# ------------------
# A line with y (w·x + b) ≥ 1 for every row has a margin of width 2 / \|w\|, so the maximum margin
# has the smallest \|w\|. With C = ∞ (the hard margin) no violation is allowed, and the fit raises
# an error if the classes are not separable.

import matplotlib.pyplot as plt
import numpy as np

from learnable import DataError
from learnable.svm import LinearSVC

rng = np.random.default_rng(0)
X = np.vstack(
    [rng.normal(size=(20, 2)) * 0.7 + [1.6, 1.6], rng.normal(size=(20, 2)) * 0.7 - [1.4, 1.0]]
)
y = np.repeat([1, -1], 20)


def draw(ax, model, X, y, title):
    """Rows, the line, the edges of its street, and the rows that hold it."""
    ax.plot(*X[y == 1].T, "o", color="C0", markersize=4)
    ax.plot(*X[y == -1].T, "s", color="C1", markersize=4)
    (a, c), d = model.coef_[0], model.intercept_[0]
    ends = np.array([-5.0, 6.0])
    for level, style in ((0, "-"), (-1, "--"), (1, "--")):
        ax.plot(
            ends,
            (level - d - a * ends) / c,
            style,
            color="black",
            linewidth=1.4 if level == 0 else 0.9,
        )
    holds = y * model.decision_function(X) <= 1 + 1e-6
    ax.plot(*X[holds].T, "o", markersize=10, markerfacecolor="none", markeredgecolor="C3")
    width = 2 / np.hypot(a, c)
    ax.set(xlim=(-4, 4), ylim=(-4, 4), title=f"{title}: width {width:.2f}")


hard = LinearSVC(loss="hinge", C=np.inf, intercept_scaling=100.0).fit(X, y)
fig, ax = plt.subplots(figsize=(5.2, 4.6))
draw(ax, hard, X, y, "hard margin")
plt.show()

# %%
# An outlier
# ----------
# One row of the second class is now close to the first. The hard margin must pass between them and
# becomes narrow; still further over, the classes are not separable. With a finite C the row may
# violate the margin at a cost, and the boundary hardly changes. The smaller C, the wider the margin
# and the more violations.

outlier = np.vstack([X, [[0.7, 0.9]]])
labels = np.append(y, -1)
fig, axes = plt.subplots(2, 2, figsize=(9.0, 8.2))
for ax, C in zip(axes.ravel(), (np.inf, 10.0, 0.1, 0.01), strict=True):
    model = LinearSVC(loss="hinge", C=C, intercept_scaling=100.0).fit(outlier, labels)
    draw(ax, model, outlier, labels, f"C = {C:g}")
plt.show()

try:
    LinearSVC(loss="hinge", C=np.inf).fit(np.vstack([X, [[2.5, 2.0]]]), labels)
except DataError as error:
    print(error)

# %%
# The certificate
# ---------------
# The dual variables of the rows prove that no line has an objective lower than the one found by
# more than the duality gap in the certificate.

print(model.certificate_)
# sphinx_gallery_thumbnail_number = 2
