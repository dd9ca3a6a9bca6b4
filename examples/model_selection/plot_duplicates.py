"""
Duplicated rows
===============

Copies of rows add no information. They make a flexible model sure of the noise in the copied rows,
and if copies of a row are in the training set and in the test set, the score is too optimistic.
"""

# %%
# Copies of the rare class
# ------------------------
# Oversampling by copies balances the classes, and defeats the limit of five rows in a leaf: the
# tree builds leaves around single rare rows and their copies. On the training rows it is nearly
# perfect, on new rows it recognises few more of the rare class than before: the gap grows.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    SMOTE,
    DecisionTreeClassifier,
    KNeighborsClassifier,
    RandomOverSampler,
    cross_val_score,
    make_classification,
)
from learnable.metrics import balanced_accuracy_score

X, y = make_classification(
    6000, 8, n_informative=4, weights=[0.95], class_sep=0.6, flip_y=0.02, random_state=3
)
X_train, y_train, X_new, y_new = X[:1500], y[:1500], X[1500:], y[1500:]
tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
ways = {
    "as they are": (X_train, y_train),
    "copies": RandomOverSampler(random_state=0).fit_resample(X_train, y_train),
    "SMOTE": SMOTE(random_state=0).fit_resample(X_train, y_train),
}
training, fresh = [], []
for rows, classes in ways.values():
    model = tree.clone().fit(rows, classes)
    training.append(balanced_accuracy_score(y_train, model.predict(X_train)))
    fresh.append(balanced_accuracy_score(y_new, model.predict(X_new)))
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
place = np.arange(len(ways))
ax.bar(place - 0.2, training, 0.4, label="training rows")
ax.bar(place + 0.2, fresh, 0.4, label="new rows")
ax.set_xticks(place, ways)
ax.set(ylabel="balanced accuracy", ylim=(0.5, 1.15))
ax.legend(frameon=False, loc="upper left", ncols=2)
plt.show()

# %%
# Copies on both sides of a split
# -------------------------------
# Every row twice: cross-validation tests most rows on their own copy. The more copies there are,
# the more the score exceeds the one on new rows, above all for models that remember rows.

copies, optimism = [1, 2, 3, 5], {"nearest neighbour": [], "tree": []}
for count in copies:
    rows, classes = np.tile(X_train[:400], (count, 1)), np.tile(y_train[:400], count)
    for name, model in (("nearest neighbour", KNeighborsClassifier(1)), ("tree", tree)):
        folds = cross_val_score(model, rows, classes, cv=5, scoring="balanced_accuracy").mean()
        model = model.clone().fit(rows, classes)
        optimism[name].append(folds - balanced_accuracy_score(y_new, model.predict(X_new)))
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for name, values in optimism.items():
    ax.plot(copies, values, "o-", label=name)
ax.axhline(0, color="#6b7280", linewidth=0.8)
ax.set(xlabel="copies of each row", ylabel="cross-validation minus new rows", xticks=copies)
ax.legend(frameon=False)
plt.show()

# %%
# Remove exact copies before the split, oversample inside the folds only (a resampler in a pipeline
# does), and keep rows that belong together in one fold. `learnable study` names duplicated rows.
# sphinx_gallery_thumbnail_number = 2
