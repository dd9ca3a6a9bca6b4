"""SAGA steps against the same steps in NumPy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit, softmax

from learnable.core.runtime.native import kernels


def problem(scores: int, n: int = 60, p: int = 7):
    rng = np.random.default_rng(scores)
    X = np.where(rng.random((n, p)) < 0.4, rng.normal(size=(n, p)), 0.0)
    weight = rng.uniform(0.5, 2, n)
    code = rng.integers(0, max(scores, 2), n)
    return X, code, weight / weight.sum(), rng.permutation(np.tile(np.arange(n), 2)), rng.normal(size=(p + 1, scores))


def slowly(X, code, weight, order, step, l1, l2, intercept, weights, gradients, sums):
    """The steps, one after the other, on all columns."""
    for i in order:
        x, z = np.append(X[i], 1.0), X[i] @ weights[:-1] + weights[-1]
        gradient = expit(z) - code[i] if len(z) == 1 else softmax(z) - np.eye(len(z))[code[i]]
        change = weight[i] * gradient - gradients[i]
        moved = weights - step * (len(X) * np.outer(x, change) + sums)
        moved[:-1] -= step * l2 * weights[:-1]
        moved[:-1] = np.sign(moved[:-1]) * np.maximum(np.abs(moved[:-1]) - step * l1, 0)
        gradients[i] += change
        weights[: None if intercept else -1] = moved[: None if intercept else -1]
        sums[: None if intercept else -1] += np.outer(x, change)[: None if intercept else -1]


@pytest.mark.parametrize("scores", [1, 3])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (0.0, 0.3), (0.2, 0.0), (0.1, 0.5)])
@pytest.mark.parametrize("intercept", [True, False])
def test_steps_are_those_written_out(scores, l1, l2, intercept):
    X, code, weight, order, start = problem(scores)
    states = [[start.copy(), np.zeros((len(X), scores)), 0.1 * start] for _ in range(3)]
    slowly(X, code, weight, order, 0.05, l1, l2, intercept, *states[0])
    for stored, state in zip((X, sparse.csr_array(X)), states[1:], strict=True):
        kernels.saga_epoch(stored, code, weight, order, 0.05, l1, l2, intercept, *state)
        for found, expected in zip(state, states[0], strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-13)


def test_wrong_shapes_are_refused():
    X, code, weight, order, start = problem(1)
    gradients = np.zeros((len(X), 1))
    for arguments in (
        (code[:-1].copy(), weight, order, start, gradients, start.copy()),
        (code + 1, weight, order, start, gradients, start.copy()),
        (code, weight, order + 1, start, gradients, start.copy()),
        (code, weight, order, start[:-1].copy(), gradients, start.copy()),
        (code, weight, order, start, gradients, np.zeros((8, 2))),
    ):
        codes, row_weights, indices, weights, tables, sums = arguments
        with pytest.raises(ValueError, match=r"need|not|out of range"):
            kernels.saga_epoch(X, codes, row_weights, indices, 0.1, 0.0, 0.0, True, weights, tables, sums)
