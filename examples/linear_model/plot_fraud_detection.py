"""
Frauds among card payments
==========================

Two days of card payments, of which very few were frauds: here all 492 of them, beside 1968 others.
The columns ``v1`` to ``v28`` are principal components, so nobody knows what they mean; an absolute
penalty finds those that matter.
"""

# %%
# In which columns do frauds look different?
# ------------------------------------------
# For each column, the cosine of the histograms of both classes: 1 where frauds look like any
# payment, near 0 where they hardly overlap. Each product is of the shares of the same column.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable import (
    ConditionalDensityFilter,
    LogisticRegression,
    StratifiedShuffleSplit,
    cross_val_score,
)
from learnable.datasets._source_tables import source_table
from learnable.plot import DensitySimilarityDisplay, RegularizationPathDisplay

table = pd.read_csv(source_table("card_payments.csv.gz"))
X, y = table.drop(columns=["time", "class"]), table["class"]
fig, ax = plt.subplots(figsize=(6.0, 6.4), layout="constrained")
DensitySimilarityDisplay.from_estimator(ConditionalDensityFilter(threshold=0.8).fit(X, y), ax=ax)
plt.show()

# %%
# Columns enter one after another
# -------------------------------
# The path of an absolute penalty, on columns of the same spread. The first to enter is ``v14``,
# which the picture above has on top; ``v4``, ``v12`` and ``v11`` follow. Columns that the picture
# calls telling may still stay out for long: what they tell, others have told. The dashed line is
# the default, C = 1.

scaled = (X - X.mean()) / X.std()
fig, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
RegularizationPathDisplay.from_estimator(LogisticRegression(l1_ratio=1.0), scaled, y, ax=ax)
plt.show()

# %%
# How strong a penalty?
# ---------------------
# Each model learns from 150 payments and is judged on the others, twenty times. A class is not
# worth less for being rare, so that ``class_weight="balanced"`` lets both count alike in the fit,
# and balanced accuracy, the mean of the shares found in either class, judges it. A model under a
# strong penalty knows too little, one under a weak penalty believes chance: the best is in between.

Cs = np.geomspace(0.03, 300, 9)
splits = StratifiedShuffleSplit(20, train_size=150, random_state=0)
curves = {}
for weights in ("balanced", None):
    curves[weights] = np.array(
        [
            cross_val_score(
                LogisticRegression(l1_ratio=1.0, C=C, class_weight=weights),
                scaled,
                y,
                scoring="balanced_accuracy",
                cv=splits,
            )
            for C in Cs
        ]
    )
fig, ax = plt.subplots(figsize=(6.6, 4.0), layout="constrained")
for (weights, scores), colour in zip(curves.items(), ("#2563a8", "#d9730d"), strict=True):
    mean, error = scores.mean(axis=1), scores.std(axis=1) / np.sqrt(20)
    ax.plot(Cs, mean, "o-", color=colour, markersize=4, label=f"class_weight={weights!r}")
    ax.fill_between(Cs, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)
best = Cs[curves["balanced"].mean(axis=1).argmax()]
ax.axvline(best, color="#6b7280", linestyle="--", linewidth=1)
ax.set(xscale="log", xlabel="C (a weaker penalty to the right)", ylabel="balanced accuracy")
ax.set(ylim=(0.85, 0.94), xlim=(0.02, 400))
ax.legend(frameon=False)
plt.show()
print(f"best with balanced classes: C = {best:.2g}")
# sphinx_gallery_thumbnail_number = 2
