"""How thoroughly models are compared: as requested, or less if the budget requires it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...core import BudgetError
from .candidates import halves
from .cross_validation import CandidateCrossValidation, CandidateResult
from .final_fits import cost_of_fit, rows_seen
from .interruption import Early
from .model_candidate import ModelCandidate
from .plan import StudyPlan
from .time_left import Clock

FEW_ROWS, MORE = 500, 2  # rows of the first comparison under a budget, and the growth factor from level to level
MAX_EXTRAPOLATION = 4  # maximum factor of rows over which costs are extrapolated
FOR_THE_REST = 0.4  # fraction of the budget reserved for later stages before their cost is known
DIAGNOSING, FINAL_FITS = 0.15, 0.45  # fractions reserved once it is known, the second at most

Comparison = tuple[StudyPlan, list[CandidateResult], Early]


def compare_candidates(
    plan: StudyPlan, cross_validate: Callable[[StudyPlan], CandidateCrossValidation], field: list[ModelCandidate],
    clock: Clock, early: Early = "",
) -> Comparison:  # fmt: skip
    """The results of the candidates on the folds, the plan that was carried out, and what ended it early.

    If a stage before it ended `early`, only the baseline is evaluated, on few rows.

    Under a budget all candidates are first evaluated for one round on few rows with default hyperparameters. Their cost
    determines how many rows, and whether tuning, fit into the budget; this is repeated level by level until the plan is
    carried out or the time does not suffice for more.
    """
    if not clock.limited:
        return plan, *cross_validate(plan).run(field, at_least_baseline=True, early=early)
    levels, position, time = ladder(plan), 0, clock.left
    with clock.keeping(FOR_THE_REST * time):
        entries, early = cross_validate(levels[0]).run(field, rounds=1, at_least_baseline=True, early=early)
    while not early and (position < len(levels) - 1 or _has_rounds_left(plan, entries)):
        level, kept = levels[position], reserve(entries, levels[position], time)
        ahead = range(position if _has_rounds_left(level, entries) else position + 1, len(levels))
        near = [one for one in ahead if levels[one].split.compared <= MAX_EXTRAPOLATION * level.split.compared]
        payable = [one for one in near if predicted_seconds(entries, level, levels[one]) <= clock.left - kept]
        if not payable:
            return level, entries, "budget"
        highest = payable[-1]
        with clock.keeping(kept):
            done, early = _next_round(cross_validate(levels[highest]), entries, level)
        if not early or highest == position:  # an incomplete first round of a level compares nothing
            position, entries = highest, done
    return levels[position], entries, early


def _has_rounds_left(level: StudyPlan, entries: list[CandidateResult]) -> bool:
    """Whether rounds of a level are left to run."""
    return max(len(entry.fold_results) for entry in entries) < len(level.split.folds)


def _next_round(
    validation: CandidateCrossValidation, entries: list[CandidateResult], level: StudyPlan
) -> tuple[list[CandidateResult], Early]:
    """Run one more round of the same level, or the first of another, for all candidates evaluated before."""
    begun, plan = [entry for entry in entries if entry.fold_results], validation.plan
    try:
        done, early = validation.run([one.candidate for one in begun], begun=begun if plan is level else (), rounds=1)
    except BudgetError:
        return entries, "budget"
    except KeyboardInterrupt:
        return entries, "interrupt"
    if plan.split.compared > level.split.compared:
        begun = [replace(one, smaller=(rows_seen(one, level), one.mean("refit_seconds"))) for one in begun]
    found = {new.candidate.name: replace(new, smaller=old.smaller) for new, old in zip(done, begun, strict=True)}
    return [found.get(entry.candidate.name, entry) for entry in entries], early


def ladder(plan: StudyPlan) -> list[StudyPlan]:
    """Plans from few rows without tuning to the full plan."""
    most, sizes = plan.split.compared, [FEW_ROWS]
    while sizes[-1] < most:
        sizes.append(sizes[-1] * MORE)
    plain = [replace(plan.settings, searching=False)] if plan.settings.searches else []
    levels = [
        replace(plan, settings=settings, split=plan.split.sampled(rows, settings.seed))
        for rows in sizes for settings in (*plain, plan.settings)
    ]  # fmt: skip
    return [*levels[:-1], plan]


def predicted_seconds(entries: list[CandidateResult], done: StudyPlan, level: StudyPlan) -> float:
    """Estimated seconds of one round of a level, from the rounds done; columns are encoded once for all candidates."""
    trained = round(float(np.mean([len(train) for train, _ in level.split.folds])))
    halving, settings = halves(level.question, trained), level.settings
    fitting, encoding = 0.0, 0.0
    for entry in entries:
        if entry.fold_results:
            fits = [(1, trained), *entry.candidate.searched(settings, trained, halving)]
            encoded = entry.mean("encode_seconds") / entry.mean("refit_seconds")
            per_row = entry.mean("predict_seconds") / rows_seen(entry, done)
            fitting += sum(
                count * ((1 - encoded) * cost_of_fit(entry, done, rows) + per_row * rows) for count, rows in fits
            )
            encoding = max(encoding, encoded * cost_of_fit(entry, done, trained))
    halved = 1 + halving  # each of its rounds has twice the rows
    parts = 1 + settings.searches * (settings.inner_folds - 1) * halved
    return min(settings.folds, len(level.split.folds)) * (fitting + parts * encoding)


def reserve(entries: list[CandidateResult], plan: StudyPlan, time: float) -> float:
    """Seconds to reserve for the diagnosis and for the final fits of the most expensive candidate."""
    last = [
        cost_of_fit(entry, plan, plan.development.n) + cost_of_fit(entry, plan, plan.all_rows.n)
        for entry in entries if entry.fold_results
    ]  # fmt: skip
    return DIAGNOSING * time + min(max(last), FINAL_FITS * time)
