"""Structure and parameters of a network from a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, ParameterError, Trace, seed_of
from ._coded_table import Columns
from ._dag import DAG, acyclic
from ._estimation import fit_tables, summarise, variance_floors
from ._network import Network
from ._search.hill_climbing import ArcRules, Climbed, SearchOptions, climb, upper_bound
from ._search.scores import FamilyScores, family_scores


class Learned(NamedTuple):
    """A network and the statistics that its parameters were made of."""

    network: Network
    statistics: list[Array]


def complete_rows(columns: Columns, weight: Array | None) -> tuple[Columns, Array | None]:
    """The rows without missing values; all, with missing entries replaced, if less than half are complete."""
    missing = columns.missing
    whole = ~missing.any(axis=0)
    if whole.all():
        return columns, weight
    if whole.mean() >= 0.5:
        kept = np.flatnonzero(whole)
        return columns.chosen(kept), None if weight is None else weight[kept]
    return impute_columns(columns, weight), weight


def impute_columns(columns: Columns, weight: Array | None) -> Columns:
    """Missing entries replaced by the most frequent state or the mean of their column."""
    w = np.ones(columns.rows) if weight is None else weight
    code, value, missing = columns.code.copy(), columns.value.copy(), columns.missing
    for v, card in enumerate(columns.card.tolist()):
        known = ~missing[v]
        if card > 0:
            code[v, ~known] = np.argmax(np.bincount(code[v, known], w[known], minlength=card))
        else:
            value[v, ~known] = np.average(value[v, known], weights=w[known])
    return replace(columns, code=code, value=value)


def learn_parameters(model: Any, columns: Columns, graph: DAG, weight: Array | None, trace: Trace) -> Learned:
    """The parameters of a given graph: closed form from complete rows, EM where values are missing."""
    floors = variance_floors(columns, weight)
    begun = len(trace.rows) > 0
    if columns.missing.any():
        from ._em import fit_by_em

        return fit_by_em(model, columns, graph, weight, floors, trace)
    statistics = summarise(columns, graph, weight)
    tables, variances = fit_tables(statistics, columns.card, model.smoothing, floors)
    network = Network(tuple(columns.names), tuple(columns.states), graph, tuple(tables), tuple(variances))
    if not begun:
        trace.exact("the parameters are relative frequencies and least-squares regressions in closed form")
    return Learned(network, statistics)


def arc_rules(model: Any, columns: Columns) -> ArcRules:
    """The arcs that a learned structure may, and must have."""
    p = len(columns.names)
    allowed = ~np.eye(p, dtype=bool)
    allowed &= ~(~columns.discrete[:, None] & columns.discrete[None])  # no continuous parents of categorical nodes
    required = np.zeros((p, p), dtype=bool)
    for parent, child in _pairs(model, columns, model.forbidden, "forbidden"):
        allowed[parent, child] = False
    for parent, child in _pairs(model, columns, model.required, "required"):
        if not allowed[parent, child]:
            raise ParameterError(
                f"{type(model).__name__}: the arc {columns.names[parent]!r} -> {columns.names[child]!r} is required, "
                "but it is forbidden, or leads from a continuous to a categorical node"
            )
        required[parent, child] = True
    acyclic(columns.names, arcs_of(required), type(model).__name__)
    return ArcRules(allowed, required, p if model.max_parents is None else model.max_parents)


def arcs_of(matrix: Array) -> list[tuple[int, int]]:
    """The arcs of a matrix as pairs."""
    return [(int(a), int(b)) for a, b in np.argwhere(matrix)]


def _pairs(model: Any, columns: Columns, pairs: Any, name: str) -> Iterable[tuple[int, int]]:
    from ._structure import read_structure

    if pairs is None:
        return []
    names = columns.names
    position: dict[Any, int] = {**{k: k for k in range(len(names))}, **{one: k for k, one in enumerate(names)}}
    found = []
    for pair in read_structure(pairs, type(model).__name__, name).edges:
        if pair[0] not in position or pair[1] not in position:
            raise ParameterError(f"{type(model).__name__}: {name} has the arc {pair!r:.60}, which are not both columns")
        found.append((position[pair[0]], position[pair[1]]))
    return found


def learn_structure(model: Any, columns: Columns, weight: Array | None, trace: Trace) -> tuple[DAG, float]:
    """The graph with the best score that the search of `model` finds, and this score."""
    columns, weight = complete_rows(columns, weight)
    rules = arc_rules(model, columns)
    scores = family_scores(columns, weight, model.scoring, model.prior_strength)
    total = float(columns.rows if weight is None else weight.sum())
    begin = acyclic(columns.names, arcs_of(rules.required), type(model).__name__)
    options = SearchOptions(model.tabu_length, model.restarts, model.max_iter, _seed(model))
    found = climb(scores, rules, begin, options, trace, total)
    certify(model, scores, rules, columns.card, found, trace)
    return acyclic(columns.names, arcs_of(found.matrix), type(model).__name__), found.score


def _seed(model: Any) -> int:
    return seed_of(model.random_state) if model.restarts else 0


def certify(model: Any, scores: FamilyScores, rules: ArcRules, card: Array, found: Climbed, trace: Trace) -> None:
    """State what a single arc could still gain, and the bound that no graph exceeds."""
    bound = upper_bound(scores, rules, card, scores.penalty)
    said = f"; no structure at all exceeds {bound:.8g}" if bound < np.inf else ""
    trace.certify(
        "local optimum", found.left, 1e-9 * max(abs(found.score), 1.0),
        f"no arc can be added, removed or reversed to raise the {model.scoring} score {found.score:.8g} by more{said}",
    )  # fmt: skip
