"""The summary of a study on one page, for readers who will not read the report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..format_number import figure
from ..study.story import reason, verdict, write_story
from ..text import agree, counted, listed, percent
from .failures import Failures

if TYPE_CHECKING:
    from ..study.result import Study

MAX_FEATURES, MAX_ALARMS, MAX_STEPS = 5, 3, 3
RISING = 0.9  # rank correlation of a partial dependence that is said to rise or fall


def summary_page(study: Study, failures: Failures | None = None) -> str:
    """The page; a failed part is replaced by a line."""
    from .page import rendered

    failures = failures or Failures()
    parts = failures.attempt("the summary in words", lambda: list(_parts(study)), [])
    return rendered(
        "summary.html", failures, study=study, missing=list(failures.found), verdict=verdict(study),
        reason=reason(study), parts=parts,
    )  # fmt: skip


def _parts(study: Study) -> Iterator[tuple[str, list[str]]]:
    if study.has_model:
        yield "How far off is it?", [_errors(study)]
        yield "What does it use?", list(_features(study))
    yield "How was it tested?", [_test(study)]
    yield "What to know first", _alarms(study)
    yield "Next steps", write_story(study).advice[:MAX_STEPS]


def _errors(study: Study) -> str:
    """The size of the errors in words."""
    found = study.diagnosis
    errors = found.errors[found.tested]
    if study.labels:
        predicted = found.out_of_fold[found.tested].argmax(axis=1)
        truth = study.plan.development.y[found.tested]
        right, rest = float((predicted == truth).mean()), np.bincount(truth) / len(truth)
        return (
            f"{percent(right, 0)} of the predicted classes are correct in cross-validation; always predicting "
            f"{study.labels[int(rest.argmax())]} would be correct for {percent(float(rest.max()), 0)}."
        )
    half, most = np.quantile(errors, [0.5, 0.9])
    return (
        f"In cross-validation, half of the predictions were off by {figure(float(half))} or less, nine of ten by "
        f"{figure(float(most))} or less; {study.question.target} itself has a standard deviation of "
        f"{figure(float(study.plan.development.y.std()))}."
    )


def _features(study: Study) -> Iterator[str]:
    """The most important features, and the direction of their effect where there is one."""
    effects = {one.column: one for one in study.diagnosis.partial_dependences}
    useful = [one for one in study.diagnosis.importances if one.low > 0][:MAX_FEATURES]
    for one in useful:
        said = f"Shuffling {one.column} {study.metric.worse}s the {study.metric.label} by {figure(one.loss)}"
        effect = effects.get(one.column)
        if effect is not None and not isinstance(effect.values[0], str):
            said += _direction(effect.predictions, study)
        yield said + "."
    if not useful:
        yield "No single feature matters on its own: shuffling one of them does not change the score significantly."


def _direction(predictions: np.ndarray, study: Study) -> str:
    """How the prediction moves as the feature rises."""
    mean = np.asarray(predictions, dtype=np.float64)[-1] if predictions.ndim > 1 else np.asarray(predictions)
    if len(mean) < 3 or np.ptp(mean) == 0:
        return ""
    ranks = np.argsort(np.argsort(mean, kind="stable"), kind="stable")
    together = float(np.corrcoef(ranks, np.arange(len(mean)))[0, 1])
    what = f"the probability of {study.labels[-1]}" if study.labels else "the prediction"
    if abs(together) < RISING:
        return ""
    return f"; {what} {'rises' if together > 0 else 'falls'} with it"


def _test(study: Study) -> str:
    tested = sum(not row.baseline for row in study.ranking.leaderboard)
    return (
        f"{counted(tested, 'model')} {agree('was', tested)} compared by cross-validation; the recommended one was "
        f"evaluated once on {counted(study.final_test.rows, 'row')} that no model had seen "
        f"(split {study.split.manner})."
    )


def _alarms(study: Study) -> list[str]:
    found = [one for one in study.alarms if one.level != "note"]
    lines = [f"{one.title} ({one.code}): {one.evidence}." for one in found[:MAX_ALARMS]]
    if len(found) > MAX_ALARMS:
        lines.append(f"And {listed([one.code for one in found[MAX_ALARMS:]], 8)}, explained in report.html.")
    return lines or ["The audit of the table found no problem that matters here."]
