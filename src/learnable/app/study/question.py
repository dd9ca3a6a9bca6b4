"""The question of a study: the roles of the columns, lag features, and what is particular about the target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...core import DataError
from ...datasets import Dataset
from ..ordered_classes import in_order
from ..task import Question, ask
from ..time_series import SeriesOptions, with_lag_features
from .skewed_targets import kind_of_target

NO_SERIES = SeriesOptions()
NOTES = {
    "counts": "the target holds counts: Poisson regression, boosted trees with Poisson loss and a model of the "
    "logarithm are compared too",
    "positive and skewed": "the target is positive and skewed: gamma regression, boosted trees with gamma loss and a "
    "model of the logarithm are compared too",
}  # fmt: skip


def pose(table: Dataset, target: str | None = None, series: SeriesOptions = NO_SERIES, **roles: Any) -> Question:
    """The question for a table with given roles; `guessed` states all that was not requested.

    >>> table = Dataset.of({"t": list(range(60)), "y": [float(k % 7) for k in range(60)]})
    >>> pose(table, "y", SeriesOptions(season=7), time="t").lags.season
    7
    """
    question = with_lag_features(ask(table, target, **roles), series)
    if target is not None and not question.features:
        raise DataError(f"{table.name} has no column besides the target {target!r} and the time to predict it from")
    if question.task == "multi-class":
        return _with_order(question)
    kind = "" if question.recommends else kind_of_target(question)
    return replace(question, guessed=(*question.guessed, NOTES[kind])) if kind else question


def _with_order(question: Question) -> Question:
    """The question with a note if the classes have an order."""
    ordered = in_order(list(set(question.y.tolist())))
    if ordered is None:
        return question
    numbers = not any(isinstance(one, str) for one in ordered)
    how = (
        "--task regression predicts them as numbers" if numbers else "numbers instead of words, with --task regression"
    )
    scale = " < ".join(map(str, ordered[:12]))
    note = (
        f"the classes have an order, {scale}, which the models do not use: "
        f"all errors count alike; {how if numbers else 'write them as ' + how}, so that far errors count more"
    )
    return replace(question, guessed=(*question.guessed, note))
