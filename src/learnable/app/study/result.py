"""The result of a study, for reports, files and programs."""

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
from ..table_source import TableSource
from ..task import Question
from ..to_json import plain
from .cross_validation import CandidateResult
from .diagnosis import ModelDiagnosis
from .final_test import FinalTest
from .interruption import Early
from .metric import Metric
from .plan import StudyPlan
from .ranking import Ranking
from .settings import StudySettings
from .splits import DevelopmentTestSplit

SCHEMA = 5  # version of the layout of report.json


@dataclass(frozen=True, slots=True)
class Study:
    """The result of a study: leaderboard, diagnosis, evaluation on the test set, fitted model."""

    plan: StudyPlan
    alarms: list[Alarm]
    entries: list[CandidateResult]
    ranking: Ranking
    chosen: dict[str, Any]
    diagnosis: ModelDiagnosis
    final_test: FinalTest
    deployed: DeployedModel
    early: Early
    data_hash: str
    source: TableSource

    @property
    def question(self) -> Question:
        """The table with the roles of its columns."""
        return self.plan.question

    @property
    def settings(self) -> StudySettings:
        """The settings of the study."""
        return self.plan.settings

    @property
    def metric(self) -> Metric:
        """The metric of the comparison."""
        return self.plan.metric

    @property
    def split(self) -> DevelopmentTestSplit:
        """The split into development rows and test set."""
        return self.plan.split

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes, the positive one last."""
        return self.plan.all_rows.labels

    @property
    def recommended(self) -> str:
        """The name of the recommended model."""
        return self.ranking.recommended

    @property
    def has_model(self) -> bool:
        """Whether a model other than the baseline is recommended."""
        return self.recommended != self.ranking.baseline

    @property
    def rounds(self) -> int:
        """Number of repeats of the cross-validation: as requested, if the time sufficed."""
        tested = max(len(entry.fold_results) for entry in self.entries)
        return max(tested // self.settings.folds, 1)

    @property
    def fitted_rows(self) -> int:
        """Training rows of the deployed model: all, if the time sufficed."""
        return int(self.deployed.card["rows"])

    @property
    def certificate(self) -> str:
        """The certificate of the final fit."""
        return str(self.deployed.model[-1].certificate_)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as an HTML page."""
        from ..report.failures import Failures
        from ..report.page import page

        failures = Failures()
        place(Path(path), page(self, failures).encode())
        failures.warn()

    def figure(self, score: float) -> str:
        """A score as text, with the number of decimals that gives the best score three digits."""
        shown = self.metric.shown(score)
        if not math.isfinite(shown):
            return "–" if math.isnan(shown) else "∞" if shown > 0 else "−∞"
        size = max(abs(self.metric.shown(self.ranking.best.estimate.mean)), 1e-300)
        digits = 3 - math.floor(math.log10(size)) - 1
        return f"{shown:.{min(max(digits, 0), 6)}f}" if 1e-4 < size < 1e12 else f"{shown:.4g}"

    def between(self, low: float, high: float) -> str:
        """An interval of scores as text, the smaller value first."""
        ends = sorted([self.metric.shown(low), self.metric.shown(high)])
        return " to ".join(self.figure(self.metric.sign * end) for end in ends)

    def as_json(self) -> dict[str, Any]:
        """The study as plain values; `schema` is the version of the layout, run times are under `timing` only."""
        found: dict[str, Any] = plain(
            {
                "schema": SCHEMA,
                "learnable": __version__,
                "data": {
                    "name": self.source.name, "rows": self.question.n, "hash": self.data_hash,
                    "columns": {name: self.question.table.types[name] for name in self.question.table.columns},
                },
                "question": self._question(),
                "settings": {
                    "seed": self.settings.seed, "folds": self.settings.folds, "repeats": self.settings.repeats,
                    "effort": self.settings.effort, "metric": self.metric.scorer, "split": self.split.how,
                    "development_rows": len(self.split.development), "test_rows": len(self.split.test_rows),
                },
                "notes": self.question.table.notes,
                "alarms": [alarm.as_dict() for alarm in self.alarms],
                "models": [self._model(entry) for entry in self.entries],
                "recommended": self.recommended,
                "useful": self.ranking.useful,
                "parameters": self.chosen,
                "fitted_rows": self.fitted_rows,
                "certificate": self.certificate,
                "final_test": {name: value for name, value in asdict(self.final_test).items() if name != "predictions"},
                "diagnosis": self._diagnosis(),
                "partial": bool(self.early),
                "timing": {entry.candidate.name: self._times(entry) for entry in self.entries if entry.fold_results},
            }
        )  # fmt: skip
        return found

    def _question(self) -> dict[str, Any]:
        names = ("task", "target", "features", "texts", "group", "time", "weight", "positive", "guessed")
        lags = None if self.question.lags is None else self.question.lags.described()
        found = {name: getattr(self.question, name) for name in names}
        return {**found, "dropped": self.question.dropped, "lags": lags}

    def _diagnosis(self) -> dict[str, Any]:
        """The diagnosis of the recommended model; parts for which the time did not suffice are empty or null."""
        found = self.diagnosis
        return {
            "learning_curve": None if found.learning_curve is None else asdict(found.learning_curve),
            "importances": [asdict(one) for one in found.importances],
            "partial_dependences": [asdict(one) for one in found.partial_dependences],
            "error_by_subgroup": [asdict(one) for one in found.slices],
            "interactions": [asdict(one) for one in found.interactions],
            "explained_rows": [asdict(one) for one in found.explained],
            "largest_errors": [asdict(one) for one in found.worst],
        }

    def _model(self, entry: CandidateResult) -> dict[str, Any]:
        if not entry.fold_results:
            return {"name": entry.candidate.name, "skipped": entry.reason}
        line = self.ranking.row_of(entry.candidate.name)
        return {
            "name": line.name, "score": line.estimate.mean, "low": line.estimate.low, "high": line.estimate.high,
            "p_baseline": line.compared.p_baseline, "p_best": line.compared.p_best, "verdict": line.compared.verdict,
            "group": line.compared.group, "probability_better_than_baseline": line.better_than_baseline,
            "probability_better_than_best": line.better_than_best, "probability_equal_to_best": line.equal_to_best,
            "bytes": line.size, "scores": self.ranking.scores[line.name], "unfinished": line.unfinished,
        }  # fmt: skip

    def _times(self, entry: CandidateResult) -> dict[str, float]:
        line = self.ranking.row_of(entry.candidate.name)
        return {"fit_seconds": line.fit_seconds, "query_seconds": line.query_seconds}
