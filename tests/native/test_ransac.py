"""The weight of the rows near many linear models, against plain NumPy, for every storage."""

import numpy as np
import pytest
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads

STORED = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


def draw(rows, columns, models, dtype=np.float64):
    rng = np.random.default_rng(rows + columns + models)
    X = rng.normal(size=(rows, columns))
    X[rng.random(X.shape) > 0.5] = 0
    w, b = rng.normal(size=(columns, models)), rng.normal(size=models)
    y, bound, weight = rng.normal(size=rows), rng.uniform(0, 3, rows), rng.uniform(0, 2, rows)
    return X.astype(dtype), y.astype(dtype), w, b, bound, weight


@pytest.mark.parametrize(
    "size", [(1, 1, 1), (3, 2, 1), (70, 3, 5), (1000, 40, 8), (257, 205, 33), (5000, 7, 100)], ids=str
)
@pytest.mark.parametrize("kind", STORED)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_against_numpy(size, kind, dtype):
    X, y, w, b, bound, weight = draw(*size, dtype)
    stored = STORED[kind](X)
    near = np.abs(y.astype(float)[:, None] - X.astype(float) @ w - b) <= bound[:, None]
    assert 0 < near.mean() < 1 or near.size < 10
    np.testing.assert_array_equal(kernels.inlier_weights(stored, y, w, b, bound), near.sum(axis=0))
    np.testing.assert_allclose(kernels.inlier_weights(stored, y, w, b, bound, weight), weight @ near, rtol=1e-12)
    without = np.abs(y.astype(float)[:, None] - X.astype(float) @ w) <= bound[:, None]
    np.testing.assert_array_equal(kernels.inlier_weights(stored, y, w, None, bound), without.sum(axis=0))


def test_the_bound_itself_is_near_and_nothing_is_nearer_than_nan():
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.5, 3.0])
    bound = np.array([0.0, 0.5, np.nan])
    assert kernels.inlier_weights(X, y, np.ones((1, 1)), None, bound).tolist() == [2]
    assert kernels.inlier_weights(X, y, np.full((1, 1), np.inf), None, np.full(3, np.inf)).tolist() == [3]


@pytest.mark.parametrize("kind", STORED)
def test_same_bits_on_any_number_of_threads(kind):
    X, y, w, b, bound, weight = draw(20_000, 12, 20)
    seen = set()
    for count in (1, 2, 3, 8):
        with threads(count):
            seen.add(kernels.inlier_weights(STORED[kind](X), y, w, b, bound, weight).tobytes())
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": np.ones((3, 2))}, "row for each column"),
        ({"w": np.ones((4, 0))}, "at least one model"),
        ({"b": np.ones(3)}, "one number per model"),
        ({"y": np.ones(9)}, "y must have"),
        ({"y": np.ones((10, 2))}, "y must have"),
        ({"bound": np.ones(9)}, "bound must have"),
        ({"weight": np.ones(9)}, "weight must have"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(change, message):
    X, y, w, b, bound, weight = draw(10, 4, 2)
    given = {"X": X, "y": y, "w": w, "b": b, "bound": bound, "weight": weight} | change
    with pytest.raises(ValueError, match=message):
        kernels.inlier_weights(**given)
