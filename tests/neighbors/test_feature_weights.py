"""Columns that count more or less for neighbours, and regression on the rows near a question."""

import numpy as np
import pytest

from learnable import KNeighborsClassifier, KNeighborsRegressor, LocallyWeightedRegressor


def noisy(rows=150, columns=6):
    """A class that depends on the first column alone, among louder ones that say nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    y = (X[:, 0] > 0).astype(int)
    X[:, 1:] *= 5
    return X, y


def test_weights_that_are_learned_find_the_column_that_counts():
    X, y = noisy()
    new, truth = noisy(400)
    plain = KNeighborsClassifier(5).fit(X, y).score(new, truth)
    learned = KNeighborsClassifier(5, feature_weights="learn").fit(X, y)
    assert learned.score(new, truth) > plain + 0.2
    spread = learned.feature_weights_ * X.std(axis=0)
    assert spread[0] == spread.max() > 0
    number = KNeighborsRegressor(5, feature_weights="learn").fit(X, X[:, 0])
    assert number.score(new, new[:, 0]) > 0.8


def test_weights_that_are_given_scale_the_columns():
    X, y = noisy()
    factor = np.array([1.0, 0.5, 0, 0, 2.0, 0.1])
    given = KNeighborsClassifier(3, feature_weights=factor).fit(X, y).predict_proba(X + 0.1)
    np.testing.assert_array_equal(given, KNeighborsClassifier(3).fit(X * factor, y).predict_proba((X + 0.1) * factor))
    with pytest.raises(ValueError, match="feature_weights must be 6 numbers"):
        KNeighborsClassifier(feature_weights=[1.0, 2.0]).fit(X, y)


def test_a_local_plane_is_right_on_planes_and_a_constant_is_the_weighted_mean():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (80, 2))
    Y = np.column_stack([X @ [2.0, -1.0] + 3, X @ [0.5, 4.0]])
    for kernel in ("tricube", "gaussian", "uniform"):
        plane = LocallyWeightedRegressor(12, kernel=kernel).fit(X, Y)
        np.testing.assert_allclose(
            plane.predict(X * 1.2), X * 1.2 @ np.array([[2.0, 0.5], [-1.0, 4.0]]) + [3, 0], atol=1e-6
        )
    Q, width = rng.uniform(-1, 1, (10, 2)), 0.3
    constant = LocallyWeightedRegressor(80, degree=0, kernel="gaussian", bandwidth=width).fit(X, Y[:, 0])
    weight = np.exp(-((Q[:, None] - X) ** 2).sum(axis=2) / (2 * width**2))
    np.testing.assert_allclose(constant.predict(Q), (weight @ Y[:, 0]) / weight.sum(axis=1), rtol=1e-9)


def test_a_local_plane_solves_weighted_least_squares():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2
    question = np.array([[0.3, -0.2]])
    model = LocallyWeightedRegressor(60, kernel="gaussian", bandwidth=0.8, ridge=0.0).fit(X, y)
    root = np.sqrt(np.exp(-((question - X) ** 2).sum(axis=1) / (2 * 0.8**2)))
    design = np.column_stack([np.ones(60), X - question]) * root[:, None]
    expected = np.linalg.lstsq(design, y * root, rcond=None)[0][0]
    assert model.predict(question)[0] == pytest.approx(expected, rel=1e-9)
