"""
Which rows train, which rows test?
==================================

A model is tested on rows that had no part in making it. Cross-validation lets every row be
tested once. How the rows are divided is part of the claim: it says what "a new row" means.
Each picture below has a line for every round and a field for every row of the table.
"""

# %%
# K folds
# -------
# The rows are cut into K parts. In each of K rounds one part is held out (dark) and the others
# train the model (light); the K errors are averaged. Every row is tested exactly once and trains
# K - 1 times.

import matplotlib.pyplot as plt
import numpy as np

from learnable import Ridge, StandardScaler, make_pipeline
from learnable.datasets import load_diabetes
from learnable.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
    rotating_cross_validate,
)
from learnable.plot import FoldsDisplay

rows = np.zeros((30, 1))
FoldsDisplay.from_cv(KFold(5), rows)
plt.show()

# %%
# What the rounds say
# -------------------
# Five rounds are five scores, and they differ: none of them is *the* quality of the model. Their
# mean is the estimate, and the interval says what it is worth. The rounds share training rows, so
# they are not five independent numbers: how much that matters is measured on halves of the table.

X, y = load_diabetes(return_X_y=True, scaled=False)
model = make_pipeline(StandardScaler(), Ridge())
result = cross_validate(model, X, y, cv=5)
for number, score in enumerate(result["test_score"], start=1):
    print(f"round {number}: fold {number} tests, the other four train, R² = {score:.3f}")
print(result.summary())

# %%
# Many ways to divide
# -------------------
# *Shuffled* folds for rows whose order means nothing; *stratified* ones where each fold should
# have its share of every class (here a fifth of the rows is of the second class, marked below);
# *groups* where all rows of a patient have to be on one side; *time* where the past must not be
# predicted from the future; *random* divisions as often as one likes; *one row at a time* where
# rows are few.

classes = (np.arange(30) >= 24).astype(int)
patients = np.repeat(np.arange(6), [3, 7, 5, 4, 6, 5])
splitters = {
    "shuffled": (KFold(5, shuffle=True, random_state=0), None, None),
    "stratified": (StratifiedKFold(5), classes, None),
    "groups": (GroupKFold(3), None, patients),
    "time": (TimeSeriesSplit(5), None, None),
    "random": (ShuffleSplit(5, test_size=0.2, random_state=0), None, None),
    "one row at a time": (LeaveOneOut(), None, None),
}
fig, axes = plt.subplots(3, 2, figsize=(9.6, 7.4), layout="constrained")
for ax, (name, (cv, target, groups)) in zip(axes.flat, splitters.items(), strict=True):
    FoldsDisplay.from_cv(cv, rows, target, groups, ax=ax)
    ax.set_title(f"{name}: {type(cv).__name__}", fontsize=10, loc="left")
    ax.get_legend().remove()
    if name == "one row at a time":
        ax.set_yticks([0.5, 29.5], ["1", "30"])
    edges = np.flatnonzero(np.diff(patients)) + 1 if groups is not None else []
    for edge in [24] if target is not None else edges:
        ax.axvline(edge, color="#b3261e", linewidth=1.2)
axes[0, 1].set_xlabel("row (right of the line: the rare class)")
axes[1, 0].set_xlabel("row (lines: between patients)")
plt.show()

# %%
# One fold to test, one to choose by
# ----------------------------------
# Where parameters are tuned, two kinds of unseen rows are needed: those that choose and those that
# judge the choice. The cheap scheme rotates: in each round one fold tests, the next one
# validates, the rest trains. The dear one, nested cross-validation, runs a whole cross-validation
# on the training part of every round.

grid = {"ridge__alpha": [0.1, 1.0, 10.0, 100.0, 1000.0]}
rotated = rotating_cross_validate(model, grid, X, y, cv=5)

roles = np.full((5, 5), 0)
for number in range(5):
    roles[number, number], roles[number, (number + 1) % 5] = 2, 1
words, colours = ("train", "validate", "test"), ("#d7dee8", "#d9730d", "#2563a8")
fig, ax = plt.subplots(figsize=(7.6, 3.2), layout="constrained")
for number, fold in np.ndindex(5, 5):
    role = roles[number, fold]
    ax.add_patch(plt.Rectangle((fold, number), 0.96, 0.9, color=colours[role]))
    text = "black" if role == 0 else "white"
    ax.text(fold + 0.48, number + 0.45, words[role], ha="center", va="center", color=text)
for number, (chosen, score) in enumerate(
    zip(rotated.best_params, rotated.test_scores["score"], strict=True)
):
    note = f"α = {chosen['ridge__alpha']:g}, R² = {score:.3f}"
    ax.text(5.12, number + 0.45, note, va="center")
ax.set(xlim=(0, 6.9), ylim=(5, 0), xlabel="fold", ylabel="round")
ax.set_xticks(np.arange(5) + 0.48, range(1, 6))
ax.set_yticks(np.arange(5) + 0.45, range(1, 6))
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
plt.show()
print(rotated.summary())

# %%
# The chosen strength may differ from round to round. That is no fault: the score belongs to the
# whole procedure, tuning included. For use, tune once more and fit to all rows; no rows are left
# then to judge that last model, and the score of the procedure is what one has.
#
# sphinx_gallery_thumbnail_number = 2
