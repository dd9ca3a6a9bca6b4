"""
Fraud detection: class imbalance and an L1 penalty
==================================================

Two days of card payments with very few frauds: here all 492 of them, beside 1968 others. The
features ``v1`` to ``v28`` are principal components without an interpretation; an L1 penalty finds
those that matter.
"""

# %%
# Which features differ between the classes?
# ------------------------------------------
# For each feature, the cosine similarity of the histograms of both classes: 1 if frauds are
# distributed like other payments, near 0 if the histograms hardly overlap.

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
# The regularisation path
# -----------------------
# The path of the L1 penalty on standardised features. The first to enter is ``v14``, the most
# different one in the plot above; ``v4``, ``v12`` and ``v11`` follow. Features that differ strongly
# may still enter late if they are correlated with others. The dashed line is the default, C = 1.

scaled = (X - X.mean()) / X.std()
fig, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
RegularizationPathDisplay.from_estimator(LogisticRegression(l1_ratio=1.0), scaled, y, ax=ax)
plt.show()

# %%
# Choosing C
# ----------
# Each model is fitted to 150 payments and scored on the others, twenty times.
# ``class_weight="balanced"`` gives both classes the same total weight, and balanced accuracy is the
# mean recall of the classes. A strong penalty underfits, a weak one overfits: the best is in
# between.

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
