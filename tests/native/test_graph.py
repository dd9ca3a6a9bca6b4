"""Kernels of neighbour graphs against naive loops."""

import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.nn_descent import reverse_lists


@pytest.fixture
def points():
    return np.random.default_rng(0).standard_normal((60, 3))


def distances(X, Y):
    return np.sqrt(((X[:, None] - Y[None]) ** 2).sum(axis=2))


def random_graph(rows, edges, seed):
    rng = np.random.default_rng(seed)
    W = np.full((rows, rows), np.inf)
    for i, j in rng.integers(0, rows, (edges, 2)):
        if i != j:
            W[i, j] = W[j, i] = rng.integers(0, 5)
    start, index = [0], []
    for row in W:
        index += np.flatnonzero(np.isfinite(row)).tolist()
        start.append(len(index))
    index = np.array(index, dtype=np.int64)
    ends = np.repeat(np.arange(rows), np.diff(start))
    return W, (np.array(start, dtype=np.int64), index, W[ends, index])


@pytest.mark.parametrize(("rows", "edges"), [(1, 0), (30, 20), (40, 120)])
def test_shortest_paths_are_those_of_floyd_and_warshall(rows, edges):
    W, graph = random_graph(rows, edges, rows)
    found = np.empty((rows, rows))
    kernels.shortest_paths(*graph, np.arange(rows), found)
    dense = np.where(np.isfinite(W), W, np.inf)
    expected = dense.copy()
    np.fill_diagonal(expected, 0)
    for k in range(rows):
        expected = np.minimum(expected, expected[:, [k]] + expected[[k]])
    np.testing.assert_array_equal(found, expected)


def test_shortest_paths_of_positive_lengths_are_those_of_scipy(points):
    D = distances(points, points)
    near = np.sort(D, axis=1)[:, 6][:, None] >= D
    W = np.where(near | near.T, D, 0)
    start = np.concatenate([[0], np.cumsum((W > 0).sum(axis=1))])
    found = np.empty(D.shape)
    kernels.shortest_paths(start, np.ascontiguousarray(np.nonzero(W)[1]), W[W > 0], np.arange(len(W)), found)
    np.testing.assert_allclose(found, floyd_warshall(W), rtol=1e-14)


def test_wrong_graphs_are_refused():
    index, out = np.array([1]), np.empty((1, 2))
    start = np.array([0, 1, 1])
    for bad in (np.array([0, 2, 1]), np.array([1, 1, 1])):
        with pytest.raises(ValueError, match="start"):
            kernels.shortest_paths(bad, index, np.array([1.0]), np.array([0]), out)
    with pytest.raises(ValueError, match="not there"):
        kernels.shortest_paths(start, np.array([2]), np.array([1.0]), np.array([0]), out)
    with pytest.raises(ValueError, match="not a node"):
        kernels.shortest_paths(start, index, np.array([1.0]), np.array([2]), out)
    with pytest.raises(ValueError, match="negative"):
        kernels.shortest_paths(start, index, np.array([-1.0]), np.array([0]), out)


def test_ranks_count_the_nearer_rows(points):
    table = np.round(distances(points, points)[10:20], 1)  # with ties
    near = np.random.default_rng(1).integers(0, 60, (10, 7))
    near[near == np.arange(10, 20)[:, None]] = 0
    found = np.empty_like(near)
    kernels.neighbour_ranks(table, 10, near, found)
    for i in range(10):
        order = sorted((table[i, j], j) for j in range(60) if j != 10 + i)
        expected = [order.index((table[i, j], j)) + 1 for j in near[i]]
        assert found[i].tolist() == expected


def test_affinities_have_the_perplexity(points):
    squares = np.sort(distances(points, points), axis=1)[:, 1:31] ** 2
    p, beta = np.empty(squares.shape), np.empty(60)
    kernels.perplexity_affinities(np.ascontiguousarray(squares), 8.0, beta, p)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(-(p * np.log(p)).sum(axis=1)), 8.0, rtol=1e-8)
    raw = np.exp(-beta[:, None] * squares)
    np.testing.assert_allclose(p, raw / raw.sum(axis=1, keepdims=True), rtol=1e-10)


def test_equal_distances_share_the_affinity_equally():
    p, beta = np.empty((1, 4)), np.empty(1)
    kernels.perplexity_affinities(np.full((1, 4), 2.0), 3.0, beta, p)
    np.testing.assert_array_equal(p, 0.25)


def test_memberships_sum_to_the_logarithm_of_the_neighbours(points):
    near = np.sort(distances(points, points), axis=1)[:, 1:15]
    rho, sigma, found = np.empty(60), np.empty(60), np.empty(near.shape)
    kernels.neighbour_memberships(np.ascontiguousarray(near), 15.0, 1.0, float(near.mean()), rho, sigma, found)
    np.testing.assert_allclose(rho, near[:, 0])
    np.testing.assert_allclose(found.sum(axis=1), np.log2(15), atol=1e-5)
    np.testing.assert_allclose(found, np.exp(-(near - rho[:, None]) / sigma[:, None]))


@pytest.mark.parametrize("weighted", [False, True])
def test_guttman_product_and_stress(points, weighted):
    rng = np.random.default_rng(2)
    target = distances(points, points) + 0.1
    np.fill_diagonal(target, 0)
    weight = np.ones((60, 60))
    if weighted:
        weight = rng.random((60, 60))
        weight = weight + weight.T
    Y = rng.standard_normal((60, 2))
    Y[5] = Y[4]
    out = np.empty_like(Y)
    stress = kernels.smacof_product(target, weight if weighted else None, Y, out)
    d = distances(Y, Y)
    B = -np.divide(weight * target, d, where=d > 0, out=np.zeros_like(d))
    np.fill_diagonal(B, 0)
    np.fill_diagonal(B, -B.sum(axis=1))
    np.testing.assert_allclose(out, B @ Y, atol=1e-10)
    assert stress == pytest.approx((np.triu(weight, 1) * (target - d) ** 2).sum(), rel=1e-12)


def test_bits_do_not_depend_on_threads(points):
    _, graph = random_graph(300, 900, 5)
    X = np.random.default_rng(3).standard_normal((500, 2))
    D = distances(X, X)
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            paths, out = np.empty((300, 300)), np.empty_like(X)
            kernels.shortest_paths(*graph, np.arange(300), paths)
            stress = kernels.smacof_product(D, None, X**2, out)
            seen.add((paths.tobytes(), out.tobytes(), stress))
    assert len(seen) == 1


def test_candidates_are_neighbours_of_neighbours():
    """A round finds the nearest of all rows that lists lead to, forwards and backwards, in two steps."""
    rng = np.random.default_rng(3)
    X, n, k = rng.standard_normal((40, 3)), 40, 3
    near = np.array([rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)])
    start, reversed_rows = reverse_lists(near)
    lists = []
    for i in range(n):
        back = reversed_rows[start[i] : start[i + 1]]
        back = back[[j * len(back) // k for j in range(k)]] if len(back) > k else back  # of many, some spread over all
        lists.append({*near[i].tolist(), *back.tolist()})
    found, square = np.empty_like(near), np.empty(near.shape)
    fresh = kernels.descend_neighbours(X, near, start, reversed_rows, found, square)
    for i in range(n):
        candidates = sorted((lists[i] | {j for one in lists[i] for j in lists[one]}) - {i})
        expected = sorted((((X[i] - X[j]) ** 2).sum(), j) for j in candidates)[:k]
        assert found[i].tolist() == [j for _, j in expected]
        np.testing.assert_allclose(square[i], [s for s, _ in expected])
    assert fresh == sum(len(set(found[i]) - set(near[i])) for i in range(n))


def test_shortest_paths_of_distant_equal_and_long_edges():
    """Sources in any order, far apart and repeated, edges of very different lengths, and one direction only."""
    rng = np.random.default_rng(0)
    rows = 300
    begin = np.sort(rng.integers(0, rows, 1200))
    graph = np.searchsorted(begin, np.arange(rows + 1)), rng.integers(0, rows, 1200), 10.0 ** rng.integers(-9, 9, 1200)
    W = np.full((rows, rows), np.inf)
    np.minimum.at(W, (begin, graph[1]), graph[2])
    np.fill_diagonal(W, 0)
    for k in range(rows):
        W = np.minimum(W, W[:, [k]] + W[[k]])
    sources = rng.integers(0, rows, 77)
    seen = set()
    for threads in (1, 2, 3, 8):
        found = np.empty((77, rows))
        with learnable.threads(threads):
            kernels.shortest_paths(*graph, sources, found)
        seen.add(found.tobytes())
    assert len(seen) == 1
    np.testing.assert_allclose(found, W[sources], rtol=1e-12)
