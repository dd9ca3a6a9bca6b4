"""A score over folds as an estimate with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError
from ..parts import intervals

Method = Literal["corrected", "nadeau-bengio", "student", "bootstrap", "wald", "wilson"]
WORDS = {
    "corrected": "Student's, corrected for training rows that overlap",
    "nadeau-bengio": "Student's, corrected for training rows that overlap",
    "student": "Student's, as if folds were independent",
    "bootstrap": "bootstrap over folds",
    "wald": "Wald's, of a share of the rows tested",
    "wilson": "Wilson's, of a share of the rows tested",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean score and the interval that holds the expected score with a given confidence."""

    mean: float
    low: float
    high: float
    confidence: float
    deviation: float
    folds: int
    method: Method

    @classmethod
    def of(
        cls,
        scores: Array,
        test_share: float,
        confidence: float = 0.95,
        method: Method = "corrected",
        rows: int | None = None,
    ) -> Estimate:
        """From the scores of all folds, each measured on a share `test_share` of the rows; NaN folds are left out.

        `rows` is how many different rows were tested on, which "wald" and "wilson" ask for: they are intervals of a
        share of rows, such as accuracy, as if one model had been tested on all of them.
        """
        values = np.asarray(scores, dtype=np.float64)
        values = values[np.isfinite(values)]
        if method not in WORDS:
            raise ParameterError(f"summary: method must be one of {', '.join(WORDS)}; got {method!r}")
        low, high = -np.inf, np.inf
        if method in ("wald", "wilson") and len(values):
            low, high = _of_share(float(values.mean()), rows, confidence, method)
        elif len(values) > 1:
            low, high = _interval(values, test_share, confidence, method)
        mean = float(values.mean()) if len(values) else float("nan")
        deviation = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        return cls(mean, low, high, confidence, deviation, len(values), method)

    def __str__(self) -> str:
        return (
            f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}] ({self.confidence:.0%}, {self.folds} folds; "
            f"{WORDS[self.method]})"
        )


def _interval(values: Array, test_share: float, confidence: float, method: Method) -> tuple[float, float]:
    if method == "student":
        return intervals.student(values, confidence)
    if method == "bootstrap":
        return intervals.bootstrap(values, np.mean, confidence, 0, method="percentile")
    return intervals.corrected_resampled(values, test_share, confidence)


def _of_share(share: float, rows: int | None, confidence: float, method: Method) -> tuple[float, float]:
    if rows is None:
        raise ParameterError(f"summary: method={method!r} needs to know the rows tested; ask cross_validate for it")
    if not 0 <= share <= 1:
        raise ParameterError(
            f"summary: method={method!r} is for scores that are shares of rows, such as accuracy; the mean score is "
            f'{share:.4g}, so use "corrected"'
        )
    if method == "wald":
        return intervals.wald(share, rows, confidence)
    return intervals.wilson(share * rows, rows, confidence)


class Summary(dict[str, Estimate]):
    """Estimates by the name of the score; prints as a table, with a note where there is a reservation."""

    note: str = ""

    def __str__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"{name:<{width}}  {estimate}" for name, estimate in self.items()]
        return "\n".join([*lines, *([self.note] if self.note else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name)}</th><td>{e.mean:.4g}</td><td>{e.low:.4g}</td><td>{e.high:.4g}</td><td>{e.folds}</td></tr>"
            for name, e in self.items()
        )
        head = "<tr><th>score</th><th>mean</th><th>low</th><th>high</th><th>folds</th></tr>"
        note = f"<caption>{escape(self.note)}</caption>" if self.note else ""
        return f"<table>{note}<thead>{head}</thead><tbody>{rows}</tbody></table>"


class FoldScores(np.ndarray[Any, np.dtype[Any]]):
    """The score of each fold; an array that also knows what its mean says about new rows."""

    test_share: float
    rows: int | None

    @classmethod
    def of(cls, scores: Array, test_share: float, rows: int | None = None) -> FoldScores:
        """The scores as they are, with the share of rows that each was measured on, and how many rows all were."""
        found = np.asarray(scores).view(cls)
        found.test_share, found.rows = test_share, rows
        return found

    def __array_finalize__(self, source: Any) -> None:
        self.test_share = getattr(source, "test_share", 0.5)
        self.rows = getattr(source, "rows", None)

    def __reduce__(self) -> tuple[Any, ...]:
        return FoldScores.of, (np.asarray(self), self.test_share, self.rows)

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> Estimate:
        """The mean with its interval."""
        return Estimate.of(np.asarray(self), self.test_share, confidence, method, self.rows)
