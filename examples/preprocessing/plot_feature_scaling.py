"""
Feature scaling
===============

Units are arbitrary: centimetres or inches, euros or cents. Methods that compare features, by a
penalty, a distance or a common step length, should not depend on them. A scaler chooses the unit
from the data; which scaler matters most if there are outliers.
"""

# %%
# One outlier, four scalers
# -------------------------
# Forty ages, and one typing error. The mean, the standard deviation, the range and the maximum are
# determined by the outlier; median and quartiles hardly change.

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
# The range of the forty correct rows after each scaler:

for scaler in scalers:
    scaled = scaler.fit_transform(ages).ravel()
    spread = f"{scaled[:-1].min():5.2f} to {scaled[:-1].max():4.2f}"
    print(f"{type(scaler).__name__:15s} {spread}")

# %%
# Why it matters: one penalty for all features
# --------------------------------------------
# Ridge regression penalises all coefficients equally. In the original units the features of the
# diabetes table differ a hundredfold in scale, so features with small values need large
# coefficients and are penalised most: s5, the most important one, nearly vanishes, and the
# correlated s1 and s2 replace it with opposite signs. With standardised features the shrinkage does
# not depend on units.

table, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
spread = table.std().to_numpy()
free = LinearRegression().fit(table, y).coef_ * spread
raw = Ridge(alpha=100.0).fit(table, y).coef_ * spread
pipeline = make_pipeline(StandardScaler(), Ridge(alpha=100.0)).fit(table, y)
standard = pipeline["ridge"].coef_

position = np.arange(len(spread))
fig, ax = plt.subplots(figsize=(7.6, 3.8), layout="constrained")
ax.bar(position - 0.27, free, 0.27, color="#b8bec8", label="least squares")
ax.bar(position, raw, 0.27, color="#d9730d", label="ridge, original units")
ax.bar(position + 0.27, standard, 0.27, color="#2563a8", label="ridge, standardised")
ax.set(xticks=position, xticklabels=table.columns, ylabel="effect of one standard deviation")
ax.axhline(0, color="black", linewidth=0.8)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Inside a pipeline the scales are learned from the training rows alone, in every round of a
# cross-validation.

print(cross_val_score(pipeline, table, y, cv=5).round(3))
