"""Exact sums against rational arithmetic, for values of all sizes; the same on any number of threads."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.engines.exact_sums import ExactSums

DRAWS = np.random.default_rng(0)
ROWS = 150


def rational(values):
    return [Fraction(float(value)) for value in np.asarray(values).ravel()]


def gram_oracle(X, y, weight, step=1):
    """Every `step`-th of the products of pairs of columns."""
    X = X.toarray() if sparse.issparse(X) else X
    columns = [*map(rational, X.T), rational(y), [Fraction(1)] * len(X)]
    weight = [Fraction(1)] * len(X) if weight is None else rational(weight)
    pairs = [(first, second) for i, first in enumerate(columns) for second in columns[i:]][::step]
    return [sum(w * a * b for w, a, b in zip(weight, *pair, strict=True)) for pair in pairs]


def class_oracle(X, code, classes, weight):
    X = X.toarray() if sparse.issparse(X) else X
    weight = np.ones(len(X)) if weight is None else weight
    sums = []
    for k in range(classes):
        its, columns = rational(weight[code == k]), X[code == k].T
        pairs = [[(w, x) for w, x in zip(its, column, strict=True)] for column in columns]
        sums.append(sum(its))
        sums += [sum(w for w, x in column if np.isnan(x)) for column in pairs]
        for power in (1, 2):
            sums += [sum(w * Fraction(float(x)) ** power for w, x in column if x == x) for column in pairs]
    return sums


def holed(X, fraction, value):
    return np.where(DRAWS.random(X.shape) < fraction, value, X)


NORMAL = DRAWS.normal(size=(ROWS, 4))
TABLES = {
    "normal": NORMAL,
    "float32": NORMAL.astype(np.float32),
    "integers": np.round(1000 * NORMAL),
    "scales": np.asfortranarray(NORMAL * [1e-300, 1e300, 1.0, 1e10]),
    "outliers": holed(NORMAL, 0.01, 1e17),
    "all exponents": holed(NORMAL * 10.0 ** DRAWS.uniform(-300, 300, NORMAL.shape), 0.3, 0.0),
    "subnormal": 5e-324 * DRAWS.integers(-(2**40), 2**40, NORMAL.shape),
    "one subnormal": np.where(np.arange(ROWS * 4).reshape(ROWS, 4) == 7, 5e-324, 1e300 * NORMAL),
    "sparse": sparse.random_array((ROWS, 9), density=0.05, rng=DRAWS, format="csr"),
    "sparse columns": sparse.random_array((ROWS, 4), density=0.5, rng=DRAWS, format="csc"),
    "wide": DRAWS.normal(size=(140, 101)),
}
WEIGHTS = {
    "none": lambda rows: None,
    "copies": lambda rows: DRAWS.integers(0, 4, rows).astype(float),
    "random": lambda rows: DRAWS.random(rows),
    "all exponents": lambda rows: 10.0 ** DRAWS.uniform(-300, 300, rows),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("table", TABLES)
def test_products_equal_rational_arithmetic(table, weights):
    X = TABLES[table]
    weight = WEIGHTS[weights](X.shape[0])
    y = DRAWS.normal(size=X.shape[0]) * (1e-310 if table == "subnormal" else 1.0)
    found = ExactSums(*kernels.exact_moments(X, y, weight))
    assert not found.flaw()
    step = 61 if table == "wide" else 1
    assert found.fractions()[::step] == gram_oracle(X, y, weight, step)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("table", TABLES)
def test_class_sums_equal_rational_arithmetic(table, weights):
    X = TABLES[table]
    weight, code = WEIGHTS[weights](X.shape[0]), DRAWS.integers(0, 3, X.shape[0])
    if isinstance(X, np.ndarray):
        X = holed(X, 0.1, np.nan).astype(X.dtype)
    found = ExactSums(*kernels.exact_class_sums(X, code, 3, weight))
    assert not found.flaw()
    assert found.fractions() == class_oracle(X, code, 3, weight)


@pytest.mark.parametrize("weights", ["none", "random"])
def test_the_same_digits_on_any_number_of_threads(weights):
    X, y = DRAWS.normal(size=(20_000, 6)), DRAWS.normal(size=20_000)
    X[::501] *= 1e30
    weight, code = WEIGHTS[weights](len(X)), DRAWS.integers(0, 2, len(X))
    results = []
    for count in (1, 2, 3, 8):
        with threads(count):
            sums = kernels.exact_moments(X, y, weight), kernels.exact_class_sums(X, code, 2, weight)
        results.append([part.tobytes() for pair in sums for part in pair])
    assert all(result == results[0] for result in results)


def test_values_that_are_not_finite_are_refused():
    X, y = np.ones((5, 2)), np.ones(5)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            kernels.exact_moments(np.where(np.eye(5, 2) > 0, bad, X), y)
    with pytest.raises(ValueError, match="finite"):
        kernels.exact_moments(X, y, np.array([1, 1, np.inf, 1, 1]))
    with pytest.raises(ValueError, match="finite"):
        kernels.exact_class_sums(np.full((5, 2), np.inf), np.zeros(5, dtype=np.int64), 1)


ANY = st.floats(allow_nan=False, allow_infinity=False)


@given(
    X=arrays(np.float64, (12, 2), elements=ANY),
    weight=arrays(np.float64, 12, elements=st.floats(0, 1e300)),
    parts=arrays(np.int64, 12, elements=st.integers(0, 2)),
    order=st.permutations(range(12)),
)
def test_parts_in_any_order_add_and_subtract_to_equal_bytes(X, weight, parts, order):
    def sums_of(rows):
        return ExactSums(*kernels.exact_moments(X[rows], X[rows, :1], weight[rows]))

    def same(first, second):
        return all(getattr(first, name).tobytes() == getattr(second, name).tobytes() for name in ("powers", "digits"))

    rows = [np.flatnonzero(parts == part) for part in range(3)]
    whole, a, b, c = (sums_of(chosen) for chosen in (np.array(order), *rows))
    assert same(whole, c + a + b)
    assert same(whole - b, a + c)
    assert same(whole - a - b - c, ExactSums.zeros(whole.size))
    assert whole.fractions() == gram_oracle(X, X[:, :1], weight)
