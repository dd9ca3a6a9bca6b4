"""Newton's method for two classes against plain NumPy."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

COEF = 11


def problem(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + rng.normal(0, 3, p)
    code = (rng.random(n) < 1 / (1 + np.exp(-(X - X.mean(axis=0)) @ rng.normal(size=p)))).astype(np.int64)
    return X, code, rng.uniform(0.1, 2, n)


def derivatives(X, code, weight, strength, w, b):
    """Objective and gradient by coefficients and constant."""
    z, weights = X.astype(float) @ w + b, weight / weight.sum()
    gradient = weights * (1 / (1 + np.exp(-z)) - code)
    value = weights @ (np.logaddexp(0, z) - code * z) + strength / 2 * w @ w
    return value, gradient @ X + strength * w, gradient.sum()


def searched(X, code, weight, strength, intercept=True, tolerance=1e-9):
    search = kernels.LogisticNewton(X, code, weight, strength, intercept, tolerance)
    state, course = search.steps(search.start(np.zeros(X.shape[1] + 1)), 50)
    return state, course


@pytest.mark.parametrize(("n", "p"), [(40, 1), (131, 3), (300, 30), (2000, 101)])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_the_gradient_vanishes_where_the_search_ends(n, p, layout):
    X, code, weight = problem(n, p)
    X = layout(X)
    state, course = searched(X, code, weight, 0.01)
    w, b = state[COEF : COEF + p], state[COEF + p]
    value, gradient, by_constant = derivatives(X, code, weight, 0.01, w, b)
    assert state[0] == pytest.approx(value, rel=1e-12)
    assert state[1] <= 1e-9
    assert np.abs(gradient).max() <= 1e-8 * np.abs(X).max()
    assert abs(by_constant) <= 1e-8
    assert (np.diff(course[:, 0]) <= 1e-14).all()


def test_the_criterion_is_the_gradient_relative_to_its_terms():
    X, code, weight = problem(500, 4)
    w, b = np.array([0.3, -0.2, 0.1, 0.0]), 0.7
    search = kernels.LogisticNewton(X, code, weight, 0.1, True, 1e-9)
    state = search.start(np.append(w, b))
    value, gradient, by_constant = derivatives(X, code, weight, 0.1, w, b)
    weights = weight / weight.sum()
    length = np.sqrt(weights @ (1 / (1 + np.exp(-(X @ w + b))) - code) ** 2)
    scale = np.sqrt(weights @ X**2) * length + 0.1 * np.abs(w)
    assert state[0] == pytest.approx(value, rel=1e-13)
    curvature = weights / (2 + 2 * np.cosh(X @ w + b))
    mean = curvature @ X / curvature.sum()
    spread = np.sqrt(curvature @ (X - mean) ** 2 / curvature.sum())
    centred = np.abs(gradient - mean * by_constant) / (spread * length + 0.1 * np.abs(w))
    assert state[1] == pytest.approx(
        max((np.abs(gradient) / scale).max(), abs(by_constant) / length, centred.max()), rel=1e-5
    )


def test_without_a_constant_and_without_weights():
    X, code, _ = problem(200, 5)
    state, _ = searched(X, code, None, 0.02, intercept=False)
    _, gradient, _ = derivatives(X, code, np.ones(200), 0.02, state[COEF : COEF + 5], 0.0)
    assert state[COEF + 5] == 0
    assert np.abs(gradient).max() <= 1e-8 * np.abs(X).max()


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9])
def test_means_far_from_zero_cost_no_digits(distance, layout):
    X, code, weight = problem(400, 3)
    X = np.round(X * 2**20) / 2**20  # so that the sum with the distance is exact
    near, course = searched(X, code, weight, 0.0)
    far, same = searched(layout(X + distance), code, weight, 0.0)
    np.testing.assert_allclose(far[COEF : COEF + 3], near[COEF : COEF + 3], rtol=1e-9)
    assert len(same) == len(course) and far[1] <= 1e-9


def test_columns_far_from_zero_are_not_converged_at_the_best_constant():
    X, code, _ = problem(400, 3)
    search = kernels.LogisticNewton(X + 1e10, code, None, 0.0, True, 1e-8)
    odds = code.mean() / (1 - code.mean())
    assert search.start(np.append(np.zeros(3), np.log(odds)))[1] > 1e-3


def test_a_warm_start_from_a_sample_is_shorter_and_ends_at_the_same_minimum():
    X, code, weight = problem(3000, 6)
    sample, _ = searched(X[::7], code[::7].copy(), weight[::7].copy(), 0.01, tolerance=1e-2)
    search = kernels.LogisticNewton(X, code, weight, 0.01, True, 1e-10)
    state, course = search.steps(search.start(sample[COEF : COEF + 7].copy()), 50)
    direct, long_course = searched(X, code, weight, 0.01, tolerance=1e-10)
    np.testing.assert_allclose(state[COEF : COEF + 7], direct[COEF : COEF + 7], rtol=1e-8)
    assert len(course) < len(long_course)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
def test_a_search_that_ends_without_a_pass_has_proven_its_gradient(tolerance, weighted, intercept):
    X, code, weight = problem(2000, 8, seed=3)
    weight = weight if weighted else None
    search = kernels.LogisticNewton(X, code, weight, 0.01, intercept, tolerance)
    state = search.start(np.zeros(9))
    while state[1] > tolerance:
        state, _ = search.steps(state, 1)
    value, gradient, by_constant = derivatives(
        X, code, np.ones(2000) if weight is None else weight, 0.01, state[COEF : COEF + 8], state[COEF + 8]
    )
    checked = search.start(state[COEF : COEF + 9].copy())
    assert checked[1] <= 1.01 * state[1] <= 1.01 * tolerance  # the spread of the columns is recomputed
    assert state[0] == pytest.approx(value, abs=1e-4 * tolerance)
    assert np.abs(gradient).max() <= 3 * np.abs(X).max() * tolerance
    if intercept:
        assert abs(by_constant) <= tolerance


@pytest.mark.parametrize("weighted", [True, False])
def test_many_rows_take_two_passes_after_a_start_near_the_minimum(weighted):
    X, code, weight = problem(150_000, 5)
    weight = weight if weighted else None
    near, _ = searched(X[::7], code[::7].copy(), None if weight is None else weight[::7].copy(), 1e-5, tolerance=1e-3)
    search = kernels.LogisticNewton(X, code, weight, 1e-5, True, 1e-8)
    first = search.start(near[COEF : COEF + 6].copy())
    second, _ = search.steps(first, 1)
    last, _ = search.steps(second, 1)
    assert second[1] < 1e-2 * first[1] and second[1] > 1e-8
    assert search.start(last[COEF : COEF + 6].copy())[1] < last[1] <= 1e-8


def test_one_step_at_a_time_gives_the_same_bits_on_any_number_of_threads():
    X, code, weight = problem(40_001, 20)
    whole, _ = searched(X, code, weight, 1e-3)
    for count in (1, 2, 3, 8):
        with threads(count):
            search = kernels.LogisticNewton(X, code, weight, 1e-3, True, 1e-9)
            state = search.start(np.zeros(21))
            while state[1] > 1e-9:
                state, _ = search.steps(state, 1)
        np.testing.assert_array_equal(state, whole)


@pytest.mark.parametrize("change", [lambda X: 1e-200 * X, lambda X: 1e200 * X, lambda X: X[:, [0, 1, 0]]])
def test_columns_out_of_range_or_alike_are_called_unfit(change):
    X, code, weight = problem(100, 3)
    with np.errstate(over="ignore"):
        state = kernels.LogisticNewton(change(X), code, weight, 0.0, True, 1e-9).start(np.zeros(4))
    assert state[2] == 2


def test_shapes_that_do_not_fit_are_refused():
    X, code, _ = problem(20, 2)
    with pytest.raises(ValueError, match="code must have"):
        kernels.LogisticNewton(X, code[:-1].copy(), None, 0.1, True, 1e-9)
    search = kernels.LogisticNewton(X, code, None, 0.1, True, 1e-9)
    with pytest.raises(ValueError, match="coef must have"):
        search.start(np.zeros(2))
    with pytest.raises(ValueError, match="not a state"):
        search.steps(np.zeros(7), 1)
