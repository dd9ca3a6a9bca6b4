"""Checks of the target: rare classes, imbalance, skewness, censoring, outliers, identifiers."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ..format_number import figure
from ..text import agree, counted, listed, percent
from .evidence import AlarmEvidence, Findings, value_text
from .table_view import AuditView

FOLDS = 5
DOMINANT, ALMOST_ALL = 0.9, 0.995  # fractions of rows of one class
SAME_AMOUNT = 0.9  # fraction of one value from which a numeric target is nearly constant
SKEWED = 2.0
CAPPED = 0.02  # fraction of rows at a limit of the range
MAX_RANGES = 10.0  # interquartile ranges beyond the quartiles


def rare_classes(view: AuditView) -> Findings:
    """Classes with fewer rows than folds."""
    counts = view.classes.counts
    rare = [
        f"{value_text(view.classes.values[index])} ({count})" for index, count in enumerate(counts) if count < FOLDS
    ]
    if rare:
        yield AlarmEvidence("LB026", f"classes with fewer than {FOLDS} rows: {listed(rare)}", _target(view))


def imbalance(view: AuditView) -> Findings:
    """A class with nearly all rows."""
    counts = view.classes.counts
    share, top = counts.max() / counts.sum(), value_text(view.classes.values[int(counts.argmax())])
    if share >= DOMINANT:
        rest = int(counts.sum() - counts.max())
        text = f"{percent(share)} of the rows are {top}; {rest} {agree('is', rest)} not"
        yield AlarmEvidence("LB028" if share >= ALMOST_ALL else "LB027", text, _target(view))


def nearly_constant_amount(view: AuditView) -> Findings:
    """A numeric target that is the same in nearly all rows."""
    counts = np.unique(view.amounts, return_counts=True)[1]
    share = float(counts.max() / counts.sum())
    if share >= SAME_AMOUNT:
        yield AlarmEvidence("LB028", f"{percent(share)} of the rows have the same target", _target(view))


def skewed_amount(view: AuditView) -> Findings:
    """A positive, skewed target whose logarithm is less skewed."""
    amounts = view.amounts
    if len(amounts) < 50 or amounts.min() <= 0:
        return
    before, after = _skewness(amounts), _skewness(np.log(amounts))
    if before > SKEWED and abs(after) < before / 2:
        text = f"skewness {before:.2f}, {after:.2f} for the logarithm; {_range(amounts)}"
        yield AlarmEvidence("LB029", text, _target(view))


def _skewness(values: Array) -> float:
    centred = values / np.abs(values).max() if np.abs(values).max() > 0 else values
    centred = centred - centred.mean()
    spread = float(np.sqrt((centred**2).mean()))
    return float((centred**3).mean() / spread**3) if spread > 1e-12 else 0.0


def _range(amounts: Array) -> str:
    low, middle, high = amounts.min(), np.median(amounts), amounts.max()
    return f"the smallest is {figure(low, 4)}, the median {figure(middle, 4)}, the largest {figure(high, 4)}"


def capped_amount(view: AuditView) -> Findings:
    """A numeric target that is censored at an end of its range."""
    values, counts = np.unique(view.amounts, return_counts=True)
    if len(values) < 50:
        return
    usual = max(1.0, float(np.median(counts)))
    for index, end in ((0, "smallest"), (-1, "largest")):
        share = counts[index] / len(view.amounts)
        if (
            share >= CAPPED
            and counts[index] >= 5 * usual
            and counts[index] >= 5 * counts[[1, -2][index]]
            and values[index]
        ):
            rows = counted(int(counts[index]), "row")
            yield AlarmEvidence(
                "LB031",
                f"{rows} ({percent(share)}) have exactly the {end} value, {figure(values[index], 6)}",
                _target(view),
            )
            return


def outlying_amounts(view: AuditView) -> Findings:
    """Extreme outliers of a numeric target."""
    first, third = np.quantile(view.amounts, [0.25, 0.75])
    reach = MAX_RANGES * (third - first)
    beyond = np.flatnonzero((view.amounts < first - reach) | (view.amounts > third + reach))
    if reach > 0 and len(beyond):
        farthest = view.amounts[beyond[np.argmax(np.abs(view.amounts[beyond] - first))]]
        rows = f"{counted(len(beyond), 'row')} ({listed(view.row_numbers(beyond))})"
        where = f"more than {MAX_RANGES:g} interquartile ranges beyond the quartiles"
        text = f"{rows} {where}, as far as {figure(farthest, 6)}"
        yield AlarmEvidence("LB034", text, _target(view))


def unsuitable_target(view: AuditView) -> Findings:
    """A target that identifies the rows, or that is a time."""
    question = view.question
    values = question.y
    if question.table.types.get(str(question.target)) == "time":
        yield AlarmEvidence("LB030", f"{question.target} holds times", _target(view))
    elif question.classifies and len(view.classes.values) > max(20, view.n / 3):
        text = f"{question.target} has {len(view.classes.values)} different values in {view.n} rows"
        yield AlarmEvidence("LB030", text, _target(view))
    elif not question.classifies and view.n >= 20 and _numbers_the_rows(view.amounts):
        yield AlarmEvidence(
            "LB030", f"{values[0]:g}, {values[1]:g}, {values[2]:g} ...: a new number in every row", _target(view)
        )


def _numbers_the_rows(amounts: Array) -> bool:
    """Whether the values are consecutive integers."""
    ordered = np.sort(amounts)
    return bool((np.diff(ordered) == 1).all())


def ambiguous_task(view: AuditView) -> Findings:
    """Integers that may be meant as classes or as amounts."""
    values = view.question.y
    if values.dtype.kind not in "iuf" or view.question.recommends:
        return
    distinct = np.unique(values)
    if not (distinct == np.round(distinct)).all() or not 3 <= len(distinct) <= 30:
        return
    taken = "classes, not amounts" if view.question.classifies else "amounts, not classes"
    text = f"{len(distinct)} integers, {distinct[0]:g} to {distinct[-1]:g}, treated as {taken}"
    yield AlarmEvidence("LB032", text, _target(view))


def _target(view: AuditView) -> tuple[str, ...]:
    return (str(view.question.target),)
