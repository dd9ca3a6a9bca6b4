"""Elimination of variables: orders, the cliques that they make, and elimination for a single query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np

from ..core import Array, BudgetError
from ..core.runtime.context import current
from ..core.runtime.memory import memory_to_be_had, resident_bytes

Scope = tuple[int, ...]
Cost = Callable[[int], float]
REMEDY = (
    "give evidence on more variables, or approximate: method='likelihood_weighting', 'gibbs' or 'loopy', each of which "
    "states its error"
)


def interaction_graph(size: int, scopes: Iterable[Scope]) -> list[int]:
    """The neighbours of each variable as a bit mask: variables of one factor are neighbours."""
    near = [0] * size
    for scope in scopes:
        mask = sum(1 << v for v in scope)
        for v in scope:
            near[v] |= mask
    return [mask & ~(1 << v) for v, mask in enumerate(near)]


def members(mask: int) -> list[int]:
    """The variables of a bit mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


class EliminationOrder:
    """An order in which variables are eliminated, and the clique that each makes with its neighbours then.

    `size` is the number of entries of the tables of all cliques: what exact inference costs, known before it begins.
    """

    def __init__(self, cards: Sequence[int], near: Sequence[int], last: int = 0, by_fill: bool = True) -> None:
        self.cards, self.logs = cards, [math.log2(card) for card in cards]
        self.near, self.by_fill = list(near), by_fill
        self.order: list[int] = []
        self.cliques: dict[int, int] = {}
        self._run(last)
        self.log_sizes = [self._log_size(mask) for mask in self.cliques.values()]
        self.size = sum(2.0**log for log in self.log_sizes)

    def _log_size(self, mask: int) -> float:
        return sum(self.logs[v] for v in members(mask))

    def _cost(self, v: int) -> tuple[float, float]:
        near = self.near[v]
        weight = self.logs[v] + self._log_size(near)
        if not self.by_fill:
            return weight, 0.0
        found = members(near)
        missing = sum((near & ~self.near[u]).bit_count() - 1 for u in found)
        return missing, weight

    def _run(self, last: int) -> None:
        """Eliminate the variable with the least cost until only those in the mask `last` are left, and then these."""
        left = set(range(len(self.cards)))
        cost = {v: self._cost(v) for v in left}
        while left:
            free = [v for v in left if not last >> v & 1] or sorted(left)
            v = min(free, key=lambda u: (cost[u], u))
            left.remove(v)
            self.order.append(v)
            near = self.near[v]
            self.cliques[v] = near | 1 << v
            changed = near
            for u in members(near):
                changed |= self.near[u]
                self.near[u] = (self.near[u] | near) & ~(1 << u) & ~(1 << v)
            for u in members(changed & ~(1 << v)):
                if u in left:
                    cost[u] = self._cost(u)


def best_order(cards: Sequence[int], scopes: Sequence[Scope], last: int = 0) -> EliminationOrder:
    """The better of the greedy orders by fewest new edges and by the smallest clique."""
    near = interaction_graph(len(cards), scopes)
    if last:
        near = [mask | (last & ~(1 << v) if last >> v & 1 else 0) for v, mask in enumerate(near)]
    orders = (EliminationOrder(cards, near, last, by_fill) for by_fill in (True, False))
    return min(orders, key=lambda order: order.size)


def refuse_too_large(owner: str, order: EliminationOrder, per_entry: int = 16) -> None:
    """Refuse exact inference whose tables do not fit into memory, before anything is allocated."""
    needed = order.size * per_entry
    there = min(0.8 * memory_to_be_had(), current().memory_limit - resident_bytes())
    if needed > there:
        width = max(order.cliques.values(), key=int.bit_count).bit_count() - 1
        raise BudgetError(
            f"{owner}: exact inference needs tables of {order.size:.3g} entries, {needed / 2**30:.3g} GiB (width "
            f"{width}), and {max(there, 0) / 2**30:.3g} GiB are free; {REMEDY}"
        )


def eliminate(
    cards: Sequence[int], scopes: Sequence[Scope], tables: Sequence[Array], kept: Sequence[int], owner: str
) -> Array:
    """The product of the tables summed over all variables except `kept`, with axes in the order of `kept`.

    Variable elimination: every variable is summed out of the product of the tables that have it.
    """
    if len(kept) > 31:
        raise BudgetError(f"{owner}: a joint table of {len(kept)} variables is too large; query fewer, or each alone")
    order = best_order(cards, scopes, sum(1 << v for v in kept))
    refuse_too_large(owner, order)
    left = list(zip(scopes, tables, strict=True))
    for v in order.order[: len(cards) - len(kept)]:
        with_v = [factor for factor in left if v in factor[0]]
        if not with_v:
            continue
        left = [factor for factor in left if v not in factor[0]]
        scope, table = reduce(multiply, with_v)
        axis = scope.index(v)
        left.append((scope[:axis] + scope[axis + 1 :], table.sum(axis=axis)))
    everything: tuple[Scope, Array] = (tuple(kept), np.ones([cards[v] for v in kept]))
    scope, table = reduce(multiply, left, everything)
    return np.ascontiguousarray(table.transpose([scope.index(v) for v in kept]))


def multiply(first: tuple[Scope, Array], second: tuple[Scope, Array]) -> tuple[Scope, Array]:
    """The product of two tables, whose axes are those of the first and then the new ones of the second."""
    scope, other = first[0], second[0]
    new = tuple(v for v in other if v not in scope)
    whole = (*scope, *new)
    aligned = second[1].transpose([other.index(v) for v in sorted(other, key=whole.index)])
    shape = [1] * len(whole)
    for v, length in zip(sorted(other, key=whole.index), aligned.shape, strict=True):
        shape[whole.index(v)] = length
    return whole, first[1].reshape(first[1].shape + (1,) * len(new)) * aligned.reshape(shape)
