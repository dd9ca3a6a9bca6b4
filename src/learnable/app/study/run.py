"""The study itself: audit, lock, compare, choose, diagnose, test once, refit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...core.fingerprint import fingerprint
from ...model_selection.journal import Journal, NoJournal
from ..audit import audit
from ..question import Question, refuse_infinity
from ..source import Source
from .candidates import candidates
from .clock import LOOKING, Clock
from .diagnosis import diagnosed
from .last import deployed, last_test
from .levels import compared
from .metric import chosen_metric
from .outcome import Study
from .patience import Early
from .plan import Plan
from .ranking import ranked
from .refit import LastFits
from .settings import DEFAULT, Settings
from .tournament import Entry, Tournament

IMPATIENT = 5.0  # seconds for the diagnosis after an interrupt
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
    with clock.giving(LOOKING):
        alarms = audit(question, settings.seed)
    data = data_hash(question)
    tournament = partial(Tournament, data=data, journal=journal or NoJournal(), tell=tell)
    plan, entries, early = compared(Plan.of(question, settings), tournament, field, clock)
    ranking = ranked(entries, plan)
    entry = next(one for one in entries if one.candidate.name == ranking.recommended)
    chosen = most_chosen(entry)
    last = LastFits(entry, chosen, plan, clock)
    tell(f"learning {ranking.recommended} from the development rows")
    model, rows = last.learned(plan.case, min(last.cost(question.n), HALF * clock.left))
    ending = min(last.cost_of_test + last.cost(question.n), HALF * clock.left)
    with Clock(IMPATIENT).keeping(0) if early == "interrupt" else clock.keeping(ending):
        found = diagnosed(entry, model, plan, tell)
    tell("testing on the locked rows")
    test = last_test(model, rows, last)
    tell(f"learning {ranking.recommended} from all rows")
    kept = deployed(last, test)
    short: Early = "budget" if min(rows / plan.case.n, kept.card["rows"] / question.n) < 1 else ""
    return Study(
        plan, alarms, entries, ranking, chosen, found, test, kept, early or found.early or short, data,
        source or Source(question.table.name),
    )  # fmt: skip


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
