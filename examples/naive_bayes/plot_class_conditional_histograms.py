"""
Fraud among a thousand payments
===============================

Rare cases among many, and columns of which most say nothing: look at each column by class, keep
those in which the classes differ, and let Gaussian naive Bayes multiply what they say.
"""

# %%
# Twelve columns by class
# -----------------------
# Made-up payments: three in a hundred are frauds, and four columns differ between the classes.

import matplotlib.pyplot as plt
import numpy as np

from learnable import ConditionalDensityFilter, GaussianNB, Pipeline, cross_val_score
from learnable.plot import ClassHistogramDisplay, DensitySimilarityDisplay

rng = np.random.default_rng(2)
n = 6000
y = (rng.random(n) < 0.03).astype(int)
X = rng.normal(size=(n, 12))
X[:, 0] += 2.5 * y
X[:, 3] -= 1.8 * y
X[:, 7] *= 1 + 2 * y
X[:, 8] += 1.0 * y
X[:, 9:] = X[:, 9:] + rng.normal(size=(n, 1))  # three that repeat each other, and say nothing
labels = np.array(["payment", "fraud"])[y]
ClassHistogramDisplay.from_data(X, labels)
plt.show()

# %%
# How alike are the classes?
# --------------------------
# The cosine of the two histograms of a column: 1 where both classes look the same.

chooser = ConditionalDensityFilter(threshold=0.9).fit(X, y)
DensitySimilarityDisplay.from_estimator(chooser)
plt.show()

# %%
# How many columns?
# -----------------
# A low threshold throws away columns that help, a high one keeps noise, which costs a naive Bayes
# classifier that believes its columns to be independent. Balanced accuracy, on rows that neither
# the filter nor the classifier has seen:

thresholds = np.linspace(0.3, 1.0, 15)
scores = []
for threshold in thresholds:
    model = Pipeline(
        [
            ("filter", ConditionalDensityFilter(threshold=threshold)),
            ("bayes", GaussianNB(priors=[0.5, 0.5])),
        ]
    )
    try:
        scores.append(cross_val_score(model, X, y, scoring="balanced_accuracy").mean())
    except ValueError:  # no column is left
        scores.append(np.nan)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(thresholds, scores, "o-", color="#2563a8")
ax.set(xlabel="columns stay up to this similarity", ylabel="balanced accuracy")
plt.show()
# sphinx_gallery_thumbnail_number = 1
