"""
Few labels, wrong labels, forgotten rows
========================================

Labels cost work. Active learning requests those that help most; confident learning finds labels
that are probably wrong; shards forget rows exactly.
"""

# %%
# Which rows should be labelled?
# ------------------------------
# Digits, with 15 labels at first. The band is the confidence interval over the runs.

import matplotlib.pyplot as plt
import numpy as np

from learnable import PCA, DecisionTreeClassifier, LogisticRegression
from learnable.active import active_learning_curves, entropy_sampling, margin_sampling
from learnable.datasets import load_digits
from learnable.ensemble import ShardedEstimator
from learnable.inspection import find_label_errors

X, y = load_digits(return_X_y=True)
Z = PCA(20).fit_transform(X[:900]) / 10
curves = active_learning_curves(
    LogisticRegression(C=10),
    Z,
    y[:900],
    {"margin": margin_sampling, "entropy": entropy_sampling},
    n_initial=15,
    n_queries=15,
    n_instances=5,
    n_runs=6,
    random_state=0,
)
fig, ax = plt.subplots()
for name in ("margin", "entropy", "random"):
    low, high = curves.interval(name)
    (line,) = ax.plot(curves.n_labels, curves.scores[name].mean(axis=0), label=name)
    ax.fill_between(curves.n_labels, low, high, alpha=0.2, color=line.get_color())
ax.set(xlabel="number of labels", ylabel="accuracy on the test set")
ax.legend(frameon=False)
plt.show()
gain, low, high = curves.gain("margin")
print(f"margin sampling gains {gain:.3f} over random (95 % interval {low:.3f} to {high:.3f})")

# %%
# Which labels are wrong?
# -----------------------
# A tenth of the labels is replaced. Confident learning finds most of them; the noise hardly affects
# features that are learned without labels.

rng = np.random.default_rng(0)
wrong = rng.random(900) < 0.1
noisy = np.where(wrong, rng.permutation(y[:900]), y[:900])
found = find_label_errors(LogisticRegression(C=1), Z, noisy)
mistaken = noisy != y[:900]
hits = mistaken[found.indices].sum()
print(f"{len(found.indices)} rows found, {hits} of {mistaken.sum()} wrong labels among them")
fig, axes = plt.subplots(1, 6, figsize=(9, 2))
for ax, index, suggested in zip(axes, found.indices[:6], found.suggested[:6], strict=True):
    ax.imshow(X[index].reshape(8, 8), cmap="gray_r")
    ax.set(title=f"{noisy[index]} or {suggested}?", xticks=[], yticks=[])
plt.show()

# %%
# Forgetting rows
# ---------------
# With shards only the models that saw a row are fitted again.

model = ShardedEstimator(DecisionTreeClassifier(random_state=0), n_shards=10, random_state=0)
model.fit(X[:1200], y[:1200]).forget([5, 17])
never = ShardedEstimator(DecisionTreeClassifier(random_state=0), n_shards=10, random_state=0)
never.fit(X[:1200], y[:1200], without=[5, 17])
print(f"{model.n_refitted_} of 10 shards fitted again")
print("same predictions:", bool((model.predict(X) == never.predict(X)).all()))
