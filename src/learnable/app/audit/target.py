"""The target itself: too rare, too even, too skewed, capped, or not what a model should predict."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ..format_number import figure
from ..text import agree, counted, listed, percent
from .evidence import Evidence, Findings, shown
from .table_view import View

FOLDS = 5
DOMINANT, ALMOST_ALL = 0.9, 0.995  # shares of a class
SAME_AMOUNT = 0.9  # share of one amount from which a number is nearly constant
SKEWED = 2.0
CAPPED = 0.02  # share of rows at an end of the range
FAR = 10.0  # quartile ranges from the quartiles


def rare_classes(view: View) -> Findings:
    """Classes with fewer rows than folds."""
    counts = view.classes.counts
    rare = [f"{shown(view.classes.values[place])} ({count})" for place, count in enumerate(counts) if count < FOLDS]
    if rare:
        yield Evidence("LB026", f"fewer than {FOLDS} rows of {listed(rare)}", _target(view))


def imbalance(view: View) -> Findings:
    """A class that has nearly all rows."""
    counts = view.classes.counts
    share, top = counts.max() / counts.sum(), shown(view.classes.values[int(counts.argmax())])
    if share >= DOMINANT:
        rest = int(counts.sum() - counts.max())
        text = f"{percent(share)} of the rows are {top}; {rest} {agree('is', rest)} not"
        yield Evidence("LB028" if share >= ALMOST_ALL else "LB027", text, _target(view))


def nearly_constant_amount(view: View) -> Findings:
    """A number that is the same in nearly all rows."""
    counts = np.unique(view.amounts, return_counts=True)[1]
    share = float(counts.max() / counts.sum())
    if share >= SAME_AMOUNT:
        yield Evidence("LB028", f"{percent(share)} of the rows have the same target", _target(view))


def skewed_amount(view: View) -> Findings:
    """A positive number with a long tail, which its logarithm has not."""
    amounts = view.amounts
    if len(amounts) < 50 or amounts.min() <= 0:
        return
    before, after = _skewness(amounts), _skewness(np.log(amounts))
    if before > SKEWED and abs(after) < before / 2:
        text = f"skewness {before:.2f}, and {after:.2f} for the logarithm; {_range(amounts)}"
        yield Evidence("LB029", text, _target(view))


def _skewness(values: Array) -> float:
    centred = values / np.abs(values).max() if np.abs(values).max() > 0 else values
    centred = centred - centred.mean()
    spread = float(np.sqrt((centred**2).mean()))
    return float((centred**3).mean() / spread**3) if spread > 1e-12 else 0.0


def _range(amounts: Array) -> str:
    low, middle, high = amounts.min(), np.median(amounts), amounts.max()
    return f"the smallest is {figure(low, 4)}, the median {figure(middle, 4)}, the largest {figure(high, 4)}"


def capped_amount(view: View) -> Findings:
    """A number of many values that is cut off at an end of its range."""
    values, counts = np.unique(view.amounts, return_counts=True)
    if len(values) < 50:
        return
    usual = max(1.0, float(np.median(counts)))
    for place, end in ((0, "smallest"), (-1, "largest")):
        share = counts[place] / len(view.amounts)
        if (
            share >= CAPPED
            and counts[place] >= 5 * usual
            and counts[place] >= 5 * counts[[1, -2][place]]
            and values[place]
        ):
            rows = counted(int(counts[place]), "row")
            yield Evidence(
                "LB031",
                f"{rows} ({percent(share)}) have exactly the {end} target, {figure(values[place], 6)}",
                _target(view),
            )
            return


def outlying_amounts(view: View) -> Findings:
    """Numbers very far from the rest."""
    first, third = np.quantile(view.amounts, [0.25, 0.75])
    reach = FAR * (third - first)
    beyond = np.flatnonzero((view.amounts < first - reach) | (view.amounts > third + reach))
    if reach > 0 and len(beyond):
        farthest = view.amounts[beyond[np.argmax(np.abs(view.amounts[beyond] - first))]]
        rows = f"{counted(len(beyond), 'row')} ({listed(view.told(beyond))})"
        text = f"{rows} more than {FAR:g} quartile ranges away, as far as {figure(farthest, 6)}"
        yield Evidence("LB034", text, _target(view))


def no_thing_to_predict(view: View) -> Findings:
    """A target that numbers or names the rows, or that is a time."""
    question = view.question
    values = question.y
    if question.table.types.get(str(question.target)) == "time":
        yield Evidence("LB030", f"{question.target} holds times", _target(view))
    elif question.classifies and len(view.classes.values) > max(20, view.n / 3):
        text = f"{question.target} has {len(view.classes.values)} different values in {view.n} rows"
        yield Evidence("LB030", text, _target(view))
    elif not question.classifies and view.n >= 20 and _numbers_the_rows(view.amounts):
        yield Evidence(
            "LB030", f"{values[0]:g}, {values[1]:g}, {values[2]:g} ...: a new number in every row", _target(view)
        )


def _numbers_the_rows(amounts: Array) -> bool:
    """Whether whole numbers follow each other without a gap."""
    ordered = np.sort(amounts)
    return bool((np.diff(ordered) == 1).all())


def classes_or_amounts(view: View) -> Findings:
    """Whole numbers that may be meant as classes or as amounts."""
    values = view.question.y
    if values.dtype.kind not in "iuf":
        return
    distinct = np.unique(values)
    if not (distinct == np.round(distinct)).all() or not 3 <= len(distinct) <= 30:
        return
    taken = "classes, not for amounts" if view.question.classifies else "amounts, not for classes"
    text = f"{len(distinct)} whole numbers, {distinct[0]:g} to {distinct[-1]:g}, taken for {taken}"
    yield Evidence("LB032", text, _target(view))


def _target(view: View) -> tuple[str, ...]:
    return (str(view.question.target),)
