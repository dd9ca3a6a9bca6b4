"""
Comparing models
================

Four models on the same test rows, with a confidence interval for every score, and tests that allow
for overlapping training sets and for the number of comparisons.
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
    "median, strong penalty": QuantileRegressor(alpha=0.02),
}
result = compare(models, X, y)
print(result)

# %%
# Dots are single test sets, bars the 95 % confidence intervals. Models of one colour are not
# significantly different from the best of that colour, which does not prove that they are equal.

ComparisonDisplay.from_comparison(result)
plt.show()

# %%
# Practical equivalence
# ---------------------
# A p value never shows that two models are equal. The Bayesian comparison can, given the largest
# irrelevant difference; here one hundredth of :math:`R^2`.

print(bayesian_comparison(result.scores["ridge"], result.scores["lasso"], result.test_share))

# %%
# Pure noise
# ----------
# A target that is independent of the features: no model is better than the baseline.

noise = np.random.default_rng(0).normal(size=len(y))
print(compare(models, X, noise).sentence)
