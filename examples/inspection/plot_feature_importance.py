"""
What a model rests on
=====================

A forest predicts well and explains nothing by itself. Three questions that can be put to any fitted
model: which columns matter, how does the answer move with one of them, and what moved this answer?
"""

# %%
# Which columns matter?
# ---------------------
# Diabetes: ten columns of 442 people, and how far the illness went in a year. Shuffle one column of
# rows that the model has not seen, and look at how much the score falls. The lines are 95 %
# intervals over the shuffles: a bar whose line reaches zero is worth nothing.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    RandomForestRegressor,
    load_diabetes,
    permutation_importance,
    shap_values,
    train_test_split,
)
from learnable.plot import ImportancesDisplay, PartialDependenceDisplay, ShapDisplay

people = load_diabetes(as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(people.data, people.target, random_state=0)
model = RandomForestRegressor(200, min_samples_leaf=3, random_state=0).fit(X_train, y_train)
print(f"R² on new rows: {model.score(X_test, y_test):.2f}")
found = permutation_importance(model, X_test, y_test, n_repeats=20, random_state=0)
ImportancesDisplay.from_importances(found, names=found.names)
plt.show()

# %%
# How does the answer move?
# -------------------------
# Set one column to the same value for everybody and average the answers: the orange line. The thin
# lines are single people. Where they run side by side, the column adds; where they cross, it
# depends on the others. The marks below are the tenths of the rows: outside of them the curve is
# hearsay.

PartialDependenceDisplay.from_estimator(
    model, X_test, ["bmi", "s5", "bp"], kind="both", centered=True, grid_resolution=40
)
plt.show()

# %%
# Two columns at once:

PartialDependenceDisplay.from_estimator(model, X_test, [("bmi", "s5")], grid_resolution=40)
plt.show()

# %%
# What moved this answer?
# -----------------------
# Shapley values share the distance between the answer for a row and the mean answer among its
# columns, so that they add up. They are exact here: all sets of columns are counted, by a formula
# that needs one walk through every tree. Each dot is a person.

ShapDisplay.from_estimator(model, X_test)
plt.show()

# %%
# The same for one person: the mean, what each column adds, and the answer.

values = shap_values(model, X_test)
person = int(np.argmax(model.predict(X_test)))
order = np.argsort(-np.abs(values.values[person]))
print(f"{'mean answer':>14} {values.base:8.1f}")
for j in order[:5]:
    entry = X_test.iloc[person, j]
    print(f"{values.names[j]:>6} = {entry:5.1f} {values.values[person, j]:+8.1f}")
print(f"{'all the others':>14} {values.values[person, order[5:]].sum():+8.1f}")
print(f"{'answer':>14} {model.predict(X_test)[person]:8.1f}")
# sphinx_gallery_thumbnail_number = 4
