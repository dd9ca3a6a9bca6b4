"""
Support vector machines: margins, slack, kernels
================================================

Many lines separate two classes. A support vector machine takes the one with the maximum margin,
tolerates margin violations at the cost C, and becomes nonlinear by a kernel.
"""

# %%
# The maximum margin
# ------------------
# Every grey line separates these rows. The hard margin, ``C = inf``, is as far from both classes as
# possible, and is determined by the support vectors (ringed) alone.

import matplotlib.pyplot as plt
import numpy as np

from learnable import SVC, make_blobs, make_circles
from learnable.plot import DecisionBoundaryDisplay

X, y = make_blobs(n_samples=40, centers=[(-2, -1), (2, 1)], cluster_std=0.8, random_state=6)
hard = SVC(kernel="linear", C=np.inf).fit(X, y)
fig, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained", sharex=True, sharey=True)
axes[0].scatter(*X.T, c=np.where(y == 1, "#d9730d", "#2563a8"), s=14)
across = np.array([-5.0, 5.0])
for slope, intercept in ((-4, 0.3), (-1.2, 0.0), (-0.5, 0.4), (-2.2, 0.4)):
    axes[0].plot(across, slope * across + intercept, color="0.6", linewidth=1)
axes[0].set(ylim=(-4, 4), xlim=(-5, 5), title="all of these separate the classes")
DecisionBoundaryDisplay.from_estimator(hard, X, y, eps=2.0, ax=axes[1])
width = hard.kkt_report(X, y).margin
axes[1].set_title(f"maximum margin: {width:.2f}")
plt.show()

# %%
# The soft margin
# ---------------
# One row of the upper class is an outlier. A hard margin would be determined by it; a small C keeps
# the margin wide and tolerates the violation.

outlier_X, outlier_y = np.vstack([X, [[-0.9, -0.1]]]), np.append(y, 1)
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
for ax, C in zip(axes, (0.05, 1.0, 1000.0), strict=True):
    model = SVC(kernel="linear", C=C).fit(outlier_X, outlier_y)
    DecisionBoundaryDisplay.from_estimator(model, outlier_X, outlier_y, ax=ax)
    ax.set_title(f"C = {C:g}: {len(model.support_)} support vectors")
plt.show()

# %%
# Support vectors and their dual variables
# ----------------------------------------
# The dual variable of a row determines its role: 0 outside the margin, between 0 and C on the
# margin, C inside it; a slack above 1 means misclassified.

rng = np.random.default_rng(1)
X = np.vstack([rng.normal((-1, 0), 1.0, (60, 2)), rng.normal((1.4, 0.5), 1.0, (60, 2))])
y = np.repeat([0, 1], 60)
model = SVC(kernel="linear", C=0.5).fit(X, y)
report = model.kkt_report(X, y)
fig, ax = plt.subplots(figsize=(7.4, 4.8), layout="constrained")
DecisionBoundaryDisplay.from_estimator(model, X, response_method="decision_function", ax=ax)
ax.get_lines()[0].remove()  # the rings of the support vectors: marks say more here
marks = {"outside": ("o", 12), "margin": ("D", 70), "inside": ("s", 34), "wrong": ("X", 60)}
colours = np.where(y == 1, "#d9730d", "#2563a8")
for role, (mark, size) in marks.items():
    there = report.roles == role
    ax.scatter(*X[there].T, c=colours[there], marker=mark, s=size, edgecolor="white", linewidth=0.5)
    ax.scatter([], [], c="0.3", marker=mark, s=size, label=f"{role} ({there.sum()})")
ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()
print(report)

# %%
# Kernels
# -------
# A ring and its interior are not linearly separable. With the Gaussian kernel the width matters:
# too wide (underfitting), right, too narrow (overfitting).

X, y = make_circles(n_samples=200, noise=0.12, factor=0.45, random_state=0)
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharex=True, sharey=True)
for ax, gamma in zip(axes, (0.05, 1.0, 60.0), strict=True):
    model = SVC(gamma=gamma, C=10.0).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(model, X, y, eps=0.3, ax=ax)
    ax.set_title(f"gamma = {gamma:g}: {len(model.support_)} support vectors")
plt.show()

# %%
# The decision function is a sum of kernels centred at the support vectors, positive for one class
# and negative for the other, weighted by their dual variables, plus the intercept.

place = np.sort(np.random.default_rng(3).uniform(0, 10, 16))[:, None]
inner = ((place[:, 0] > 3) & (place[:, 0] < 6.5)).astype(int)
model = SVC(gamma=0.6, C=5.0).fit(place, inner)
line = np.linspace(-1, 11, 400)
terms = model.dual_coef_[0][:, None] * np.exp(-0.6 * (model.support_vectors_ - line) ** 2)
fig, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
ax.plot(line, terms.T, color="0.7", linewidth=0.9)
ax.plot(line, model.decision_function(line[:, None]), color="black", linewidth=2, label="their sum")
ax.plot([], [], color="0.7", linewidth=0.9, label="weighted kernels")
ax.axhline(0, color="0.5", linewidth=0.8, linestyle=":")
for k, colour in enumerate(("#2563a8", "#d9730d")):
    ax.plot(place[inner == k], np.zeros((inner == k).sum()), "o", color=colour, markersize=4)
held = model.support_vectors_[:, 0]
ax.plot(
    held, np.zeros_like(held), "o", mfc="none", mec="black", markersize=9, label="support vectors"
)
ax.set(xlabel="x", ylabel="decision")
ax.legend(frameon=False, fontsize="small")
plt.show()

# %%
# Standardise first
# -----------------
# Distances add up features in their units: in thousandths, the second feature dominates the first.

from learnable import StandardScaler, make_pipeline

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2)) * [1.0, 1000.0]
y = (X[:, 0] ** 2 + (X[:, 1] / 1000) ** 2 > 1.4).astype(int)
raw = SVC().fit(X[:200], y[:200]).score(X[200:], y[200:])
scaled = make_pipeline(StandardScaler(), SVC()).fit(X[:200], y[:200]).score(X[200:], y[200:])
print(f"accuracy on new rows: {raw:.2f} unscaled, {scaled:.2f} after scaling")
