"""
ROC, precision-recall and calibration curves
============================================

A classifier gives scores; a threshold turns them into classes. Every threshold is a trade-off
between false positives and false negatives, and the curves below show it in five ways.
"""

# %%
# Scores of two classes
# ---------------------
# One in four rows is positive. Two classifiers measure the same signal, the second with more noise.

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
# As the threshold increases, the false positive rate decreases and the false negative rate
# increases. They are equal at the equal error rate.

ThresholdDisplay.from_predictions(truth, good)
plt.show()

# %%
# ROC, precision-recall and DET
# -----------------------------
# The ROC curve does not depend on the class proportions; the precision-recall curve does, which is
# why it is the better one if positives are rare. On axes of normal deviates (DET) the curve of
# Gaussian scores is a straight line.

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
# Which threshold has at most one false positive in twenty negatives, and which recall does it have?
# And if a false negative costs as much as five false positives?

points = metrics.operating_points(truth, good)
strict = points.best(most_false_alarms=0.05)
print({key: round(value, 3) for key, value in strict.items()})
threshold, error = metrics.neyman_pearson_threshold(truth, good, kappa=5.0)
print(f"false negatives at five times the cost: threshold {threshold:.2f}, cost {error:.3f} a row")

called = (good >= threshold).astype(int)
ConfusionMatrixDisplay.from_predictions(truth, called, normalize="true")
plt.show()

# %%
# Calibration
# -----------
# The true probabilities of these Gaussian scores are known. Over-confident ones, with twice the
# log-odds, keep the ranking, and so the area under the ROC curve, but are not calibrated.

odds = 1.8 * good - 1.8**2 / 2 + np.log(0.25 / 0.75)
right, bold = 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(-2 * odds))
shown = CalibrationDisplay.from_predictions(truth, right, n_bins=8, name="calibrated")
CalibrationDisplay.from_predictions(truth, bold, n_bins=8, name="over-confident", ax=shown.ax_)
print("AUC", [round(metrics.roc_auc_score(truth, p), 4) for p in (right, bold)])
print("log loss", [round(metrics.log_loss(truth, p), 4) for p in (right, bold)])
plt.show()

# %%
# Silhouettes of clusters
# -----------------------
# Three clusters, two of them close together: their silhouettes are small.

centres = np.array([[0.0, 0.0], [2.5, 0.0], [8.0, 0.0]])
labels = draws.integers(0, 3, 300)
SilhouetteDisplay.from_labels(centres[labels] + draws.normal(size=(300, 2)), labels)
plt.show()
