"""Structure and parameters of a network from a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, ParameterError, Trace, seed_of
from ._coded_table import Columns
from ._dag import DAG, acyclic
from ._estimation import fit_tables, summarise, variance_floors
from ._network import Network
from ._search.constraints import candidates, pc_stable, to_dag
from ._search.equivalence_search import EquivalenceSearch
from ._search.exact import best_structure
from ._search.hill_climbing import ArcRules, Climbed, SearchOptions, climb, evaluated, upper_bound
from ._search.independence import independence_test
from ._search.scores import FamilyScores, family_scores
from ._search.trees import chow_liu


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
    from ._structure_parsing import read_structure

    if pairs is None:
        return []
    names = columns.names
    position: dict[Any, int] = {**{k: k for k in range(len(names))}, **{one: k for k, one in enumerate(names)}}
    found = []
    for pair in read_structure(pairs, type(model).__name__, name).edges:
        if pair[0] not in position or pair[1] not in position:
            raise ParameterError(f"{type(model).__name__}: {name} has the arc {pair!r:.60}; both ends must be columns")
        found.append((position[pair[0]], position[pair[1]]))
    return found


def learn_structure(model: Any, columns: Columns, weight: Array | None, trace: Trace) -> tuple[DAG, float]:
    """The graph that the search of `model` finds, and its score."""
    columns, weight = complete_rows(columns, weight)
    rules = arc_rules(model, columns)
    scores = family_scores(columns, weight, model.scoring, model.prior_strength)
    total = float(columns.rows if weight is None else weight.sum())
    if model.search in ("hill_climbing", "mmhc"):
        if model.search == "mmhc":
            test = independence_test(columns, weight, type(model).__name__)
            rules = replace(rules, allowed=rules.allowed & (candidates(test, rules, model.alpha) | rules.required))
        found = _climbed(model, columns, scores, rules, total, trace)
    else:
        matrix = SEARCHES[model.search](model, columns, weight, scores, rules)
        found = evaluated(scores, rules, matrix)
        trace.record(-found.score / total)
        trace.stopped = "exact"
    certify(model, scores, rules, columns.card, found, trace)
    return acyclic(columns.names, arcs_of(found.matrix), type(model).__name__), found.score


def _climbed(
    model: Any, columns: Columns, scores: FamilyScores, rules: ArcRules, total: float, trace: Trace
) -> Climbed:
    begin = acyclic(columns.names, arcs_of(rules.required), type(model).__name__)
    options = SearchOptions(model.tabu_length, model.perturbations, model.restarts, model.max_iter, _seed(model))
    return climb(scores, rules, begin, options, trace, total)


def _pc(model: Any, columns: Columns, weight: Array | None, scores: FamilyScores, rules: ArcRules) -> Array:
    test = independence_test(columns, weight, type(model).__name__)
    matrix, _ = pc_stable(test, rules, model.alpha, rules.max_parents)
    return to_dag(matrix, rules.required)


def _ges(model: Any, columns: Columns, weight: Array | None, scores: FamilyScores, rules: ArcRules) -> Array:
    mixed = columns.discrete.any() and not columns.discrete.all()
    if mixed or rules.required.any() or (~rules.allowed).sum() > len(columns.names):
        raise ParameterError(
            f"{type(model).__name__}: search='ges' compares equivalence classes, so it needs columns of one kind and "
            "no required or forbidden arcs; use search='hill_climbing'"
        )
    return to_dag(EquivalenceSearch(scores, rules).run(), rules.required)


def _chow_liu(model: Any, columns: Columns, weight: Array | None, scores: FamilyScores, rules: ArcRules) -> Array:
    likelihood = family_scores(columns, weight, "loglik", 1.0)
    return chow_liu(likelihood, rules.allowed, int(np.argmax(columns.discrete)))


def _exact(model: Any, columns: Columns, weight: Array | None, scores: FamilyScores, rules: ArcRules) -> Array:
    return best_structure(scores, rules, type(model).__name__)


SEARCHES: dict[str, Callable[..., Array]] = {"pc": _pc, "ges": _ges, "chow_liu": _chow_liu, "exact": _exact}


def _seed(model: Any) -> int:
    return seed_of(model.random_state) if model.restarts else 0


def certify(model: Any, scores: FamilyScores, rules: ArcRules, card: Array, found: Climbed, trace: Trace) -> None:
    """State what is proven of a structure, and the bound that no graph exceeds."""
    shown = f"the {model.scoring} score {found.score:.8g}"
    if model.search in CLAIMS:
        trace.certify("exact", 0.0, 0.0, CLAIMS[model.search].format(shown=shown, alpha=model.alpha))
        return
    bound = upper_bound(scores, rules, card, scores.penalty)
    said = f"; no structure at all exceeds {bound:.8g}" if bound < np.inf else ""
    trace.certify(
        "local optimum", found.left, 1e-9 * max(abs(found.score), 1.0),
        f"no arc can be added, removed or reversed to raise {shown} by more{said}",
    )  # fmt: skip


CLAIMS = {
    "exact": "no structure with the allowed arcs has more than {shown}",
    "pc": "the edges are those that no test at level {alpha:g} explains; {shown}",
    "chow_liu": "no tree has a greater likelihood; {shown}",
}
