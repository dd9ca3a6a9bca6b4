"""
A housing table, from the first look to the residuals
=====================================================

The classical first regression: predict the median value of owner-occupied homes in 506 areas
around Boston from thirteen columns, and read the coefficient table.

.. warning::

   The column ``b`` was built by its authors from the share of Black residents, on an assumption
   about segregation that has no place in a model. The table is used here for one purpose: its
   coefficient table has been printed in textbooks, so that arithmetic can be checked against it,
   digit by digit. Do not build anything on it.
"""

# %%
# Look before fitting
# -------------------
# The heat map shows the correlation of every pair of columns. Two things to see: which columns
# go with the target ``medv`` (last row: ``rm``, the number of rooms, up to 0.70; ``lstat`` down
# to -0.74), and which go with each other (``rad`` and ``tax``: 0.91). Columns that go together
# will have uncertain coefficients.

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
# A pair plot shows what a correlation hides: value against ``lstat`` is a curve, not a line,
# and a wall of points stands at 50, where the census cut the values off.

PairDisplay.from_data(houses[["rm", "lstat", "ptratio", "nox", "medv"]])
plt.show()

# %%
# The coefficient table
# ---------------------
# Textbooks drop ``zn`` and ``chas`` (mostly zeros: 73 % and 93 % of the rows) and fit the rest.
# ``coef`` is the change of the value, in thousands of dollars, when one column rises by one and
# the others stay; ``std err`` is how much it would vary from sample to sample; ``t`` is their
# ratio; ``P>|t|`` how often a column without any effect would show such a ratio; the last two
# columns bound a 95 % interval.

X, y = houses.drop(columns=["zn", "chas", "medv"]), houses["medv"]
model = LinearRegression().fit(X, y)
print(model.summary())

# %%
# The certificate says how far rounding can have moved this answer: it is exact for a table
# whose entries differ from ours in the sixteenth digit.

print(model.certificate_)

# %%
# As a picture
# ------------
# A forest plot makes the same table readable at a glance, once every column is divided by its
# standard deviation so that the coefficients have the same unit. A bar that crosses zero is a
# column the data cannot decide about.

standard = LinearRegression().fit((X - X.mean()) / X.std(), y)
CoefficientDisplay.from_estimator(standard, sort=True)
plt.show()

# %%
# What is left over
# -----------------
# Residuals should be a shapeless band. These are not: they bend (the model is too low at both
# ends), they fan out, and the diagonal edge is the wall at 50. The model is useful, and wrong
# in ways that more rows would not cure.

fig, axes = plt.subplots(1, 2, figsize=(8.2, 3.6))
PredictionErrorDisplay.from_estimator(model, X, y, ax=axes[0], kind="actual_vs_predicted")
PredictionErrorDisplay.from_estimator(model, X, y, ax=axes[1])
axes[0].set_title("actual against predicted")
axes[1].set_title("residuals")
plt.show()

# %%
# How large is the error, then? On the rows it was fitted to it is 4.78. On a fifth of the rows
# that it has not seen it may be 3.6 or 6.2, as the division into training and test rows falls:
# one number from one division is not a result.

print(f"rows it was fitted to: {np.sqrt(np.mean((y - model.predict(X)) ** 2)):.2f}")
errors = []
for seed in range(200):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:404], order[404:]
    part = LinearRegression().fit(X.iloc[train], y.iloc[train])
    errors.append(np.sqrt(np.mean((y.iloc[test] - part.predict(X.iloc[test])) ** 2)))
print(f"unseen fifth: mean {np.mean(errors):.2f}, from {min(errors):.2f} to {max(errors):.2f}")
