"""Every candidate on every fold: learned and chosen on the training part, asked about the test part."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._version import __version__
from ...core import Array, BudgetError, DataError, ambient
from ...core.fingerprint import fingerprint
from ...model_selection.journal import Journal
from .candidates import Candidate
from .case import Case, fitted
from .division import Division
from .metric import Metric
from .settings import Settings

Tell = Callable[[str], None]
Early = Literal["", "budget", "interrupt"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a candidate answered about one test part, what it cost and which parameters it had chosen."""

    answers: Array
    chosen: dict[str, Any]
    fit_seconds: float
    query_seconds: float
    unfinished: int

    def plain(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {
            "answers": self.answers.tolist(), "chosen": self.chosen, "fit_seconds": self.fit_seconds,
            "query_seconds": self.query_seconds, "unfinished": self.unfinished,
        }  # fmt: skip

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Attempt:
        """From a journal."""
        return cls(**{**kept, "answers": np.array(kept["answers"], dtype=np.float64)})


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate with its attempts on the folds that all have in common; without any, `reason` says why."""

    candidate: Candidate
    attempts: list[Attempt]
    reason: str = ""


class Tournament:
    """Plays repeat after repeat, so that what a budget leaves is a comparison of all on fewer folds."""

    def __init__(
        self, case: Case, division: Division, settings: Settings, metric: Metric, journal: Journal, tell: Tell
    ) -> None:
        self.case, self.division, self.settings, self.metric = case, division, settings, metric
        self.journal, self.tell = journal, tell
        self.place = fingerprint(
            __version__, case.frame, case.y, case.weight, case.groups, division.folds, settings, metric.scorer
        )

    def play(self, field: list[Candidate]) -> tuple[list[Entry], Early]:
        """The entries of all candidates, and what ended the tournament early, if anything did."""
        attempts: dict[str, list[Attempt]] = {candidate.name: [] for candidate in field}
        reasons = {one.name: reason for one in field if (reason := self._left_out(one))}
        early: Early = ""
        for start in range(0, len(self.division.folds), self._round):
            for candidate in field:
                if candidate.name in reasons or early:
                    continue
                try:
                    attempts[candidate.name] += self._played(candidate, start)
                except BudgetError:
                    early = "budget"
                except KeyboardInterrupt:
                    early = "interrupt"
                except (DataError, ArithmeticError, ValueError) as error:
                    reasons[candidate.name] = f"could not be fitted: {error!s:.200}"
        return self._entries(field, attempts, reasons, early), early

    @property
    def _round(self) -> int:
        return min(self.settings.folds, len(self.division.folds))

    def _left_out(self, candidate: Candidate) -> str:
        most = max(len(train) for train, _ in self.division.folds)
        return f"left out: made for at most {candidate.most_rows} rows" if most > candidate.most_rows else ""

    def _played(self, candidate: Candidate, start: int) -> list[Attempt]:
        """One candidate on the folds of one repeat."""
        folds = range(start, min(start + self._round, len(self.division.folds)))
        return [self._attempt(candidate, fold) for fold in folds]

    def _attempt(self, candidate: Candidate, fold: int) -> Attempt:
        key = f"{self.place} {candidate.name} {fold}"
        kept = self.journal.get(key)
        if kept is not None:
            return Attempt.of(kept)
        self.tell(f"{candidate.name}, part {fold + 1} of {len(self.division.folds)}")
        attempt = attempted(candidate, self.case, *self.division.folds[fold], self.settings, self.metric)
        self.journal.put(key, attempt.plain())
        return attempt

    def _entries(
        self, field: list[Candidate], attempts: dict[str, list[Attempt]], reasons: dict[str, str], early: Early
    ) -> list[Entry]:
        """Candidates on as many folds as those have that got as far as the first repeat."""
        done = [len(attempts[one.name]) for one in field if attempts[one.name] and one.name not in reasons]
        if not done and early == "interrupt":
            raise KeyboardInterrupt
        if not done:
            raise BudgetError("the budget ended before a single model was tested; give more time with --budget")
        common = min(done)
        entries = []
        for one in field:
            found = attempts[one.name][:common] if one.name not in reasons else []
            reason = reasons.get(one.name, "" if found else f"left out: the {early} came before it")
            entries.append(Entry(one, found, reason))
        return entries


def attempted(
    candidate: Candidate, case: Case, train: Array, test: Array, settings: Settings, metric: Metric
) -> Attempt:
    """Learn on the rows `train`, answer about the rows `test`; a fit that time cut short counts for nothing."""
    began = time.perf_counter()
    model, chosen, unfinished = fitted(candidate, case.rows(train), settings, metric)
    learned = time.perf_counter()
    answers = case.rows(test).answers(model)
    if ambient.reason_to_stop():
        raise BudgetError("the budget ended while a model was fitted")
    per_row = (time.perf_counter() - learned) / len(test)
    return Attempt(answers, chosen, learned - began, per_row, unfinished)
