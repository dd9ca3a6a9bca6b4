"""Trees of columns: Chow and Liu's, tree-augmented naive Bayes, and k-dependence classifiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core import Array
from .._network import configurations, mixed_radix
from .scores import FamilyScores, MixedScores


def mutual_information(scores: FamilyScores, columns: Sequence[int], given: Sequence[int] = ()) -> Array:
    """The empirical mutual information of each pair of columns times the number of rows, given some more.

    It is what a parent adds to the log likelihood of a child.
    """
    if isinstance(scores, MixedScores) and not scores.columns.discrete[list(columns)].any():
        return _normal_information(scores, columns, given)
    found = np.zeros((len(columns), len(columns)))
    for i, child in enumerate(columns):
        others = [other for other in columns if other != child]
        gains = scores.extensions(child, list(given), [-1, *others])
        found[i, [columns.index(other) for other in others]] = gains[1:] - gains[0]
    found[~np.isfinite(found)] = np.nan
    whole = np.fmax(found, found.T)  # a continuous column may only be the child of a categorical one
    return np.where(np.isnan(whole), -np.inf, np.maximum(whole, 0.0))


def _normal_information(scores: MixedScores, columns: Sequence[int], given: Sequence[int]) -> Array:
    """The same of continuous columns given categorical ones: from the correlations within each configuration."""
    group = mixed_radix(scores.columns.code, given, scores.card)
    total = np.zeros((len(columns), len(columns)))
    for k in range(configurations(scores.card, given)):
        w = np.where(group == k, scores.w, 0.0)
        weight = w.sum()
        if weight <= 0:
            continue
        value = scores.columns.value[list(columns)]
        centred = value - (value @ w / weight)[:, None]
        floors = scores.floors[list(columns)]
        variance = np.maximum(centred**2 @ w / weight, floors)
        scaled = centred / np.sqrt(variance)[:, None]
        correlation = (scaled * w) @ scaled.T / weight
        total -= 0.5 * weight * np.log(np.maximum(1 - correlation**2, (floors / variance)[:, None]))
    return np.asarray(np.maximum((total + total.T) / 2, 0.0))


def spanning_tree(gain: Array, possible: Array, root: int) -> list[tuple[int, int]]:
    """The arcs (from, to) of a tree of greatest gain, grown from `root`; of equal gains the first. [Prim, 1957]

    Where no arc can be added, another tree begins.
    """
    p = len(gain)
    inside = np.zeros(p, dtype=bool)
    arcs = []
    waiting = [root, *(v for v in range(p) if v != root)]
    while not inside.all():
        open_ = inside[:, None] & ~inside[None] & possible & np.isfinite(gain)
        if not open_.any():
            inside[next(v for v in waiting if not inside[v])] = True
            continue
        a, b = np.unravel_index(int(np.argmax(np.where(open_, gain, -np.inf))), gain.shape)
        arcs.append((int(a), int(b)))
        inside[b] = True
    return arcs


def chow_liu(scores: FamilyScores, allowed: Array, root: int = 0) -> Array:
    """The tree with the greatest likelihood. [Chow and Liu, 1968]"""
    p = scores.size
    matrix = np.zeros((p, p), dtype=bool)
    for a, b in spanning_tree(mutual_information(scores, range(p)), allowed, root):
        matrix[a, b] = True
    return matrix


def k_dependence(scores: FamilyScores, features: Sequence[int], target: int, k: int, allowed: Array) -> Array:
    """Features in the order of their information on the target, each below the k before it that inform it most.

    [Sahami, 1996]
    """
    own = np.array([scores.extensions(v, [], [-1, target]) @ [-1, 1] for v in features])
    between = mutual_information(scores, features, [target])
    order = sorted(range(len(features)), key=lambda i: (-own[i], i))
    matrix = np.zeros((scores.size, scores.size), dtype=bool)
    for rank, i in enumerate(order):
        before = [j for j in order[:rank] if allowed[features[j], features[i]] and np.isfinite(between[j, i])]
        for j in sorted(before, key=lambda j: (-between[j, i], j))[:k]:
            matrix[features[j], features[i]] = True
    matrix[target, list(features)] = True
    return matrix
