"""Kernels of linkage and reachability against plain loops over the definitions."""

import numpy as np
import pytest

from learnable.core.runtime.native import kernels

APART = {
    "single": lambda near: near.min(),
    "complete": lambda near: near.max(),
    "average": lambda near: near.mean(),
}


def table_of(X, power=2.0):
    return np.linalg.norm(X[:, None] - X[None], power, axis=2)


def slow_heights(X, apart):
    """Merge the two groups for which `apart` of their rows is least, again and again."""
    groups, heights = [[i] for i in range(len(X))], []
    while len(groups) > 1:
        pairs = [(apart(a, b), i, j) for i, a in enumerate(groups) for j, b in enumerate(groups[:i])]
        height, i, j = min(pairs)
        groups[j] += groups.pop(i)
        heights.append(height)
    return np.array(heights)


def ward(X):
    def apart(a, b):
        gap = X[a].mean(axis=0) - X[b].mean(axis=0)
        return np.sqrt(2 * len(a) * len(b) / (len(a) + len(b)) * gap @ gap)

    return apart


@pytest.mark.parametrize("rows", [2, 3, 9, 33])
@pytest.mark.parametrize("columns", [1, 5])
def test_heights_of_merges(rows, columns):
    X = np.random.default_rng(rows).normal(size=(rows, columns))
    merges = np.empty((rows - 1, 4))
    for rule, whole in APART.items():
        slow = slow_heights(X, lambda a, b, whole=whole: whole(table_of(X)[np.ix_(a, b)]))
        if rule == "single":
            kernels.link_single(X, 2.0, None, merges)
            np.testing.assert_allclose(merges[:, 2], slow, rtol=1e-12)
            kernels.link_single_table(table_of(X), None, merges)
        else:
            kernels.link_table(table_of(X), rule, merges)
        np.testing.assert_allclose(merges[:, 2], slow, rtol=1e-12)
    kernels.link_ward(X, merges)
    np.testing.assert_allclose(merges[:, 2], slow_heights(X, ward(X)), rtol=1e-10)
    assert merges[-1, 3] == rows


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, np.inf])
def test_reach_lengthens_distances(power):
    X = np.random.default_rng(0).normal(size=(40, 3))
    reach = np.random.default_rng(1).random(40)
    longer = np.maximum(table_of(X, power), np.maximum(reach[:, None], reach))
    by_rows, by_table = np.empty((39, 4)), np.empty((39, 4))
    kernels.link_single(X, power, reach, by_rows)
    kernels.link_single_table(table_of(X, power), reach, by_table)
    slow = slow_heights(X, lambda a, b: longer[np.ix_(a, b)].min())
    np.testing.assert_allclose(by_rows[:, 2], slow, rtol=1e-12)
    np.testing.assert_allclose(by_table[:, 2], slow, rtol=1e-12)


@pytest.mark.parametrize("limit", [0.4, 1.0, np.inf])
def test_the_order_of_visits(limit):
    X = np.random.default_rng(2).normal(size=(50, 2))
    table = table_of(X)
    reach = np.sort(table, axis=1)[:, 3].copy()
    reach[reach > limit] = np.inf
    order, distance, before = np.empty(50, dtype=np.int64), np.empty(50), np.empty(50, dtype=np.int64)
    kernels.optics_order(X, 2.0, reach, limit, order, distance, before)
    known, source, left = np.full(50, np.inf), np.full(50, -1), list(range(50))
    for row in order:
        assert row == min(left, key=lambda i: (known[i], i))
        left.remove(row)
        for other in left:
            length = max(reach[row], table[row, other]) if table[row, other] <= limit else np.inf
            if length < known[other]:
                known[other], source[other] = length, row
    np.testing.assert_allclose(distance, known, rtol=1e-12)
    np.testing.assert_array_equal(before, source)


def test_heights_do_not_depend_on_threads():
    import learnable

    X = np.random.default_rng(3).normal(size=(6000, 8))
    seen = set()
    for count in (1, 2, 3):
        with learnable.threads(count):
            single, ward_merges = np.empty((5999, 4)), np.empty((5999, 4))
            kernels.link_single(X, 2.0, None, single)
            kernels.link_ward(X, ward_merges)
            seen.add(single.tobytes() + ward_merges.tobytes())
    assert len(seen) == 1


def test_broken_graphs_are_refused():
    merges = np.empty((1, 4))
    for to, start in (([5, 0], [0, 1, 2]), ([1, 0], [0, 2, 1]), ([1, 0], [0, 1, 3]), ([0, 1], [0, 1, 2])):
        with pytest.raises(ValueError, match="graph"):
            kernels.link_graph(np.ones(2), np.array(to), np.array(start), "single", None, merges)
