"""Hill climbing over directed acyclic graphs by single arcs, with a tabu list, perturbations and restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...core import Array, Trace, generator
from ...core.runtime.context import give_way
from ...engines.iterate import Progress, State, best_run
from .._dag import DAG
from .._equivalence import adjacency, graph_of
from .scores import FamilyScores, family

Families = dict[tuple[int, bytes], tuple[float, Array]]
ROUNDING = 1e-10  # relative change of the score that is rounding


@dataclass(frozen=True)
class ArcRules:
    """Which arcs a search may use: a matrix of those allowed and of those required, and how many parents at most."""

    allowed: Array
    required: Array
    max_parents: int


@dataclass
class HillClimbing:
    """One climb: single-arc changes, each the best that is not tabu, until none improved for `tabu_length` steps.

    Then each node in turn loses its arcs and a climb without a tabu list follows, kept if it leads higher: a step each.
    """

    scores: FamilyScores
    rules: ArcRules
    begin: Array
    tabu_length: int
    perturbations: int = 0
    total: float = 1.0
    _families: Families = field(default_factory=dict)
    _last: tuple[Array, Array] | None = None

    def start(self) -> State:
        score = self.score_of(self.begin)
        return {
            "matrix": self.begin, "score": score, "best": self.begin, "best_score": score, "gain": np.inf,
            "stale": 0, "visited": [_packed(self.begin)], "perturbed": 0,
        }  # fmt: skip

    def score_of(self, matrix: Array) -> float:
        """The score of a graph."""
        return sum(self._changes(v, matrix[:, v])[0] for v in range(len(matrix)))

    def _changes(self, child: int, parents: Array) -> tuple[float, Array]:
        """The score of a family, and what adding each other node to it, or removing a parent from it, gains."""
        key = child, parents.tobytes()
        if key not in self._families:
            give_way()
            base = np.flatnonzero(parents).tolist()
            others = [v for v in range(len(parents)) if not parents[v] and v != child and self.rules.allowed[v, child]]
            found = self.scores.extensions(child, base, [-1, *others])
            gains = np.full(len(parents), -np.inf)
            gains[others] = found[1:] - found[0]
            for v in base:
                rest = [u for u in base if u != v]
                gains[v] = family(self.scores, child, rest) - found[0]
            self._families[key] = float(found[0]), gains
        return self._families[key]

    def gains(self, matrix: Array) -> Array:
        """What each change of an arc gains: add, remove or reverse x from x to; minus infinity if not possible."""
        p = len(matrix)
        toggle = np.array([self._changes(v, parents)[1] for v, parents in enumerate(matrix.T)]).T
        full = matrix.sum(axis=0) >= self.rules.max_parents
        above = self._ancestors(matrix)
        free = ~(matrix | above.T | full) & self.rules.allowed
        loose = matrix & ~self.rules.required
        found = np.full((3, p, p), -np.inf)
        found[0][free] = toggle[free]
        found[1][loose] = toggle[loose]
        u, v = np.nonzero(loose & self.rules.allowed.T & ~full[:, None])
        turned = ~(above[u] & matrix.T[v]).any(axis=1)  # no other parent of v is below u
        u, v = u[turned], v[turned]
        found[2, u, v] = toggle[u, v] + toggle[v, u]
        return found

    def _ancestors(self, matrix: Array) -> Array:
        """Entry (i, j): whether i is an ancestor of j; updated where the last graph got an arc."""
        if self._last is not None:
            before, above = self._last
            new = np.argwhere(matrix != before)
            if len(new) == 1 and matrix[tuple(new[0])]:
                u, v = new[0].tolist()
                sources, targets = above[:, u].copy(), above[v].copy()
                sources[u] = targets[v] = True
                reachable: Array = above | (sources[:, None] & targets)
                self._last = matrix, reachable
                return reachable
        self._last = matrix, ancestors(matrix)
        return self._last[1]

    def step(self, state: State) -> State:
        return self._climb(state) if state["stale"] <= self.tabu_length else self._perturb(state)

    def _perturb(self, state: State) -> State:
        """A climb from the best graph without the arcs of one node, those required apart."""
        node, best = state["perturbed"] % len(self.begin), state["best"]
        without = best.copy()
        without[node] &= self.rules.required[node]
        without[:, node] &= self.rules.required[:, node]
        climb = HillClimbing(self.scores, self.rules, without, 0, _families=self._families)
        after = climb.start()
        while after["stale"] == 0:
            after = climb.step(after)
        new = {**state, "perturbed": state["perturbed"] + 1}
        if after["score"] > state["best_score"] + ROUNDING * abs(state["best_score"]):
            return {**new, "best": after["matrix"], "best_score": after["score"]}
        return new

    def _climb(self, state: State) -> State:
        matrix = state["matrix"]
        gains = self.gains(matrix)
        gain, after = self._best(gains, state)
        if after is None:
            return {**state, "gain": 0.0, "stale": self.tabu_length + 1}
        score = state["score"] + gain
        improved = score > state["best_score"] + ROUNDING * abs(state["best_score"])
        visited = [*state["visited"], _packed(after)][-max(self.tabu_length, 1) :]
        new = {**state, "matrix": after, "score": score, "visited": visited, "gain": max(gain, 0.0)}
        if improved:
            return {**new, "best": after, "best_score": score, "stale": 0}
        return {**new, "stale": state["stale"] + 1}

    def _best(self, gains: Array, state: State) -> tuple[float, Array | None]:
        """The change that gains most and does not lead back; of equal ones the first."""
        rounding = ROUNDING * abs(state["score"])
        while True:
            top = float(gains.max())
            if top == -np.inf or (self.tabu_length == 0 and top <= rounding):
                return 0.0, None
            kind, u, v = np.unravel_index(int(np.argmax(gains >= top - rounding)), gains.shape)
            after = state["matrix"].copy()
            after[u, v] = kind == 0
            after[v, u] = kind == 2
            if not any(np.array_equal(_packed(after), old) for old in state["visited"]):
                return float(gains[kind, u, v]), after
            gains[kind, u, v] = -np.inf

    def progress(self, state: State) -> Progress:
        done = state["stale"] > self.tabu_length and state["perturbed"] >= self.perturbations * len(self.begin)
        criterion = 0.0 if done else max(float(state["gain"]), 1e-300)
        return Progress(-state["best_score"] / self.total, criterion, 0.0, {"arcs": float(state["best"].sum())})


def ancestors(matrix: Array) -> Array:
    """Entry (i, j): whether i is an ancestor of j."""
    graph = graph_of(matrix)
    found = np.zeros_like(matrix)
    for v in graph.order:
        for parent in graph.parents[v]:
            found[:, v] |= found[:, parent]
            found[parent, v] = True
    return found


def _packed(matrix: Array) -> Array:
    return np.packbits(matrix)


class Climbed(NamedTuple):
    """A graph, its score, and the greatest gain of a single arc that is left."""

    matrix: Array
    score: float
    left: float


def climb(
    scores: FamilyScores, rules: ArcRules, begin: DAG, options: SearchOptions, trace: Trace, total: float
) -> Climbed:
    """The best graph of several climbs."""
    families: Families = {}

    def climbs() -> Iterator[HillClimbing]:
        first = adjacency(begin)
        yield HillClimbing(scores, rules, first, options.tabu_length, options.perturbations, total, families)
        for run in range(options.restarts):
            shaken = perturbed(first, rules, generator(options.seed, run))
            yield HillClimbing(scores, rules, shaken, options.tabu_length, options.perturbations, total, families)

    best = best_run(climbs(), options.max_iter, trace, lambda state: -state["best_score"])
    return evaluated(scores, rules, best.state["best"], families)


def evaluated(scores: FamilyScores, rules: ArcRules, matrix: Array, families: Families | None = None) -> Climbed:
    """A graph with its score, and what a single arc could still gain."""
    method = HillClimbing(scores, rules, matrix, 0, _families={} if families is None else families)
    return Climbed(matrix, method.score_of(matrix), max(float(method.gains(matrix).max(initial=0.0)), 0.0))


@dataclass(frozen=True)
class SearchOptions:
    """How long and from how many graphs to search."""

    tabu_length: int = 0
    perturbations: int = 0
    restarts: int = 0
    max_iter: int = 10_000
    seed: int = 0


def perturbed(matrix: Array, rules: ArcRules, rng: np.random.Generator) -> Array:
    """A random graph to start from: about one arc for each node, allowed and without cycles."""
    p = len(matrix)
    after = matrix.copy()
    for u, v in rng.integers(0, p, (2 * p, 2)).tolist():
        possible = u != v and rules.allowed[u, v] and after[:, v].sum() < rules.max_parents
        if possible and not after[u, v] and not after[v, u] and not ancestors(after)[v, u]:
            after[u, v] = True
    return after


def upper_bound(scores: FamilyScores, rules: ArcRules, card: Array, penalty: float) -> float:
    """A score that no graph can exceed: each node with its best parents, whether or not they make a cycle.

    Parent sets of at most one node are compared; more of them are bounded by the log likelihood given all columns.
    """
    total = 0.0
    for v in range(scores.size):
        others = [u for u in range(scores.size) if u != v and rules.allowed[u, v]]
        single = float(scores.extensions(v, [], [-1, *others]).max())
        most = scores.most(v)
        if not most < np.inf:
            return np.inf
        cards = np.sort(np.maximum(card[others], 1))
        rows = float(np.prod(cards[:2])) if card[v] > 0 else 4.0
        free = rows * max(card[v] - 1, 1)
        total += max(single, most - penalty * free) if len(others) > 1 and rules.max_parents > 1 else single
    return total
