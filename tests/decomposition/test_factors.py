"""Factor models: closed forms, EM to the same optimum, and missing values."""

from __future__ import annotations

import copy
import tracemalloc

import numpy as np
import pytest
import sklearn.decomposition
from scipy.stats import multivariate_normal

from learnable import PCA, FactorAnalysis, ParameterError, ProbabilisticPCA, load_breast_cancer
from learnable.core.runtime.trace import Trace
from learnable.engines.em import EMIterations, LikelihoodFell
from learnable.engines.iterate import iterate


def rows(n: int = 150, noise: float = 0.5) -> np.ndarray:
    rng = np.random.default_rng(0)
    loads = np.array([[1.0, 2.0, -1.0, 0.5, 0.0], [0.0, 1.0, 1.0, -2.0, 1.0]])
    return rng.standard_normal((n, 2)) @ loads + noise * rng.standard_normal((n, 5)) * [1, 2, 1, 0.5, 1] + 3


def with_missing(X: np.ndarray) -> np.ndarray:
    return np.where(np.random.default_rng(1).random(X.shape) < 0.15, np.nan, X)


def test_closed_form_of_probabilistic_components():
    X = rows()
    model = ProbabilisticPCA(2).fit(X)
    variances, axes = np.linalg.eigh(np.cov(X.T, ddof=0))
    assert model.noise_variance_ == pytest.approx(variances[:3].mean())
    np.testing.assert_allclose(np.abs(model.components_ @ axes[:, ::-1][:, :2]), np.eye(2), atol=1e-10)
    np.testing.assert_allclose(model.explained_variance_, variances[::-1][:2])
    density = multivariate_normal(X.mean(axis=0), model.get_covariance()).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), density)
    assert model.log_likelihood_ == pytest.approx(density.sum())
    np.testing.assert_allclose(model.get_covariance(), PCA(2, ddof=0).fit(X).get_covariance())


def test_em_converges_to_the_closed_form():
    X = rows()
    exact, climbed = ProbabilisticPCA(2).fit(X), ProbabilisticPCA(2, method="em", tol=1e-13).fit(X)
    assert climbed.log_likelihood_ == pytest.approx(exact.log_likelihood_, abs=1e-6)
    assert (np.diff(climbed.trace_["objective"]) <= 1e-12).all()


@pytest.mark.parametrize("model", [ProbabilisticPCA(2, tol=1e-8), FactorAnalysis(2, tol=1e-4, max_iter=5000)])
def test_missing_values_are_integrated_out(model):
    X = with_missing(rows(40))
    model.fit(X)
    covariance = model.get_covariance()
    expected = []
    for row in X:
        there = ~np.isnan(row)
        expected.append(multivariate_normal(model.mean_[there], covariance[np.ix_(there, there)]).logpdf(row[there]))
    np.testing.assert_allclose(model.score_samples(X), expected)
    assert (np.diff(model.trace_["objective"]) <= 1e-9).all()
    for change in (1.01, 0.99):  # the likelihood is at a maximum
        moved = copy.deepcopy(model)
        moved.noise_variance_ = moved.noise_variance_ * change
        assert moved.score_samples(X).sum() < model.score_samples(X).sum()


def test_scores_are_posterior_means():
    X = rows()
    model = FactorAnalysis(2, tol=1e-8, max_iter=5000).fit(X)
    joint = model.components_ @ np.linalg.inv(model.get_covariance())
    np.testing.assert_allclose(model.transform(X), (X - model.mean_) @ joint.T, atol=1e-8)
    np.testing.assert_allclose(model.get_precision(), np.linalg.inv(model.get_covariance()), atol=1e-8)


@pytest.mark.parametrize("rotation", [None, "varimax", "quartimax"])
def test_factor_analysis_equals_scikit_learn(rotation):
    X = rows()
    ours = FactorAnalysis(2, tol=1e-9, max_iter=10_000, rotation=rotation).fit(X)
    theirs = sklearn.decomposition.FactorAnalysis(
        2, tol=1e-9, max_iter=10_000, rotation=rotation, svd_method="lapack"
    ).fit(X)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=1e-5)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-5)
    np.testing.assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-3)
    assert ours.loglike_[-1] == pytest.approx(theirs.score(X) * len(X), rel=1e-9)
    assert ours.score(X) == pytest.approx(theirs.score(X))


def test_the_units_of_the_columns_do_not_matter_to_factors():
    X = rows()
    units = np.array([1.0, 1e3, 1e-8, 1e8, 5.0])
    plain = FactorAnalysis(2, tol=1e-9, max_iter=10_000).fit(X)
    other = FactorAnalysis(2, tol=1e-9, max_iter=10_000).fit(X * units)
    np.testing.assert_allclose(other.noise_variance_, plain.noise_variance_ * units**2, rtol=1e-3)
    assert other.loglike_[-1] == pytest.approx(other.score(X * units) * len(X), rel=1e-9)


def test_factors_of_columns_in_large_units_are_as_likely_as_those_of_standard_columns():
    X, _ = load_breast_cancer(return_X_y=True)
    theirs = sklearn.decomposition.FactorAnalysis(3, svd_method="lapack").fit((X - X.mean(axis=0)) / X.std(axis=0))
    likely = theirs.score((X - X.mean(axis=0)) / X.std(axis=0)) - np.log(X.std(axis=0)).sum()
    assert FactorAnalysis(3).fit(X).score(X) == pytest.approx(likely, abs=1e-3)  # from noise of one it was 6.2 less


@pytest.mark.parametrize("start", [[1.0, 2.0], [1.0, 1.0, 0.0, 1.0, 1.0]])
def test_initial_noise_is_a_variance_for_each_column(start):
    with pytest.raises(ParameterError, match="noise_variance_init"):
        FactorAnalysis(2, noise_variance_init=start).fit(rows())


@pytest.mark.parametrize("kind", [ProbabilisticPCA, FactorAnalysis])
def test_drawn_rows_have_the_covariance_of_the_model(kind):
    model = kind(2).fit(rows())
    drawn = model.sample(50_000, random_state=0)
    np.testing.assert_allclose(np.cov(drawn.T), model.get_covariance(), atol=0.15)


def test_a_likelihood_that_falls_is_an_error():
    class Wrong:
        def improve(self, parameters):
            return {"x": parameters["x"] - 1.0}, parameters["x"]

    with pytest.raises(LikelihoodFell, match="lowered the log likelihood"):
        iterate(EMIterations(Wrong(), {"x": 3.0}, 0.0, "Wrong"), 10, Trace())


@pytest.mark.parametrize(
    "model", [ProbabilisticPCA(), FactorAnalysis(max_iter=3, tol=0), ProbabilisticPCA(method="em", max_iter=2)]
)
@pytest.mark.parametrize("missing", [0, 3], ids=["complete", "missing"])
@pytest.mark.filterwarnings("ignore::learnable.core.errors.ConvergenceWarning")
def test_many_factors_take_no_more_room_than_a_few_copies_of_the_rows(model, missing):
    """A table of products of the factors for every row would be forty times as large."""
    X = np.random.default_rng(0).standard_normal((2000, 40))
    X[:missing, 0] = np.nan
    tracemalloc.start()
    try:
        model.fit(X)
        model.transform(X)
        model.score_samples(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * X.nbytes
