"""Every candidate on every fold: learned and chosen on the training part, asked about the test part."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array, BudgetError, DataError
from ...core.files.fingerprint import fingerprint
from ...core.files.model_file import size_of
from ...core.runtime import context
from ...model_selection._journal import Journal
from .candidates import Candidate
from .dataset_view import fitted
from .encoding_cache import Encoded
from .interruption import Early
from .plan import Plan

Tell = Callable[[str], None]
ASKED = ("task", "features", "target", "group", "time", "weight", "positive")
LAYOUT = 5  # of an attempt in a journal


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a candidate answered about one test part, what it cost and which parameters it had chosen.

    `fit_seconds` includes the search, `refit_seconds` is its last fit alone, of which `encode_seconds` went to the
    columns before the model saw them; `size` is how many bytes the model takes in a file.
    """

    answers: Array
    chosen: dict[str, Any]
    fit_seconds: float
    refit_seconds: float
    encode_seconds: float
    query_seconds: float  # of one row
    unfinished: int
    size: int

    @property
    def answer_seconds(self) -> float:
        """Of all rows of the test part."""
        return self.query_seconds * len(self.answers)

    def plain(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "answers": self.answers.tolist()}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Attempt:
        """From a journal."""
        return cls(**{**kept, "answers": np.array(kept["answers"], dtype=np.float64)})


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate with its attempts on the folds that all have in common; without any, `reason` says why.

    `smaller` is how many rows its fits had in an earlier comparison, and how many seconds they took.
    """

    candidate: Candidate
    attempts: list[Attempt]
    reason: str = ""
    smaller: tuple[int, float] = (0, 0.0)

    def mean(self, cost: str) -> float:
        """What attempts took on average, by the name of those seconds or bytes."""
        return float(np.mean([getattr(attempt, cost) for attempt in self.attempts]))


class Tournament:
    """Plays repeat after repeat, so that what a budget leaves is a comparison of all on fewer folds."""

    def __init__(self, plan: Plan, data: str, journal: Journal, tell: Tell) -> None:
        self.plan, self.journal, self.tell = plan, journal, tell
        self.folds, self.case, self.encoded = plan.division.folds, plan.case, Encoded()
        requested = [getattr(plan.question, name) for name in ASKED]
        self.place = fingerprint(
            __version__,
            LAYOUT,
            data,
            requested,
            plan.division.development,
            self.folds,
            plan.settings,
            plan.metric.scorer,
        )

    def play(
        self,
        field: list[Candidate],
        *,
        begun: Sequence[Entry] = (),
        rounds: int | None = None,
        at_least_baseline: bool = False,
        early: Early = "",
    ) -> tuple[list[Entry], Early]:
        """The entries of all candidates, and what ended the tournament early, perhaps before it began, if anything did.

        It goes on from what was `begun`, for so many rounds, or to its end. With `at_least_baseline` the first round of
        the baseline is played even if it has ended early.
        """
        attempts: dict[str, list[Attempt]] = {candidate.name: [] for candidate in field}
        attempts.update({entry.candidate.name: list(entry.attempts) for entry in begun})
        reasons = {one.name: reason for one in field if (reason := self._left_out(one))}
        done = max(map(len, attempts.values()))
        for start in range(done, len(self.folds), self.round)[:rounds]:
            self.encoded.forget()
            for candidate in field:
                floor = at_least_baseline and candidate.baseline and not start
                if candidate.name in reasons or (early and not floor):
                    continue
                try:
                    with context.unhurried() if floor else nullcontext():
                        attempts[candidate.name] += self._played(candidate, start)
                except BudgetError:
                    early = "budget"
                except KeyboardInterrupt:
                    early = "interrupt"
                except (DataError, ArithmeticError, ValueError) as error:
                    reasons[candidate.name] = f"could not be fitted: {error!s:.200}"
        return self._entries(field, attempts, reasons, early), early

    @property
    def round(self) -> int:
        """Test parts of one round."""
        return min(self.plan.settings.folds, len(self.folds))

    def _left_out(self, candidate: Candidate) -> str:
        """Why a candidate does not play: it could not learn from all rows in the end."""
        most = candidate.most_rows
        return f"left out: made for at most {most} rows" if self.case.n > most else ""

    def _played(self, candidate: Candidate, start: int) -> list[Attempt]:
        """One candidate on the folds of one repeat."""
        folds = range(start, min(start + self.round, len(self.folds)))
        return [self._attempt(candidate, fold) for fold in folds]

    def _attempt(self, candidate: Candidate, fold: int) -> Attempt:
        key = f"{self.place} {candidate.name} {fold}"
        kept = self.journal.get(key)
        if kept is not None:
            return Attempt.of(kept)
        self.tell(f"{candidate.name}, part {fold + 1} of {len(self.folds)}")
        attempt = attempted(candidate, self.plan, *self.folds[fold], self.encoded)
        self.journal.put(key, attempt.plain())
        return attempt

    def _entries(
        self, field: list[Candidate], attempts: dict[str, list[Attempt]], reasons: dict[str, str], early: Early
    ) -> list[Entry]:
        """Candidates on as many folds as those have that got as far as the first repeat."""
        tested = [one for one in field if attempts[one.name] and one.name not in reasons]
        if early == "" and all(one.baseline for one in tested):
            raise DataError(f"no model could be fitted; {next(iter(reasons))} {next(iter(reasons.values()))}")
        if not tested:
            if early == "interrupt":
                raise KeyboardInterrupt
            raise BudgetError("the budget ended before a single model was tested; give more by --budget or --memory")
        common = min(len(attempts[one.name]) for one in tested)
        entries = []
        for one in field:
            found = attempts[one.name][:common] if one.name not in reasons else []
            reason = reasons.get(one.name, "" if found else f"left out: the {early} came before it")
            entries.append(Entry(one, found, reason))
        return entries


def attempted(candidate: Candidate, plan: Plan, train: Array, test: Array, encoded: Encoded) -> Attempt:
    """Learn on the rows `train`, answer about the rows `test`; a fit that time cut short counts for nothing."""
    began, encoded.spared = time.perf_counter(), 0.0
    found = fitted(candidate, plan.case.rows(train), plan.settings, plan.metric, encoded)
    learned, requested = time.perf_counter(), plan.case.rows(test)
    answers = requested.answers(found.model)
    if context.reason_to_stop():
        raise BudgetError("the budget ended while a model was fitted")
    per_row = (time.perf_counter() - learned) / len(test)
    return Attempt(
        answers,
        found.chosen,
        learned - began + encoded.spared,
        found.seconds,
        encoded.took_last,
        per_row,
        found.unfinished,
        size_of(found.model),
    )
