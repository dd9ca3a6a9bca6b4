"""Exploration of a table without a target: encoded columns, principal components, outliers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import Array, BudgetError
from ...core.runtime import context
from ...core.runtime.random import generator
from ..task import Question
from .candidates import kinds
from .interruption import Early
from .time_left import Clock

FEW_ROWS, FEWER_ROWS = 2000, 50  # rows of the first pass under a budget; the second for very wide tables
FEW_CELLS = 400_000  # of the first pass
PASS_FRACTION = 0.4  # maximum fraction of the time left for a pass
COMPONENTS = 10
OUTLIERS = 10

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Exploration:
    """The explored `rows` of a table: encoded columns, explained variance ratios, principal components, outliers."""

    rows: Array
    encoded: Array
    names: list[str]
    explained: Array
    components: Array
    outliers: list[tuple[int, float]]


def explore(question: Question, seed: int, log: Log, clock: Clock, early: Early) -> tuple[Exploration, Early]:
    """Explore all rows, or a random sample as large as the time allows, and say what ended it early.

    A first pass over few rows measures the cost.
    """
    few = max(FEW_CELLS // max(len(question.features), 1), FEWER_ROWS)
    few = min(few, FEW_ROWS, question.n)
    if not clock.limited:
        return _explore(question, np.arange(question.n), seed, log), early
    order = generator(seed).permutation(question.n)
    with context.unhurried():  # the first pass is always completed
        began = time.monotonic()
        found = _explore(question, np.sort(order[:few]), seed, log)
        once = time.monotonic() - began
    payable = min(int(few * PASS_FRACTION * max(clock.left, 0.0) / once), question.n)
    if early or payable <= few:
        return found, early or ("budget" if few < question.n else "")
    try:
        with clock.giving(PASS_FRACTION):
            return _explore(question, np.sort(order[:payable]), seed, log), "budget" if payable < question.n else ""
    except BudgetError:
        return found, "budget"


def _explore(question: Question, rows: Array, seed: int, log: Log) -> Exploration:
    from ...compose import TableVectorizer

    part = question if len(rows) == question.n else question.rows(rows)
    log("encoding the columns")
    encoder = TableVectorizer(kinds(question), random_state=seed)
    encoded = np.asarray(encoder.fit_transform(part.frame()), dtype=np.float64)
    names = [str(name) for name in encoder.get_feature_names_out()]
    log("computing principal components")
    explained, components = _components(encoded)
    log("detecting outliers")
    outliers = [(int(part.numbers(np.array([row]))[0]), score) for row, score in _outliers(encoded, seed)]
    context.give_way()  # a result that the budget cut short is not used
    return Exploration(rows, encoded, names, explained, components, outliers)


def _components(rows: Array) -> tuple[Array, Array]:
    """Explained variance ratios, and the coordinates of the rows on the first principal components."""
    from ...decomposition import PCA

    model = PCA(min(COMPONENTS, *rows.shape), random_state=0).fit(rows)
    return np.asarray(model.explained_variance_ratio_), np.asarray(model.transform(rows))


def _outliers(rows: Array, seed: int) -> list[tuple[int, float]]:
    """The rows with the highest isolation forest scores, which lie between 0 and 1."""
    from ...ensemble import IsolationForest

    scores = -IsolationForest(random_state=seed).fit(rows).score_samples(rows)
    order = np.argsort(-scores, kind="stable")[:OUTLIERS]
    return [(int(row), float(scores[row])) for row in order]
