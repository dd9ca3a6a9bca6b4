"""The study itself: audit, lock, compare, choose, diagnose, test once, refit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...core.files.fingerprint import fingerprint
from ...deployment import DeployedModel
from ...model_selection._journal import Journal, NoJournal
from ..audit import Alarm, audit, interrupted_audit
from ..table_source import Source
from ..task import Question, refuse_infinity
from .budget_levels import compared
from .candidates import candidates
from .cross_validation import Entry, Tell, Tournament
from .diagnosis import Diagnosis, diagnosed
from .final_fits import LastFits
from .final_test import LastTest, deployed, last_test
from .interruption import IMPATIENT, Early, insisted
from .metric import chosen_metric
from .plan import Plan
from .ranking import Ranking, ranked
from .result import Study
from .settings import DEFAULT, Settings
from .time_left import LOOKING, Clock

HALF = 0.5  # share of the time left that is at most kept for the fit to all rows


def study(
    question: Question,
    settings: Settings = DEFAULT,
    *,
    journal: Journal | None = None,
    seconds: float | None = None,
    source: Source | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Study:
    """Answer a question about a table with a target, honestly.

    A part of the rows is locked away. On the others every model is learned, tuned inside, and tested on repeated folds;
    the simplest among the best is diagnosed, tested once on the locked rows, and learned again from all rows.
    """
    clock = Clock(seconds)
    refuse_infinity(question)
    chosen_metric(question, settings.metric)  # what cannot be had is said at once
    field = candidates(question, settings)
    tell("looking for what may mislead")
    alarms, early = looked_through(question, settings, clock)
    data = data_hash(question)
    tournament = partial(Tournament, data=data, journal=journal or NoJournal(), tell=tell)
    plan = Plan.of(question, settings)
    plan, entries, early = insisted(partial(compared, plan, tournament, field), clock, early)
    answered = partial(concluded, plan, entries, tell)
    parts = insisted(answered, clock, early)
    return Study(plan, alarms, entries, *parts, data, source or Source(question.table.name))


def looked_through(question: Question, settings: Settings, clock: Clock) -> tuple[list[Alarm], Early]:
    """The alarms of a table, and what ended the study before it began, if anything did."""
    try:
        with clock.giving(LOOKING):
            return audit(question, settings.seed), ""
    except KeyboardInterrupt:
        return interrupted_audit(), "interrupt"


Conclusion = tuple[Ranking, dict[str, Any], Diagnosis, LastTest, DeployedModel, Early]


def concluded(plan: Plan, entries: list[Entry], tell: Tell, clock: Clock, early: Early) -> Conclusion:
    """Which model is recommended, with which parameters, what is to be known about it, its test, and what is kept."""
    ranking = ranked(entries, plan)
    entry = next(one for one in entries if one.candidate.name == ranking.recommended)
    chosen, rows_of_all = most_chosen(entry), plan.question.n
    last = LastFits(entry, chosen, plan, clock)
    tell(f"learning {ranking.recommended} from the development rows")
    model, rows = last.learned(plan.case, min(last.room(rows_of_all), HALF * clock.left))
    with clock.keeping(min(last.cost_of_test + last.room(rows_of_all), HALF * clock.left)):
        found = diagnosed(entry, model, plan, tell)
    if found.early == "interrupt":
        last = replace(last, clock=Clock(IMPATIENT))
    tell("testing on the locked rows")
    test = last_test(model, rows, last)
    tell(f"learning {ranking.recommended} from all rows")
    kept = deployed(last, test)
    short: Early = "budget" if min(rows / plan.case.n, kept.card["rows"] / rows_of_all) < 1 else ""
    return ranking, chosen, found, test, kept, early or found.early or short


def most_chosen(entry: Entry) -> dict[str, Any]:
    """The parameters that were chosen on most training parts; on equally many, those that were chosen first."""
    names = [repr(sorted(attempt.chosen.items())) for attempt in entry.attempts]
    return entry.attempts[names.index(max(names, key=names.count))].chosen


def data_hash(question: Question) -> str:
    """A short name for the data: the same cells have the same."""
    columns = question.table.columns.items()
    return fingerprint(*[part for name, values in columns for part in (name, *_joined(values))])


def _joined(values: Array) -> tuple[Array, ...]:
    """A column of texts as their letters and their lengths, which takes no look at each of them; others as they are."""
    entries: list[Any] = values.tolist() if values.dtype.kind == "O" else [0]
    if not set(map(type, entries)) <= {str, type(None)}:
        return (values,)
    lengths = np.array([-1 if entry is None else len(entry) for entry in entries])
    return np.frombuffer("".join(filter(None, entries)).encode(), dtype=np.uint8), lengths
