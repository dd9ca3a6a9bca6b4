"""
Fraud detection with naive Bayes
================================

A rare class and many uninformative features: compare the class-conditional histograms, select the
features in which the classes differ, and fit Gaussian naive Bayes.
"""

# %%
# Class-conditional histograms
# ----------------------------
# Card payments of two days, all 492 frauds beside 1968 others. ``v1`` to ``v28`` are principal
# components. Shown are the first sixteen: the classes differ strongly in ``v14``, and not at all in
# ``v13`` and ``v15``.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable import ConditionalDensityFilter, GaussianNB, Pipeline, cross_val_score
from learnable.datasets._source_tables import source_table
from learnable.plot import ClassHistogramDisplay, DensitySimilarityDisplay

table = pd.read_csv(source_table("card_payments.csv.gz"))
X, y = table.drop(columns=["time", "class"]), table["class"]
labels = y.map({0: "payment", 1: "fraud"})
ClassHistogramDisplay.from_data(X.iloc[:, :16].clip(-15, 15), labels)
plt.show()

# %%
# Similarity of the classes
# -------------------------
# The cosine similarity of the two histograms of a feature: 1 if both classes have the same
# distribution.

chooser = ConditionalDensityFilter(threshold=0.8).fit(X, y)
fig, ax = plt.subplots(figsize=(6.0, 6.2), layout="constrained")
DensitySimilarityDisplay.from_estimator(chooser, ax=ax)
plt.show()

# %%
# How many features?
# ------------------
# A low threshold discards informative features. A high one keeps uninformative ones, whose noise
# harms a classifier that assumes independence. Balanced accuracy by cross-validation; bars are
# standard errors over ten folds:

thresholds = np.linspace(0.3, 1.0, 15)
scores = []
for threshold in thresholds:
    steps = [("filter", ConditionalDensityFilter(threshold=threshold)), ("bayes", GaussianNB())]
    scores.append(cross_val_score(Pipeline(steps), X, y, scoring="balanced_accuracy", cv=10))
means, errors = np.mean(scores, axis=1), np.std(scores, axis=1) / np.sqrt(10)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.errorbar(thresholds, means, errors, fmt="o-", color="#2563a8", ecolor="#9ca3af", capsize=2)
ax.set(xlabel="threshold of the similarity", ylabel="balanced accuracy")
plt.show()
print(f"best threshold: {thresholds[means.argmax()]:.2f}, all features: {means[-1]:.3f}")

# %%
# The folds differ more than the thresholds do. A few informative features do as well as many, and
# the extremes are worst: a single feature, and all of them.
