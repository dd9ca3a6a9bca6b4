"""LIN-25: the estimator that each noise and prior give is the most probable one, by the densities of SciPy."""

import itertools

import numpy as np
import pytest
from scipy import stats

from learnable.core import ParameterError
from learnable.linear_model import likelihood_prior

NOISES = {
    "gaussian": lambda r, s: stats.norm.logpdf(r, scale=s),
    "laplace": lambda r, s: stats.laplace.logpdf(r, scale=s),
    "student": lambda r, s: stats.t.logpdf(r, 4.0, scale=s),
}
PRIORS = {
    "uniform": lambda w, t: np.zeros_like(w),
    "gaussian": lambda w, t: stats.norm.logpdf(w, scale=t),
    "laplace": lambda w, t: stats.laplace.logpdf(w, scale=t),
}
TABLE = {
    ("gaussian", "uniform"): "LinearRegression", ("gaussian", "gaussian"): "Ridge", ("gaussian", "laplace"): "Lasso",
    ("laplace", "uniform"): "QuantileRegressor", ("laplace", "gaussian"): "QuantileRegressor",
    ("laplace", "laplace"): "QuantileRegressor", ("student", "uniform"): "StudentTRegressor",
    ("student", "gaussian"): "StudentTRegressor", ("student", "laplace"): "StudentTRegressor",
}  # fmt: skip


@pytest.mark.parametrize("noise, prior", list(itertools.product(NOISES, PRIORS)))
def test_no_other_coefficients_are_more_probable(noise, prior):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, -0.5, 0.05] + 2 + rng.laplace(scale=0.5, size=40)
    s, t = 0.5, 0.2
    model = likelihood_prior(noise, prior, rows=40, noise_scale=s, prior_scale=t)
    assert type(model).__name__ == TABLE[noise, prior]
    model.set_params(**({"tol": 1e-10} if "tol" in model.get_params() else {})).fit(X, y)

    def posterior(w, b):
        return NOISES[noise](y - X @ w - b, s).sum() + PRIORS[prior](w, t).sum()

    best = posterior(model.coef_, model.intercept_)
    for size in (1e-4, 1e-2, 0.3):
        for _ in range(100):
            nudge = size * rng.normal(size=4)
            assert posterior(model.coef_ + nudge[:3], model.intercept_ + nudge[3]) <= best + 1e-9


def test_student_noise_may_have_its_scale_estimated_and_nonsense_is_refused():
    assert likelihood_prior("student", noise_scale=None).scale is None
    for wrong in ({"noise": "cauchy"}, {"prior": "cauchy"}, {"rows": 0}, {"noise_scale": None}, {"prior_scale": -1.0}):
        with pytest.raises(ParameterError, match="likelihood_prior"):
            likelihood_prior(**wrong)


@pytest.mark.parametrize(("noise", "prior"), [("gaussian", "laplace"), ("laplace", "gaussian"), ("student", "laplace")])
def test_a_penalty_relative_to_the_mean_requires_the_number_of_rows(noise, prior):
    with pytest.raises(ParameterError, match="needs rows="):
        likelihood_prior(noise, prior)
