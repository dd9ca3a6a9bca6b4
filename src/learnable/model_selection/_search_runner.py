"""Candidates of a search on every fold: from the journal, by a shortcut, or one fit after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._version import __version__
from ..core import BudgetError, Trace
from ..core.files.fingerprint import fingerprint
from ..core.roles.estimator import cloned
from ..core.runtime import context
from ..engines.folds import Fold
from ..engines.parallel import each
from ._cached_prefix import bytes_of, warmed
from ._evaluation import MAX_KEPT, FitArguments, Outcome, Trial, TrialRows, TrialSplit, evaluate, evaluate_fitted
from ._journal import Journal
from ._path_cv import Family, has_path, is_applicable, last_step, of_last_step, together

Params = dict[str, Any]
Table = list[list[Outcome | None]]


@dataclass(slots=True)
class SearchRunner:
    """Evaluation of candidates: the rows, the estimator, the scorer, the parallel workers and the journal."""

    sample: FitArguments
    estimator: Any
    scorer: Any
    error_score: Any
    with_train: bool
    n_jobs: int | None
    journal: Journal | None
    trace: Trace
    metric: str = "score"
    scoring: Any = None
    best: float = -np.inf
    rows: int = 0
    key: str = ""

    def tried(self, candidates: list[Params], parts: list[Fold]) -> Table:
        """What came of each candidate on each fold; None where time ran out or a watcher had enough."""
        table: Table = [[None] * len(parts) for _ in candidates]
        keys = self._keys(candidates, parts)
        if self.journal is not None:
            table = [[_recalled(self.journal.get(key)) for key in row] for row in keys]
        self._report(table, range(len(table)))
        for group, parameter in _families(self.estimator, candidates):
            if any(None in table[i] for i in group) and not context.reason_to_stop():
                self._together(table, keys, group, parameter, candidates, parts)
        self._warm(table, keys, candidates, parts)
        self._one_by_one(table, keys, candidates, parts)
        return table

    def _keys(self, candidates: list[Params], parts: list[Fold]) -> list[list[str]]:
        """Journal keys of each candidate on each fold: equal for equal data, rows and parameters."""
        if self.journal is None:
            return [[""] * len(parts) for _ in candidates]
        if not self.key:
            sample = self.sample
            self.key = fingerprint(
                __version__, self.estimator, sample.X, sample.y, sample.options, self.scoring, self.with_train,
                self.error_score,
            )  # fmt: skip
        folds = [fingerprint(*fold) for fold in parts]
        return [[fingerprint(self.key, candidate, fold) for fold in folds] for candidate in candidates]

    def _together(
        self, table: Table, keys: list[list[str]], group: list[int], parameter: str, candidates: list[Params],
        parts: list[Fold],
    ) -> None:  # fmt: skip
        """Evaluate a whole group, even if the journal has a part of it, so that results are those of one run."""
        others = {name: value for name, value in candidates[group[0]].items() if name != parameter}
        model = cloned(self.estimator).set_params(**others)
        values = [candidates[i][parameter] for i in group]
        family = Family(model, parameter, values, self.scorer, self.error_score)
        if not is_applicable(self.sample, family):
            return
        try:
            found = together(self.sample, family, parts, self.with_train, self.n_jobs)
        except BudgetError:
            return
        for i, outcomes in zip(group, found or [], strict=False):
            left = [k for k, known in enumerate(table[i]) if known is None]
            for k in left:
                self._keep(table, keys, i, k, outcomes[k])
            self._report(table, [i] if left else [])

    def _warm(self, table: Table, keys: list[list[str]], candidates: list[Params], parts: list[Fold]) -> None:
        """Candidates that differ in the last of several steps alone: the steps before it are fitted once a fold."""
        if (
            not last_step(self.estimator)[0]
            or not getattr(self.scorer, "predictions_only", False)
            or set(self.sample.options) - {"sample_weight"}
            or self.sample.scored
        ):
            return
        for group, others in _same_start(self.estimator, candidates):
            left = [(i, k) for i in group for k, outcome in enumerate(table[i]) if outcome is None]
            if len({i for i, _ in left}) < 2 or context.reason_to_stop():
                continue
            model = cloned(self.estimator).set_params(**others)
            splits = self._warmed(model, parts)
            if splits is not None:
                cases = [(splits[k], of_last_step(model, candidates[i])[0]) for i, k in left]
                last = last_step(model)[1]
                work = each(evaluate_fitted, (last, self.scorer, self.error_score, False), cases, self.n_jobs)
                self._collect(work, left, table, keys)

    def _warmed(self, model: Any, parts: list[Fold]) -> list[TrialSplit] | None:
        """Each fold as the last step of `model` sees it; None where a step fails or memory would not hold them."""
        found: list[Any] = [None] * len(parts)
        size = 0
        try:
            for place, split in each(_fold_ahead, (self.sample, model, self.with_train), parts, self.n_jobs):
                found[place] = split
                size += MAX_KEPT if split is None else bytes_of(split)
                if size >= MAX_KEPT:
                    return None
        except BudgetError:
            return None
        return found

    def _one_by_one(self, table: Table, keys: list[list[str]], candidates: list[Params], parts: list[Fold]) -> None:
        left = [(i, k) for i, row in enumerate(table) for k, outcome in enumerate(row) if outcome is None]
        trials = [Trial(parts[k], candidates[i], self.with_train) for i, k in left]
        if trials and not context.reason_to_stop():
            work = each(evaluate, (self.sample, self.estimator, self.scorer, self.error_score), trials, self.n_jobs)
            self._collect(work, left, table, keys)

    def _collect(self, work: Any, left: list[tuple[int, int]], table: Table, keys: list[list[str]]) -> None:
        """Keep what is ready, until a callback stops the search."""
        try:
            for place, outcome in work:
                i, k = left[place]
                if not outcome.cut_short:
                    self._keep(table, keys, i, k, outcome)
                    self._report(table, [i])
                if context.reason_to_stop():
                    break
        except BudgetError:
            return

    def _keep(self, table: Table, keys: list[list[str]], i: int, k: int, outcome: Outcome) -> None:
        table[i][k] = outcome
        if self.journal is not None and outcome.test is not None:
            times = [outcome.fit_seconds, outcome.score_seconds]
            self.journal.put(keys[i][k], {"test": outcome.test, "train": outcome.train, "seconds": times})

    def _report(self, table: Table, indices: Any) -> None:
        """A row of the trace for each of these candidates that is complete, with the loss of the best so far."""
        for i in indices:
            outcomes = [outcome for outcome in table[i] if outcome is not None]
            if len(outcomes) < len(table[i]):
                continue
            scores = [outcome_score(outcome, self.metric) for outcome in outcomes]
            mean = float(np.mean(scores))
            self.best = max(self.best, mean) if mean == mean else self.best
            fit, score = ([getattr(o, name) for o in outcomes] for name in ("fit_seconds", "score_seconds"))
            self.trace.record(
                -self.best if np.isfinite(self.best) else 0.0, candidate=float(self.rows + i),
                mean_fit_time=float(np.mean(fit)), std_fit_time=float(np.std(fit)),
                mean_score_time=float(np.mean(score)), std_score_time=float(np.std(score)),
            )  # fmt: skip


def outcome_score(outcome: Outcome, metric: str) -> float:
    """The score of a fit that decides; NaN where it failed."""
    if outcome.test is None:
        return float("nan")
    return outcome.test.get(metric, next(iter(outcome.test.values())))


def _recalled(entry: Any) -> Outcome | None:
    """An outcome that the journal remembers."""
    if entry is None:
        return None
    fit, score = entry["seconds"]
    return Outcome(entry["test"], entry["train"], fit, score)


def _families(estimator: Any, candidates: list[Params]) -> list[tuple[list[int], str]]:
    """Groups of candidates that differ in one parameter alone, for which the estimator has a shortcut."""
    names = {name for candidate in candidates for name in candidate if has_path(estimator, name)}
    groups: dict[str, list[int]] = {}
    for parameter in sorted(names)[:1]:
        for place, candidate in enumerate(candidates):
            if parameter in candidate:
                others = {name: value for name, value in candidate.items() if name != parameter}
                groups.setdefault(fingerprint(others) if others else "", []).append(place)
        return [(group, parameter) for group in groups.values() if len(group) > 1]
    return []


def _same_start(estimator: Any, candidates: list[Params]) -> list[tuple[list[int], Params]]:
    """Groups of candidates that agree in all but the last step, and what they agree in."""
    groups: dict[str, tuple[list[int], Params]] = {}
    for place, candidate in enumerate(candidates):
        _, others = of_last_step(estimator, candidate)
        groups.setdefault(fingerprint(others), ([], others))[0].append(place)
    return list(groups.values())


def _fold_ahead(sample: FitArguments, model: Any, with_train: bool, fold: Fold) -> TrialSplit | None:
    return warmed(sample, model, TrialRows.of(fold, with_train))
