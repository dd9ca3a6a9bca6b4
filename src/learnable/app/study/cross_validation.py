"""Cross-validation of all candidates: tuned and fitted on the training folds, predictions for the test fold."""

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
from .dataset_view import tune_and_fit
from .encoding_cache import EncodingCache
from .interruption import Early
from .model_candidate import ModelCandidate
from .plan import StudyPlan
from .race import HopelessError, Race
from .time_left import RemainingWork

Log = Callable[[str], None]
QUESTION_FIELDS = ("task", "features", "texts", "target", "group", "time", "weight", "positive", "lags")
LAYOUT = 8  # version of a fold result in a journal


@dataclass(frozen=True, slots=True)
class FoldResult:
    """The predictions of a candidate for one test fold, its run times and its selected hyperparameters.

    `fit_seconds` includes the search, `refit_seconds` is its last fit alone, of which `encode_seconds` went into
    encoding the columns; `size` is the number of bytes of the model in a file.
    """

    predictions: Array
    chosen: dict[str, Any]
    fit_seconds: float
    refit_seconds: float
    encode_seconds: float
    query_seconds: float  # of one row
    unfinished: int
    size: int

    @property
    def predict_seconds(self) -> float:
        """Of all rows of the test fold."""
        return self.query_seconds * len(self.predictions)

    def plain(self) -> dict[str, Any]:
        """As plain values for a journal."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "predictions": self.predictions.tolist()}

    @classmethod
    def of(cls, kept: dict[str, Any], rows: int) -> FoldResult | None:
        """From a journal; None if the entry is not the result of a fold with this number of test rows."""
        try:
            found = cls(**{**kept, "predictions": np.array(kept["predictions"], dtype=np.float64)})
        except (TypeError, KeyError, ValueError):
            return None
        return found if len(found.predictions) == rows else None


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A candidate with its results on the folds that all candidates have in common; without any, `reason` says why.

    `smaller` holds the training rows and the seconds of its fits in an earlier comparison on fewer rows.
    """

    candidate: ModelCandidate
    fold_results: list[FoldResult]
    reason: str = ""
    smaller: tuple[int, float] = (0, 0.0)

    def mean(self, cost: str) -> float:
        """The mean of a field over the folds: seconds or bytes."""
        return float(np.mean([getattr(result, cost) for result in self.fold_results]))


class CandidateCrossValidation:
    """Runs all candidates repeat by repeat, so that an early end leaves all of them on the same folds."""

    def __init__(self, plan: StudyPlan, data: str, journal: Journal, log: Log) -> None:
        self.plan, self.journal, self.log = plan, journal, log
        self.folds, self.cache, self.race = plan.split.folds, EncodingCache(), Race(plan)
        self.progress = RemainingWork()
        described = [getattr(plan.question, name) for name in QUESTION_FIELDS]
        self.key_prefix = fingerprint(
            __version__,
            LAYOUT,
            data,
            described,
            plan.split.development,
            self.folds,
            plan.settings,
            plan.metric.scorer,
        )

    def run(
        self,
        field: list[ModelCandidate],
        *,
        begun: Sequence[CandidateResult] = (),
        rounds: int | None = None,
        at_least_baseline: bool = False,
        early: Early = "",
    ) -> tuple[list[CandidateResult], Early]:
        """The entries of all candidates, and what ended the cross-validation early, possibly before its start.

        It continues from the entries that were `begun`, for a number of rounds or to its end. With `at_least_baseline`
        the first round of the baseline is run even after an early end.
        """
        fold_results: dict[str, list[FoldResult]] = {candidate.name: [] for candidate in field}
        fold_results.update({entry.candidate.name: list(entry.fold_results) for entry in begun})
        reasons = {one.name: reason for one in field if (reason := self._left_out(one))}
        done = max(map(len, fold_results.values()))
        self.progress = RemainingWork({one.name: len(self.folds) - done for one in field if one.name not in reasons})
        for start in range(done, len(self.folds), self.round)[:rounds]:
            self.cache.forget()
            for candidate in field:
                floor = at_least_baseline and candidate.baseline and not start
                if candidate.name in reasons or (early and not floor):
                    continue
                try:
                    with context.unhurried() if floor else nullcontext():
                        fold_results[candidate.name] += self._evaluate_round(candidate, start)
                except BudgetError:
                    early = "budget"
                except KeyboardInterrupt:
                    early = "interrupt"
                except HopelessError as error:
                    reasons[candidate.name] = str(error)
                except (DataError, ArithmeticError, ValueError) as error:
                    reasons[candidate.name] = f"could not be fitted: {error!s:.200}"
                if candidate.name in reasons:
                    self.progress.leave_out(candidate.name)
        return self._entries(field, fold_results, reasons, early), early

    @property
    def round(self) -> int:
        """Number of test folds of one round."""
        return min(self.plan.settings.folds, len(self.folds))

    def _left_out(self, candidate: ModelCandidate) -> str:
        """Why a candidate is skipped: it could not be refitted to all rows in the end."""
        most = candidate.most_rows
        return f"skipped: suitable for at most {most} rows" if self.plan.development.n > most else ""

    def _evaluate_round(self, candidate: ModelCandidate, start: int) -> list[FoldResult]:
        """The results of one candidate on the folds of one repeat."""
        results: list[FoldResult] = []
        for fold in range(start, min(start + self.round, len(self.folds))):
            began = time.monotonic()
            results.append(self._evaluate_fold(candidate, fold))
            self.progress.finish(candidate.name, time.monotonic() - began)
            if not start:
                self.race.check(candidate, fold, results[-1].predictions)
        return results

    def _evaluate_fold(self, candidate: ModelCandidate, fold: int) -> FoldResult:
        key = f"{self.key_prefix} {candidate.name} {fold}"
        kept = self.journal.get(key)
        if kept is not None and (known := FoldResult.of(kept, len(self.folds[fold][1]))) is not None:
            return known
        self.log(f"{candidate.name}, fold {fold + 1} of {len(self.folds)}{self.progress.estimate}")
        result = evaluate_fold(candidate, self.plan, *self.folds[fold], self.cache)
        self.journal.put(key, result.plain())
        return result

    def _entries(
        self,
        field: list[ModelCandidate],
        fold_results: dict[str, list[FoldResult]],
        reasons: dict[str, str],
        early: Early,
    ) -> list[CandidateResult]:
        """All candidates, restricted to the folds that every candidate with a completed first repeat has."""
        tested = [one for one in field if fold_results[one.name] and one.name not in reasons]
        if early == "" and all(one.baseline for one in tested):
            raise DataError(f"no model could be fitted; {next(iter(reasons))} {next(iter(reasons.values()))}")
        if not tested:
            if early == "interrupt":
                raise KeyboardInterrupt
            raise BudgetError("the budget ended before the baseline was evaluated; increase --budget or --memory")
        common = min(len(fold_results[one.name]) for one in tested)
        entries = []
        for one in field:
            found = fold_results[one.name][:common] if one.name not in reasons else []
            reason = reasons.get(one.name, "" if found else f"skipped: the {early} came first")
            entries.append(CandidateResult(one, found, reason))
        return entries


def evaluate_fold(
    candidate: ModelCandidate, plan: StudyPlan, train: Array, test: Array, cache: EncodingCache
) -> FoldResult:
    """Tune and fit on the rows `train`, predict the rows `test`; a fit that the budget cut short is discarded."""
    began, cache.saved = time.perf_counter(), 0.0
    found = tune_and_fit(candidate, plan.development.rows(train), plan.settings, plan.metric, cache)
    fitted, view = time.perf_counter(), plan.development.rows(test)
    predictions = view.predict(found.model)
    if context.reason_to_stop():
        raise BudgetError("the budget ended while a model was fitted")
    per_row = (time.perf_counter() - fitted) / len(test)
    return FoldResult(
        predictions,
        found.chosen,
        fitted - began + cache.saved,
        found.seconds,
        cache.last_took,
        per_row,
        found.unfinished,
        size_of(found.model),
    )
