"""The study itself: audit, lock, compare, choose, diagnose, test once, refit."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array, ambient
from ...core.fingerprint import fingerprint
from ...deployment import DeployedModel, ExpectedColumn
from ...model_selection.journal import Journal, NoJournal
from ...parts.intervals import bootstrap, wilson
from ..audit import audit
from ..question import Question
from .candidates import Candidate, candidates
from .case import Case
from .diagnosis import diagnosed, misses_of, out_of_fold
from .division import Division, divide
from .metric import Metric, chosen_metric
from .outcome import LastTest, Study
from .ranking import Ranking, ranked
from .settings import DEFAULT, Settings
from .tournament import Entry, Tournament

PROMISED = 0.9
DRAWS = 1000
IMPATIENT = 5.0  # seconds for the diagnosis after an interrupt
COMPARING, DIAGNOSING = 0.6, 0.75  # shares of a budget after which each must be done; the rest is for the last fit
SHORTEST = 0.1


def study(
    question: Question,
    settings: Settings = DEFAULT,
    *,
    journal: Journal | None = None,
    seconds: float | None = None,
    source: str = "",
    tell: Callable[[str], None] = lambda text: None,
) -> Study:
    """Answer a question about a table with a target, honestly.

    A part of the rows is locked away. On the others every model is learned, tuned inside, and tested on repeated folds;
    the simplest among the best is diagnosed, tested once on the locked rows, and learned again from all rows.
    """
    began, metric = time.monotonic(), chosen_metric(question, settings.metric)
    tell("looking for what may mislead")
    alarms = audit(question, settings.seed)
    division = divide(question, settings)
    whole = Case.of(question)
    case, locked = whole.rows(division.development), whole.rows(division.locked)
    game = Tournament(case, division, settings, metric, journal or NoJournal(), tell)
    with _until(began, seconds, COMPARING):
        entries, early = game.play(candidates(question, settings))
    ranking = ranked(entries, case, division, metric)
    entry = next(one for one in entries if one.candidate.name == ranking.recommended)
    tell(f"learning {ranking.recommended} from all development rows")
    chosen = most_chosen(entry)
    model = _learned(entry.candidate, chosen, case.frame, case.y, case, settings)
    with _until(*((time.monotonic(), IMPATIENT) if early == "interrupt" else (began, seconds)), DIAGNOSING):
        tell(f"diagnosing {ranking.recommended}")
        found = diagnosed(entry, model, case, locked, division, settings, metric)
    test = _last_test(model, entry, ranking, case, locked, division, settings, metric)
    deployed = _deployed(entry.candidate, chosen, whole, entry, case, division, settings, _card(question, metric, test))
    return Study(
        question, settings, metric, division, whole.labels, alarms, entries, ranking, chosen, found, test, deployed,
        str(deployed.model[-1].certificate_), early, data_hash(question), source or question.table.name,
    )  # fmt: skip


def _until(began: float, seconds: float | None, share: float) -> Any:
    """The block may go on until a share of the seconds since the beginning has passed."""
    if seconds is None:
        return nullcontext()
    return ambient.budget(seconds=max(began + share * seconds - time.monotonic(), SHORTEST))


def most_chosen(entry: Entry) -> dict[str, Any]:
    """The parameters that were chosen on most training parts; on equally many, those that were chosen first."""
    names = [repr(sorted(attempt.chosen.items())) for attempt in entry.attempts]
    return entry.attempts[names.index(max(names, key=names.count))].chosen


def _learned(candidate: Candidate, chosen: dict[str, Any], X: Any, y: Array, case: Case, settings: Settings) -> Any:
    """A candidate with the parameters that were chosen, fitted to the rows of a case."""
    pipeline = candidate.pipeline(settings.seed).set_params(**chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its certificate says it, and is shown
        return pipeline.fit(X, y, **case.options())


def data_hash(question: Question) -> str:
    """A short name for the data: the same cells have the same."""
    return fingerprint(*[part for name, values in question.table.columns.items() for part in (name, values)])


def _last_test(
    model: Any, entry: Entry, ranking: Ranking, case: Case, locked: Case, division: Division, settings: Settings,
    metric: Metric,
) -> LastTest:  # fmt: skip
    """The model of the development rows on the locked ones, and its baseline; intervals are those of unseen rows."""
    answers = locked.answers(model)
    score = metric.score(locked.y, answers, locked.weight, len(case.labels))
    low, high = _interval(locked, answers, metric, settings)
    baseline = next(one for one in candidates(case.question, settings) if one.baseline)
    plain = _learned(baseline, {}, case.frame, case.y, case, settings)
    below = metric.score(locked.y, locked.answers(plain), locked.weight, len(case.labels))
    unseen, tested = out_of_fold(entry, case, division, settings)
    covered = _covered(locked, answers, misses_of(case, unseen)[tested])
    ends = wilson(float(covered.sum()), len(covered))
    return LastTest(score, low, high, below, locked.n, answers, PROMISED, float(covered.mean()), *ends)


def _interval(locked: Case, answers: Array, metric: Metric, settings: Settings) -> tuple[float, float]:
    """By drawing locked rows with replacement; Wilson's where the score is a share of rows."""
    classes = len(locked.labels)

    def drawn(rows: Array) -> float:
        weight = None if locked.weight is None else locked.weight[rows]
        try:
            return metric.score(locked.y[rows], answers[rows], weight, classes)
        except ValueError:  # a draw that lacks a class has no such score
            return float("nan")

    scale = metric.scale(classes)
    if scale.of_rows:
        return scale.by_rows(drawn(np.arange(locked.n)), locked.n, 0.95)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return scale.within(
            bootstrap(np.arange(locked.n), drawn, 0.95, settings.seed, draws=DRAWS, method="percentile")
        )


def _covered(locked: Case, answers: Array, misses: Array) -> Array:
    """Which locked rows lie in the intervals or sets that the misses of unseen rows promise."""
    place = int(np.ceil((len(misses) + 1) * PROMISED))
    reach = np.sort(misses)[place - 1] if place <= len(misses) else np.inf
    return np.asarray(misses_of(locked, answers) <= reach)


def _deployed(
    candidate: Candidate, chosen: dict[str, Any], whole: Case, entry: Entry, case: Case, division: Division,
    settings: Settings, card: dict[str, Any],
) -> DeployedModel:  # fmt: skip
    """The model with the parameters that were chosen, learned again from all rows, with what its users need."""
    question = whole.question
    pipeline = _learned(candidate, chosen, whole.frame, question.y, whole, settings)
    unseen, tested = out_of_fold(entry, case, division, settings)
    columns = [ExpectedColumn.of(name, question.table.columns[name]) for name in question.features]
    task: Any = question.task
    misses = misses_of(case, unseen)[tested]
    return DeployedModel(pipeline, task, str(question.target), columns, misses, question.positive, None, card)


def _card(question: Question, metric: Metric, test: LastTest) -> dict[str, Any]:
    """What somebody should know before using the model."""
    return {
        "learnable": __version__,
        "task": question.task,
        "target": question.target,
        "rows": question.n,
        "measure": metric.label,
        "score on locked rows": metric.shown(test.score),
        "interval": sorted([metric.shown(test.low), metric.shown(test.high)]),
        "baseline": metric.shown(test.baseline),
        "use": "answers about rows that come from where the training rows came from",
        "limits": "not for rows outside the ranges seen, nor for claims about causes",
    }
