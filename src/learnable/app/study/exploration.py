"""A look at the rows of a table without a target: columns as numbers, components, rows unlike all others."""

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

FEW_ROWS, FEWER_ROWS = 2000, 50  # rows of the first look under a budget; the second of very wide tables
FEW_CELLS = 400_000  # of the first look
FOR_A_LOOK = 0.4  # share of the time left that a look may take
COMPONENTS = 10
OUTLIERS = 10

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Look:
    """What `rows` of a table show: their encoded columns, shares of the variance, their places on the components."""

    rows: Array
    encoded: Array
    names: list[str]
    shares: Array
    places: Array
    outliers: list[tuple[int, float]]


def looked_at(question: Question, seed: int, tell: Tell, clock: Clock, early: Early) -> tuple[Look, Early]:
    """A look at all rows, or at as many, drawn at random, as there is time for: that at a few tells what it costs.

    And what ended it early, if anything did.
    """
    few = max(FEW_CELLS // max(len(question.features), 1), FEWER_ROWS)
    few = min(few, FEW_ROWS, question.n)
    if not clock.limited:
        return _look(question, np.arange(question.n), seed, tell), early
    order = generator(seed).permutation(question.n)
    with context.unhurried():  # without it there is nothing to tell
        began = time.monotonic()
        found = _look(question, np.sort(order[:few]), seed, tell)
        once = time.monotonic() - began
    payable = min(int(few * FOR_A_LOOK * max(clock.left, 0.0) / once), question.n)
    if early or payable <= few:
        return found, early or ("budget" if few < question.n else "")
    try:
        with clock.giving(FOR_A_LOOK):
            return _look(question, np.sort(order[:payable]), seed, tell), "budget" if payable < question.n else ""
    except BudgetError:
        return found, "budget"


def _look(question: Question, rows: Array, seed: int, tell: Tell) -> Look:
    from ...compose import TableVectorizer

    part = question if len(rows) == question.n else question.rows(rows)
    tell("encoding the columns")
    encoder = TableVectorizer(kinds(question), random_state=seed)
    encoded = np.asarray(encoder.fit_transform(part.frame()), dtype=np.float64)
    names = [str(name) for name in encoder.get_feature_names_out()]
    tell("looking for components")
    shares, places = _components(encoded)
    tell("looking for rows unlike all others")
    outliers = [(int(part.numbers(np.array([row]))[0]), score) for row, score in _outliers(encoded, seed)]
    context.give_way()  # what time cut short is not what it says
    return Look(rows, encoded, names, shares, places, outliers)


def _components(rows: Array) -> tuple[Array, Array]:
    """Shares of the variance, and the rows by their places on the first components."""
    from ...decomposition import PCA

    model = PCA(min(COMPONENTS, *rows.shape), random_state=0).fit(rows)
    return np.asarray(model.explained_variance_ratio_), np.asarray(model.transform(rows))


def _outliers(rows: Array, seed: int) -> list[tuple[int, float]]:
    """Rows that are cut off soonest by random cuts, with scores from 0 (usual) to 1."""
    from ...ensemble import IsolationForest

    scores = -IsolationForest(random_state=seed).fit(rows).score_samples(rows)
    order = np.argsort(-scores, kind="stable")[:OUTLIERS]
    return [(int(row), float(scores[row])) for row in order]
