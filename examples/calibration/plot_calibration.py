"""
Probability calibration
=======================

Naive Bayes assumes independent features. If features are redundant, it counts the same evidence
several times, and its probabilities are too close to 0 and 1. A calibration curve, fitted to its
scores on held-out rows, corrects that.
"""

# %%
# Calibration curves
# ------------------
# Eight copies of one noisy feature. The rows are put into ten bins of their predicted probability;
# calibrated probabilities lie on the diagonal.

import matplotlib.pyplot as plt
import numpy as np

from learnable import CalibratedClassifierCV, GaussianNB, brier_score_loss
from learnable.plot import CalibrationDisplay

rng = np.random.default_rng(0)
column = rng.normal(size=(6000, 1))
y = (column[:, 0] + rng.logistic(size=6000) > 0).astype(int)
X = np.hstack([column] * 8)
train, test = slice(0, 2000), slice(2000, None)

models = {
    "naive Bayes": GaussianNB(),
    "sigmoid": CalibratedClassifierCV(GaussianNB(), method="sigmoid"),
    "isotonic": CalibratedClassifierCV(GaussianNB(), method="isotonic"),
    "temperature": CalibratedClassifierCV(GaussianNB(), method="temperature"),
}
probabilities = {}
for name, model in models.items():
    probabilities[name] = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]

fig, ax = plt.subplots(figsize=(5.2, 5), layout="constrained")
for name, probability in probabilities.items():
    loss = brier_score_loss(y[test], probability)
    CalibrationDisplay.from_predictions(
        y[test], probability, n_bins=10, ax=ax, name=f"{name}: Brier {loss:.3f}"
    )
plt.show()

# %%
# Distribution of the probabilities
# ---------------------------------
# The probabilities of naive Bayes accumulate at both ends. A sigmoid can only move the two modes
# together; isotonic regression is a step function, and temperature scaling, which works on
# logarithms, is smooth.

fig, axes = plt.subplots(1, 4, figsize=(8.6, 2.3), sharey=True, layout="constrained")
for ax, (name, probability) in zip(axes, probabilities.items(), strict=True):
    ax.hist(probability, bins=20, range=(0, 1), color="tab:blue")
    ax.set_title(name, fontsize=9)
    ax.set_xlabel("probability")
axes[0].set_ylabel("rows")
plt.show()
