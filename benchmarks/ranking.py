"""From outcomes to rows: which outputs count, and their speed relative to the fastest peer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from benchmarks.race import Outcome
from benchmarks.task import Quality


@dataclass(frozen=True)
class Row:
    """One line of the table; ratio is the time of the fastest counted peer over this time."""

    outcome: Outcome
    worse: bool
    ratio: float

    @property
    def counts(self) -> bool:
        """Whether the contender finished, with the required quality."""
        return self.outcome.ok and not self.worse

    def plain(self) -> dict[str, Any]:
        """The row as JSON writes it."""
        outcome = self.outcome
        return {
            "contender": outcome.contender.name,
            "kind": outcome.contender.kind,
            "status": outcome.status,
            "note": outcome.note,
            "seconds": _number(outcome.median),
            "runs": outcome.seconds,
            "figure": _number(outcome.figure),
            "worse": self.worse,
            "ratio": _number(self.ratio),
            "peak_mb": _number(outcome.peak),
        }


def rank_outcomes(outcomes: list[Outcome], quality: Quality) -> list[Row]:
    """Mark outputs of insufficient quality, and compare the others with the fastest peer among them; fastest first."""
    best = quality.rule.best([outcome.figure for outcome in outcomes if outcome.ok])
    worse = [outcome.ok and quality.rule.worse(outcome.figure, best) for outcome in outcomes]
    fastest = min(
        (
            outcome.median
            for outcome, bad in zip(outcomes, worse, strict=True)
            if outcome.ok and not bad and outcome.contender.kind == "peer"
        ),
        default=math.nan,
    )
    rows = [
        Row(outcome, bad, fastest / outcome.median if outcome.ok and not bad else math.nan)
        for outcome, bad in zip(outcomes, worse, strict=True)
    ]
    return sorted(rows, key=lambda row: (not row.counts, not row.outcome.ok, row.outcome.median))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
