"""Generalised linear models of columns that differ in size by any factor."""

import numpy as np
import pytest

from learnable import HuberRegressor, LogCoshRegressor, TweedieRegressor

SIZES = {
    "one faint, one small": [1.0, 1e-150, 1e-20],
    "one small, one large": [1.0, 1e-20, 1e20],
    "more columns than rows": 10.0 ** np.linspace(-150, 0, 40),
}


@pytest.mark.parametrize("case", SIZES)
@pytest.mark.parametrize("solver", ["lbfgs", "newton-cholesky"])
@pytest.mark.parametrize("power", [0, 1, 3])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_every_column_counts_under_a_penalty(case, solver, power, alpha):
    """At the minimum  alpha w = X'r,  r = (y - m) m^(1 - power) / n,  for each column by its own measure."""
    size, rng = np.array(SIZES[case]), np.random.default_rng(0)
    X = rng.normal(size=(30, len(size)))
    y = np.exp(0.3 * X[:, 0] - 0.2 * X[:, -1]) * rng.gamma(5, 0.2, size=30)
    X *= size
    for intercept in (True, False):
        model = TweedieRegressor(power=power, link="log", alpha=alpha, solver=solver, fit_intercept=intercept)
        model.fit(X, y)
        mean = model.predict(X)
        residual = (y - mean) * mean ** (1 - power) / 30
        terms = np.linalg.norm(X / size, axis=0) * np.linalg.norm(residual) + alpha * np.abs(model.coef_) / size
        assert (np.abs(X.T @ residual / size - alpha * model.coef_ / size) <= 1e-6 * terms).all()
        assert model.certificate_.holds


@pytest.mark.parametrize("model", [TweedieRegressor(power=3, alpha=0), HuberRegressor(alpha=0), LogCoshRegressor()])
def test_a_column_far_from_zero_is_fitted_as_well_as_a_centred_one(model):
    """The gradient by a column a million deviations away is small in any case, beside the terms it sums."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 2)) * 2**10) / 2**10  # so that nothing is rounded by the shift
    y = rng.gamma(2, np.exp(X @ [0.5, -0.3]) / 2) + 0.01
    near, far = model.clone().fit(X, y), model.clone().fit(X + [1e6, 0], y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-13)
