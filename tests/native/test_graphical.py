"""Contingency tables and junction trees against naive NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from learnable.core.runtime.native import kernels
from learnable.core.runtime.threads import threads
from learnable.graphical._junction_tree import JunctionTree


def coded(seed=0, rows=400, columns=5):
    rng = np.random.default_rng(seed)
    card = rng.integers(2, 5, columns)
    code = np.array([rng.integers(0, states, rows) for states in card], dtype=np.uint16)
    code[rng.random(code.shape) < 0.05] = 65535
    return code, card, rng.integers(1, 4, rows).astype(float)


def table_of(code, card, weight, columns):
    found = np.zeros(card[columns])
    known = (code[columns] < 65534).all(axis=0)
    np.add.at(found, tuple(code[columns][:, known].astype(int)), weight[known])
    return found


@pytest.mark.parametrize("base", [[], [2], [2, 3]])
@pytest.mark.parametrize("other", [-1, 1])
def test_scores_of_families(base, other):
    from scipy.special import gammaln

    code, card, weight = coded()
    parents = [*base, other] if other >= 0 else base
    n = table_of(code, card, weight, [*parents, 0]).reshape(-1, card[0])
    n = n[n.sum(axis=1) > 0]
    q = float(np.prod(card[parents])) if parents else 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = np.nansum(n * np.log(n / n.sum(axis=1, keepdims=True)))
    expected = [likelihood - 0.7 * q * (card[0] - 1)]
    for share in (3.0 / (q * card[0]), 1.0):
        total = gammaln(share * card[0]) - gammaln(share * card[0] + n.sum(axis=1))
        expected.append((gammaln(share + n) - gammaln(share)).sum() + total.sum())
    for kind in range(3):
        found = np.empty(1)
        kernels.score_families(
            code, card, weight, 0, np.array(base, dtype=int), np.array([other]), kind, 3.0, 0.7, found
        )
        assert found[0] == pytest.approx(expected[kind], rel=1e-12)


def test_columns_given_all_others():
    rng = np.random.default_rng(3)
    card = np.array([2, 3, 2, 4, 2])
    code = np.array([rng.integers(0, c, 150) for c in card], dtype=np.uint16)
    for weight in (None, rng.integers(1, 4, 150).astype(float)):
        found = np.empty(5)
        kernels.saturated_likelihoods(code, card, weight, found)
        for v in range(5):
            n = table_of(code, card, np.ones(150) if weight is None else weight, [*(set(range(5)) - {v}), v])
            n = n.reshape(-1, card[v])
            with np.errstate(divide="ignore", invalid="ignore"):
                expected = np.nansum(n * np.log(n / n.sum(axis=1, keepdims=True)))
            assert found[v] == pytest.approx(expected, rel=1e-12)


def test_statistics_of_independence():
    from scipy.stats import chi2_contingency

    code, card, weight = coded(1)
    found = np.empty((2, 4))
    kernels.test_independence(code, card, weight, 0, np.array([3]), np.array([1, 2]), found)
    for k, other in enumerate((1, 2)):
        n = table_of(code, card, weight, [3, 0, other])
        g2 = sum(chi2_contingency(part, correction=False, lambda_="log-likelihood")[0] for part in n)
        x2 = sum(chi2_contingency(part, correction=False)[0] for part in n)
        free = (card[0] - 1) * (card[other] - 1) * card[3]
        np.testing.assert_allclose(found[k], [g2, x2, free, free], rtol=1e-10)


def test_counts_of_families():
    code, card, weight = coded(2)
    counts = np.empty(card[0] * card[1] * card[4] + card[2])
    kernels.count_families(code, card, weight, np.array([0, 3, 4]), np.array([0, 1, 4, 2]), counts)
    expected = [table_of(code, card, weight, [0, 1, 4]).ravel(), table_of(code, card, weight, [2])]
    np.testing.assert_array_equal(counts, np.concatenate(expected))


def chain():
    """Five variables in a loop of tables."""
    rng = np.random.default_rng(0)
    card, scopes = [2, 3, 2, 4, 3], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1,)]
    return card, scopes, [rng.random([card[v] for v in scope]) for scope in scopes], rng


@pytest.mark.parametrize("rows", [1, 7, 200])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_junction_trees_sum_as_einsum_does(rows, count):
    card, scopes, tables, rng = chain()
    tree = JunctionTree(card, scopes, "test")
    potential = tree.potential(tables)
    likelihood = rng.random((rows, sum(card)))
    weight = rng.random(rows)
    with threads(count):
        posterior, log_evidence = tree.propagate(potential, np.arange(5), likelihood)
        counts, logs = tree.expected_counts(potential, np.arange(5), likelihood, weight)
        state, best = tree.best_states(potential, np.arange(5), likelihood)
    start = np.concatenate([[0], np.cumsum(card)])
    expected = [np.zeros([card[v] for v in scope]) for scope in scopes]
    for i in range(rows):
        parts = [likelihood[i, a:b] for a, b in itertools.pairwise(start)]
        joint = np.einsum("ab,bc,cd,de,ea,b,a,b,c,d,e->abcde", *tables, *parts)
        assert log_evidence[i] == pytest.approx(np.log(joint.sum()), abs=1e-12) and logs[i] == log_evidence[i]
        for v in range(5):
            marginal = joint.sum(axis=tuple(u for u in range(5) if u != v)) / joint.sum()
            np.testing.assert_allclose(posterior[i, start[v] : start[v + 1]], marginal, atol=1e-12)
        assert joint[tuple(state[i])] == pytest.approx(joint.max(), rel=1e-12)
        assert best[i] == pytest.approx(np.log(joint.max()), abs=1e-12)
        for f, scope in enumerate(scopes):
            found = joint.sum(axis=tuple(u for u in range(5) if u not in scope)) / joint.sum()
            expected[f] += weight[i] * (found if tuple(sorted(scope)) == scope else found.T)
    for f, part in enumerate(counts):
        np.testing.assert_allclose(part, expected[f].ravel(), atol=1e-10)


def test_bits_do_not_depend_on_threads():
    card, scopes, tables, rng = chain()
    tree = JunctionTree(card, scopes, "test")
    potential, likelihood = tree.potential(tables), rng.random((3000, sum(card)))
    found = set()
    for count in (1, 2, 3, 8):
        with threads(count):
            counts, _ = tree.expected_counts(potential, np.arange(5), likelihood, np.ones(3000))
            found.add(
                np.concatenate(counts).tobytes() + tree.propagate(potential, np.arange(5), likelihood)[0].tobytes()
            )
    assert len(found) == 1


@pytest.mark.parametrize("change", ["parent", "scope", "home", "separator"])
def test_malformed_trees_are_refused(change):
    plan = {"start": [0, 2, 4], "scope": [1, 0, 1, 2], "separator": [1, 0], "parent": [1, -1]}
    plan |= {"card": [2, 2, 2], "home": [0, 0, 1]}
    arrays = {name: np.array(values) for name, values in plan.items()}
    kernels.JunctionTree(**arrays)
    wrong = {"parent": [0, -1], "scope": [1, 0, 7, 2], "home": [0, 0, 0], "separator": [2, 0]}[change]
    with pytest.raises((ValueError, RuntimeError)):
        kernels.JunctionTree(**{**arrays, change: np.array(wrong)})
