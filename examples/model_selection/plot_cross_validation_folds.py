"""
Cross-validation and its splitters
==================================

A model is evaluated on rows that had no part in making it. Cross-validation uses every row for
testing once. How rows are split is part of the claim: it defines what "a new row" means. Each plot
below has a line per split and a cell per row of the table.
"""

# %%
# K-fold cross-validation
# -----------------------
# The rows are split into K folds. In each of K rounds one fold is held out as the test fold (dark)
# and the others train the model (light); the K errors are averaged. Every row is tested exactly
# once and used for training K - 1 times.

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
# Scores of the folds
# -------------------
# Five folds give five scores, and they differ: none of them is *the* quality of the model. Their
# mean is the estimate, with a confidence interval. The folds share training rows, so the scores are
# correlated; how much is measured on random halves of the table.

X, y = load_diabetes(return_X_y=True, scaled=False)
model = make_pipeline(StandardScaler(), Ridge())
result = cross_validate(model, X, y, cv=5)
for number, score in enumerate(result["test_score"], start=1):
    print(f"fold {number} is the test fold: R² = {score:.3f}")
print(result.summary())

# %%
# Splitters
# ---------
# *Shuffled* folds for rows in arbitrary order; *stratified* ones so that each fold has the same
# class proportions (here a fifth of the rows is in the second class, marked below); *groups* if all
# rows of a patient must be on one side; *time* if the past must not be predicted from the future;
# *random* splits, any number of them; *leave-one-out* for few rows.

classes = (np.arange(30) >= 24).astype(int)
patients = np.repeat(np.arange(6), [3, 7, 5, 4, 6, 5])
splitters = {
    "shuffled": (KFold(5, shuffle=True, random_state=0), None, None),
    "stratified": (StratifiedKFold(5), classes, None),
    "groups": (GroupKFold(3), None, patients),
    "time": (TimeSeriesSplit(5), None, None),
    "random": (ShuffleSplit(5, test_size=0.2, random_state=0), None, None),
    "leave-one-out": (LeaveOneOut(), None, None),
}
fig, axes = plt.subplots(3, 2, figsize=(9.6, 7.4), layout="constrained")
for ax, (name, (cv, target, groups)) in zip(axes.flat, splitters.items(), strict=True):
    FoldsDisplay.from_cv(cv, rows, target, groups, ax=ax)
    ax.set_title(f"{name}: {type(cv).__name__}", fontsize=10, loc="left")
    ax.get_legend().remove()
    if name == "leave-one-out":
        ax.set_yticks([0.5, 29.5], ["1", "30"])
    edges = np.flatnonzero(np.diff(patients)) + 1 if groups is not None else []
    for edge in [24] if target is not None else edges:
        ax.axvline(edge, color="#b3261e", linewidth=1.2)
axes[0, 1].set_xlabel("row (right of the line: the minority class)")
axes[1, 0].set_xlabel("row (lines: between patients)")
plt.show()

# %%
# Validation fold and test fold
# -----------------------------
# If hyperparameters are tuned, two kinds of held-out rows are needed: a validation fold to compare
# candidates, and a test fold to evaluate the winner. The cheap scheme rotates: in each round one
# fold tests, the next one validates, the rest trains. The expensive one, nested cross-validation,
# runs a whole cross-validation on the training folds of every round.

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
# The chosen ``alpha`` may differ from round to round, because the score belongs to the whole
# procedure, tuning included. For use, tune once more and fit to all rows; no rows are left to
# evaluate that final model, so the score of the procedure is reported.
#
# sphinx_gallery_thumbnail_number = 2
