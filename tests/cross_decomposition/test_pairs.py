"""Directions of two tables against closed forms and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn.cross_decomposition as peer

import learnable
from learnable.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression

NAMES = ("PLSRegression", "PLSCanonical", "CCA")


def tables(n: int = 60, p: int = 6, q: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    hidden = rng.standard_normal((n, 3)) * [3.0, 2.0, 1.0]
    X = hidden @ rng.standard_normal((3, p)) + 0.5 * rng.standard_normal((n, p)) + 5
    return X, hidden @ rng.standard_normal((3, q)) + 0.5 * rng.standard_normal((n, q)) - 2


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_attributes_are_those_of_scikit_learn(name: str, scale: bool) -> None:
    X, Y = tables()
    ours = getattr(learnable, name)(n_components=3, scale=scale).fit(X, Y)
    theirs = getattr(peer, name)(n_components=3, scale=scale, tol=1e-20, max_iter=50_000).fit(X, Y)
    for attribute in ("x_weights_", "y_weights_", "x_loadings_", "y_loadings_", "x_rotations_", "y_rotations_"):
        np.testing.assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    for a, b in zip(ours.transform(X, Y), theirs.transform(X, Y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    scores = ours.transform(X)
    np.testing.assert_allclose(ours.inverse_transform(scores), theirs.inverse_transform(scores), rtol=1e-6)
    for a, b in zip(ours.inverse_transform(scores, scores), theirs.inverse_transform(scores, scores), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_regression_on_all_components_is_least_squares() -> None:
    X, Y = tables()
    model = PLSRegression(n_components=6).fit(X, Y)
    centred = X - X.mean(axis=0)
    least = np.linalg.lstsq(centred, Y - Y.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(model.coef_, least.T, rtol=1e-8)


def test_one_target_is_partial_least_squares_in_krylov_space() -> None:
    """With k components the coefficients minimise the error over the span of X'y, (X'X)X'y, ... [Helland, 1988]."""
    X, Y = tables()
    x, y = X - X.mean(axis=0), Y[:, 0] - Y[:, 0].mean()
    basis = np.column_stack([np.linalg.matrix_power(x.T @ x, k) @ x.T @ y for k in range(3)])
    coef = basis @ np.linalg.lstsq(x @ basis, y, rcond=None)[0]
    model = PLSRegression(n_components=3, scale=False).fit(X, Y[:, 0])
    np.testing.assert_allclose(model.coef_[0], coef, rtol=1e-6)
    assert model.predict(X).shape == (60,)


def test_correlations_are_the_canonical_ones() -> None:
    X, Y = tables()
    Qx, Qy = (np.linalg.qr(table - table.mean(axis=0))[0] for table in (X, Y))
    canonical = np.linalg.svd(Qx.T @ Qy)[1]
    a, b = CCA(n_components=4).fit(X, Y).transform(X, Y)
    np.testing.assert_allclose([np.corrcoef(a[:, k], b[:, k])[0, 1] for k in range(4)], canonical, rtol=1e-8)
    np.testing.assert_allclose(np.corrcoef(a.T), np.eye(4), atol=1e-8)


def test_one_decomposition() -> None:
    X, Y = tables()
    ours, theirs = PLSSVD(n_components=3).fit(X, Y), peer.PLSSVD(n_components=3).fit(X, Y)
    np.testing.assert_allclose(ours.x_weights_, theirs.x_weights_, rtol=1e-8, atol=1e-10)
    for a, b in zip(ours.transform(X, Y), theirs.transform(X, Y), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)
    first = PLSCanonical(n_components=1).fit(X, Y)
    np.testing.assert_allclose(ours.x_weights_[:, :1], first.x_weights_, rtol=1e-8)


@pytest.mark.parametrize("make", [PLSRegression, PLSCanonical, CCA, PLSSVD])
def test_weights_are_copies(make: Any) -> None:
    X, Y = tables(20)
    weight = np.random.default_rng(1).integers(0, 4, 20).astype(float)
    copies = np.repeat(np.arange(20), weight.astype(int))
    ours, other = make(n_components=2).fit(X, Y, weight), make(n_components=2).fit(X[copies], Y[copies])
    np.testing.assert_allclose(ours.x_weights_, other.x_weights_, rtol=1e-7, atol=1e-9)


def test_after_the_last_covariance_nothing_is_found() -> None:
    X = np.outer(np.arange(5.0), [1.0, 2.0, -1.0])
    model = PLSRegression(n_components=3).fit(X, [0.0, 1.0, 2.0, 3.0, 4.0])
    assert len(model.n_iter_) == 1 and not model.x_weights_[:, 1:].any()
    np.testing.assert_allclose(model.predict(X), np.arange(5.0), atol=1e-12)
    constant = PLSRegression(n_components=1).fit(X, np.full(5, 3.0))
    assert not constant.coef_.any() and constant.predict(X).tolist() == [3.0] * 5


def test_too_many_components_are_refused() -> None:
    X, Y = tables()
    with pytest.raises(ValueError, match="upper bound is 6"):
        PLSRegression(n_components=7).fit(X, Y)
    for make in (PLSCanonical, CCA, PLSSVD):
        with pytest.raises(ValueError, match="upper bound is 4"):
            make(n_components=5).fit(X, Y)
    with pytest.raises(ValueError, match="fit saw 4"):
        PLSSVD().fit(X, Y).transform(X, Y[:, :2])
