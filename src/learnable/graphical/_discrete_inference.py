"""Exact inference in products of tables: junction trees compiled once, for all evidence or for a pattern of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..core import Array
from ._elimination import Scope, best_order, eliminate
from ._junction_tree import JunctionTree

LARGE = 1 << 17  # entries above which a tree of its own for each pattern of evidence pays
Evidence = Mapping[int, Array]
"""The likelihood of each state of some variables; a state that was observed has a one among zeros."""


class DiscreteInference:
    """The product of tables over variables with these numbers of states, normalised by itself."""

    def __init__(self, cards: Sequence[int], scopes: Sequence[Scope], tables: Sequence[Array], owner: str) -> None:
        self.cards, self.scopes, self.owner = list(cards), list(scopes), owner
        self.tables = [np.asarray(table, dtype=np.float64) for table in tables]
        self.start = np.concatenate([[0], np.cumsum(np.array(self.cards, dtype=np.int64))])
        self._size = best_order(self.cards, self.scopes).size
        self._tree: tuple[JunctionTree, Array] | None = None
        self._patterns: dict[frozenset[int], JunctionTree] = {}

    def tree(self) -> tuple[JunctionTree, Array]:
        """The junction tree for evidence on any variables, and its potentials."""
        if self._tree is None:
            tree = JunctionTree(self.cards, self.scopes, self.owner)
            self._tree = tree, tree.potential(self.tables)
        return self._tree

    def likelihood(self, evidence: Evidence) -> Array:
        """A row of likelihoods of all states."""
        row = np.ones((1, self.start[-1]))
        for v, values in evidence.items():
            row[0, self.start[v] : self.start[v + 1]] = values
        return row

    def marginals(self, evidence: Evidence) -> tuple[list[Array], float]:
        """The posterior of every variable, and the log probability of the evidence."""
        if self._size > LARGE:
            return self._marginals_by_pattern(evidence)
        tree, potential = self.tree()
        evident = np.array(list(evidence), dtype=np.int64)
        posterior, log_evidence = tree.propagate(potential, evident, self.likelihood(evidence))
        return np.split(posterior[0], self.start[1:-1]), float(log_evidence[0])

    def batch(self, likelihood: Array, evident: Array) -> tuple[Array, Array]:
        """Posteriors side by side, and log probabilities of the evidence, of rows of likelihoods."""
        if self._size > LARGE:
            found = [self.marginals(self._evidence_of(row, evident)) for row in likelihood]
            return np.array([np.concatenate(posterior) for posterior, _ in found]), np.array([log for _, log in found])
        tree, potential = self.tree()
        return tree.propagate(potential, evident, likelihood)

    def _evidence_of(self, row: Array, evident: Array) -> dict[int, Array]:
        return {v: row[self.start[v] : self.start[v + 1]] for v in evident.tolist()}

    def best_states(self, evidence: Evidence) -> tuple[Array, float]:
        """The most probable states of all variables, and the logarithm of their joint potential."""
        if self._size > LARGE:
            observed, cards, scopes, tables = self._reduced(evidence)
            tree = self._tree_of(observed, cards, scopes)
            likelihood = self._reduced_likelihood(cards, evidence, observed)
            soft = np.array([v for v in evidence if v not in observed], dtype=np.int64)
            state, log = tree.best_states(tree.potential(tables), soft, likelihood)
            return np.array([observed.get(v, s) for v, s in enumerate(state[0].tolist())]), float(log[0])
        tree, potential = self.tree()
        evident = np.array(list(evidence), dtype=np.int64)
        state, log = tree.best_states(potential, evident, self.likelihood(evidence))
        return state[0], float(log[0])

    def joint(self, kept: Sequence[int], evidence: Evidence, relevant: Iterable[int] | None = None) -> Array:
        """The joint table of some variables with the evidence, not normalised, by variable elimination.

        Without tables of what is not `relevant`, such as nodes without evidence below.
        """
        used = set(range(len(self.scopes)) if relevant is None else relevant)
        scopes = [scope for f, scope in enumerate(self.scopes) if f in used]
        tables = [table for f, table in enumerate(self.tables) if f in used]
        scopes += [(v,) for v in evidence]
        tables += [np.asarray(values, dtype=np.float64) for values in evidence.values()]
        return eliminate(self.cards, scopes, tables, kept, self.owner)

    def _reduced(self, evidence: Evidence) -> tuple[dict[int, int], list[int], list[Scope], list[Array]]:
        """The tables with observed states taken; an observed variable is left with one state."""
        observed = {v: int(np.argmax(values)) for v, values in evidence.items() if np.count_nonzero(values) == 1}
        cards = [1 if v in observed else card for v, card in enumerate(self.cards)]
        scopes = [tuple(v for v in scope if v not in observed) for scope in self.scopes]
        tables = [
            table[tuple(observed.get(v, slice(None)) for v in scope)]
            for scope, table in zip(self.scopes, self.tables, strict=True)
        ]
        return observed, cards, scopes, tables

    def _tree_of(self, observed: Mapping[int, int], cards: list[int], scopes: list[Scope]) -> JunctionTree:
        """The tree of a pattern of observed variables, compiled once."""
        pattern = frozenset(observed)
        if pattern not in self._patterns:
            self._patterns[pattern] = JunctionTree(cards, scopes, self.owner)
        return self._patterns[pattern]

    def _reduced_likelihood(self, cards: list[int], evidence: Evidence, observed: dict[int, int]) -> Array:
        parts = [
            [evidence[v][observed[v]]] if v in observed else evidence.get(v, np.ones(card))
            for v, card in enumerate(cards)
        ]
        return np.concatenate(parts)[None].astype(np.float64)

    def _marginals_by_pattern(self, evidence: Evidence) -> tuple[list[Array], float]:
        observed, cards, scopes, tables = self._reduced(evidence)
        tree = self._tree_of(observed, cards, scopes)
        evident = np.array(list(evidence), dtype=np.int64)
        likelihood = self._reduced_likelihood(cards, evidence, observed)
        posterior, log_evidence = tree.propagate(tree.potential(tables), evident, likelihood)
        found = []
        for v, values in enumerate(np.split(posterior[0], np.cumsum(cards)[:-1])):
            found.append(np.eye(self.cards[v])[observed[v]] if v in observed else values)
        return found, float(log_evidence[0])
