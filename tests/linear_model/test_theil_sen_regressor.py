"""Theil-Sen: exhaustive medians by hand, the spatial median by brute force, scikit-learn, and the laws of both."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import learnable
from learnable.core import Trace
from learnable.engines.iterate import iterate
from learnable.linear_model import LinearRegression, TheilSenRegressor
from learnable.linear_model._robust.spatial_median import SpatialMedian


def contaminated(n=60, p=2, outliers=0.2, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    y = X @ np.arange(1.0, p + 1) - 2 + noise * rng.standard_normal(n)
    bad = rng.choice(n, int(outliers * n), replace=False)
    y[bad] += rng.uniform(50, 100, len(bad))
    return X, y


def median_of(points, tolerance=1e-13, limit=300):
    median, trace = SpatialMedian.of(np.asarray(points, float), tolerance), Trace()
    state = iterate(median, limit, trace)
    return median.point(state), state["resultant"], trace


def mean_distance(points, place):
    return np.linalg.norm(points - place, axis=1).mean()


@pytest.mark.parametrize("n", [9, 10])
def test_one_column_through_the_origin_is_the_median_slope(n):
    X, y = contaminated(n, 1)
    model = TheilSenRegressor(fit_intercept=False).fit(X, y)
    assert model.coef_[0] == pytest.approx(np.median(y / X[:, 0]), rel=1e-12)
    assert model.n_subpopulation_ == n and model.intercept_ == 0 and model.certificate_.value == 0


def test_all_pairs_of_a_line():
    X, y = contaminated(25, 1)
    pairs = [np.polyfit(X[list(pair), 0], y[list(pair)], 1)[::-1] for pair in itertools.combinations(range(25), 2)]
    model = TheilSenRegressor(tol=1e-6).fit(X, y)
    best = minimize(lambda m: mean_distance(pairs, m), np.median(pairs, axis=0), method="Nelder-Mead",
                    options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 10_000})  # fmt: skip
    np.testing.assert_allclose([model.intercept_, *model.coef_], best.x, atol=1e-6)
    assert model.n_subpopulation_ == 300
    slopes = np.array(pairs)[:, 1]
    assert abs(model.coef_[0] - np.median(slopes)) < 0.2 < abs(LinearRegression().fit(X, y).coef_[0] - 1)


def test_a_line_in_small_units_has_the_median_of_all_slopes():
    # where slopes count for much more than intercepts, the spatial median is the median of the slopes
    X, y = contaminated(25, 1)
    slopes = sorted((y[i] - y[j]) / (X[i, 0] - X[j, 0]) for i, j in itertools.combinations(range(25), 2))
    model = TheilSenRegressor(tol=1e-6).fit(X * 1e-6, y)
    assert slopes[149] <= model.coef_[0] * 1e-6 <= slopes[150]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_subsamples", [None, 6])
def test_all_subsets_as_scikit_learn(fit_intercept, n_subsamples):
    X, y = contaminated(14, 3)
    options = {"fit_intercept": fit_intercept, "n_subsamples": n_subsamples, "max_iter": 100_000}
    ours = TheilSenRegressor(tol=1e-6, **options).fit(X, y)
    theirs = peer.TheilSenRegressor(tol=1e-12, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)
    assert ours.breakdown_ == pytest.approx(theirs.breakdown_, rel=1e-14)
    assert ours.n_subpopulation_ == theirs.n_subpopulation_ and ours.n_iter_ < 25


def test_random_subsets_are_as_good_as_scikit_learns():
    X, y = contaminated(400, 4)
    ours, theirs = (make(random_state=0).fit(X, y) for make in (TheilSenRegressor, peer.TheilSenRegressor))
    assert ours.n_subpopulation_ == theirs.n_subpopulation_ == 10_000
    assert np.abs(ours.coef_ - [1, 2, 3, 4]).max() < 1.5 * np.abs(theirs.coef_ - [1, 2, 3, 4]).max() + 0.05
    assert ours.certificate_.holds and ours.certificate_.tolerance == 1e-6
    again, other = (TheilSenRegressor(random_state=seed).fit(X, y) for seed in (0, 1))
    np.testing.assert_array_equal(ours.coef_, again.coef_)
    assert (ours.coef_ != other.coef_).any()


def test_breakdown():
    X, y = contaminated(50, 1, outliers=0.0)
    model = TheilSenRegressor().fit(X, y)
    bad = int(model.breakdown_ * 50) - 1
    assert bad == 13
    y[:bad] += 1e9
    assert np.abs(TheilSenRegressor().fit(X, y).coef_ - 1).max() < 1
    assert np.abs(LinearRegression().fit(X, y).coef_ - 1).max() > 1e6


def test_all_rows_are_one_subset_and_least_squares():
    X, y = contaminated(30, 3)
    for fit_intercept in (True, False):
        line = LinearRegression(fit_intercept=fit_intercept).fit(X, y)
        model = TheilSenRegressor(fit_intercept=fit_intercept, n_subsamples=30).fit(X, y)
        np.testing.assert_allclose(model.coef_, line.coef_, rtol=1e-14)
        assert model.intercept_ == pytest.approx(line.intercept_, rel=1e-14) and model.n_subpopulation_ == 1
    few = TheilSenRegressor().fit(X[:3], y[:3])
    np.testing.assert_allclose(few.predict(X[:3]), y[:3], rtol=1e-10)


def test_exact_lines_are_found_exactly():
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = X @ [3.0, -1.0] + 0.5
    y[:8] += 100 * X[:8, 0] ** 2 + 30
    model = TheilSenRegressor(random_state=0).fit(X, y)
    np.testing.assert_allclose([model.intercept_, *model.coef_], [0.5, 3, -1], atol=1e-10)
    assert model.trace_.stopped == "converged"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
def test_equivariance(seed, scale, shift):
    X, y = contaminated(12, 2, seed=seed)
    shift_coef = np.array([1.0, -2.0])
    one = TheilSenRegressor(tol=1e-6).fit(X, y)
    other = TheilSenRegressor(tol=1e-6).fit(X, -scale * y + shift + X @ shift_coef)
    np.testing.assert_allclose(other.coef_, -scale * one.coef_ + shift_coef, atol=1e-6 * (1 + scale))
    assert other.intercept_ == pytest.approx(-scale * one.intercept_ + shift, abs=1e-5 * (1 + scale))
    order = np.random.default_rng(seed).permutation(12)
    mixed = TheilSenRegressor(tol=1e-6).fit(X[order], y[order])
    np.testing.assert_allclose(mixed.coef_, one.coef_, rtol=1e-7, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    d=st.integers(1, 4),
    kind=st.sampled_from(["plain", "tails", "grid"]),
)
def test_the_spatial_median_is_optimal(seed, n, d, kind):
    rng = np.random.default_rng(seed)
    points = {
        "plain": rng.standard_normal((n, d)),
        "tails": rng.standard_cauchy((n, d)) * 10.0 ** rng.integers(-3, 4, d),
        "grid": rng.integers(0, 3, (n, d)).astype(float),
    }[kind]
    place, pull, trace = median_of(points, 1e-9)
    assert trace.stopped == "converged" and pull <= 1e-9, trace
    best = mean_distance(points, place)
    for other in [*points, points.mean(axis=0), *(place + 1e-3 * rng.standard_normal((20, d)))]:
        assert best <= mean_distance(points, other) * (1 + 1e-9)
    assert (np.diff(trace["objective"]) <= 1e-14 * trace["objective"][:-1]).all(), "a step went up"


def test_known_spatial_medians():
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    np.testing.assert_allclose(median_of(square)[0], [1, 1], atol=1e-12)
    held = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -0.9]]
    place, pull, _ = median_of(held)
    assert place.tolist() == [0, 0] and pull == 0
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]])
    angles = triangle - median_of(triangle)[0]
    angles /= np.linalg.norm(angles, axis=1)[:, None]
    np.testing.assert_allclose((angles @ angles.T)[np.triu_indices(3, 1)], -0.5, atol=1e-9)  # Fermat: 120 degrees
    for scale in (1e-200, 1e200):
        np.testing.assert_allclose(median_of(triangle * scale)[0] / scale, median_of(triangle)[0], rtol=1e-9)


def test_budget_and_checkpoint_in_both_stages(tmp_path):
    X, y = contaminated(2000, 40)
    with learnable.budget(seconds=1.0), warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        model = TheilSenRegressor(max_subpopulation=10**7, random_state=0).fit(X, y)
    assert model.trace_.stopped == "budget" and 0 < model.n_subpopulation_ < 10**7
    whole = TheilSenRegressor(max_subpopulation=3000, random_state=0).fit(X, y)
    assert whole.trace_["subsets"][0] < 3000 == np.nanmax(whole.trace_["subsets"])

    def stop(event):
        if event.iteration == 2:
            raise KeyboardInterrupt

    path = tmp_path / "fit"
    with learnable.checkpoint(path, every=0), learnable.watch(stop), pytest.raises(KeyboardInterrupt):
        TheilSenRegressor(max_subpopulation=3000, random_state=0).fit(X, y)
    with learnable.checkpoint(path, every=1000):
        again = TheilSenRegressor(max_subpopulation=3000, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.coef_, whole.coef_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_subsamples": 61}, "n_subsamples = 61 rows.*n_samples = 60"),
        ({"n_subsamples": 2}, "n_subsamples must be at least 3"),
        ({"max_subpopulation": 0.5}, "max_subpopulation must be"),
    ],
)
def test_refusals(change, message):
    with pytest.raises(ValueError, match=f"TheilSenRegressor: .*{message}"):
        TheilSenRegressor(**change).fit(*contaminated())


def test_sample_weights_are_refused():
    with pytest.raises(TypeError):
        TheilSenRegressor().fit(*contaminated(), sample_weight=np.ones(60))


@pytest.mark.parametrize("far", [1e3, 1e5, 1e7])
def test_columns_far_from_zero_are_fitted_as_well(far):
    """There the constant pulls most, and what pulls at the coefficients must not be overlooked."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X @ [1.0, 2.0, 0.0, 0.0, -1.0] + 3 + 0.3 * rng.normal(size=60)
    model = learnable.TheilSenRegressor(random_state=0).fit(X + far, y)
    assert model.certificate_.holds
    assert np.sqrt(np.mean((y - model.predict(X + far)) ** 2)) < 0.31
