"""Breakpoints of a coefficient path, against plain loops over the definition."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels


def entry(fixed, rate, level, *, columns=None, inactive=None, noise=0.0, ties_enter=False, one_sided=False):
    count = len(fixed)
    columns = np.arange(count) if columns is None else np.asarray(columns)
    inactive = np.ones(columns.max() + 1, dtype=bool) if inactive is None else np.asarray(inactive)
    spread = np.full(len(inactive), noise)
    fixed, rate = np.asarray(fixed, float), np.asarray(rate, float)
    return kernels.first_entry(columns, fixed, rate, inactive, spread, level, 1e-12, 0.0, ties_enter, one_sided)


def test_first_entry_is_where_a_line_meets_the_level():
    draws = np.random.default_rng(0)
    for _ in range(50):
        level, rate = 1.0, draws.uniform(-2, 2, 6)
        fixed = draws.uniform(-0.9, 0.9, 6) - level * rate
        lines = [(s * f, s * a) for f, a in zip(fixed, rate, strict=True) for s in (1, -1)]
        meetings = [(level - f - level * a) / (1 - a) for f, a in lines if a < 1]
        below, column, sign = entry(fixed, rate, level)
        assert below == pytest.approx(level - min(meetings))
        assert sign * (fixed[column] + below * rate[column]) == pytest.approx(below)


def test_one_sided_entry_considers_positive_correlations_only():
    assert entry([-0.5, 0.25], [0.0, 0.0], 1.0, one_sided=True) == (0.25, 1, 1)
    assert entry([-0.5, 0.25], [0.0, 0.0], 1.0) == (0.5, 0, -1)


def test_active_columns_are_skipped():
    assert entry([0.9, 0.5], [0.0, 0.0], 1.0, inactive=[False, True]) == (0.5, 1, 1)
    assert entry([0.9], [0.0], 1.0, inactive=[False]) == (-np.inf, -1, 0)


def test_of_several_ties_the_first_column_enters():
    assert entry([1.0, -1.0, 1.0], [0.0, 0.0, 0.0], 1.0, columns=[7, 3, 5]) == (1.0, 3, -1)


def test_a_tie_that_moves_away_enters_only_with_ties_enter():
    assert entry([-1.0], [2.0], 1.0) == (pytest.approx(1 / 3), 0, -1)
    assert entry([-1.0], [2.0], 1.0, one_sided=True) == (-np.inf, -1, 0)
    assert entry([-1.0], [2.0], 1.0, ties_enter=True) == (1.0, 0, 1)


def test_a_level_far_below_the_first_is_accurate_to_the_last_digit():
    assert entry([0.3], [1e-20], 1e20) == (pytest.approx(0.3, rel=1e-15), 0, 1)


def test_no_column_enters_where_its_correlation_is_rounding():
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
    fixed, rate, norms = np.array([0.2, -0.4]), np.array([0.1, 0.3]), np.array([1.0, 2.0])
    expected = max(
        abs(f + c * a) + 0.05 * n - c for f, a, n in zip(fixed, rate, norms, strict=True) for c in (1.0, 0.5)
    )
    assert kernels.largest_excess(fixed, rate, norms, 0.05, 1.0, 0.5, False) == pytest.approx(expected)
    assert kernels.largest_excess(fixed[1:], rate[1:], norms[1:], 0.0, 1.0, 0.5, True) == pytest.approx(-0.75)


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
        entry([0.0], [0.0], 1.0, columns=[2], inactive=[True])
