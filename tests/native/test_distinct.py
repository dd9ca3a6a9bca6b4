"""The kernels that find different values and look codes up, against NumPy and dictionaries."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.core.native import kernels

RNG = np.random.default_rng(0)
COLUMNS = [
    RNG.integers(0, 40, 5000).astype(float),
    RNG.standard_normal(3000),
    np.array([0.0, -0.0, np.nan, 1.0, -np.nan, np.inf, 0.0]),
    np.repeat(7.5, 10),
    RNG.integers(-(2**52), 2**52, 4000).astype(float),
    np.empty(0),
]


@pytest.mark.parametrize("values", COLUMNS, ids=range(len(COLUMNS)))
def test_different_numbers(values):
    places = np.empty(len(values), dtype=np.int64)
    found = kernels.distinct_numbers(values, 2**16, places)
    assert len(found) == len(np.unique(values))
    np.testing.assert_array_equal(found[places], values)
    first = np.unique(places, return_index=True)[1]
    assert (np.diff(first) > 0).all(), "not in order of appearance"


def test_too_many_numbers_are_none():
    values = np.arange(100.0)
    assert kernels.distinct_numbers(values, 99, np.empty(100, dtype=np.int64)) is None
    assert len(kernels.distinct_numbers(values, 100, np.empty(100, dtype=np.int64))) == 100


def test_different_objects():
    entries = [f"v{k}" for k in RNG.integers(0, 3000, 9000)] + [None, 1, 1.0, True, np.nan, float("nan"), (1, 2)]
    places = np.empty(len(entries), dtype=np.int64)
    found = kernels.distinct_objects(entries, places)
    expected = dict.fromkeys(entry for entry in entries if entry == entry)
    assert len(found) == len(expected) + 1
    for entry, place in zip(entries, places.tolist(), strict=True):
        assert found[place] == entry or (entry != entry and found[place] != found[place])
    with pytest.raises(TypeError):
        kernels.distinct_objects([[1]], np.empty(1, dtype=np.int64))
    with pytest.raises(ValueError, match="as many"):
        kernels.distinct_objects([1, 2], np.empty(1, dtype=np.int64))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_codes_are_looked_up(dtype, threads):
    tables = [RNG.integers(0, 99, size).astype(dtype) for size in (3, 50, 1)]
    places = [RNG.integers(-1, len(table), 30_000) for table in tables]
    out = np.empty((30_000, 3), dtype=dtype)
    with learnable.threads(threads):
        kernels.look_up_rows(tables, places, out)
    np.testing.assert_array_equal(out, np.column_stack([t[p] for t, p in zip(tables, places, strict=True)]))


def test_places_outside_a_table_are_refused():
    with pytest.raises(ValueError, match="not in its table"):
        kernels.look_up_rows([np.zeros(2)], [np.array([2])], np.empty((1, 1)))
