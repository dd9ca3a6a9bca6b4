"""The study itself: audit, lock, compare, choose, diagnose, test once, refit."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ...core import ambient
from ...core.fingerprint import fingerprint
from ...model_selection.journal import Journal, NoJournal
from ..audit import audit
from ..question import Question
from ..source import Source
from .candidates import candidates
from .case import learned
from .diagnosis import diagnosed
from .last import deployed, last_test
from .metric import chosen_metric
from .outcome import Study
from .plan import Plan
from .ranking import ranked
from .settings import DEFAULT, Settings
from .tournament import Entry, Tournament

IMPATIENT = 5.0  # seconds for the diagnosis after an interrupt
COMPARING, DIAGNOSING = 0.6, 0.75  # shares of a budget after which each must be done; the rest is for the last fit
SHORTEST = 0.1


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
    began = time.monotonic()
    chosen_metric(question, settings.metric), candidates(question, settings)  # what cannot be had is said at once
    tell("looking for what may mislead")
    alarms = audit(question, settings.seed)
    plan = Plan.of(question, settings)
    with until(began, seconds, COMPARING):
        entries, early = Tournament(plan, journal or NoJournal(), tell).play(candidates(question, settings))
    ranking = ranked(entries, plan)
    entry = next(one for one in entries if one.candidate.name == ranking.recommended)
    tell(f"learning {ranking.recommended} from all development rows")
    chosen = most_chosen(entry)
    model = learned(entry.candidate, chosen, plan.case, settings)
    with until(*((time.monotonic(), IMPATIENT) if early == "interrupt" else (began, seconds)), DIAGNOSING):
        found = diagnosed(entry, model, plan, tell)
    tell("testing on the locked rows")
    test = last_test(model, entry, plan)
    tell(f"learning {ranking.recommended} from all rows")
    return Study(
        plan, alarms, entries, ranking, chosen, found, test, deployed(entry, chosen, plan, test), early or found.early,
        data_hash(question), source or Source(question.table.name),
    )  # fmt: skip


def until(began: float, seconds: float | None, share: float) -> Any:
    """The block may go on until a share of the seconds since the beginning has passed."""
    if seconds is None:
        return nullcontext()
    return ambient.budget(seconds=max(began + share * seconds - time.monotonic(), SHORTEST))


def most_chosen(entry: Entry) -> dict[str, Any]:
    """The parameters that were chosen on most training parts; on equally many, those that were chosen first."""
    names = [repr(sorted(attempt.chosen.items())) for attempt in entry.attempts]
    return entry.attempts[names.index(max(names, key=names.count))].chosen


def data_hash(question: Question) -> str:
    """A short name for the data: the same cells have the same."""
    return fingerprint(*[part for name, values in question.table.columns.items() for part in (name, values)])
