"""A score over folds as an estimate with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError
from ..parts import intervals

Method = Literal["corrected", "student", "bootstrap"]
WORDS = {
    "corrected": "Student's, corrected for training rows that overlap",
    "student": "Student's, as if folds were independent",
    "bootstrap": "bootstrap over folds",
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
        cls, scores: Array, test_share: float, confidence: float = 0.95, method: Method = "corrected", seed: int = 0
    ) -> Estimate:
        """From the scores of all folds, each measured on a share `test_share` of the rows; NaN folds are left out."""
        values = np.asarray(scores, dtype=np.float64)
        values = values[np.isfinite(values)]
        if method not in WORDS:
            raise ParameterError(f"summary: method must be one of {', '.join(WORDS)}; got {method!r}")
        low, high = -np.inf, np.inf
        if len(values) > 1:
            low, high = _interval(values, test_share, confidence, method, seed)
        mean = float(values.mean()) if len(values) else float("nan")
        deviation = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        return cls(mean, low, high, confidence, deviation, len(values), method)

    def __str__(self) -> str:
        return (
            f"{self.mean:.4g} [{self.low:.4g}, {self.high:.4g}] ({self.confidence:.0%}, {self.folds} folds; "
            f"{WORDS[self.method]})"
        )


def _interval(values: Array, test_share: float, confidence: float, method: Method, seed: int) -> tuple[float, float]:
    if method == "student":
        return intervals.student(values, confidence)
    if method == "bootstrap":
        return intervals.bootstrap(values, np.mean, confidence, seed, method="percentile")
    return intervals.corrected_resampled(values, test_share, confidence)


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

    @classmethod
    def of(cls, scores: Array, test_share: float) -> FoldScores:
        """The scores as they are, with the share of rows that each was measured on."""
        found = np.asarray(scores).view(cls)
        found.test_share = test_share
        return found

    def __array_finalize__(self, source: Any) -> None:
        self.test_share = getattr(source, "test_share", 0.5)

    def __reduce__(self) -> tuple[Any, ...]:
        return FoldScores.of, (np.asarray(self), self.test_share)

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> Estimate:
        """The mean with its interval."""
        return Estimate.of(np.asarray(self), self.test_share, confidence, method)
