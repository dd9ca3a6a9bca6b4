"""Distinct values, table look-up of codes and row hashes, against NumPy and dictionaries."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import BudgetError
from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import KernelLimits

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
def test_distinct_numbers(values):
    codes = np.empty(len(values), dtype=np.int64)
    found = kernels.distinct_numbers(values, 2**16, codes)
    assert len(found) == len(np.unique(values))
    np.testing.assert_array_equal(found[codes], values)
    first = np.unique(codes, return_index=True)[1]
    assert (np.diff(first) > 0).all(), "not in order of appearance"


def test_too_many_numbers_are_none():
    values = np.arange(100.0)
    assert kernels.distinct_numbers(values, 99, np.empty(100, dtype=np.int64)) is None
    assert len(kernels.distinct_numbers(values, 100, np.empty(100, dtype=np.int64))) == 100


def test_distinct_objects():
    entries = [f"v{k}" for k in RNG.integers(0, 3000, 9000)] + [None, 1, 1.0, True, np.nan, float("nan"), (1, 2)]
    codes = np.empty(len(entries), dtype=np.int64)
    found = kernels.distinct_objects(entries, codes)
    expected = dict.fromkeys(entry for entry in entries if entry == entry)
    assert len(found) == len(expected) + 1
    for entry, code in zip(entries, codes.tolist(), strict=True):
        assert found[code] == entry or (entry != entry and found[code] != found[code])
    with pytest.raises(TypeError):
        kernels.distinct_objects([[1]], np.empty(1, dtype=np.int64))
    with pytest.raises(ValueError, match="as many"):
        kernels.distinct_objects([1, 2], np.empty(1, dtype=np.int64))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_codes_are_looked_up(dtype, threads):
    tables = [RNG.integers(0, 99, size).astype(dtype) for size in (3, 50, 1)]
    codes = [RNG.integers(-1, len(table), 30_000) for table in tables]
    out = np.empty((30_000, 3), dtype=dtype)
    with learnable.threads(threads):
        kernels.decode_columns(tables, codes, out)
    np.testing.assert_array_equal(out, np.column_stack([t[p] for t, p in zip(tables, codes, strict=True)]))


def test_codes_outside_a_table_are_refused():
    with pytest.raises(ValueError, match="not in its table"):
        kernels.decode_columns([np.zeros(2)], [np.array([2])], np.empty((1, 1)))


FACTORS = RNG.integers(1, 2**63, 6, dtype=np.uint64) | np.uint64(1)
CELLS = np.where(RNG.random((300, 6)) < 0.3, -0.0, RNG.standard_normal((300, 6)))


def stirred(X: np.ndarray, narrow: bool) -> np.ndarray:
    """The digests of rows, by whole numbers of any size."""
    rounded = np.asarray(X, dtype=np.float32 if narrow else np.float64) + 0
    mask, stir = 2**64 - 1, 0x9E3779B97F4A7C15
    digests = []
    for row in rounded.view(np.uint32 if narrow else np.uint64).tolist():
        total = 0
        for bits, factor in zip(row, FACTORS.tolist(), strict=True):
            mixed = bits * stir & mask
            total += (mixed ^ mixed >> 32) * stir * factor
        digests.append(total & mask)
    return np.array(digests, dtype=np.uint64)


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, np.float32])
def test_hashes_mix_the_bits_of_all_entries(make, narrow):
    digests = np.ones(300, dtype=np.uint64)
    X = make(CELLS)
    kernels.add_row_hashes(X, FACTORS, narrow, digests)
    np.testing.assert_array_equal(digests - np.uint64(1), stirred(X.toarray() if sparse.issparse(X) else X, narrow))


def test_hashes_need_rows():
    for X in (sparse.csc_array(CELLS), CELLS.astype(int)):
        with pytest.raises(TypeError):
            kernels.add_row_hashes(X, FACTORS, True, np.zeros(300, dtype=np.uint64))
    with pytest.raises(ValueError, match="a number for each column"):
        kernels.add_row_hashes(CELLS, FACTORS[:5], True, np.zeros(300, dtype=np.uint64))


def test_hashes_of_many_rows_check_the_deadline():
    X, digests = np.ones((2_000_000, 4)), np.zeros(2_000_000, dtype=np.uint64)
    time.sleep(0.06)  # the last look may have been just now
    with KernelLimits(time.monotonic()), pytest.raises(BudgetError):
        kernels.add_row_hashes(X, np.ones(4, dtype=np.uint64), True, digests)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 1000, 100_000])
@pytest.mark.parametrize("highest", [1, 3, 2**20, 2**64 - 1])
def test_hashes_sort_like_numbers(count, highest):
    digests = RNG.integers(0, highest, count, dtype=np.uint64, endpoint=True)
    order = np.empty(count, dtype=np.int64)
    kernels.order_by_hash(digests, order)
    np.testing.assert_array_equal(order, np.argsort(digests, kind="stable"))
