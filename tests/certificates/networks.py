"""The certificate of a learned structure: no single arc can raise its score."""

from __future__ import annotations

from itertools import permutations

import numpy as np

import learnable
from tests.certificates.precise import EXTENDED, Finding, fitted


def single_arcs(name: str, seed: int) -> Finding:
    """The greatest gain in BIC of an arc that is added, removed or reversed, with all scores in extended precision."""
    draws = np.random.default_rng(seed)
    X = draws.integers(0, 3, (80, 4))
    X[:, 2] = (X[:, 0] + X[:, 1] + (draws.random(80) < 0.2)) % 3
    X[:, 3] = np.where(draws.random(80) < 0.7, X[:, 2], X[:, 3])
    model = fitted(getattr(learnable, name)(), X)
    edges = {(int(a[1:]), int(b[1:])) for a, b in model.edges_}
    best = now = _bic(X, edges)
    for pair in permutations(range(4), 2):
        for change in (edges | {pair}, edges - {pair}, (edges - {pair}) | {pair[::-1]}):
            if _is_acyclic(change):
                best = max(best, _bic(X, change))
    return Finding(float(best - now), model.certificate_, 1e-10 * abs(float(now)))


def _is_acyclic(edges: set[tuple[int, int]]) -> bool:
    left = set(range(4))
    while roots := {v for v in left if not any(b == v and a in left for a, b in edges)}:
        left -= roots
    return not left


def _bic(X: np.ndarray, edges: set[tuple[int, int]]) -> np.longdouble:
    total = EXTENDED(0)
    for child in range(4):
        parents = [a for a, b in edges if b == child]
        counts = np.zeros([3] * (len(parents) + 1), dtype=EXTENDED)
        np.add.at(counts, tuple(X[:, [*parents, child]].T), EXTENDED(1))
        counts = counts.reshape(-1, 3)
        sums = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
        seen = counts > 0
        total += (counts[seen] * np.log(counts[seen] / sums[seen])).sum()
        total -= np.log(EXTENDED(len(X))) / 2 * len(counts) * 2
    return total
