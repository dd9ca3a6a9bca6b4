"""Loopy belief propagation: messages between variables and factors until they stop changing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ._elimination import Scope

Message = dict[tuple[int, int], Array]


def loopy_marginals(
    cards: Sequence[int],
    scopes: Sequence[Scope],
    tables: Sequence[Array],
    damping: float = 0.5,
    max_iter: int = 500,
    tol: float = 1e-9,
) -> tuple[list[Array], float]:
    """The belief of every variable, and the largest change of a message in the last iteration.

    Exact on trees; with cycles it is an approximation whose fixed points are stationary points of the Bethe free
    energy. [Yedidia, Freeman and Weiss, 2005]
    """
    edges = [(f, v) for f, scope in enumerate(scopes) for v in scope]
    of_variable: list[list[int]] = [[] for _ in cards]
    for f, v in edges:
        of_variable[v].append(f)
    upward: Message = {(f, v): np.full(cards[v], 1 / cards[v]) for f, v in edges}
    residual = 0.0
    for _ in range(max_iter):
        residual = 0.0
        downward = {(f, v): _product(upward, v, [g for g in of_variable[v] if g != f], cards[v]) for f, v in edges}
        for f, v in edges:
            new = _message(scopes[f], tables[f], v, {u: downward[f, u] for u in scopes[f] if u != v})
            new = np.where(new > 0, damping * upward[f, v] + (1 - damping) * new, 0.0)  # what is impossible stays so
            residual = max(residual, float(np.abs(new - upward[f, v]).max()))
            upward[f, v] = new
        if residual <= tol:
            break
    return [_product(upward, v, of_variable[v], card) for v, card in enumerate(cards)], residual


def _product(messages: Message, v: int, factors: Sequence[int], card: int) -> Array:
    found = np.ones(card)
    for f in factors:
        found = found * messages[f, v]
        found = found / max(found.max(), 1e-300)
    return normalised(found)


def _message(scope: Scope, table: Array, v: int, incoming: dict[int, Array]) -> Array:
    """The table times the messages of the other variables, summed over these."""
    operands: list[Any] = [table, list(range(len(scope)))]
    for k, u in enumerate(scope):
        if u != v:
            operands += [incoming[u], [k]]
    return normalised(np.asarray(np.einsum(*operands, [scope.index(v)], optimize=len(scope) > 3)))


def normalised(values: Array) -> Array:
    """Non-negative numbers divided by their sum. All are zero only if no state of all variables is possible."""
    total = values.sum()
    if not total > 0:
        raise ParameterError("loopy belief propagation: the evidence has probability 0; check it and the tables")
    return np.asarray(values / total)
