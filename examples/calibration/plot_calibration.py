"""
Probabilities that mean what they say
=====================================

Naive Bayes takes columns for independent. Where they repeat each other it counts the same
evidence again and again, and says 0 or 1 where it should say "perhaps". A curve fitted to its
scores on rows it did not see puts that right.
"""

# %%
# Before and after
# ----------------
# Eight copies of one noisy column. The rows are put into ten bins of their predicted
# probability; a forecast that means what it says lies on the diagonal.

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
    "with a sigmoid": CalibratedClassifierCV(GaussianNB(), method="sigmoid"),
    "with a rising curve": CalibratedClassifierCV(GaussianNB(), method="isotonic"),
    "with a temperature": CalibratedClassifierCV(GaussianNB(), method="temperature"),
}
said = {}
for name, model in models.items():
    said[name] = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]

fig, ax = plt.subplots(figsize=(5.2, 5), layout="constrained")
for name, probability in said.items():
    loss = brier_score_loss(y[test], probability)
    CalibrationDisplay.from_predictions(
        y[test], probability, n_bins=10, ax=ax, name=f"{name}: Brier {loss:.3f}"
    )
plt.show()

# %%
# How sure they are
# -----------------
# The probabilities themselves. Naive Bayes sits at both ends. A sigmoid of its probabilities can
# only pull the two heaps together; the rising curve spreads them out in steps, and the
# temperature, which works on logarithms, smoothly.

fig, axes = plt.subplots(1, 4, figsize=(8.6, 2.3), sharey=True, layout="constrained")
for ax, (name, probability) in zip(axes, said.items(), strict=True):
    ax.hist(probability, bins=20, range=(0, 1), color="tab:blue")
    ax.set_title(name, fontsize=9)
    ax.set_xlabel("probability")
axes[0].set_ylabel("rows")
plt.show()
