"""The coordinate-descent kernel against NumPy on explicitly standardised columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from learnable.core import threads
from learnable.core.runtime.native import kernels

SHAPES = [(1, 1), (1, 5), (7, 1), (33, 12), (40, 90), (9000, 7)]
FORMS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "single": lambda X: X.astype(np.float32),
    "single_columns": lambda X: np.asfortranarray(X, dtype=np.float32),
    "sparse": sparse.csc_array,
    "long_sparse": lambda X: long_indices(sparse.csc_array(X)),
}


def long_indices(X: Any) -> Any:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def table(n: int, p: int, targets: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns with many zeros and some far from zero, targets, and weights of which some are zero."""
    rng = np.random.default_rng(n + p)
    X = rng.standard_normal((n, p)) * rng.integers(0, 2, (n, p)) + 3 * (rng.random(p) < 0.3)
    X = X.astype(np.float32).astype(np.float64)
    weight = rng.integers(0, 4, n).astype(float)
    weight[0] = 1
    signal = X[:, :: max(1, p // 8)].sum(axis=1)
    return X, signal - signal.mean() + rng.standard_normal((targets, n)), weight


def standardised(X: np.ndarray, weight: np.ndarray | None, centre: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The columns a_j, their means and lengths."""
    s = np.ones(len(X)) / len(X) if weight is None else weight / weight.sum()
    mean = s @ X if centre else np.zeros(X.shape[1])
    A = np.sqrt(s)[:, None] * (X - mean)
    norm = np.linalg.norm(A, axis=0)
    norm[norm <= 1e-14 * np.abs(mean)] = 0
    return np.where(norm > 0, A / np.where(norm > 0, norm, 1), 0), mean, norm


def reference(A: np.ndarray, z: np.ndarray, w: np.ndarray, lam: np.ndarray, rho: np.ndarray, positive: bool) -> Any:
    """Objective, and its distance to the best of the dual objectives of multiples of the residual on a fine grid.

    With a squared penalty the residual is also a point of the dual that has the conjugate of the whole penalty.
    """
    size = np.linalg.norm(w, axis=1)
    r = z - (A @ w).T
    objective = (r**2).sum() / 2 + lam @ size + rho @ size**2 / 2
    long_r = np.concatenate([r.T, -np.sqrt(rho)[:, None] * w])  # the squared penalty as extra rows
    long_A = np.concatenate([A, np.diag(np.sqrt(rho))])
    long_z = np.concatenate([z.T, np.zeros_like(w)])
    pull = long_A.T @ long_r
    reach = np.maximum(pull, 0).max(axis=1) if positive else np.linalg.norm(pull, axis=1)
    most = np.min(lam[reach > 0] / reach[reach > 0], initial=np.inf)
    dual = max(
        (s * (long_r * long_z).sum() - s**2 * (long_r**2).sum() / 2) for s in np.linspace(0, min(most, 3), 20001)
    )
    if rho.any():
        reach = np.maximum(A.T @ r.T, 0).max(axis=1) if positive else np.linalg.norm(A.T @ r.T, axis=1)
        dual = max(dual, (r * z).sum() - (r**2).sum() / 2 - (np.maximum(reach - lam, 0) ** 2 / (2 * rho)).sum())
    return objective, objective - dual


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centre", [False, True])
def test_columns_are_standardised(shape, form, weighted, centre):
    X, y, weight = table(*shape)
    weight = weight if weighted else None
    kernel = kernels.LassoProblem(FORMS[form](X), weight, centre, False, 1)
    A, mean, norm = standardised(X, weight, centre)
    s = np.ones(len(X)) if weight is None else weight
    y = y - (np.average(y, axis=1, weights=s) if centre else 0)
    kernel.set_target(y)
    np.testing.assert_allclose(kernel.mean, mean, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.squares, norm**2, rtol=1e-10, atol=1e-15)
    z = np.sqrt(s / s.sum()) * y
    np.testing.assert_allclose(kernel.norm, np.linalg.norm(z), rtol=1e-12, atol=1e-15)
    strongest = np.abs(z @ A * norm).max()
    np.testing.assert_allclose(kernel.alpha_max(), strongest, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("targets", "positive"), [(1, False), (1, True), (3, False)])
@pytest.mark.parametrize("l2", [0.0, 1e-3, 0.3])
def test_objective_and_gap(form, targets, positive, l2):
    X, y, weight = table(33, 12, targets)
    y -= np.average(y, axis=1, weights=weight)[:, None]
    kernel = kernels.LassoProblem(FORMS[form](X), weight, True, positive, targets)
    kernel.set_target(y)
    A, _, norm = standardised(X, weight, True)
    w = np.random.default_rng(0).standard_normal((12, targets)) * 0.1
    w[::2] = 0
    w[norm == 0] = 0
    w = np.abs(w) if positive else w
    l1 = kernel.alpha_max() / 3
    scale = kernel.norm
    z = np.sqrt(weight / weight.sum()) * y / scale
    kept = norm > 0
    expected = reference(A[:, kept], z, w[kept], l1 / scale / norm[kept], l2 / norm[kept] ** 2, positive)
    objective, gap, noise, support = kernel.measure(w, l1, l2)
    np.testing.assert_allclose(objective, expected[0], rtol=1e-10)
    np.testing.assert_allclose(gap, expected[1], rtol=1e-4)
    assert gap <= expected[1] * (1 + 1e-9)
    assert 0 < noise < 1e-13
    assert support == np.count_nonzero(w.any(axis=1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(3000, 40), (60, 500), (300, 500)])
def test_rounds_reach_the_optimum_with_the_same_bits_on_any_threads(form, shape):
    X, y, weight = table(*shape)
    solutions = []
    for count in (1, 2, 3, 8):
        with threads(count):
            kernel = kernels.LassoProblem(FORMS[form](X), weight, True, False, 1)
            kernel.set_target(y - np.average(y, axis=1, weights=weight))
            w, l1 = np.zeros((shape[1], 1)), kernel.alpha_max() / 20
            for _ in range(30):
                _, gap, noise, *_ = kernel.improve(w, l1, 0.0, 1e-9, 10_000, 1, 0)
                if gap <= max(1e-9, noise):
                    break
            solutions.append(w.tobytes())
            assert gap <= 1e-9
    assert len(set(solutions)) == 1


def test_single_precision_columns_change_the_iterates_and_not_the_solution():
    X, y, _ = table(400, 1500)
    found = []
    for care in (0, 2):
        kernel = kernels.LassoProblem(np.asfortranarray(X), None, True, False, 1)
        kernel.set_target(y - y.mean())
        w, l1 = np.zeros((1500, 1)), kernel.alpha_max() / 40
        sizes = [kernel.improve(w, l1, 0.0, 1e-9, 1000, care, 0)[5] for _ in range(12)]
        assert max(sizes) > 256  # or the columns would not be packed
        assert kernel.measure(w, l1, 0.0)[1] <= 1e-9
        found.append(w)
    np.testing.assert_allclose(*found, atol=1e-4)


def test_given_products_are_used():
    X, y, _ = table(500, 30)
    w, l1 = [np.zeros((30, 1)) for _ in range(3)], 0.01
    gram = X.T @ X / 500
    for place, products in enumerate((None, gram, 2 * gram)):
        kernel = kernels.LassoProblem(X, None, False, False, 1)
        kernel.set_target(y)
        if products is not None:
            kernel.adopt(products)
        kernel.improve(w[place], l1, 0.0, 1e-10, 1000, 0, 0)
    np.testing.assert_allclose(w[1], w[0], atol=1e-9)
    assert np.abs(w[2] - w[0]).max() > 1e-3  # wrong products lead elsewhere in a round


def test_a_random_order_is_a_function_of_the_seed():
    X, y, _ = table(40, 90)
    found = {}
    for seed in (0, 1, 1, 2):
        kernel = kernels.LassoProblem(X, None, False, False, 1)
        kernel.set_target(y)
        w = np.zeros((90, 1))
        kernel.improve(w, kernel.alpha_max() / 20, 0.0, 1e-3, 2, 0, seed)
        found.setdefault(seed, set()).add(w.tobytes())
    assert all(len(bits) == 1 for bits in found.values())
    assert len(set.union(*found.values())) == 3


@pytest.mark.parametrize(
    ("weight", "y", "w", "message"),
    [
        (np.ones(4), np.zeros((1, 5)), np.zeros((3, 1)), "weight"),
        (None, np.zeros((1, 4)), np.zeros((3, 1)), "y must"),
        (None, np.zeros((1, 5)), np.zeros((4, 1)), "w must"),
        (None, np.zeros((1, 5)), np.zeros((3, 2)), "w must"),
    ],
)
def test_wrong_shapes_are_refused(weight, y, w, message):
    with pytest.raises(ValueError, match=message):
        kernel = kernels.LassoProblem(np.ones((5, 3)), weight, True, False, 1)
        kernel.set_target(y)
        kernel.measure(w, 1.0, 0.0)
