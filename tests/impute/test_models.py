"""Imputation by neighbours, regressions and the normal distribution: against scikit-learn, copies and closed forms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.impute as theirs
from sklearn.experimental import enable_iterative_imputer  # noqa: F401  scikit-learn hides it otherwise
from sklearn.linear_model import BayesianRidge

import learnable
from learnable import impute as ours

RNG = np.random.default_rng(0)
MIX = RNG.standard_normal((4, 4))
WHOLE = RNG.standard_normal((80, 4)) @ MIX + [1, 2, 3, 4]
WITH_MISSING = np.where(RNG.random(WHOLE.shape) < 0.2, np.nan, WHOLE)
EMPTY = np.column_stack([WITH_MISSING, np.full(80, np.nan)])
COUNTS = RNG.integers(0, 4, 80)


@pytest.mark.parametrize("options", [{}, {"weights": "distance"}, {"n_neighbors": 1}, {"n_neighbors": 500}], ids=str)
@pytest.mark.parametrize("table", [WITH_MISSING, EMPTY], ids=["missing", "empty"])
@pytest.mark.parametrize("keep", [True, False])
def test_neighbours_are_those_of_scikit_learn(options, table, keep):
    both = {**options, "keep_empty_features": keep, "add_indicator": True}
    mine, other = ours.KNNImputer(**both).fit(table), theirs.KNNImputer(**both).fit(table)
    new = np.vstack([table[:20] + 0.1, np.full((1, table.shape[1]), np.nan)])
    for rows in (table, new):
        np.testing.assert_allclose(mine.transform(rows), other.transform(rows), rtol=1e-8)
    if not keep:  # scikit-learn forgets to name the empty columns that it keeps
        assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    assert len(mine.get_feature_names_out()) == mine.transform(table).shape[1]


def test_blocks_of_distances_change_nothing(monkeypatch):
    from learnable.impute import knn_imputer

    whole = ours.KNNImputer().fit_transform(WITH_MISSING)
    monkeypatch.setattr(knn_imputer, "BLOCK", 1)
    np.testing.assert_array_equal(ours.KNNImputer().fit_transform(WITH_MISSING), whole)


def test_a_weighted_neighbour_counts_for_as_many():
    weighted = ours.KNNImputer(n_neighbors=4).fit(WITH_MISSING, sample_weight=COUNTS).transform(WITH_MISSING)
    copied = ours.KNNImputer(n_neighbors=4).fit(np.repeat(WITH_MISSING, COUNTS, axis=0)).transform(WITH_MISSING)
    np.testing.assert_allclose(weighted, copied, rtol=1e-9)


ORDERS = [
    {},
    {"imputation_order": "descending"},
    {"imputation_order": "arabic", "skip_complete": True},
    {"imputation_order": "random", "random_state": 1},
    {"min_value": 0.0, "max_value": [3.0, 4.0, 5.0, 6.0]},
    {"n_nearest_features": 2, "random_state": 3},
    {"initial_strategy": "median", "max_iter": 3},
]


@pytest.mark.parametrize("options", ORDERS, ids=str)
def test_rounds_of_regressions_are_those_of_scikit_learn(options):
    both = {"max_iter": 5, "estimator": BayesianRidge(), **options}
    mine, other = ours.IterativeImputer(**both), theirs.IterativeImputer(**both)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both say that the rounds did not converge
        filled, expected = mine.fit_transform(WITH_MISSING), other.fit_transform(WITH_MISSING)
    np.testing.assert_allclose(filled, expected, rtol=1e-6)
    assert mine.n_iter_ == other.n_iter_
    for ours_step, their_step in zip(mine.imputation_sequence_, other.imputation_sequence_, strict=True):
        assert ours_step[0] == their_step[0]
        np.testing.assert_array_equal(ours_step[1], their_step[1])


def test_the_regressor_of_this_library_is_the_default():
    ours_filled = ours.IterativeImputer(max_iter=200).fit_transform(WITH_MISSING)
    their_filled = theirs.IterativeImputer(max_iter=200).fit_transform(WITH_MISSING)
    np.testing.assert_allclose(ours_filled, their_filled, rtol=1e-2)
    fitted = ours.IterativeImputer(max_iter=200).fit(WITH_MISSING)
    assert type(fitted.imputation_sequence_[0][2]) is learnable.BayesianRidge
    assert fitted.certificate_.holds and fitted.trace_.stopped == "converged"


def test_rounds_converge_or_warn():
    with pytest.warns(learnable.ConvergenceWarning):
        ours.IterativeImputer(max_iter=1, tol=1e-12).fit(WITH_MISSING)


def test_a_budget_keeps_the_rounds_that_are_done(monkeypatch):
    def looks(many):
        left = iter(range(many))

        def look():
            if next(left, None) is None:
                raise learnable.BudgetError("time is up")

        monkeypatch.setattr("learnable.impute.iterative_imputer.give_way", look)

    looks(6)  # one round of four columns, and half of another
    with pytest.warns(learnable.ConvergenceWarning, match="stopped by the budget"):
        model = ours.IterativeImputer(tol=0).fit(WITH_MISSING)
    assert model.n_iter_ == 1 and len(model.imputation_sequence_) == 4 and model.trace_.stopped == "budget"
    looks(4)
    with pytest.warns(learnable.ConvergenceWarning, match="iteration limit"):
        one = ours.IterativeImputer(tol=0, max_iter=1).fit(WITH_MISSING)
    np.testing.assert_array_equal(model.transform(WITH_MISSING), one.transform(WITH_MISSING))
    looks(3)
    with pytest.raises(learnable.BudgetError):
        ours.IterativeImputer().fit(WITH_MISSING)


def test_draws_are_spread_about_the_predictions():
    draws = [
        ours.IterativeImputer(sample_posterior=True, random_state=seed).fit_transform(WITH_MISSING) for seed in range(5)
    ]
    spread = np.std(draws, axis=0)
    assert (spread[np.isnan(WITH_MISSING)] > 0).all() and (spread[~np.isnan(WITH_MISSING)] < 1e-12).all()


def test_the_likelihood_never_falls():
    fitted = ours.GaussianImputer(ridge=0.0, tol=1e-12).fit(WITH_MISSING)
    assert (np.diff(fitted.trace_["objective"]) <= 1e-12).all() and fitted.certificate_.holds
    assert fitted.trace_.iterations > 5


def test_the_most_likely_normal_distribution_has_zero_gradient():
    """At the optimum the score of the observed data vanishes: the mean of filled rows is the mean."""
    fitted = ours.GaussianImputer(ridge=0.0, tol=1e-14, max_iter=5000).fit(WITH_MISSING)
    filled = fitted.transform(WITH_MISSING)
    np.testing.assert_allclose(filled.mean(axis=0), fitted.mean_, atol=1e-5)
    assert (
        np.isfinite(filled).all() and (filled[~np.isnan(WITH_MISSING)] == WITH_MISSING[~np.isnan(WITH_MISSING)]).all()
    )


def test_one_missing_value_is_a_regression():
    """Where only one column has missing values, their expectation is that of least squares on the complete rows."""
    table = WHOLE.copy()
    table[:15, 2] = np.nan
    filled = ours.GaussianImputer(ridge=0.0, tol=1e-15, max_iter=10_000).fit_transform(table)
    others = [0, 1, 3]
    fitted = learnable.LinearRegression().fit(WHOLE[15:, others], WHOLE[15:, 2])
    np.testing.assert_allclose(filled[:15, 2], fitted.predict(WHOLE[:15, others]), rtol=1e-5)


def test_the_normal_distribution_is_in_the_units_of_the_data():
    units = np.array([1e-3, 1.0, 50.0, 1e4])
    fitted = ours.GaussianImputer(ridge=0.0).fit(WHOLE * units)
    np.testing.assert_allclose(fitted.mean_, (WHOLE * units).mean(axis=0), rtol=1e-7)
    np.testing.assert_allclose(fitted.covariance_, np.cov(WHOLE * units, rowvar=False, bias=True), rtol=1e-6)


def test_models_fill_better_than_means():
    error = {}
    for imputer in (
        ours.SimpleImputer(),
        ours.KNNImputer(),
        ours.GaussianImputer(),
        ours.IterativeImputer(max_iter=200),
    ):
        filled = imputer.fit_transform(WITH_MISSING)
        error[type(imputer).__name__] = np.abs(filled - WHOLE)[np.isnan(WITH_MISSING)].mean()
    assert error["GaussianImputer"] < error["SimpleImputer"] and error["IterativeImputer"] < error["SimpleImputer"]
    assert error["KNNImputer"] < error["SimpleImputer"]


@pytest.mark.parametrize("name", ["GaussianImputer", "IterativeImputer"])
def test_weights_are_copies(name):
    options = {"tol": 1e-10, "max_iter": 3000 if name == "GaussianImputer" else 300}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weighted = getattr(ours, name)(**options).fit(WITH_MISSING, sample_weight=COUNTS)
        copied = getattr(ours, name)(**options).fit(np.repeat(WITH_MISSING, COUNTS, axis=0))
    np.testing.assert_allclose(weighted.transform(WITH_MISSING), copied.transform(WITH_MISSING), rtol=1e-4)


def test_fitted_imputers_go_through_files(tmp_path):
    for name in [name for name in ours.__all__ if hasattr(getattr(ours, name), "transform")]:
        imputer = getattr(learnable, name)()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            imputer.fit(WITH_MISSING)
        learnable.save(imputer, tmp_path / name)
        again = learnable.load(tmp_path / name)
        np.testing.assert_array_equal(again.transform(WITH_MISSING), imputer.transform(WITH_MISSING))
