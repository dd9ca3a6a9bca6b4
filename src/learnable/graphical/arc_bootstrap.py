"""Confidence in the arcs of a learned structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core import ParameterError, cloned, generator, seed_of
from ..core.declare.checked_functions import Model, Rows, checked, limits
from ..core.runtime.random import RandomState
from ..core.validate.dataframes import is_frame
from ._dag import DAG, topological_order
from ._equivalence import adjacency, cpdag, hamming_distance
from ._structure_parsing import read_structure
from .bayesian_network import BayesianNetwork


class ArcStrength(NamedTuple):
    """How often an arc was learned from bootstrap samples: `strength` of the edge, `direction` of it from a to b."""

    parent: str
    child: str
    strength: float
    direction: float


@checked(n_resamples=limits(at_least=1))
def arc_strength(
    network: Model, X: Rows, *, n_resamples: int = 100, random_state: RandomState = None
) -> list[ArcStrength]:
    """Bootstrap arc arcs: in which fraction of resampled tables the structure has each arc.

    Arcs whose direction an equivalence class leaves open count half for each. [Friedman, Goldszmidt and Wyner, 1999]

    >>> X = np.repeat([["a", "u"], ["b", "v"]], 30, axis=0)
    >>> arc_strength(BayesianNetwork(), X, n_resamples=10, random_state=0)[0]
    ArcStrength(parent='x0', child='x1', strength=1.0, direction=0.5)
    """
    if not isinstance(network, BayesianNetwork) or network.structure is not None:
        raise ParameterError("arc_strength: network must be a BayesianNetwork that learns its structure")
    rows = X if is_frame(X) else np.asarray(X)
    seed, count = seed_of(random_state), len(rows)
    total: Any = 0.0
    for k in range(n_resamples):
        weight = np.bincount(generator(seed, k).integers(0, count, count), minlength=count).astype(float)
        model = cloned(network).fit(rows, sample_weight=weight)
        matrix = cpdag(model._network.graph)
        total = total + np.where(matrix & matrix.T, 0.5, matrix.astype(float))
    both = total + total.T
    found = [
        ArcStrength(model.nodes_[a], model.nodes_[b], float(both[a, b] / n_resamples), float(total[a, b] / both[a, b]))
        for a, b in np.argwhere(total > 0).tolist()
    ]
    return sorted(found, key=lambda arc: (-arc.strength, -arc.direction, arc.parent, arc.child))


@checked(threshold=limits(at_least=0, at_most=1))
def averaged_network(arcs: Sequence[ArcStrength], *, threshold: float = 0.5) -> list[tuple[str, str]]:
    """The arcs whose edge is stronger than a threshold, in their more frequent direction, the strongest first.

    An arc that would close a cycle is left out.

    >>> averaged_network([ArcStrength("a", "b", 0.9, 0.7), ArcStrength("b", "a", 0.9, 0.3)])
    [('a', 'b')]
    """
    names = list(dict.fromkeys(name for arc in arcs for name in arc[:2]))
    kept: list[tuple[str, str]] = []
    for arc in sorted(arcs, key=lambda arc: (-arc.strength, -arc.direction)):
        if arc.strength <= threshold or arc.direction < 0.5 or (arc.child, arc.parent) in kept:
            continue
        edges = [*kept, (arc.parent, arc.child)]
        parents = [tuple(names.index(a) for a, b in edges if b == child) for child in names]
        if len(topological_order(parents)) == len(names):
            kept = edges
    return kept


@checked()
def structural_hamming_distance(first: Any, second: Any) -> int:
    """The structural Hamming distance: edges to add, remove or turn to make one equivalence class the other.

    Structures are networks, pairs, text, model strings or graphs. [Tsamardinos, Brown and Aliferis, 2006]

    >>> structural_hamming_distance("a->b->c", "a<-b; c")
    1
    """
    found = [
        read_structure(one.edges_ if isinstance(one, BayesianNetwork) else one, "structural_hamming_distance", name)
        for one, name in ((first, "first"), (second, "second"))
    ]
    names = list(dict.fromkeys(str(node) for structure in found for node in structure.nodes))
    matrices = []
    for structure in found:
        edges = [(names.index(str(a)), names.index(str(b))) for a, b in structure.edges]
        graph = DAG(tuple(tuple(a for a, b in edges if b == child) for child in range(len(names))))
        if len(topological_order(graph.parents)) < len(names):
            raise ParameterError("structural_hamming_distance: a structure has a cycle")
        matrices.append(cpdag(graph) if edges else adjacency(graph))
    return hamming_distance(*matrices)
