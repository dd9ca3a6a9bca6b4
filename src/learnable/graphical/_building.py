"""Networks made of conditional distributions that are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core import Array, ParameterError, ParameterTypeError
from ._coded_table import NO_STATES
from ._dag import acyclic
from ._network import Network
from ._structure_parsing import read_structure
from .linear_gaussian_cpd import LinearGaussianCPD
from .tabular_cpd import TabularCPD


def network_of_cpds(cpds: Sequence[Any], structure: Any, owner: str) -> Network:
    """The network of these distributions; they must have the parents that `structure` says, if it is given."""
    cpds = list(cpds) if isinstance(cpds, Iterable) else [cpds]
    if not all(isinstance(cpd, (TabularCPD, LinearGaussianCPD)) for cpd in cpds):
        raise ParameterTypeError(f"{owner}: cpds must be a list of TabularCPD and LinearGaussianCPD; got {cpds!r:.60}")
    if not cpds:
        raise ParameterError(f"{owner}: cpds must hold a conditional distribution for every node; it is empty")
    names = [str(cpd.variable) for cpd in cpds]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"{owner}: every node needs one conditional distribution; {twice!r} has several")
    states = {name: _states(cpd, cpds) for name, cpd in zip(names, cpds, strict=True)}
    edges = []
    for cpd in cpds:
        for parent in _parents(cpd):
            if parent not in names:
                raise ParameterError(f"{owner}: {cpd.variable!r} has the parent {parent!r}, which has no distribution")
            edges.append((names.index(parent), names.index(str(cpd.variable))))
    graph = acyclic(names, edges, owner)
    if structure is not None:
        _check_structure(names, {(names[a], names[b]) for a, b in edges}, structure, owner)
    tables, variances = [], []
    for cpd in cpds:
        table, variance = _parameters(cpd, states, owner)
        tables.append(table)
        variances.append(variance)
    return Network(tuple(names), tuple(states[name] for name in names), graph, tuple(tables), tuple(variances))


def _parents(cpd: Any) -> list[str]:
    return [*getattr(cpd, "groups", ()), *(cpd.evidence or ())]


def _states(cpd: Any, cpds: Sequence[Any]) -> Array:
    """The states of a node: as it names them, or as one of its children does."""
    if isinstance(cpd, LinearGaussianCPD):
        return NO_STATES
    tables = [other for other in (cpd, *cpds) if isinstance(other, TabularCPD)]
    named = [other.state_names[cpd.variable] for other in tables if cpd.variable in other.state_names]
    values = list(named[0]) if named else list(range(cpd.variable_card))
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _check_structure(names: list[str], edges: set[tuple[str, str]], structure: Any, owner: str) -> None:
    given = read_structure(structure, owner)
    wrong = edges.symmetric_difference(given.edges) or {(node, node) for node in given.nodes if node not in names}
    if wrong:
        parent, child = min(wrong)
        raise ParameterError(f"{owner}: the arc {parent!r} -> {child!r} is in one of structure and cpds alone")


def _parameters(cpd: Any, states: dict[str, Array], owner: str) -> tuple[Array, Array]:
    cards = [*getattr(cpd, "group_cards", ()), *(getattr(cpd, "evidence_card", ()) or ())]
    for parent, card in zip(_parents(cpd), cards, strict=False):
        if len(states[parent]) != card:
            raise ParameterError(
                f"{owner}: {cpd.variable!r} expects {card} states of its parent {parent!r}, which has "
                f"{len(states[parent]) or 'none: it is continuous'}"
            )
    if isinstance(cpd, TabularCPD):
        order = [cpd.state_names.get(parent) for parent in cpd.evidence or ()]
        return _reordered(cpd, order, states), np.empty(0)
    continuous = next((parent for parent in cpd.evidence if len(states[parent])), None)
    if continuous is not None:
        raise ParameterError(f"{owner}: {continuous!r} is categorical; list it in groups of {cpd.variable!r}")
    beta = np.atleast_2d(np.array(cpd.beta, dtype=np.float64))
    return beta, np.atleast_1d(np.array(cpd.std, dtype=np.float64)) ** 2


def _reordered(cpd: TabularCPD, order: Sequence[Sequence[Any] | None], states: dict[str, Array]) -> Array:
    """The table with the states of every parent in the order in which the parent itself has them."""
    cards = list(cpd.evidence_card or ())
    table = cpd.table.reshape([*cards, cpd.variable_card])
    for axis, (parent, named) in enumerate(zip(cpd.evidence or (), order, strict=True)):
        known = states[parent].tolist()
        if named is not None and list(named) != known:
            if set(named) != set(known):
                raise ParameterError(
                    f"TabularCPD of {cpd.variable!r}: {parent!r} has the states {known}, not {list(named)}"
                )
            table = table.take([list(named).index(state) for state in known], axis=axis)
    return np.ascontiguousarray(table.reshape(-1, cpd.variable_card))
