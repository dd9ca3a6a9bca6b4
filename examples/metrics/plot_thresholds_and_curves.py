"""
Thresholds and curves
=====================

A classifier gives scores; a threshold makes classes of them. Every threshold is a trade of false
alarms against misses, and the curves below are that trade, drawn in five ways.
"""

# %%
# Scores of two classes
# ---------------------
# One in four rows is positive. Two instruments measure the same thing, the second with more
# noise.

import matplotlib.pyplot as plt
import numpy as np

from learnable import metrics
from learnable.plot import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    SilhouetteDisplay,
    ThresholdDisplay,
)

draws = np.random.default_rng(0)
truth = (draws.random(2000) < 0.25).astype(int)
good = draws.normal(1.8 * truth, 1.0)
poor = draws.normal(1.0 * truth, 1.0)

# %%
# Every threshold at once
# -----------------------
# As the threshold rises, false alarms fall and misses rise. They cross at the equal error rate.

ThresholdDisplay.from_predictions(truth, good)
plt.show()

# %%
# ROC, precision-recall and DET
# -----------------------------
# The ROC curve does not depend on how frequent the classes are; the precision-recall curve does,
# which is why it is the one to look at when positives are rare. On axes of normal deviates the
# trade of Gaussian scores is a straight line.

fig, axes = plt.subplots(1, 3, figsize=(11.5, 4.0), layout="constrained")
for scores, name in ((good, "good"), (poor, "poor")):
    last = name == "poor"
    RocCurveDisplay.from_predictions(truth, scores, name=name, ax=axes[0], plot_chance_level=last)
    PrecisionRecallDisplay.from_predictions(
        truth, scores, name=name, ax=axes[1], plot_chance_level=last
    )
    DetCurveDisplay.from_predictions(truth, scores, name=name, ax=axes[2])
plt.show()

# %%
# A required trade-off
# --------------------
# At most one false alarm in twenty: which threshold, and what is missed? And if a miss costs five
# false alarms?

points = metrics.operating_points(truth, good)
strict = points.best(most_false_alarms=0.05)
print({key: round(value, 3) for key, value in strict.items()})
threshold, error = metrics.neyman_pearson_threshold(truth, good, kappa=5.0)
print(f"with misses at five times the cost: threshold {threshold:.2f}, cost {error:.3f} a row")

called = (good >= threshold).astype(int)
ConfusionMatrixDisplay.from_predictions(truth, called, normalize="true")
plt.show()

# %%
# Probabilities that mean what they say
# -------------------------------------
# The right probability of these Gaussian scores is known. One that is twice as sure of itself
# keeps the order, and so the area under the ROC curve, but not the calibration.

odds = 1.8 * good - 1.8**2 / 2 + np.log(0.25 / 0.75)
right, bold = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(-2 * odds))
shown = CalibrationDisplay.from_predictions(truth, right, n_bins=8, name="right")
CalibrationDisplay.from_predictions(truth, bold, n_bins=8, name="too bold", ax=shown.ax_)
print("AUC", [round(metrics.roc_auc_score(truth, p), 4) for p in (right, bold)])
print("log loss", [round(metrics.log_loss(truth, p), 4) for p in (right, bold)])
plt.show()

# %%
# Silhouettes of clusters
# -----------------------
# Three groups, two of them close together: their blades are short.

centres = np.array([[0.0, 0.0], [2.5, 0.0], [8.0, 0.0]])
labels = draws.integers(0, 3, 300)
SilhouetteDisplay.from_labels(centres[labels] + draws.normal(size=(300, 2)), labels)
plt.show()
