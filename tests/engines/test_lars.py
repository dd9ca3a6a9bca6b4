"""Every knot of a path is optimal, whatever the columns are like."""

import numpy as np
import pytest

import learnable
from learnable.core import Trace
from learnable.engines.paths import lars_products
from learnable.engines.paths.lars import EXACT_VIOLATION, Rules, follow
from learnable.engines.paths.lars_products import ColumnProducts, GramProducts
from learnable.engines.standardised import Centred


def path(X, y, *, gram=False, limit=5000, **rules):
    data = Centred.of(X, y)
    columns, target = data.columns, data.targets[0]
    if gram:
        source = GramProducts(columns @ columns.T, columns @ target, float(target @ target))
    else:
        source = ColumnProducts(columns, target, np.linalg.norm(columns, axis=1), rules.get("positive", False))
    return follow(source, Rules(**rules), limit, Trace())


def violation(X, y, found, positive=False):
    """The worst breach of the lasso's conditions at any knot, relative to the largest product."""
    X, y = X - X.mean(axis=0), y - y.mean()
    worst = 0.0
    for level, coef in zip(found.levels, found.coefs, strict=True):
        product = X.T @ (y - X @ coef)
        excess = (product if positive else np.abs(product)).max() - level
        off = np.abs(product - level * np.sign(coef))[coef != 0].max(initial=0.0)
        worst = max(worst, excess, off)
    return worst / max(np.abs(X.T @ y).max(), 1e-300)


def awkward(seed):
    """Small tables full of ties, repeated columns and unequal scales, in turn."""
    draws = np.random.default_rng(seed)
    n, p = draws.integers(1, 12), draws.integers(1, 12)
    kind = seed % 4
    X = draws.integers(-1, 2, (n, p)).astype(float) if kind < 2 else draws.normal(size=(n, p))
    if kind == 2:
        X[:, draws.integers(p)] = X[:, draws.integers(p)]
    if kind == 3:
        X *= 10.0 ** draws.integers(-4, 5, p)
    y = draws.integers(-2, 3, n).astype(float) if kind % 2 == 0 else draws.normal(size=n)
    return X, y


@pytest.mark.parametrize("gram", [False, True], ids=["columns", "gram"])
@pytest.mark.parametrize("positive", [False, True], ids=["signed", "positive"])
def test_lasso_knots_are_optimal_on_awkward_tables(gram, positive, monkeypatch):
    monkeypatch.setattr(lars_products, "MIN_WATCHED", 2)
    for seed in range(120):
        X, y = awkward(seed)
        found = path(X, y, gram=gram, lasso=True, positive=positive)
        assert violation(X, y, found, positive) < EXACT_VIOLATION, seed
        assert found.violation < EXACT_VIOLATION
        assert found.levels[-1] == 0
        assert (np.diff(found.levels) < 0).all()


@pytest.mark.parametrize("gram", [False, True], ids=["columns", "gram"])
def test_least_angle_knots_are_equiangular(gram):
    """The columns tied at the level grow by one at each knot, also after coefficients have crossed zero."""
    draws = np.random.default_rng(3)
    X = draws.normal(size=(40, 25)) + 2 * draws.normal(size=(40, 1))
    y = X[:, :5] @ draws.normal(size=5) + draws.normal(size=40)
    found = path(X, y, gram=gram, lasso=False)
    centred = X - X.mean(axis=0)
    crossed = 0
    for k, (level, coef) in enumerate(zip(found.levels, found.coefs, strict=True)):
        product = centred.T @ (y - y.mean() - centred @ coef)
        assert np.abs(product).max() == pytest.approx(level, abs=1e-10 * found.levels[0])
        assert (np.abs(product) > level - 1e-9 * found.levels[0]).sum() == min(k + 1, 25)
        crossed += int((np.sign(coef) == -np.sign(found.coefs[k - 1])).any() and k > 0)
    assert crossed > 0
    np.testing.assert_allclose(found.coefs[-1], np.linalg.lstsq(centred, y - y.mean())[0], rtol=1e-8)


def test_path_ends_when_the_columns_explain_everything():
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(20, 60)), draws.normal(size=20)
    for lasso in (False, True):
        found = path(X, y, lasso=lasso)
        assert len(found.active) == 19
        residual = y - y.mean() - (X - X.mean(axis=0)) @ found.coefs[-1]
        assert np.abs(residual).max() < 1e-12
        assert np.isfinite(found.coefs).all()


def test_watching_few_columns_changes_nothing(monkeypatch):
    draws = np.random.default_rng(1)
    X = draws.normal(size=(30, 300)) @ np.diag(draws.uniform(0.1, 3, 300))
    y = draws.normal(size=30)
    watched = path(X, y, lasso=True)
    monkeypatch.setattr(lars_products, "MIN_WATCHED", 300)
    everything = path(X, y, lasso=True)
    np.testing.assert_allclose(watched.levels, everything.levels, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(watched.coefs, everything.coefs, atol=1e-9)
    assert violation(X, y, watched) < EXACT_VIOLATION


def test_floor_is_reached_exactly_and_matches_the_whole_path():
    draws = np.random.default_rng(2)
    X, y = draws.normal(size=(30, 8)), draws.normal(size=30)
    whole = path(X, y, lasso=True)
    floor = 0.5 * (whole.levels[3] + whole.levels[4])
    part = path(X, y, lasso=True, floor=floor)
    assert part.levels[-1] == floor
    np.testing.assert_allclose(part.coefs[-1], (whole.coefs[3] + whole.coefs[4]) / 2, atol=1e-12)
    assert path(X, y, lasso=True, floor=2 * whole.levels[0]).coefs.tolist() == [[0.0] * 8]


def test_columns_tied_from_the_start_enter_together():
    X = np.vstack([np.eye(4), -np.eye(4)])
    y = np.r_[np.ones(4), -np.ones(4)]
    for lasso in (False, True):
        found = path(X, y, lasso=lasso)
        np.testing.assert_allclose(found.coefs, [[0.0] * 4, [1.0] * 4], atol=1e-15)
    held = path(X, y, lasso=False, most_active=2)
    assert (held.coefs == 0).all()


def test_a_stored_path_goes_on_with_the_same_bits(tmp_path):
    draws = np.random.default_rng(5)
    X, y = draws.normal(size=(25, 200)), draws.normal(size=25)
    whole = learnable.LassoLars(alpha=0.0).fit(X, y)
    file = tmp_path / "path.checkpoint"
    stop = learnable.watch(lambda event: event.iteration == 12)
    with learnable.checkpoint(file), pytest.warns(learnable.ConvergenceWarning), stop:
        learnable.LassoLars(alpha=0.0).fit(X, y)
    with learnable.checkpoint(file):
        resumed = learnable.LassoLars(alpha=0.0).fit(X, y)
    assert resumed.trace_.iterations == whole.trace_.iterations
    np.testing.assert_array_equal(resumed.coef_path_, whole.coef_path_)
