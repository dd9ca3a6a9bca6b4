"""How thoroughly models are compared: as was asked, or less where a budget does not suffice for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...core import BudgetError
from .candidates import Candidate, halves
from .clock import Clock
from .patience import Early
from .plan import Plan
from .refit import cost_of_fit
from .tournament import Entry, Tournament

FEW_ROWS, MORE = 2000, 5  # rows of the first comparison under a budget, and how many times more the next has
FOR_THE_REST = 0.4  # share of a budget that is kept for what comes after, before anything is known of its cost
DIAGNOSING, LAST_FITS = 0.15, 0.45  # shares that are kept once it is known, the second at most

Compared = tuple[Plan, list[Entry], Early]


def compared(
    plan: Plan, tournament: Callable[[Plan], Tournament], field: list[Candidate], clock: Clock, early: Early = ""
) -> Compared:  # fmt: skip
    """The candidates on the folds, the plan as it was followed, and what ended it early, if anything did.

    What ended `early` before it leaves the baseline on few rows.

    Under a budget all play on few rows with the parameters that they come with; what that cost tells how many rows
    there is time for, and whether parameters can be searched for.
    """
    first, *more = ladder(plan) if clock.limited else [plan]
    time = clock.left
    with clock.keeping(FOR_THE_REST * time):
        entries, early = tournament(first).play(field, True, early)
    if early or not more:
        return first, entries, early
    kept = reserve(entries, first, time)
    payable = [level for level in more if predicted(entries, first, level) <= clock.left - kept]
    if not payable:
        return first, entries, "budget"
    level = payable[-1]
    with clock.keeping(kept):
        again, early = _played_again(tournament(level), entries)
    if early and any(entry.reason.startswith("left out") for entry in again):
        return first, entries, early
    replayed = {entry.candidate.name: entry for entry in again}
    entries = [replayed.get(entry.candidate.name, entry) for entry in entries]
    return level, entries, early or ("" if level is more[-1] else "budget")


def _played_again(tournament: Tournament, entries: list[Entry]) -> tuple[list[Entry], Early]:
    """Those that were tested before, in another tournament; all are left out if it ends before the first of them."""
    field = [entry.candidate for entry in entries if entry.attempts]
    try:
        return tournament.play(field)
    except BudgetError as error:
        return [Entry(one, [], f"left out: {error}") for one in field], "budget"
    except KeyboardInterrupt:
        return [Entry(one, [], "left out: the interrupt came before it") for one in field], "interrupt"


def ladder(plan: Plan) -> list[Plan]:
    """The plan with few rows and without a search, then with more of both, up to the plan as it is."""
    most, sizes = plan.division.compared, [FEW_ROWS]
    while sizes[-1] < most:
        sizes.append(sizes[-1] * MORE)
    plain = [replace(plan.settings, searching=False)] if plan.settings.searches else []
    levels = [
        replace(plan, settings=settings, division=plan.division.sampled(rows, settings.seed).first(settings.folds))
        for rows in sizes for settings in (*plain, plan.settings)
    ]  # fmt: skip
    return [*levels[:-1], plan]


def predicted(entries: list[Entry], played: Plan, level: Plan) -> float:
    """Seconds that one round of a level will take, by what another took."""
    rows = level.division.compared / played.division.compared
    folds = min(level.settings.folds, len(level.division.folds))
    trained = round(float(np.mean([len(train) for train, _ in level.division.folds])))
    halving = halves(level.question, trained)
    return sum(
        float(np.mean([attempt.fit_seconds + attempt.query_seconds * attempt.tested for attempt in entry.attempts]))
        * rows * folds * entry.candidate.fits(level.settings, trained, halving)
        for entry in entries if entry.attempts
    )  # fmt: skip


def reserve(entries: list[Entry], plan: Plan, time: float) -> float:
    """Seconds of a time to keep for a diagnosis and for the last fits of the costliest candidate."""
    last = [
        cost_of_fit(entry, plan, plan.case.n) + cost_of_fit(entry, plan, plan.whole.n)
        for entry in entries if entry.attempts
    ]  # fmt: skip
    return DIAGNOSING * time + min(max(last), LAST_FITS * time)
