"""
Principal component analysis
============================

The directions of maximum variance, how many of them matter, and how the features contribute.
"""

# %%
# Principal axes, scree plot, biplot
# ----------------------------------
# The arrows are eigenvectors of the covariance matrix, two standard deviations long. The scree plot
# shows the explained variance of each component; the biplot shows rows and features in the plane of
# the first two.

import matplotlib.pyplot as plt
import numpy as np

from learnable import PCA, PrincipalCurve, StandardScaler, svd
from learnable.datasets import load_digits, load_wine
from learnable.plot import (
    BiplotDisplay,
    ComponentImagesDisplay,
    PrincipalAxesDisplay,
    SpectrumDisplay,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2)) @ np.array([[2.0, 1.2], [0.0, 0.6]]) + [3.0, 1.0]
fig, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
PrincipalAxesDisplay.from_estimator(PCA().fit(X), X, ax=axes[0])

wine = load_wine(as_frame=True)
scaled = StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
model = PCA().fit(scaled)
SpectrumDisplay.from_estimator(model, ax=axes[1])
BiplotDisplay.from_estimator(model, scaled, wine.target, ax=axes[2])
plt.show()

# %%
# Shapes of the singular value decomposition
# ------------------------------------------
# :math:`A = U \Sigma V'`, compact: a tall matrix has a tall U, a wide one a wide V'.

fig, rows = plt.subplots(2, 4, figsize=(9, 4.6), layout="constrained")
for line, shape in zip(rows, ((9, 4), (4, 9)), strict=True):
    A = rng.normal(size=shape)
    U, s, Vt = svd(A)
    for ax, part, name in zip(line, (A, U, np.diag(s), Vt), ("A", "U", "Σ", "V'"), strict=True):
        ax.imshow(part, cmap="RdBu", vmin=-3, vmax=3)
        ax.set(title=f"{name}  {part.shape[0]} x {part.shape[1]}", xticks=[], yticks=[])
plt.show()

# %%
# Images by few components (eigenfaces)
# -------------------------------------
# The mean digit and the directions along which digits vary most. Reconstructed from 2, 8, 32 and 64
# components, images become sharper.

digits = load_digits().data
ComponentImagesDisplay.from_estimator(PCA(9).fit(digits))

counts = (2, 8, 32, 64)
fig, axes = plt.subplots(3, len(counts), figsize=(6, 4.8), layout="constrained")
for column, count in zip(axes.T, counts, strict=True):
    few = PCA(count).fit(digits)
    back = few.inverse_transform(few.transform(digits[:3]))
    column[0].set_title(f"{count} components", fontsize="medium")
    for ax, image in zip(column, back, strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray")
        ax.set_axis_off()
plt.show()

# %%
# Principal curves
# ----------------
# A straight line cuts across rows along an arc or the letter S; a principal curve follows them.
# Grey threads connect rows with their nearest points; colours are scores (arc length).

bow, letter = np.pi * rng.random(200), 3 * np.pi * (rng.random(200) - 0.5)
shapes = (
    np.column_stack([np.cos(bow), np.sin(bow)]),
    np.column_stack([np.sign(letter) * (np.cos(letter) - 1), np.sin(letter)]),
)
fig, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained")
for ax, shape in zip(axes, shapes, strict=True):
    X = shape + 0.08 * rng.normal(size=shape.shape)
    line, curve = PCA(1).fit(X), PrincipalCurve().fit(X)
    scores = curve.transform(X)
    near = curve.inverse_transform(scores)
    ax.plot(*np.stack([X, near]).transpose(2, 0, 1), color="0.8", linewidth=0.7, zorder=1)
    ax.scatter(*X.T, c=scores[:, 0], s=12, zorder=2)
    ends = np.array([[line.transform(X).min()], [line.transform(X).max()]])
    ax.plot(*line.inverse_transform(ends).T, "--", color="0.3", label="first component")
    ax.plot(*curve.knots_.T, color="C3", linewidth=2, label="principal curve")
    shares = [100 * model.explained_variance_ratio_[0] for model in (line, curve)]
    ax.set_title("line {:.0f} %, curve {:.1f} % of the variance".format(*shares))
    ax.set_aspect("equal")
axes[0].legend()
plt.show()
