"""How thoroughly models are compared: as was asked, or less where a budget does not suffice for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...core import BudgetError
from .candidates import Candidate, halves
from .cross_validation import Entry, Tournament
from .final_fits import cost_of_fit, rows_seen
from .interruption import Early
from .plan import Plan
from .time_left import Clock

FEW_ROWS, MORE = 500, 2  # rows of the first comparison under a budget, and how many times more each level has
FAR = 4  # times the rows: as far as costs can be told
FOR_THE_REST = 0.4  # share of a budget that is kept for what comes after, before anything is known of its cost
DIAGNOSING, LAST_FITS = 0.15, 0.45  # shares that are kept once it is known, the second at most

Compared = tuple[Plan, list[Entry], Early]


def compared(
    plan: Plan, tournament: Callable[[Plan], Tournament], field: list[Candidate], clock: Clock, early: Early = ""
) -> Compared:  # fmt: skip
    """The candidates on the folds, the plan as it was followed, and what ended it early, if anything did.

    What ended `early` before it leaves the baseline on few rows.

    Under a budget all play one round on few rows with the parameters that they come with. What that cost tells how many
    rows there is time for, and whether parameters can be searched for; so does what comes next, until the plan is
    followed or there is no time for more of it.
    """
    if not clock.limited:
        return plan, *tournament(plan).play(field, at_least_baseline=True, early=early)
    levels, place, time = ladder(plan), 0, clock.left
    with clock.keeping(FOR_THE_REST * time):
        entries, early = tournament(levels[0]).play(field, rounds=1, at_least_baseline=True, early=early)
    while not early and (place < len(levels) - 1 or _unplayed(plan, entries)):
        level, kept = levels[place], reserve(entries, levels[place], time)
        ahead = range(place if _unplayed(level, entries) else place + 1, len(levels))
        near = [one for one in ahead if levels[one].division.compared <= FAR * level.division.compared]
        payable = [one for one in near if predicted(entries, level, levels[one]) <= clock.left - kept]
        if not payable:
            return level, entries, "budget"
        highest = payable[-1]
        with clock.keeping(kept):
            played, early = _next_round(tournament(levels[highest]), entries, level)
        if not early or highest == place:  # a level that was only begun compares nothing
            place, entries = highest, played
    return levels[place], entries, early


def _unplayed(level: Plan, entries: list[Entry]) -> bool:
    """Whether a level that was begun has more rounds."""
    return max(len(entry.attempts) for entry in entries) < len(level.division.folds)


def _next_round(tournament: Tournament, entries: list[Entry], level: Plan) -> tuple[list[Entry], Early]:
    """One more round of the tournament of a level, or the first of another, for all that were tested before."""
    begun, plan = [entry for entry in entries if entry.attempts], tournament.plan
    try:
        played, early = tournament.play(
            [one.candidate for one in begun], begun=begun if plan is level else (), rounds=1
        )
    except BudgetError:
        return entries, "budget"
    except KeyboardInterrupt:
        return entries, "interrupt"
    if plan.division.compared > level.division.compared:
        begun = [replace(one, smaller=(rows_seen(one, level), one.mean("refit_seconds"))) for one in begun]
    found = {new.candidate.name: replace(new, smaller=old.smaller) for new, old in zip(played, begun, strict=True)}
    return [found.get(entry.candidate.name, entry) for entry in entries], early


def ladder(plan: Plan) -> list[Plan]:
    """The plan with few rows and without a search, then with more of both, up to the plan as it is."""
    most, sizes = plan.division.compared, [FEW_ROWS]
    while sizes[-1] < most:
        sizes.append(sizes[-1] * MORE)
    plain = [replace(plan.settings, searching=False)] if plan.settings.searches else []
    levels = [
        replace(plan, settings=settings, division=plan.division.sampled(rows, settings.seed))
        for rows in sizes for settings in (*plain, plan.settings)
    ]  # fmt: skip
    return [*levels[:-1], plan]


def predicted(entries: list[Entry], played: Plan, level: Plan) -> float:
    """Seconds that one round of a level will take, by what was played: columns are encoded once for all candidates."""
    trained = round(float(np.mean([len(train) for train, _ in level.division.folds])))
    halving, settings = halves(level.question, trained), level.settings
    learning, encoding = 0.0, 0.0
    for entry in entries:
        if entry.attempts:
            fits = [(1, trained), *entry.candidate.searched(settings, trained, halving)]
            encoded = entry.mean("encode_seconds") / entry.mean("refit_seconds")
            answers = entry.mean("answer_seconds") / rows_seen(entry, played)
            learning += sum(
                many * ((1 - encoded) * cost_of_fit(entry, played, rows) + answers * rows) for many, rows in fits
            )
            encoding = max(encoding, encoded * cost_of_fit(entry, played, trained))
    halved = 1 + halving  # each of its rounds has twice the rows
    parts = 1 + settings.searches * (settings.inner_folds - 1) * halved
    return min(settings.folds, len(level.division.folds)) * (learning + parts * encoding)


def reserve(entries: list[Entry], plan: Plan, time: float) -> float:
    """Seconds of a time to keep for a diagnosis and for the last fits of the costliest candidate."""
    last = [
        cost_of_fit(entry, plan, plan.case.n) + cost_of_fit(entry, plan, plan.whole.n)
        for entry in entries if entry.attempts
    ]  # fmt: skip
    return DIAGNOSING * time + min(max(last), LAST_FITS * time)
