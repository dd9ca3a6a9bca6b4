"""A score over folds as an estimate with an interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core import Array, ParameterError
from ..metrics._score_range import ACCURACY, UNKNOWN, Scale
from ..parts import confidence_intervals

Method = Literal["auto", "corrected", "nadeau-bengio", "student", "bootstrap", "wald", "wilson", "halves"]
WORDS = {
    "corrected": "Student's, corrected for training rows that overlap",
    "nadeau-bengio": "Student's, corrected for training rows that overlap",
    "student": "Student's, as if folds were independent",
    "bootstrap": "bootstrap over folds",
    "wald": "Wald's, of a share of the rows tested",
    "wilson": "Wilson's, of a share of the rows tested",
    "halves": "by halves of the table, drawn row by row",
}
CORRECTED = ("corrected", "nadeau-bengio")
SAFE = "the interval is rather too wide than too narrow"
HIDDEN_SHARES = (
    "folds with equal shares of each class do not show how these shares vary, so the interval may be too narrow"
)


@dataclass(frozen=True, slots=True)
class Basis:
    """What scores were measured on: the share of the rows that a fold tests, how many rows all test, and the scale.

    Rows of unequal weight count for fewer.
    """

    test_share: float = 0.5
    rows: float | None = None
    scale: Scale = UNKNOWN


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean score and the interval that holds the expected score with a given confidence.

    `method` names the kind of interval; `caveat` states what it does not account for, if anything.
    """

    mean: float
    low: float
    high: float
    confidence: float
    deviation: float
    folds: int
    method: Method
    caveat: str = ""

    @classmethod
    def of(cls, scores: Array, basis: Basis, confidence: float = 0.95, method: Method = "corrected") -> Estimate:
        """From the scores of all folds; NaN folds are left out.

        "auto" is "corrected" here, since scores alone do not allow more. "wald" and "wilson" are intervals of a
        proportion of rows, such as accuracy, as if one model had been tested on all of them. "corrected" is never
        narrower than "wilson" for such a proportion.
        """
        values = np.asarray(scores, dtype=np.float64)
        values = values[np.isfinite(values)]
        method = "corrected" if method == "auto" else method
        if method not in WORDS:
            raise ParameterError(f"summary: method must be one of auto, {', '.join(WORDS)}; got {method!r}")
        if method == "halves":
            raise ParameterError('summary: method="halves" refits halves of the table; pass it to cross_validate')
        mean = float(values.mean()) if len(values) else float("nan")
        deviation = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        low, high, method = _ends(values, basis, confidence, method)
        caveat = "; ".join(_caveats(values, np.size(scores), basis.scale))
        return cls(mean, low, high, confidence, deviation, len(values), method, caveat)

    def __str__(self) -> str:
        return f"{self.brief}; {self.caveat}" if self.caveat else self.brief

    @property
    def brief(self) -> str:
        """The numbers, and what interval it is."""
        return (
            f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}] ({self.confidence:.0%}, {self.folds} folds; "
            f"{WORDS[self.method]})"
        )


def _ends(values: Array, basis: Basis, confidence: float, method: Method) -> tuple[float, float, Method]:
    """The interval, and the method that it is by in the end."""
    if method in ("wald", "wilson") and len(values):
        return *_of_share(float(values.mean()), basis, confidence, method), method
    if len(values) < 2:
        return basis.scale.lowest, basis.scale.highest, method
    found = _interval(values, basis.test_share, confidence, method)
    if method not in CORRECTED:
        return *basis.scale.within(found), method
    low, high = basis.scale.honest(found, float(values.mean()), basis.rows, confidence)
    by_rows = basis.scale.of_rows and high - low > found[1] - found[0]
    return low, high, "wilson" if by_rows else method


def _caveats(values: Array, requested: int, scale: Scale) -> Iterator[str]:
    """What the interval of these scores does not know."""
    if len(values) < requested:
        yield f"{requested - len(values)} of {requested} folds have no score"
    if len(values) < 2:
        yield "a single fold does not show how scores vary"
    elif not scale.of_rows and np.ptp(values) == 0:
        yield "all folds have the same score, which does not show how others would vary"
    elif scale.by_classes:
        yield HIDDEN_SHARES


def _interval(values: Array, test_share: float, confidence: float, method: Method) -> tuple[float, float]:
    if method == "student":
        return confidence_intervals.student(values, confidence)
    if method == "bootstrap":
        return confidence_intervals.bootstrap(values, np.mean, confidence, 0, method="percentile")
    return confidence_intervals.corrected_resampled(values, test_share, confidence)


def _of_share(score: float, basis: Basis, confidence: float, method: Method) -> tuple[float, float]:
    """The interval of a proportion of rows; for an unknown score the caller must know that it is one."""
    if basis.rows is None:
        raise ParameterError(
            f"summary: method={method!r} needs the rows of the test folds; request it from cross_validate"
        )
    scale = ACCURACY if basis.scale.of_rows is None else basis.scale
    if not scale.of_rows or not scale.lowest <= score <= scale.highest:
        raise ParameterError(
            f"summary: method={method!r} is for scores that are proportions of rows, such as accuracy; this one is "
            "not, and "
            f'its mean is {score:.4g}, so use "corrected"'
        )
    return scale.by_rows(score, basis.rows, confidence, method)


class CvSummary(dict[str, Estimate]):
    """Estimates by the name of the score; prints as a table, with a note where there is a reservation."""

    note: str = ""

    def __str__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"{name:<{width}}  {estimate.brief}" for name, estimate in self.items()]
        return "\n".join([*lines, *self._notes()])

    def telling_width(self, remedy: str = "") -> CvSummary:
        """The same with a note on which of the intervals may be too wide, and what to do about it."""
        names = [name for name, estimate in self.items() if estimate.method in CORRECTED and not estimate.caveat]
        if names:
            self.note = f"{', '.join(names)}: {'; '.join(filter(None, [SAFE, remedy]))}"
        return self

    def _notes(self) -> list[str]:
        """The caveats of the estimates, with the names of those that have them, and the note."""
        names: dict[str, list[str]] = {}
        for name, estimate in self.items():
            names.setdefault(estimate.caveat, []).append(name)
        caveats = [f"{', '.join(found)}: {caveat}" for caveat, found in names.items() if caveat]
        return [*caveats, *([self.note] if self.note else [])]

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{e.mean:.4g}</td><td>{e.low:.4g}</td><td>{e.high:.4g}</td><td>{e.folds}</td></tr>"
            for name, e in self.items()
        )
        head = "<tr><th>score</th><th>mean</th><th>low</th><th>high</th><th>folds</th></tr>"
        notes = "<br>".join(map(escape, self._notes()))
        note = f"<caption>{notes}</caption>" if notes else ""
        return f"<table>{note}<thead>{head}</thead><tbody>{rows}</tbody></table>"
