"""Leave-one-out errors of ridge against fitting without each row in turn."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

ALPHAS = np.array([1e-3, 0.5, 20.0])


def ridge_without(X, y, weight, alpha, intercept, row):
    """The prediction for `row` by ridge fitted to all other rows, and to what is left of it without one copy."""
    left = weight - np.minimum(weight, 1) * (np.arange(len(X)) == row)
    root = np.sqrt(left)
    design = np.column_stack([X, np.ones(len(X))]) if intercept else X
    penalty = alpha * np.eye(design.shape[1])
    if intercept:
        penalty[-1, -1] = 0
    A, target = design * root[:, None], y * (root if y.ndim == 1 else root[:, None])
    return design[row] @ np.linalg.solve(A.T @ A + penalty, A.T @ target)


def brute_force(X, y, weight, intercept):
    predictions = [
        np.array([ridge_without(X, y, weight, alpha, intercept, row) for alpha in ALPHAS]).T for row in range(len(X))
    ]
    return np.array(predictions)


def closed_form(X, y, weight, intercept, **more):
    _, mean, target_mean, gram, cross, _ = kernels.moments(X, y, weight, intercept)
    values, vectors = np.linalg.eigh(gram)
    projection = vectors.T @ cross
    return kernels.leave_one_out(
        X, y, weight, mean, np.atleast_1d(target_mean), vectors, values, projection, ALPHAS, intercept, **more
    )[:2]


def draw(rows=40, columns=5, targets=None):
    draws = np.random.default_rng(3)
    shape = (rows,) if targets is None else (rows, targets)
    return draws.normal(size=(rows, columns)) + 2, draws.normal(size=shape) + 1, 3 * draws.random(rows) + 0.1


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("store", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("weighted", [True, False])
def test_against_fitting_without_each_row(intercept, targets, store, weighted):
    X, y, weight = draw(targets=targets)
    weight = weight if weighted else np.ones(len(X))
    errors, predictions = closed_form(store(X), y, weight if weighted else None, intercept, with_predictions=True)
    expected = brute_force(X, y, weight, intercept)
    np.testing.assert_allclose(predictions, expected, rtol=1e-9)
    squared = np.einsum("i,i...->...", weight, (y[..., None] - expected) ** 2)
    np.testing.assert_allclose(errors, squared.T, rtol=1e-9)


def test_without_predictions():
    errors, predictions = closed_form(*draw(), True)
    assert predictions is None
    assert errors.shape == (3,)


def test_a_row_of_no_weight_changes_nothing():
    X, y, weight = draw()
    weight[7] = 0
    whole, _ = closed_form(X, y, weight, True)
    rest = np.arange(len(X)) != 7
    np.testing.assert_allclose(whole, closed_form(X[rest], y[rest], weight[rest], True)[0], rtol=1e-10)


def test_wide_designs_and_same_bits():
    X, y, weight = draw(3000, 130, 2)
    with threads(1):
        expected = closed_form(X, y, weight, True, with_predictions=True)
    for count in (2, 3, 8):
        with threads(count):
            found = closed_form(X, y, weight, True, with_predictions=True)
            assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    for row in (0, 1234):
        alone = np.array([ridge_without(X, y, weight, alpha, True, row) for alpha in ALPHAS]).T
        np.testing.assert_allclose(expected[1][row], alone, rtol=1e-8)


@pytest.mark.parametrize("store", [np.ascontiguousarray, sparse.csr_array])
def test_rows_that_determine_their_own_fit_are_returned_and_count_zero(store):
    X, y, weight = draw()
    X[7, 2], X[31, 0], weight[[7, 31]] = 1e6, -1e6, 1.0
    _, mean, target_mean, gram, cross, _ = kernels.moments(X, y, weight, True)
    values, vectors = np.linalg.eigh(gram)
    given = (store(X), y, weight, mean, np.atleast_1d(target_mean), vectors, values, vectors.T @ cross, ALPHAS, True)
    errors, predictions, decisive = kernels.leave_one_out(*given, with_predictions=True, decisive=1e-6)
    assert decisive == [7, 31]
    np.testing.assert_array_equal(predictions[decisive], y[decisive][:, None] * np.ones(3))
    squares = weight @ (y[:, None] - predictions) ** 2
    np.testing.assert_allclose(errors, squares, rtol=1e-10)
    expected = brute_force(X, y, weight, True)
    rest = np.setdiff1d(np.arange(len(y)), decisive)
    np.testing.assert_allclose(predictions[rest], expected[rest], rtol=1e-3)
