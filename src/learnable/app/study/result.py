"""What came of a study: everything that a report, a file or a program needs to know."""

from __future__ import annotations

import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...core.files.atomic_write import place
from ...deployment import DeployedModel
from ..audit import Alarm
from ..table_source import Source
from ..task import Question
from ..to_json import plain
from .cross_validation import Entry
from .diagnosis import Diagnosis
from .final_test import LastTest
from .interruption import Early
from .metric import Metric
from .plan import Plan
from .ranking import Ranking
from .settings import Settings
from .splits import Division

SCHEMA = 3


@dataclass(frozen=True, slots=True)
class Study:
    """A question and all that was found."""

    plan: Plan
    alarms: list[Alarm]
    entries: list[Entry]
    ranking: Ranking
    chosen: dict[str, Any]
    diagnosis: Diagnosis
    last_test: LastTest
    deployed: DeployedModel
    early: Early
    data_hash: str
    source: Source

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.plan.question

    @property
    def settings(self) -> Settings:
        """How it was answered."""
        return self.plan.settings

    @property
    def metric(self) -> Metric:
        """What models were judged by."""
        return self.plan.metric

    @property
    def division(self) -> Division:
        """Which rows were for what."""
        return self.plan.division

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, the positive one last."""
        return self.plan.whole.labels

    @property
    def recommended(self) -> str:
        """The model that was taken."""
        return self.ranking.recommended

    @property
    def learned_something(self) -> bool:
        """Whether the model that was taken is more than the baseline, so that there is something to look at."""
        return self.recommended != self.ranking.baseline

    @property
    def rounds(self) -> int:
        """How often all parts were tested: as often as was asked, if there was time."""
        tested = max(len(entry.attempts) for entry in self.entries)
        return max(tested // self.settings.folds, 1)

    @property
    def learned_rows(self) -> int:
        """Rows that the model that is kept has learned from: all, if there was time."""
        return int(self.deployed.card["rows"])

    @property
    def certificate(self) -> str:
        """How good the last fit provably is."""
        return str(self.deployed.model[-1].certificate_)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the page that tells everything."""
        from ..report.failures import Failures
        from ..report.page import page

        failures = Failures()
        place(Path(path), page(self, failures).encode())
        failures.warn()

    def figure(self, score: float) -> str:
        """A score as people write it, with the places after the point that give the best score three digits."""
        shown = self.metric.shown(score)
        if not math.isfinite(shown):
            return "–" if math.isnan(shown) else "∞" if shown > 0 else "−∞"
        size = max(abs(self.metric.shown(self.ranking.best.estimate.mean)), 1e-300)
        digits = 3 - math.floor(math.log10(size)) - 1
        return f"{shown:.{min(max(digits, 0), 6)}f}" if 1e-4 < size < 1e12 else f"{shown:.4g}"

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
                    "name": self.source.name, "rows": self.question.n, "hash": self.data_hash,
                    "columns": {name: self.question.table.types[name] for name in self.question.table.columns},
                },
                "question": self._requested(),
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
                "learned rows": self.learned_rows,
                "certificate": self.certificate,
                "last_test": {name: value for name, value in asdict(self.last_test).items() if name != "answers"},
                "diagnosis": self._diagnosis(),
                "partial": bool(self.early),
                "timing": {entry.candidate.name: self._times(entry) for entry in self.entries if entry.attempts},
            }
        )  # fmt: skip
        return found

    def _requested(self) -> dict[str, Any]:
        names = ("task", "target", "features", "group", "time", "weight", "positive", "guessed")
        return {**{name: getattr(self.question, name) for name in names}, "dropped": self.question.dropped}

    def _diagnosis(self) -> dict[str, Any]:
        """What was found about the recommended model; what there was no time for is empty or null."""
        found = self.diagnosis
        return {
            "learning": None if found.learning is None else asdict(found.learning),
            "importances": [asdict(one) for one in found.importances],
            "dependences": [asdict(one) for one in found.dependences],
            "slices": [asdict(one) for one in found.slices],
            "worst": [asdict(one) for one in found.worst],
        }

    def _model(self, entry: Entry) -> dict[str, Any]:
        if not entry.attempts:
            return {"name": entry.candidate.name, "left out": entry.reason}
        line = self.ranking.standing(entry.candidate.name)
        return {
            "name": line.name, "score": line.estimate.mean, "low": line.estimate.low, "high": line.estimate.high,
            "p_baseline": line.compared.p_baseline, "p_best": line.compared.p_best, "verdict": line.compared.verdict,
            "group": line.compared.group, "probability_better_than_baseline": line.better_than_baseline,
            "probability_better_than_best": line.better_than_best, "probability_equal_to_best": line.equal_to_best,
            "bytes": line.size, "scores": self.ranking.scores[line.name], "unfinished": line.unfinished,
        }  # fmt: skip

    def _times(self, entry: Entry) -> dict[str, float]:
        line = self.ranking.standing(entry.candidate.name)
        return {"fit_seconds": line.fit_seconds, "query_seconds": line.query_seconds}
