"""Junction trees compiled into flat arrays, which one loop in C++ runs for any number of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import Array
from ..core.runtime.native import kernels
from ._elimination import EliminationOrder, Scope, best_order, members, refuse_too_large

MAX_BATCHED_ENTRIES = 1 << 22  # entries of a tree above which rows are handled one by one, to save memory


class JunctionTree:
    """A junction tree for factors with these scopes: the plan, without numbers."""

    def __init__(self, cards: Sequence[int], scopes: Sequence[Scope], owner: str) -> None:
        order = best_order(cards, scopes)
        refuse_too_large(owner, order)
        self.cards = np.array(cards, dtype=np.int64)
        self.state_start = np.concatenate([[0], np.cumsum(self.cards)])
        cliques, parents, clique_of = _cliques(order)
        self._plan(cliques, parents, clique_of)
        rank = {v: k for k, v in enumerate(order.order)}
        last = len(cliques) - 1
        first = [min(scope, key=rank.__getitem__) if scope else order.order[0] for scope in scopes]
        self.family_clique = np.array([last - clique_of[v] for v in first], dtype=np.int64)
        self.family_start, self.family_scope = flat(scopes)
        sizes = [int(np.prod([cards[v] for v in scope], dtype=np.int64)) for scope in scopes]
        self.family_at = np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))])

    def _plan(self, cliques: list[list[int]], parents: list[int], clique_of: dict[int, int]) -> None:
        """Hand the cliques to the kernel, the last first, so that children come before their parents."""
        last = len(cliques) - 1
        ordered: list[list[int]] = []
        separators = []
        for clique, parent in zip(cliques, parents, strict=True):
            shared = [v for v in ordered[parent] if v in set(clique)] if parent >= 0 else []
            ordered.append([*shared, *(v for v in clique if v not in set(shared))])
            separators.append(len(shared))
        home = [0] * len(self.cards)
        sizes = [float(np.prod(self.cards[clique], dtype=np.float64)) for clique in cliques]
        smallest = [np.inf] * len(self.cards)
        for c, clique in enumerate(cliques):
            for v in clique:
                if sizes[c] < smallest[v]:
                    home[v], smallest[v] = last - c, sizes[c]
        start, scope = flat([tuple(clique) for clique in reversed(ordered)])
        upward = [last - parent if parent >= 0 else -1 for parent in reversed(parents)]
        whole = [start, scope, np.array(separators[::-1]), np.array(upward), self.cards, np.array(home)]
        self.plan = kernels.JunctionTree(*(np.ascontiguousarray(array, dtype=np.int64) for array in whole))
        self.entries = int(sum(sizes))
        self.width = max(map(len, cliques)) - 1

    def potential(self, tables: Sequence[Array]) -> Array:
        """The factors multiplied into their cliques."""
        result = np.empty(self.entries)
        value = np.concatenate([np.ravel(table) for table in tables]).astype(np.float64, copy=False)
        self.plan.assemble(self.family_start, self.family_scope, self.family_clique, value, result)
        return result

    def propagate(self, potential: Array, evident: Array, likelihood: Array) -> tuple[Array, Array]:
        """The posteriors of all variables, side by side, and the log probability of the evidence, of each row."""
        posterior, log_evidence = np.empty_like(likelihood), np.empty(len(likelihood))
        step = 1 if self.entries > MAX_BATCHED_ENTRIES else max(len(likelihood), 1)
        for i in range(0, len(likelihood), step):
            part = slice(i, i + step)
            self.plan.propagate(potential, evident, likelihood[part], posterior[part], log_evidence[part])
        return posterior, log_evidence

    def best_states(self, potential: Array, evident: Array, likelihood: Array) -> tuple[Array, Array]:
        """The most probable states of all variables in each row, and the logarithm of their probability."""
        state = np.empty((len(likelihood), len(self.cards)), dtype=np.int64)
        log_probability = np.empty(len(likelihood))
        self.plan.best_states(potential, evident, likelihood, state, log_probability)
        return state, log_probability

    def expected_counts(
        self, potential: Array, evident: Array, likelihood: Array, weight: Array
    ) -> tuple[list[Array], Array]:
        """The expected counts of each factor's variables, and the log probability of each row."""
        counts, log_evidence = np.empty(self.family_at[-1]), np.empty(len(likelihood))
        self.plan.expected_counts(
            potential, evident, likelihood, weight, self.family_start, self.family_scope, self.family_clique,
            counts, log_evidence,
        )  # fmt: skip
        return [counts[a:b] for a, b in zip(self.family_at[:-1], self.family_at[1:], strict=True)], log_evidence


def flat(groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """Lists one after the other, and where each begins."""
    start = np.concatenate([[0], np.cumsum([len(group) for group in groups], dtype=np.int64)]).astype(np.int64)
    return start, np.array([v for group in groups for v in group], dtype=np.int64)


def _cliques(order: EliminationOrder) -> tuple[list[list[int]], list[int], dict[int, int]]:
    """The maximal cliques, the parent of each, which comes before it, and the clique in which a variable is first.

    The clique of an eliminated variable hangs on that of its neighbour which is eliminated next.
    """
    rank = {v: k for k, v in enumerate(order.order)}
    masks: list[int] = []
    parents: list[int] = []
    clique_of: dict[int, int] = {}
    for v in reversed(order.order):
        rest = order.cliques[v] & ~(1 << v)
        parent = clique_of[min(members(rest), key=rank.__getitem__)] if rest else -1
        if parent >= 0 and masks[parent] == rest:
            masks[parent] |= 1 << v
            clique_of[v] = parent
            continue
        clique_of[v] = len(masks)
        masks.append(order.cliques[v])
        parents.append(parent)
    return [members(mask) for mask in masks], parents, clique_of
