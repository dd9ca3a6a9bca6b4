"""What came of a study: everything that a report, a file or a program needs to know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..._version import __version__
from ...core import Array
from ...deployment import DeployedModel
from ..audit import Alarm
from ..plain import plain
from ..question import Question
from .diagnosis import Diagnosis
from .division import Division
from .metric import Metric
from .ranking import Ranking
from .settings import Settings
from .tournament import Early, Entry

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class LastTest:
    """The one test on the locked rows: the score with its interval, and how often the promised intervals held."""

    score: float
    low: float
    high: float
    baseline: float
    rows: int
    answers: Array
    promised: float
    covered: float
    covered_low: float
    covered_high: float


@dataclass(frozen=True, slots=True)
class Study:
    """A question and all that was found."""

    question: Question
    settings: Settings
    metric: Metric
    division: Division
    labels: tuple[Any, ...]
    alarms: list[Alarm]
    entries: list[Entry]
    ranking: Ranking
    chosen: dict[str, Any]
    diagnosis: Diagnosis
    last_test: LastTest
    deployed: DeployedModel
    certificate: str
    early: Early
    data_hash: str
    source: str

    @property
    def recommended(self) -> str:
        """The model that was taken."""
        return self.ranking.recommended

    def figure(self, score: float) -> str:
        """A score as people write it, with as many digits as its interval is worth."""
        shown = self.metric.shown(score)
        if not math.isfinite(shown):
            return "–"
        size = max(abs(self.metric.shown(self.ranking.best.estimate.mean)), 1e-300)
        digits = 3 - math.floor(math.log10(size)) - 1 if size else 3
        return f"{shown:.{min(max(digits, 0), 6)}f}" if 1e-4 < size < 1e7 else f"{shown:.4g}"

    def between(self, low: float, high: float) -> str:
        """An interval of scores as people write it, the smaller number first."""
        ends = sorted([self.metric.shown(low), self.metric.shown(high)])
        return " to ".join(self.figure(self.metric.sign * end) for end in ends)

    def as_json(self) -> dict[str, Any]:
        """The study as plain values with the version of this layout; times stand apart from all else."""
        found: dict[str, Any] = plain(
            {
                "schema": SCHEMA,
                "learnable": __version__,
                "data": {
                    "name": self.source, "rows": self.question.n, "hash": self.data_hash,
                    "columns": {name: self.question.table.types[name] for name in self.question.table.columns},
                },
                "question": {
                    "task": self.question.task, "target": self.question.target, "features": self.question.features,
                    "group": self.question.group, "time": self.question.time, "weight": self.question.weight,
                    "positive": self.question.positive, "guessed": self.question.guessed,
                },
                "settings": {
                    "seed": self.settings.seed, "folds": self.settings.folds, "repeats": self.settings.repeats,
                    "effort": self.settings.effort, "metric": self.metric.scorer, "division": self.division.how,
                    "development rows": len(self.division.development), "locked rows": len(self.division.locked),
                },
                "notes": self.question.table.notes,
                "alarms": [alarm.as_dict() for alarm in self.alarms],
                "models": [self._model(entry) for entry in self.entries],
                "recommended": self.recommended,
                "useful": self.ranking.useful,
                "parameters": self.chosen,
                "certificate": self.certificate,
                "last_test": {
                    name: getattr(self.last_test, name)
                    for name in ("score", "low", "high", "baseline", "rows", "promised", "covered")
                },
                "importances": [
                    {"column": one.column, "loss": one.loss, "low": one.low, "high": one.high}
                    for one in self.diagnosis.importances
                ],
                "partial": bool(self.early),
                "timing": {entry.candidate.name: self._times(entry) for entry in self.entries if entry.attempts},
            }
        )  # fmt: skip
        return found

    def _model(self, entry: Entry) -> dict[str, Any]:
        if not entry.attempts:
            return {"name": entry.candidate.name, "left out": entry.reason}
        line = self.ranking.standing(entry.candidate.name)
        return {
            "name": line.name, "score": line.estimate.mean, "low": line.estimate.low, "high": line.estimate.high,
            "p_baseline": line.compared.p_baseline, "p_best": line.compared.p_best, "verdict": line.compared.verdict,
            "group": line.compared.group, "probability_equal_to_best": line.equal_to_best,
            "scores": self.ranking.scores[line.name], "unfinished": line.unfinished,
        }  # fmt: skip

    def _times(self, entry: Entry) -> dict[str, float]:
        line = self.ranking.standing(entry.candidate.name)
        return {"fit_seconds": line.fit_seconds, "query_seconds": line.query_seconds}
