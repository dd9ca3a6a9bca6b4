"""Quadratic problems with bounds, solved from the inside, against steps of pairs."""

import numpy as np
import pytest

from learnable import SVC, SVR
from learnable.core.errors import DataError
from learnable.core.runtime.native import kernels
from learnable.core.runtime.trace import Trace
from learnable.engines.kernel_machines import smo
from learnable.engines.kernel_machines.interior_point import Boxed, without_fixed


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("rank", [3, 40])
def test_the_optimum_is_that_of_steps_of_pairs(groups, rank):
    rng = np.random.default_rng(rank)
    A, n = rng.standard_normal((40, rank)), 40
    K, low, high = A @ A.T, -rng.uniform(0.1, 2, n), rng.uniform(0.1, 2, n)
    q, group = rng.standard_normal(n), (np.arange(n) % groups).astype(np.int8)
    low[:2] = high[:2] = 0.3  # these cannot move
    start = np.clip(rng.uniform(low, high), low, high)
    table = kernels.KernelTable.given(K)
    requested = smo.solve(smo.DualProblem(table, low, high, q, group), smo.SmoSettings(1e-9), Trace(), smo.Start(start))
    one_hot = np.array([group == g for g in range(groups)], dtype=float)
    found = without_fixed(Boxed(K, low, high, q, one_hot, one_hot @ start), start)
    assert (found >= low).all() and (found <= high).all()
    np.testing.assert_allclose(one_hot @ found, one_hot @ start, atol=1e-12)
    assert found @ K @ found / 2 + q @ found == pytest.approx(requested.objective, rel=1e-9)


def one_hot_table(rows=150):
    """Few columns, all zeros and ones, and classes that overlap: SMO is slow on these at a large C."""
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, levels, rows) for levels in (8, 6, 5, 4, 3, 2)]
    score = sum(rng.standard_normal(code.max() + 1)[code] for code in codes)
    X = np.hstack([np.eye(code.max() + 1)[code] for code in codes])
    return X, score + rng.standard_normal(rows)


def test_a_leap_ends_what_steps_would_not():
    X, score = one_hot_table()
    model = SVC(kernel="linear", C=1e5).fit(X, score > 0)
    assert model.certificate_.holds and model.n_iter_[0] < 3 * len(X) ** 2


def test_a_leap_serves_two_variables_for_each_row():
    X, score = one_hot_table(80)
    model = SVR(kernel="linear", C=1e5, epsilon=0.1).fit(X, score)
    assert model.certificate_.holds and model.n_iter_ < 2 * 160**2


def test_a_matrix_that_is_not_a_kernel_does_no_harm():
    K = np.random.default_rng(3).standard_normal((30, 30))
    with pytest.raises(DataError, match="must not depend on the order of two rows; those of the rows"):
        SVC(kernel="precomputed").fit(K, np.arange(30) % 2)
    model = SVC(kernel="precomputed", max_iter=5000).fit(K + K.T, np.arange(30) % 2)
    assert np.isfinite(model.dual_coef_).all()
