"""
Which model is better, honestly
===============================

Four models on one table, the same test rows for all, intervals for every score, and tests
that allow for the overlap of training sets and for the number of comparisons.
"""

# %%
# One call
# --------

import matplotlib.pyplot as plt
import numpy as np

from learnable import LassoCV, LinearRegression, QuantileRegressor, RidgeCV
from learnable.datasets import load_diabetes
from learnable.inference import bayesian_comparison, compare
from learnable.plot import ComparisonDisplay

X, y = load_diabetes(return_X_y=True, scaled=True)
models = {
    "least squares": LinearRegression(),
    "ridge": RidgeCV(alphas=np.logspace(-3, 2, 20)),
    "lasso": LassoCV(),
    "flat median": QuantileRegressor(alpha=0.02),
}
result = compare(models, X, y)
print(result)

# %%
# Dots are single test sets, bars the 95 % intervals. Models of one colour were not told apart
# from the best of that colour: no difference was observed, which does not prove that there is
# none.

ComparisonDisplay.from_comparison(result)
plt.show()

# %%
# Can equality be found?
# ----------------------
# A p value never says that two models are equal. The Bayesian comparison does, once one says
# which differences are too small to matter; here one hundredth of :math:`R^2`.

print(bayesian_comparison(result.scores["ridge"], result.scores["lasso"], result.test_share))

# %%
# Noise is called noise
# ---------------------
# Targets that have nothing to do with the columns: nothing is better than the baseline.

noise = np.random.default_rng(0).normal(size=len(y))
print(compare(models, X, noise).sentence)
