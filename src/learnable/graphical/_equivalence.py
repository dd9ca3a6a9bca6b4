"""Equivalence classes of directed acyclic graphs: completed partially directed graphs (CPDAGs), Meek's rules.

A partially directed graph is a boolean matrix: entry (i, j) is an edge from i to j, which has no direction if (j, i) is
one as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ..core import Array
from ._dag import DAG


def adjacency(graph: DAG) -> Array:
    """The matrix of a directed graph."""
    matrix = np.zeros((graph.size, graph.size), dtype=bool)
    for parent, child in graph.edges:
        matrix[parent, child] = True
    return matrix


def v_structures(graph: DAG) -> list[tuple[int, int, int]]:
    """Triples a -> c <- b in which a and b are not adjacent."""
    joined = adjacency(graph) | adjacency(graph).T
    return [
        (a, c, b)
        for c, parents in enumerate(graph.parents)
        for a, b in combinations(sorted(parents), 2)
        if not joined[a, b]
    ]


def cpdag(graph: DAG, fixed: Sequence[tuple[int, int]] = ()) -> Array:
    """The graph of the equivalence class: an edge has a direction if all equivalent graphs agree on it.

    Edges in `fixed` keep their direction, as those of interventions or required arcs do.
    """
    matrix = adjacency(graph)
    matrix |= matrix.T
    for a, c, b in v_structures(graph):
        matrix[c, a] = matrix[c, b] = False
    for parent, child in fixed:
        matrix[child, parent] = False
    return orient(matrix)


def orient(matrix: Array) -> Array:
    """Direct every edge that Meek's rules decide: no new v-structures, no cycles. [Meek, 1995]"""
    matrix = matrix.copy()
    changed = True
    while changed:
        changed = False
        for a, b in np.argwhere(matrix & matrix.T).tolist():
            if matrix[a, b] and matrix[b, a] and _decided(matrix, a, b):
                matrix[b, a] = False
                changed = True
    return matrix


def _decided(matrix: Array, a: int, b: int) -> bool:
    """Whether the undirected edge between a and b must point to b."""
    joined = matrix | matrix.T
    into_a, into_b = matrix[:, a] & ~matrix[a], matrix[:, b] & ~matrix[b]
    undirected = matrix[a] & matrix[:, a]
    if (into_a & ~joined[b]).any() or ((matrix[a] & ~matrix[:, a]) & into_b).any():
        return True  # c -> a - b without an edge c - b; a -> c -> b
    middle = np.flatnonzero(undirected & into_b)
    if any(not joined[c, d] for c, d in combinations(middle.tolist(), 2)):
        return True  # a - c -> b and a - d -> b
    for c in middle.tolist():  # a - d -> c -> b with d and b not adjacent
        behind = matrix[:, c] & ~matrix[c] & joined[a] & ~joined[b]
        if behind.any():
            return True
    return False


def extension(matrix: Array) -> Array | None:
    """A directed acyclic graph without new v-structures that agrees with a partially directed one; None if none does.

    Sinks are removed one after the other. [Dor and Tarsi, 1992]
    """
    left, result = matrix.copy(), matrix & ~matrix.T
    remaining = list(range(len(matrix)))
    while remaining:
        for x in remaining:
            if (left[x] & ~left[:, x]).any():
                continue
            near = np.flatnonzero(left[:, x] | left[x])
            free = np.flatnonzero(left[x] & left[:, x])
            joined = left | left.T
            if all(joined[y, z] for y in free.tolist() for z in near.tolist() if y != z):
                result[free, x] = True
                left[x] = left[:, x] = False
                remaining.remove(x)
                break
        else:
            return None
    return result


def graph_of(matrix: Array) -> DAG:
    """The directed graph with this matrix."""
    parents: list[list[int]] = [[] for _ in matrix]
    for child, parent in np.argwhere(matrix.T).tolist():
        parents[child].append(parent)
    return DAG(tuple(map(tuple, parents)))


def hamming_distance(first: Array, second: Array) -> int:
    """Edges that must be added, removed or turned to make one partially directed graph the other."""
    different = (first != second) | (first != second).T
    return int(np.triu(different, 1).sum())
