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

from learnable import LinearRegression, Ridge, cross_val_score, make_pipeline
from learnable.datasets import load_diabetes
from learnable.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

rng = np.random.default_rng(0)
ages = np.append(rng.normal(40, 8, size=40), 400.0)[:, None]
scalers = (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler())

fig, axes = plt.subplots(4, 1, figsize=(7.6, 4.6), sharex=True, layout="constrained")
for ax, scaler in zip(axes, scalers, strict=True):
    scaled = scaler.fit_transform(ages).ravel()
    ax.scatter(scaled[:-1], np.zeros(40), s=26, alpha=0.5, color="#2563a8", linewidth=0)
    ax.scatter(np.minimum(scaled[-1:], 7), [0], s=40, marker="x", color="#b3261e")
    if scaled[-1] > 7:
        ax.annotate(f"at {scaled[-1]:.0f}", (7, 0), (6.9, 0.02), ha="right", va="bottom")
    ax.set(yticks=[], xlim=(-3, 7.2))
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
# diabetes table the columns differ a hundredfold in size, so that the penalty falls on those
# measured in small numbers: s5, the strongest of all, nearly vanishes, and s1 and s2, which come in
# large numbers, take over its work with their signs turned round. In standard units each column is
# shrunk by how little it explains.

table, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
spread = table.std().to_numpy()
free = LinearRegression().fit(table, y).coef_ * spread
raw = Ridge(alpha=100.0).fit(table, y).coef_ * spread
pipeline = make_pipeline(StandardScaler(), Ridge(alpha=100.0)).fit(table, y)
standard = pipeline["ridge"].coef_

place = np.arange(len(spread))
fig, ax = plt.subplots(figsize=(7.6, 3.8), layout="constrained")
ax.bar(place - 0.27, free, 0.27, color="#b8bec8", label="least squares")
ax.bar(place, raw, 0.27, color="#d9730d", label="ridge, columns as they are")
ax.bar(place + 0.27, standard, 0.27, color="#2563a8", label="ridge, standard units")
ax.set(xticks=place, xticklabels=table.columns, ylabel="effect of one standard deviation")
ax.axhline(0, color="black", linewidth=0.8)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Inside a pipeline the scales are learned from the training rows alone, in every round of a
# cross-validation anew.

print(cross_val_score(pipeline, table, y, cv=5).round(3))
