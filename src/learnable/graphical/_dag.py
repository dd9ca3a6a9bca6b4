"""Directed acyclic graphs: orders, ancestors, d-separation, moral graphs, Markov blankets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..core.errors import ParameterError

Indices = tuple[int, ...]


@dataclass(frozen=True)
class DAG:
    """A directed acyclic graph of the nodes 0, 1, ...: the parents of each, in the order of its table."""

    parents: tuple[Indices, ...]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs of parent and child."""
        return [(parent, child) for child, parents in enumerate(self.parents) for parent in parents]

    @cached_property
    def children(self) -> tuple[Indices, ...]:
        """The children of each node."""
        found: list[list[int]] = [[] for _ in self.parents]
        for parent, child in self.edges:
            found[parent].append(child)
        return tuple(map(tuple, found))

    @cached_property
    def order(self) -> Indices:
        """The nodes with parents before their children; of several candidates the first node comes first."""
        return tuple(topological_order(self.parents))

    def ancestors(self, nodes: Iterable[int]) -> set[int]:
        """The nodes themselves and all their ancestors."""
        return _reached(nodes, self.parents)

    def descendants(self, nodes: Iterable[int]) -> set[int]:
        """The nodes themselves and all their descendants."""
        return _reached(nodes, self.children)

    def blanket(self, node: int) -> set[int]:
        """The Markov blanket: parents, children, and the other parents of the children."""
        found = {*self.parents[node], *self.children[node]}
        for child in self.children[node]:
            found.update(self.parents[child])
        return found - {node}

    def moral_neighbours(self, nodes: Iterable[int] | None = None) -> dict[int, set[int]]:
        """The moral graph of some nodes, all by default: edges without direction, and parents of a child married."""
        kept = set(range(self.size) if nodes is None else nodes)
        found: dict[int, set[int]] = {node: set() for node in sorted(kept)}
        for child in kept:
            family = [node for node in (child, *self.parents[child]) if node in kept]
            for node in family:
                found[node].update(family)
                found[node].discard(node)
        return found

    def d_separated(self, first: Iterable[int], second: Iterable[int], given: Iterable[int] = ()) -> bool:
        """Whether all paths between two sets of nodes are blocked given a third.

        The ancestral graph of all three is moralised; without the given nodes, no path may be left.
        """
        first, second, given = set(first), set(second), set(given)
        moral = self.moral_neighbours(self.ancestors(first | second | given))
        left = {node: tuple(near - given) for node, near in moral.items()}
        return not _reached(first - given, left) & (second - given)

    def without_edges(self, removed: Iterable[tuple[int, int]]) -> DAG:
        """The graph without some edges."""
        gone = set(removed)
        return DAG(
            tuple(tuple(p for p in parents if (p, child) not in gone) for child, parents in enumerate(self.parents))
        )

    def without_parents(self, nodes: Iterable[int]) -> DAG:
        """The graph after an intervention: nothing points at `nodes`."""
        cut = set(nodes)
        return DAG(tuple(() if child in cut else parents for child, parents in enumerate(self.parents)))


def _reached(nodes: Iterable[int], steps: Sequence[Indices] | dict[int, Indices]) -> set[int]:
    found = set(nodes)
    left = list(found)
    while left:
        for node in steps[left.pop()]:
            if node not in found:
                found.add(node)
                left.append(node)
    return found


def topological_order(parents: Sequence[Indices]) -> list[int]:
    """The nodes with parents before their children, as far as cycles allow it."""
    missing = [len(set(before)) for before in parents]
    children: list[list[int]] = [[] for _ in parents]
    for child, before in enumerate(parents):
        for parent in set(before):
            children[parent].append(child)
    ready = [node for node, count in enumerate(missing) if count == 0]
    order = []
    for node in ready:
        order.append(node)
        for child in children[node]:
            missing[child] -= 1
            if missing[child] == 0:
                ready.append(child)
    return order


def acyclic(names: Sequence[str], edges: Iterable[tuple[int, int]], owner: str) -> DAG:
    """The graph of these edges; an error lists the nodes of a cycle."""
    parents: list[list[int]] = [[] for _ in names]
    for parent, child in edges:
        if parent not in parents[child]:
            parents[child].append(parent)
    graph = DAG(tuple(map(tuple, parents)))
    done = set(topological_order(graph.parents))
    if len(done) < len(names):
        raise ParameterError(
            f"{owner}: the edges form the cycle {' -> '.join(names[node] for node in _cycle(graph, done))}; "
            "a Bayesian network must be acyclic: remove or reverse one of them"
        )
    return graph


def _cycle(graph: DAG, done: set[int]) -> list[int]:
    """The nodes of a cycle: from a node whose ancestors never end, back until one comes twice."""
    walk = [next(node for node in range(graph.size) if node not in done)]
    while walk[-1] not in walk[:-1]:
        walk.append(next(parent for parent in graph.parents[walk[-1]] if parent not in done))
    return walk[walk.index(walk[-1]) :][::-1]
