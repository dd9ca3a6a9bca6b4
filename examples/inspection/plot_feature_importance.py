"""
Feature importance, partial dependence, Shapley values
======================================================

A random forest predicts well and is hard to interpret. Three questions that can be put to any
fitted model: which features matter, how does the prediction depend on one of them, and what
contributed to this prediction?
"""

# %%
# Permutation importance
# ----------------------
# Diabetes: ten features of 442 patients, and the progression of the disease after a year. Shuffle
# one feature in held-out rows, and measure how much the score decreases. The lines are 95 %
# confidence intervals over the shuffles: a bar whose interval includes zero is not significant.

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
# Partial dependence
# ------------------
# Set one feature to the same value in all rows and average the predictions: the orange line. The
# thin lines are single patients. Where they are parallel, the effect is additive; where they cross,
# there are interactions. The marks below are the deciles of the feature: outside of them the curve
# is an extrapolation.

PartialDependenceDisplay.from_estimator(
    model, X_test, ["bmi", "s5", "bp"], kind="both", centered=True, grid_resolution=40
)
plt.show()

# %%
# Two features at once:

PartialDependenceDisplay.from_estimator(model, X_test, [("bmi", "s5")], grid_resolution=40)
plt.show()

# %%
# Shapley values
# --------------
# Shapley values distribute the difference between the prediction for a row and the mean prediction
# over its features. They are exact here and need one traversal of every tree. Each dot is a
# patient.

ShapDisplay.from_estimator(model, X_test)
plt.show()

# %%
# The same for one patient: the mean prediction, the contribution of each feature, and the
# prediction.

values = shap_values(model, X_test)
person = int(np.argmax(model.predict(X_test)))
order = np.argsort(-np.abs(values.values[person]))
print(f"{'mean prediction':>15} {values.base:8.1f}")
for j in order[:5]:
    entry = X_test.iloc[person, j]
    print(f"{values.names[j]:>6} = {entry:5.1f} {values.values[person, j]:+8.1f}")
print(f"{'all others':>15} {values.values[person, order[5:]].sum():+8.1f}")
print(f"{'prediction':>15} {model.predict(X_test)[person]:8.1f}")
# sphinx_gallery_thumbnail_number = 4
