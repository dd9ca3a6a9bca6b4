"""
A coefficient table: housing values in Boston
=============================================

The classical first regression: predict the median value of owner-occupied homes in 506 areas
around Boston from thirteen features, and interpret the coefficient table.

.. warning::

   The column ``b`` was built by its authors from the fraction of Black residents, on an assumption
   about segregation that has no place in a model. The table is used here for one purpose: its
   coefficient table has been printed in textbooks, so that arithmetic can be checked against it,
   digit by digit. Do not build anything on it.
"""

# %%
# Exploratory analysis
# --------------------
# The heat map shows the correlation of every pair of columns. Two things to see: which features are
# correlated with the target ``medv`` (last row: ``rm``, the number of rooms, 0.70; ``lstat``
# -0.74), and which with each other (``rad`` and ``tax``: 0.91). Correlated features will have
# uncertain coefficients.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable.datasets._source_tables import source_table
from learnable.linear_model import LinearRegression
from learnable.plot import (
    CoefficientDisplay,
    CorrelationDisplay,
    PairDisplay,
    PredictionErrorDisplay,
)

houses = pd.read_csv(source_table("boston.csv"))
CorrelationDisplay.from_data(houses)
plt.show()

# %%
# A pair plot shows what a correlation hides: value against ``lstat`` is a curve, not a line, and
# values above 50 were censored at 50 by the census.

PairDisplay.from_data(houses[["rm", "lstat", "ptratio", "nox", "medv"]])
plt.show()

# %%
# The coefficient table
# ---------------------
# Textbooks drop ``zn`` and ``chas`` (mostly zeros: 73 % and 93 % of the rows) and fit the rest.
# ``coef`` is the change of the value, in thousands of dollars, when one feature increases by one
# and the others are constant; ``std err`` is its standard error; ``t`` is their ratio; ``P>|t|``
# the p value; the last two columns are the 95 % confidence interval.

X, y = houses.drop(columns=["zn", "chas", "medv"]), houses["medv"]
model = LinearRegression().fit(X, y)
print(model.summary())

# %%
# The certificate states the backward error: the solution is exact for a table whose entries differ
# from ours in the sixteenth digit.

print(model.certificate_)

# %%
# As a plot
# ---------
# A forest plot makes the same table readable at a glance, once every feature is divided by its
# standard deviation so that the coefficients have the same unit. A bar that includes zero is not
# significant.

standard = LinearRegression().fit((X - X.mean()) / X.std(), y)
CoefficientDisplay.from_estimator(standard, sort=True)
plt.show()

# %%
# Residuals
# ---------
# Residuals should show no pattern. These do: they are curved (the model is too low at both ends),
# their variance grows (heteroscedasticity), and the diagonal edge is the censoring at 50. The model
# is useful, and misspecified in ways that more rows would not cure.

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.6))
PredictionErrorDisplay.from_estimator(model, X, y, ax=axes[0], kind="actual_vs_predicted")
PredictionErrorDisplay.from_estimator(model, X, y, ax=axes[1])
axes[0].set_title("actual against predicted")
axes[1].set_title("residuals")
plt.show()

# %%
# The root mean squared error on the training rows is 4.78. On a held-out fifth it may be 3.6 or
# 6.2, depending on the random split into training and test set: one number from one split is not a
# result.

print(f"training rows: {np.sqrt(np.mean((y - model.predict(X)) ** 2)):.2f}")
errors = []
for seed in range(200):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:404], order[404:]
    part = LinearRegression().fit(X.iloc[train], y.iloc[train])
    errors.append(np.sqrt(np.mean((y.iloc[test] - part.predict(X.iloc[test])) ** 2)))
print(f"held-out fifth: mean {np.mean(errors):.2f}, from {min(errors):.2f} to {max(errors):.2f}")
