"""The ends of a stretch of a path, against plain loops over the definition."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels


def entry(fixed, slope, level, *, columns=None, idle=None, noise=0.0, ties_enter=False, one_sided=False):
    count = len(fixed)
    columns = np.arange(count) if columns is None else np.asarray(columns)
    idle = np.ones(columns.max() + 1, dtype=bool) if idle is None else np.asarray(idle)
    spread = np.full(len(idle), noise)
    fixed, slope = np.asarray(fixed, float), np.asarray(slope, float)
    return kernels.first_entry(columns, fixed, slope, idle, spread, level, 1e-12, 0.0, ties_enter, one_sided)


def test_first_entry_is_where_a_line_meets_the_level():
    draws = np.random.default_rng(0)
    for _ in range(50):
        level, slope = 1.0, draws.uniform(-2, 2, 6)
        fixed = draws.uniform(-0.9, 0.9, 6) - level * slope
        lines = [(s * f, s * a) for f, a in zip(fixed, slope, strict=True) for s in (1, -1)]
        meetings = [(level - f - level * a) / (1 - a) for f, a in lines if a < 1]
        below, column, sign = entry(fixed, slope, level)
        assert below == pytest.approx(level - min(meetings))
        assert sign * (fixed[column] + below * slope[column]) == pytest.approx(below)


def test_one_sided_entry_looks_at_positive_products_only():
    assert entry([-0.5, 0.25], [0.0, 0.0], 1.0, one_sided=True) == (0.25, 1, 1)
    assert entry([-0.5, 0.25], [0.0, 0.0], 1.0) == (0.5, 0, -1)


def test_busy_columns_are_passed_over():
    assert entry([0.9, 0.5], [0.0, 0.0], 1.0, idle=[False, True]) == (0.5, 1, 1)
    assert entry([0.9], [0.0], 1.0, idle=[False]) == (-np.inf, -1, 0)


def test_of_several_ties_the_least_column_enters():
    assert entry([1.0, -1.0, 1.0], [0.0, 0.0, 0.0], 1.0, columns=[7, 3, 5]) == (1.0, 3, -1)


def test_a_tie_that_moves_away_enters_only_if_asked():
    assert entry([-1.0], [2.0], 1.0) == (pytest.approx(1 / 3), 0, -1)
    assert entry([-1.0], [2.0], 1.0, one_sided=True) == (-np.inf, -1, 0)
    assert entry([-1.0], [2.0], 1.0, ties_enter=True) == (1.0, 0, 1)


def test_a_level_far_below_the_first_is_met_to_the_last_digit():
    assert entry([0.3], [1e-20], 1e20) == (pytest.approx(0.3, rel=1e-15), 0, 1)


def test_no_column_enters_where_its_product_is_rounding():
    assert entry([0.5, 0.25], [0.0, 0.0], 1.0, noise=0.03) == (0.5, 0, 1)
    assert entry([0.5, 0.25], [0.0, 0.0], 1.0, noise=0.04) == (-np.inf, -1, 0)


def test_first_exit():
    active, signs = np.array([4, 1, 2]), np.array([1.0, -1.0, 1.0])
    coef = np.array([0.0, -3.0, 1.0, 0.0, 2.0])

    def left(coef, w, noise=0.0, top=5.0):
        w = np.array(w)
        return kernels.first_exit(active, coef, signs, coef[active] + top * w, w, np.full(5, noise), top, 0.0)

    assert left(coef, [-1.0, 1.0, 0.5]) == (3.0, 4, 0)
    assert left(coef, [1.0, -1.0, 0.5]) == (-np.inf, -1, 0)
    assert left(np.zeros(5), [-1.0, 1.0, -0.5]) == (5.0, 1, 0)
    assert left(coef, [-1.0, 1.0, 0.5], noise=0.2) == (-np.inf, -1, 0)


def test_largest_excess():
    fixed, slope, norms = np.array([0.2, -0.4]), np.array([0.1, 0.3]), np.array([1.0, 2.0])
    expected = max(
        abs(f + c * a) + 0.05 * n - c for f, a, n in zip(fixed, slope, norms, strict=True) for c in (1.0, 0.5)
    )
    assert kernels.largest_excess(fixed, slope, norms, 0.05, 1.0, 0.5, False) == pytest.approx(expected)
    assert kernels.largest_excess(fixed[1:], slope[1:], norms[1:], 0.0, 1.0, 0.5, True) == pytest.approx(-0.75)


def test_largest_distance():
    draws = np.random.default_rng(0)
    here, there = draws.normal(size=(2, 9)), draws.normal(size=(2, 9))
    d, t = here - there
    expected = max(np.linalg.norm(d + c * t) for c in (1.5, 0.5))
    assert kernels.largest_distance(here, there, 1.5, 0.5) == pytest.approx(expected, rel=1e-14)
    with pytest.raises(ValueError, match="two rows"):
        kernels.largest_distance(here, there[:, :3].copy(), 1.0, 0.5)


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="differ"):
        entry([0.0], [0.0, 1.0], 1.0)
    with pytest.raises(ValueError, match="range"):
        entry([0.0], [0.0], 1.0, columns=[2], idle=[True])
