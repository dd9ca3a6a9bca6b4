"""Layered drawing of a directed acyclic graph: layers by longest paths, few crossings, straight long edges.

Nodes are placed in layers so that all edges point downwards; edges that pass a layer have a bend in it. The order
within layers is improved by barycentres, down and up, and positions are as near to those of neighbours as widths allow.
[Sugiyama, Tagawa and Toda, 1981]
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..parts.isotonic import rising_sequence

SWEEPS = 24
BEND_WIDTH = 0.3  # of the width of a node


@dataclass(frozen=True)
class Layers:
    """Positions (x, layer) of the nodes, and the points of each edge from parent to child."""

    x: Array
    layer: Array
    edges: dict[tuple[int, int], Array]


def layered_layout(parents: list[list[int]], widths: Array) -> Layers:
    """Positions of the nodes of a graph whose parents are listed; a unit of x is a unit of `widths`.

    >>> layered_layout([[], [0], [0], [1, 2]], np.ones(4)).layer.tolist()
    [0, 1, 1, 2]
    """
    graph = _LayeredGraph.of(parents, widths)
    order = _ordered(graph)
    x = _positions(graph, order)
    points = {
        edge: np.array([[x[v], graph.layer[v]] for v in path], dtype=np.float64) for edge, path in graph.paths.items()
    }
    return Layers(x[: len(parents)], graph.layer[: len(parents)], points)


@dataclass(frozen=True)
class _LayeredGraph:
    """Nodes and bends with their layers and widths; neighbours above and below; the path of each edge."""

    layer: Array
    width: Array
    above: list[list[int]]
    below: list[list[int]]
    paths: dict[tuple[int, int], list[int]]

    @classmethod
    def of(cls, parents: list[list[int]], widths: Array) -> _LayeredGraph:
        depth = _depths(parents)
        layer, width = list(depth), [float(value) for value in widths]
        paths = {}
        for child, its in enumerate(parents):
            for parent in its:
                bends = []
                for between in range(depth[parent] + 1, depth[child]):
                    bends.append(len(layer))
                    layer.append(between)
                    width.append(BEND_WIDTH)
                paths[parent, child] = [parent, *bends, child]
        above: list[list[int]] = [[] for _ in layer]
        below: list[list[int]] = [[] for _ in layer]
        for path in paths.values():
            for upper, lower in itertools.pairwise(path):
                above[lower].append(upper)
                below[upper].append(lower)
        return cls(np.array(layer, dtype=np.int64), np.array(width), above, below, paths)


def _depths(parents: list[list[int]]) -> list[int]:
    """The longest path to each node; those without parents are just above their first child."""
    depth = [0] * len(parents)
    children: list[list[int]] = [[] for _ in parents]
    for child, its in enumerate(parents):
        for parent in its:
            children[parent].append(child)
    waiting = [len(its) for its in parents]
    ready = [v for v, count in enumerate(waiting) if count == 0]
    for v in ready:  # which grows as parents are placed
        for child in children[v]:
            depth[child] = max(depth[child], depth[v] + 1)
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    for v, its in enumerate(parents):
        if not its and children[v]:
            depth[v] = min(depth[child] for child in children[v]) - 1
    return depth


def _ordered(graph: _LayeredGraph) -> list[list[int]]:
    """The order of nodes within each layer, with the fewest crossings of those seen."""
    layers: list[list[int]] = [[] for _ in range(int(graph.layer.max(initial=0)) + 1)]
    for v in range(len(graph.layer)):
        layers[graph.layer[v]].append(v)
    best, fewest = [list(layer) for layer in layers], _crossings(graph, layers)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        near = graph.above if down else graph.below
        indices = range(1, len(layers)) if down else range(len(layers) - 2, -1, -1)
        rank = {v: place for layer in layers for place, v in enumerate(layer)}
        for index in indices:
            centre = {v: np.mean([rank[u] for u in near[v]]) if near[v] else rank[v] for v in layers[index]}
            layers[index].sort(key=lambda v: (centre[v], rank[v]))
            rank |= {v: place for place, v in enumerate(layers[index])}
        found = _crossings(graph, layers)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
    return best


def _crossings(graph: _LayeredGraph, layers: list[list[int]]) -> int:
    """The number of pairs of edges between neighbouring layers that cross."""
    count = 0
    for upper, lower in itertools.pairwise(layers):
        place = {v: k for k, v in enumerate(lower)}
        ends = np.array([end for v in upper for end in sorted(place[u] for u in graph.below[v])])
        if len(ends) > 1:
            count += int(np.triu(ends[:, None] > ends, 1).sum())
    return count


def _positions(graph: _LayeredGraph, order: list[list[int]]) -> Array:
    """Positions near those of neighbours, in the given order and without overlap."""
    x = np.zeros(len(graph.layer))
    for layer in order:
        x[layer] = _apart(graph.width[layer], np.zeros(len(layer)))
    for sweep in range(SWEEPS):
        near = graph.above if sweep % 2 == 0 else graph.below
        for layer in order if sweep % 2 == 0 else order[::-1]:
            aim = np.array([np.mean(x[near[v]]) if near[v] else x[v] for v in layer])
            x[layer] = _apart(graph.width[layer], aim)
    return np.asarray(x - x.min(initial=0.0))


def _apart(width: Array, aim: Array) -> Array:
    """Centres as near to `aim` as possible, in this order, with at least half of both widths between two."""
    steps = np.concatenate([[0.0], np.cumsum((width[1:] + width[:-1]) / 2)])
    found: Any = rising_sequence(aim - steps, np.ones(len(aim))) + steps
    return np.asarray(found)
