"""
Four ways to measure a column
=============================

Units are arbitrary: centimetres or inches, euros or cents. Methods that compare columns with each
other, by a penalty, a distance or one step length for all, should not depend on them. A scaler
chooses a unit from the data. Which one it chooses matters most when a few rows are far away.
"""

# %%
# One outlier, four scalers
# -------------------------
# Forty ages, and one typing error. The mean and the standard deviation follow the error, the range
# follows nothing else, the largest value is the error itself; median and quartiles hardly notice.

import matplotlib.pyplot as plt
import numpy as np

from learnable import Ridge, cross_val_score, make_pipeline
from learnable.datasets import load_diabetes
from learnable.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

rng = np.random.default_rng(0)
ages = np.append(rng.normal(40, 8, size=40), 400.0)[:, None]
scalers = (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler())

fig, axes = plt.subplots(4, 1, figsize=(7.6, 4.6), layout="constrained")
for ax, scaler in zip(axes, scalers, strict=True):
    scaled = scaler.fit_transform(ages).ravel()
    ax.scatter(scaled[:-1], np.zeros(40), s=26, alpha=0.5, color="#2563a8", linewidth=0)
    ax.scatter(scaled[-1:], [0], s=40, marker="x", color="#b3261e")
    ax.set(yticks=[])
    ax.set_title(type(scaler).__name__, loc="left", fontsize=10)
    ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %%
# Where the forty good rows lie in the units of each scaler:

for scaler in scalers:
    scaled = scaler.fit_transform(ages).ravel()
    spread = f"{scaled[:-1].min():5.2f} to {scaled[:-1].max():4.2f}"
    print(f"{type(scaler).__name__:15s} {spread}")

# %%
# Why it matters: one penalty for all columns
# -------------------------------------------
# Ridge regression shrinks every coefficient with the same strength. In the original units of the
# diabetes table the columns differ a hundredfold in size, so that the penalty falls on some and
# spares others; in standard units it treats them alike. Inside a pipeline the scales are learned
# from the training rows of each round alone.

X, y = load_diabetes(return_X_y=True, scaled=False)
strengths = np.logspace(-2, 5, 22)
raw = [cross_val_score(Ridge(alpha=alpha), X, y, cv=5).mean() for alpha in strengths]
standard = [
    cross_val_score(make_pipeline(StandardScaler(), Ridge(alpha=alpha)), X, y, cv=5).mean()
    for alpha in strengths
]

fig, ax = plt.subplots(figsize=(7.0, 3.8), layout="constrained")
ax.semilogx(strengths, raw, color="#d9730d", linewidth=1.8, label="columns as they are")
ax.semilogx(strengths, standard, color="#2563a8", linewidth=1.8, label="in standard units")
ax.set(xlabel="strength of the penalty", ylabel="R² in five folds", ylim=(0, 0.55))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
