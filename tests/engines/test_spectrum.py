"""Extreme singular values and eigenvalues of matrices of low rank, or of values that are equal."""

import numpy as np
import pytest
from scipy import sparse

from learnable.engines.algebra.eigen import leading_eigenpairs
from learnable.engines.algebra.singular_vectors import CentredRows, beyond, sketched_spectrum, tall_qr, upright


def tables():
    draws = np.random.default_rng(0)
    few = draws.standard_normal((8, 200))
    low = draws.standard_normal((300, 5)) @ draws.standard_normal((5, 250))
    one = np.outer(draws.random(200) < 0.1, draws.random(300) < 0.1).astype(float)
    ten = sparse.vstack([sparse.eye_array(10, 300), sparse.csr_array((100, 300))]).tocsr()
    return {
        "few rows": few,
        "low rank": low,
        "rank one": sparse.csr_array(one),
        "equal values": sparse.eye_array(300, format="csr"),
        "ten equal values": ten,
        "zero": sparse.csr_array((50, 300)),
    }


@pytest.mark.parametrize("passes", [0, 7])
@pytest.mark.parametrize("name", tables())
def test_sketches_of_tables_of_low_rank_are_right(name, passes):
    A, count = tables()[name], 6
    found = sketched_spectrum(CentredRows.of(A, None, centre=False), count, 10, passes, np.random.default_rng(1))
    dense = A.toarray() if sparse.issparse(A) else A
    values = np.linalg.svd(dense, compute_uv=False)[:count]
    size = max(float(values[0]), 1.0)
    np.testing.assert_allclose(found.values, values, atol=1e-6 * size)
    np.testing.assert_allclose(found.vectors @ found.vectors.T, np.eye(count), atol=1e-12)
    images = dense.T @ (dense @ found.vectors.T)
    assert np.abs(images - found.vectors.T * found.values**2).max() <= 1e-3 * size**2
    assert found.residual <= 1e-3


def test_nothing_new_adds_no_directions():
    draws = np.random.default_rng(0)
    basis = np.linalg.qr(draws.standard_normal((60, 5)))[0]
    block = np.hstack([basis[:, :2] @ draws.standard_normal((2, 3)), draws.standard_normal((60, 1)) @ np.ones((1, 2))])
    directions, shares = beyond(basis, block)
    assert directions.shape == (60, 1)
    np.testing.assert_allclose(basis.T @ directions, 0.0, atol=1e-15)
    np.testing.assert_allclose(directions @ shares, block - basis @ (basis.T @ block), atol=1e-12)


@pytest.mark.parametrize("rank", [1, 4, 30])
def test_eigenpairs_of_low_rank_and_of_repeated_values(rank):
    draws = np.random.default_rng(0)
    axes = np.linalg.qr(draws.standard_normal((400, rank)))[0]
    M = axes @ axes.T
    found = leading_eigenpairs(M, 6, np.random.default_rng(1))
    np.testing.assert_allclose(found.values, np.r_[np.ones(rank), np.zeros(6)][:6], atol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(6), atol=1e-10)
    assert found.residual <= 1e-9


@pytest.mark.parametrize("nearness", [0.0, 1e-14, 1e-9, 1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("unit", [1e-120, 1.0, 1e120])
def test_directions_of_tall_columns_are_at_right_angles(nearness, unit):
    """Also where a column nearly follows from another one, or all are far from one."""
    draws = np.random.default_rng(0)
    columns = draws.standard_normal((400, 5))
    columns[:, 3] = columns[:, 1] + nearness * columns[:, 3]
    sizes = np.array([unit, unit, unit, unit, 1e20 * unit])
    columns *= sizes
    directions, triangle = tall_qr(columns)
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-13)
    np.testing.assert_allclose(directions @ triangle / sizes, columns / sizes, atol=1e-13)
    assert np.abs(np.tril(triangle, -1)).max() == 0


@pytest.mark.parametrize("store", [np.ascontiguousarray, np.asfortranarray])
def test_the_first_of_the_largest_entries_is_positive(store):
    rows = np.random.default_rng(3).integers(-2, 3, (200, 4)).astype(float)
    found = upright(store(rows))
    assert (np.abs(found) == np.abs(rows)).all()
    assert all(row[np.abs(row).argmax()] >= 0 for row in found)
    kept = [row[np.abs(row).argmax()] >= 0 for row in rows]
    assert (found[kept] == rows[kept]).all()
