"""Quantile regression against exact fractions, statsmodels, scikit-learn, its own duality, and its equivariances."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as peer
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import learnable
from learnable.core import ConvergenceWarning, ParameterError
from learnable.engines.minimise.quantile import solve as engine
from learnable.engines.minimise.quantile.pinball import Pinball
from learnable.linear_model import LinearRegression, QuantileRegressor
from tests.references import stackloss, stackloss_fits
from tests.timing import held_call

SOLVERS = ["highs", "highs-ds", "highs-ipm", "interior-point", "revised simplex", "irls"]


def heavy(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0 ** np.linspace(-1, 1, p) + 2
    return X, X @ np.linspace(-1, 1, p) + 5 + rng.standard_t(2, size=n), rng.uniform(0.2, 3, n)


def objective(model, X, y, weight=None):
    residual = y - model.predict(X)
    rows = np.maximum(model.quantile * residual, (model.quantile - 1) * residual)
    return np.average(rows, weights=weight) + model.alpha * np.abs(model.coef_).sum()


@pytest.mark.parametrize("solver", SOLVERS)
def test_least_absolute_deviations_of_the_stack_loss_table(solver):
    """LIN-22, LIN-23, OPT-09: linear programme and reweighted least squares find the exact rational solution."""
    X, y, _ = stackloss()
    model = QuantileRegressor(alpha=0, solver=solver).fit(X, y)
    exact = stackloss_fits()["least_absolute"]["coef"]
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), exact, rtol=1e-9)
    assert model.certificate_.kind == "duality gap" and model.certificate_.holds


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("level", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("alpha", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_agrees_with_scikit_learn(solver, level, alpha, fit_intercept):
    X, y, weight = heavy()
    options = {"quantile": level, "alpha": alpha, "fit_intercept": fit_intercept}
    ours = QuantileRegressor(solver=solver, **options).fit(X, y, weight)
    theirs = peer.QuantileRegressor(**options).fit(X, y, weight)
    assert ours.certificate_.holds
    assert objective(ours, X, y, weight) <= objective(theirs, X, y, weight) * (1 + 1e-10)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-6)


@pytest.mark.parametrize("level", [0.25, 0.5, 0.9])
def test_agrees_with_statsmodels(level):
    X, y, _ = heavy(300)
    ours = QuantileRegressor(quantile=level, alpha=0).fit(X, y)
    theirs = sm.QuantReg(y, sm.add_constant(X)).fit(q=level, p_tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(np.append(ours.intercept_, ours.coef_), theirs.params, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("level", [0.1, 0.5, 0.73])
def test_the_solution_passes_through_as_many_rows_as_there_are_coefficients(level):
    X, y, _ = heavy(200)
    model = QuantileRegressor(quantile=level, alpha=0).fit(X, y)
    residual = y - model.predict(X)
    through = np.abs(residual) < 1e-9
    assert through.sum() == 5
    assert (residual[~through] < 0).mean() <= level + 5 / 200
    assert (residual < 1e-9).mean() >= level


def test_without_information_it_is_the_quantile_and_the_middle_of_the_medians():
    X = np.zeros((4, 2))
    assert QuantileRegressor().fit(X, [1.0, 2.0, 4.0, 9.0]).intercept_ == 3.0
    assert QuantileRegressor(quantile=0.75, alpha=0).fit(np.zeros((5, 1)), [5.0, 1.0, 2.0, 4.0, 3.0]).intercept_ == 4.0
    weighted = QuantileRegressor().fit(X, [1.0, 2.0, 4.0, 9.0], sample_weight=[1.0, 1.0, 1.0, 9.0])
    assert weighted.intercept_ == 9.0


def test_a_strong_penalty_leaves_the_median_alone():
    X, y, _ = heavy()
    pull = np.abs(X - np.median(X, axis=0)).mean(axis=0).max()
    model = QuantileRegressor(alpha=float(pull)).fit(X, y)
    assert model.coef_.tolist() == [0.0] * 4
    assert model.intercept_ == pytest.approx(np.median(y), rel=1e-12)


def test_coefficients_that_a_penalty_makes_zero_are_zero_also_where_the_median_is_not_unique():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 8)), rng.normal(size=300)
    assert QuantileRegressor(alpha=0.3).fit(X, y).coef_.tolist() == [0.0] * 8


@pytest.mark.parametrize("solver", ["highs", "highs-ds"])
@pytest.mark.parametrize("level", [5e-324, 1e-300, 1e-20, 1e-10])
def test_a_level_next_to_zero_gives_the_plane_below_all_rows(level, solver):
    X, y, _ = heavy()
    requested = QuantileRegressor(quantile=1e-4, alpha=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = QuantileRegressor(quantile=level, alpha=0, solver=solver).fit(X, y)
        flat = QuantileRegressor(quantile=level, alpha=0.1, solver=solver).fit(X, y)
    np.testing.assert_allclose(model.coef_, requested.coef_, rtol=1e-6)
    np.testing.assert_allclose(flat.coef_, 0, atol=1e-12)
    assert model.certificate_.holds and flat.certificate_.holds and (y >= model.predict(X) - 1e-9).all()


@pytest.mark.parametrize("level", [1e-20, 1e-12, 1e-10, 1e-8])
def test_our_own_method_certifies_no_more_than_it_found(level):
    """Beside a level of 1e-12 the rounding of residuals counts."""
    X, y, _ = heavy()
    best = QuantileRegressor(quantile=level, alpha=0, solver="highs-ds").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the rounding of stored numbers alone may be more
        model = QuantileRegressor(quantile=level, alpha=0, solver="interior-point").fit(X, y)
    left = float((best.predict(X) - model.predict(X)).mean()) / float((y - y.min()).mean())
    assert left <= 1.001 * max(model.certificate_.value, model.certificate_.tolerance)


def test_solver_options_are_used_or_refused():
    X, y, _ = heavy()
    with pytest.warns(ConvergenceWarning):
        QuantileRegressor(alpha=0, solver_options={"maxiter": 1}).fit(X, y)
    for other in ({"solver": "irls"}, {"solver": "interior-point"}, {"ridge": 0.1}):
        with pytest.raises(ParameterError, match=r"solver_options are those of HiGHS.*leave them"):
            QuantileRegressor(solver_options={"maxiter": 1}, **other).fit(X, y)


def test_dual_variables_that_do_not_cancel_prove_nothing():
    X, y, weight = heavy()
    problem = Pinball(X, y, weight / weight.sum(), 0.5, np.zeros(4), True)
    solution = engine.QuantileSolution.of(problem, np.zeros(4), 0.0, problem.high)
    assert solution.bound == 0 and solution.gap == solution.objective > 0


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), level=st.floats(0.05, 0.95), scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100))
def test_scale_shift_regression_and_mirror_equivariance(seed, level, scale, shift):
    X, y, _ = heavy(41, 2, seed)
    shift_coef = np.array([3.0, -2.0])
    one = QuantileRegressor(quantile=level, alpha=0).fit(X, y)
    moved = QuantileRegressor(quantile=level, alpha=0).fit(X, scale * y + shift + X @ shift_coef)
    mirrored = QuantileRegressor(quantile=1 - level, alpha=0).fit(X, -y)
    same = objective(one, X, y)
    assert objective(moved, X, scale * y + shift + X @ shift_coef) == pytest.approx(scale * same, rel=1e-9)
    assert objective(mirrored, X, -y) == pytest.approx(same, rel=1e-9)
    back = (moved.predict(X) - shift - X @ shift_coef) / scale
    residual = y - back
    assert np.maximum(level * residual, (level - 1) * residual).mean() == pytest.approx(same, rel=1e-8)


def test_outliers_do_not_move_it_at_all():
    X, y, _ = heavy()
    before = QuantileRegressor(alpha=0).fit(X, y)
    above = y > before.predict(X) + 1e-9
    y[above] *= np.where(y[above] > 0, 1e6, 1e-6)
    after = QuantileRegressor(alpha=0).fit(X, y)
    np.testing.assert_allclose(after.coef_, before.coef_, rtol=1e-7)
    assert np.abs(LinearRegression().fit(X, y).coef_ - before.coef_).max() > 100


def test_weights_are_copies_and_sparse_columns_are_columns():
    X, y, _ = heavy(61)
    weight = np.random.default_rng(0).integers(0, 4, 61)
    weighted = QuantileRegressor(quantile=0.3, alpha=0.01).fit(X, y, weight)
    copied = QuantileRegressor(quantile=0.3, alpha=0.01).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    thin = QuantileRegressor(quantile=0.3, alpha=0.01).fit(sparse.csc_array(X), y, weight)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-8)
    np.testing.assert_allclose(weighted.coef_, thin.coef_, rtol=1e-8)


def test_more_columns_than_rows_and_columns_that_are_alike():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 80)), rng.normal(size=30)
    wide = QuantileRegressor(alpha=0.05).fit(X, y)
    theirs = peer.QuantileRegressor(alpha=0.05).fit(X, y)
    assert wide.certificate_.holds
    assert objective(wide, X, y) == pytest.approx(objective(theirs, X, y), rel=1e-9)
    double = np.column_stack([X[:, :3], X[:, :3]])
    for solver in ("highs", "interior-point"):
        model = QuantileRegressor(alpha=0, solver=solver).fit(double, y)
        single = QuantileRegressor(alpha=0).fit(X[:, :3], y)
        assert model.certificate_.holds
        assert objective(model, double, y) == pytest.approx(objective(single, X[:, :3], y), rel=1e-7)


def test_reweighted_least_squares_descends_and_its_bound_is_below():
    X, y, _ = heavy()
    trace = QuantileRegressor(alpha=0, solver="irls").fit(X, y).trace_
    objective, bound = trace["objective"], trace["bound"]
    assert trace.stopped == "converged" and trace.iterations > 5
    assert (bound <= objective + 1e-15).all() and (np.diff(bound) >= 0).all()
    assert objective[-1] < objective[0]


def test_an_unfinished_linear_programme_warns():
    X, y, _ = heavy()
    with pytest.warns(ConvergenceWarning):
        QuantileRegressor(alpha=0, solver="highs-ds", solver_options={"maxiter": 1}).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        QuantileRegressor(alpha=0, solver="interior-point", max_iter=1).fit(X, y)


def test_a_budget_ends_a_linear_programme_that_does_not_check_the_time(monkeypatch):
    solve = engine.solve_programme
    X, y, _ = heavy()
    with held_call() as hold:
        monkeypatch.setattr(engine, "solve_programme", lambda *given: (hold(), solve(*given))[1])
        with (
            learnable.budget(seconds=0.2),
            pytest.raises(learnable.BudgetError, match=r"^QuantileRegressor: the budget ended .*give it more"),
        ):
            QuantileRegressor(solver="highs-ipm").fit(X, y)


def test_a_budget_that_is_kept_changes_nothing():
    X, y, weight = heavy()
    free = QuantileRegressor(alpha=0.01, solver="highs-ds").fit(X, y, sample_weight=weight)
    with learnable.budget(seconds=1000.0):
        held = QuantileRegressor(alpha=0.01, solver="highs-ds").fit(X, y, sample_weight=weight)
    assert np.array_equal(free.coef_, held.coef_) and held.trace_.stopped == "exact"


@pytest.mark.parametrize("solver", ["highs", "interior-point", "irls"])
def test_column_sums_of_rounding_size_but_above_the_penalty_prove_nothing(solver):
    """Columns far from zero and no constant: what dual variables leave of a million is much beside such a penalty."""
    rng = np.random.default_rng(384)
    X, y = 1e6 + rng.integers(-2, 3, size=(12, 3)), rng.normal(size=12)
    options = {"quantile": 0.1, "alpha": 1e-3, "fit_intercept": False}
    best = QuantileRegressor(solver="highs-ds", **options).fit(X, y)
    with warnings.catch_warnings(action="ignore"):
        model = QuantileRegressor(solver=solver, **options).fit(X, y)
    worse = objective(model, X, y) - objective(best, X, y)
    assert best.certificate_.holds and model.certificate_.holds == (worse < 1e-8)
    assert model.certificate_.holds or solver != "highs"


def test_the_trivial_bound_certifies_a_solution_through_all_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5, 8)), rng.normal(size=5)
    assert QuantileRegressor(alpha=0.0, solver="interior-point").fit(X, y).certificate_.holds
