"""Base class of hyperparameter searches: evaluate candidates by cross-validation, choose one, refit it to all rows."""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, BudgetError, DataError, Estimator, ParameterError, Trace, Traits, learned, param
from ..core.declare import params
from ..core.declare.params import REQUIRED, declaring
from ..core.errors import not_fitted
from ..core.roles.estimator import cloned
from ..core.roles.traits import traits_of
from ..core.runtime import context
from ..core.sklearn_api.conditional_methods import available_if
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import role
from ..core.sklearn_api.metadata import Route, check_metadata, refuse_metadata
from ..core.validate.rows import check_equal_lengths
from ..engines.folds import Fold, estimator_folds, mean_test_share, rows_tested
from ..metrics import check_scoring
from ..metrics._score_range import UNKNOWN, scales_of
from ..metrics.scoring import scorer_of
from ._cv_estimate import Basis, CvSummary, Estimate, Method
from ._evaluation import FitArguments, Outcome, fitted, score_table, scores_of, warn_of_failures
from ._journal import Journal
from ._routed_metadata import RoutedMetadata, evaluation_routes
from ._search_results import Results, cv_results, offered, warn_of_missing_scores
from ._search_runner import Params, SearchRunner, Table
from .model_complexity import complexities
from .refit_rules import one_standard_error_rule

FLATTERED = (
    "chosen because it is the best, this score flatters, and no unbiased estimate remains for the model refitted to "
    "all rows; nested_cross_validate gives one for the procedure"
)

Scoring = str | Callable[..., Any] | list[Any] | tuple[Any, ...] | set[Any] | dict[str, Any] | None


@dataclass(slots=True)
class Found:
    """What a search has tried so far: candidates, their outcomes per fold, and columns of its own."""

    params: list[Params] = field(default_factory=list)
    outcomes: Table = field(default_factory=list)
    more: dict[str, list[int]] = field(default_factory=dict)

    def add(self, candidates: list[Params], table: Table, **more: int) -> None:
        """One more round, with the same value of `more` for all its candidates."""
        self.params += candidates
        self.outcomes += table
        for name, value in more.items():
            self.more.setdefault(name, []).extend([value] * len(candidates))


@declaring
class SearchCV(Estimator):
    """The base of all searches; `_search` says which candidates are tried."""

    estimator: Any = param(
        REQUIRED, "estimator to tune", kw_only=False,
        accepts=lambda v: hasattr(v, "fit") and hasattr(v, "set_params") and not isinstance(v, type),
        says="an estimator, with fit and set_params, not a class",
    )  # fmt: skip
    scoring: Scoring = param(None, "scoring by name, as a callable, or several of them (None: the estimator's score)")
    n_jobs: int | None = param(
        None, "number of parallel fits, as in joblib; threads unless another joblib backend is active"
    )
    refit: bool | str | Callable[..., int] = param(
        True, "whether to fit the best to all rows; the name of the score it is best by; or a function that picks it"
    )
    cv: Any = param(None, "folds: a number, a splitter, or pairs of index arrays; None: 5")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    error_score: float | str = param(
        np.nan, 'score of a fit that fails, or "raise"', accepts=lambda v: not isinstance(v, str) or v == "raise",
        says='a number or "raise"',
    )  # fmt: skip
    return_train_score: bool = param(False, "whether to score training rows too")
    rule: Literal["min", "one_se"] = param("min", "take the best, or the simplest within one standard error of it")
    simplest: str | Callable[..., float] | None = param(
        None, "for one_se: a parameter whose larger values are simpler, with a minus if smaller ones are; or a "
        "function of parameters that grows with complexity; None: what the estimator declares",
    )  # fmt: skip
    journal: str | os.PathLike[str] | None = param(
        None, "file that stores finished fits, so that a killed search can resume"
    )
    candidates_: list[Any] = learned("the parameters of each candidate", counts="candidates")
    test_scores_: dict[str, Any] = learned("score of each candidate on each fold, by name")
    train_scores_: dict[str, Any] = learned("score of each candidate on the training rows of each fold", optional=True)
    stages_: dict[str, Any] = learned("columns of cv_results_ that this search adds", optional=True)
    best_estimator_: Any = learned("best candidate, refitted on all rows", optional=True)
    best_index_: int = learned("index of the best candidate", optional=True, index="candidates")
    best_params_: dict[str, Any] = learned("parameters of the best candidate", optional=True)
    best_score_: float = learned("mean cross-validation score of the best candidate", optional=True)
    n_splits_: int = learned("number of folds")
    multimetric_: bool = learned("whether there are several scores")
    test_share_: float = learned("fraction of the rows in a test fold")
    rows_tested_: float = learned("number of distinct test rows over all folds", optional=True)

    traits = Traits(takes="parts", compares_by="estimator", sparse=True, multi_target=True, task="search")

    @abstractmethod
    def _search(self, runner: SearchRunner, parts: list[Fold], found: Found) -> None: ...

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **options: Any) -> Self:
        """Cross-validate every candidate, and refit the best one on all rows.

        Further arguments, such as `sample_weight`, go to every fit, cut to its rows; weights count in scores too.
        `groups` go to the splitter.
        """
        params.check(self)
        owner = type(self).__name__
        given = {name: value for name, value in options.items() if value is not None}
        n = check_equal_lengths(owner, X=X, y=y, groups=groups)
        if y is None and role(self.estimator) in ("regressor", "classifier"):
            raise DataError(f"{owner} requires y to be passed, but the target y is None; call fit(X, y)")
        scorer = scorer_of(self.estimator, self.scoring, raise_exc=self.error_score == "raise")
        routed = RoutedMetadata(given, groups)
        if (given or groups is not None) and routing_is_enabled():
            routed = RoutedMetadata.of(f"{owner}.fit", self.estimator, self.cv, scorer, groups, given)
        sample = FitArguments(X, y, routed.fit, {}, routed.score)
        metric = self._metric(list(getattr(scorer, "scorers", ())))
        with self._fitting(X, y, given.get("sample_weight")) as trace, self._opened() as journal:
            parts = estimator_folds(
                owner, self.estimator, X, y, routed.groups, routed.splitter(self.cv) if routed.split else self.cv, n
            )
            runner = SearchRunner(
                sample, self.estimator, scorer, self.error_score, self.return_train_score, self.n_jobs, journal, trace,
                metric, self.scoring,
            )  # fmt: skip
            found = Found()
            self._search(runner, parts, found)
            self._remember(found, parts, trace)
            self.rows_tested_ = rows_tested(parts, sample.weight)
            self._choose(metric, trace)
            self._finish(sample, trace)
        return self

    def _opened(self) -> AbstractContextManager[Journal | None]:
        return nullcontext() if self.journal is None else Journal(self.journal)

    def _metric(self, names: list[str]) -> str:
        """The score that decides."""
        if not names:
            return "score"
        if self.refit is False or callable(self.refit):
            return names[0]
        if not isinstance(self.refit, str) or self.refit not in names:
            raise ParameterError(
                f"{type(self).__name__}: scoring has several metrics, {', '.join(names)}; set refit to the name of "
                f"one of them, to a function of cv_results_, or to False; got {self.refit!r}"
            )
        return self.refit

    def _remember(self, found: Found, parts: list[Fold], trace: Trace) -> None:
        """Store the scores, and warn about fits that were not done."""
        flat = [outcome for row in found.outcomes for outcome in row]
        done = [outcome for outcome in flat if outcome is not None]
        complete = np.array([None not in row for row in found.outcomes])
        if not complete.any():
            raise BudgetError(
                f"{type(self).__name__}: the budget ended, or a watcher requested a stop, before any candidate "
                "was scored on every fold; give it more time"
            )
        warn_of_failures(done, self.error_score)
        filled = [outcome if outcome is not None else Outcome() for outcome in flat]
        shape = (len(found.params), len(parts))
        self.test_scores_ = {n: s.reshape(shape) for n, s in score_table(filled, self.error_score).items()}
        if self.return_train_score:
            trained = score_table(filled, self.error_score, "train")
            self.train_scores_ = {name: scores.reshape(shape) for name, scores in trained.items()}
        for kind, tables in (("test", self.test_scores_), ("train", self.__dict__.get("train_scores_", {}))):
            for scores in tables.values():
                if not np.isfinite(scores[complete]).all():
                    warn_of_missing_scores(kind, scores[complete])
                scores[~complete] = np.nan  # such a candidate cannot be compared
        self.candidates_, self.n_splits_ = [dict(candidate) for candidate in found.params], len(parts)
        self.multimetric_, self.test_share_ = list(self.test_scores_) != ["score"], mean_test_share(parts)
        if found.more:
            self.stages_ = {name: np.asarray(values) for name, values in found.more.items()}
        trace.stopped = context.reason_to_stop() or "exact"
        left = len(flat) - len(done)
        sentence = f"{left} of {len(flat)} fits were left out." if left else "every candidate was scored on every fold."
        undefined = max((int((~np.isfinite(scores)).sum()) for scores in self.test_scores_.values()), default=0)
        if not left and undefined:
            left, sentence = undefined, f"{undefined} of {len(flat)} fits have no finite score."
        trace.certify("share of fits left out", left / len(flat), 0.0, sentence)

    def _choose(self, metric: str, trace: Trace) -> None:
        """Set the best candidate, unless it was not requested and several scores disagree about it."""
        if self.refit is False and self.multimetric_:
            return
        if self.multimetric_ and metric == "score":
            metric = self._metric(list(self.test_scores_))
        if callable(self.refit):
            self.best_index_ = self._picked(self.refit, trace)
        else:
            scores = self.test_scores_[metric]
            self.best_index_ = self._best(scores)
            self.best_score_ = float(np.average(scores, axis=1)[self.best_index_])
        self.best_params_ = self.candidates_[self.best_index_]

    def _picked(self, pick: Callable[..., int], trace: Trace) -> int:
        """The index that a function of `cv_results_` returns."""
        place = pick(self._results(trace))
        if not isinstance(place, (int, np.integer)):
            raise TypeError(f"{type(self).__name__}: best_index_ returned by refit is not an integer; got {place!r}")
        if not 0 <= place < len(self.candidates_):
            raise IndexError(
                f"{type(self).__name__}: best_index_ index out of range: {place} of {len(self.candidates_)} candidates"
            )
        return int(place)

    def _best(self, scores: Array) -> int:
        return self._by_rule(scores, self.candidates_)

    def _by_rule(self, scores: Array, candidates: list[Params]) -> int:
        """The place of the best of some candidates, or of the simplest one that is as good."""
        if self.rule == "min":
            means = scores.mean(axis=1)
            return int(np.where(np.isnan(means), -np.inf, means).argmax())
        order = complexities(self.estimator, candidates, self.simplest, type(self).__name__)
        return one_standard_error_rule(scores, order)

    def _finish(self, sample: FitArguments, trace: Trace) -> None:
        """Fit the best candidate to all rows; what was learned before would be lost without it, so no budget holds."""
        self.__dict__.pop("feature_names_in_", None)
        columns = np.shape(sample.X)[1:2] if hasattr(sample.X, "shape") else ()
        if columns:
            self.n_features_in_ = int(columns[0])
        if not self.refit:
            return
        began = time.perf_counter()
        model = cloned(self.estimator).set_params(**{name: cloned(v) for name, v in self.best_params_.items()})
        with context.unhurried():
            self.best_estimator_ = fitted(model, sample)
        trace.record(trace.rows[-1]["objective"], refit_seconds=time.perf_counter() - began)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))

    @property
    def cv_results_(self) -> Results:
        """Scores, times, ranks and parameters of every candidate, in scikit-learn's form."""
        self._check_fitted()
        return self._results(self.trace_)

    def _results(self, trace: Trace) -> Results:
        """The table of results; times are in the trace."""
        names = ("mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time")
        times = {name: np.full(len(self.candidates_), np.nan) for name in names}
        for row in trace.rows:
            if "candidate" in row:
                for name in names:
                    times[name][int(row["candidate"])] = row[name]
        train, more = self.__dict__.get("train_scores_", {}), self.__dict__.get("stages_", {})
        return cv_results(self.candidates_, self.test_scores_, train, times, more)

    @property
    def refit_time_(self) -> float:
        """Seconds that the last fit, to all rows, took."""
        self._check_fitted()
        if not self.refit:
            raise AttributeError(
                "refit_time_ is available only with refit=True, which fits the best candidate to all rows"
            )
        return self.trace_.rows[-1]["refit_seconds"]

    @property
    def scorer_(self) -> Any:
        """The scorer, or the scorers by name."""
        self._check_fitted()
        scorer = check_scoring(self.estimator, self.scoring)
        return getattr(scorer, "scorers", scorer)

    @property
    def classes_(self) -> Array:
        """The classes that the best estimator knows."""
        return np.asarray(self._fitted_best("classes_").classes_)

    def _unsound(self) -> str:
        """Each table of scores has a row for each candidate and a column for each fold."""
        shape = (len(self.candidates_), self.n_splits_)
        tables = [*self.test_scores_.values(), *self.__dict__.get("train_scores_", {}).values()]
        return "" if all(np.shape(table) == shape for table in tables) else f"scores must have the shape {shape}"

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> CvSummary:
        """The scores of the chosen candidate as means with intervals.

        Chosen because they are high, they flatter: `nested_cross_validate` gives an estimate that does not.
        """
        self._check_fitted()
        if "best_index_" not in self.__dict__:
            raise ParameterError(
                f"{type(self).__name__}: no candidate was chosen, as there are several scores and refit is False; set "
                "refit to the name of the score that chooses, or see cv_results_"
            )
        scales = scales_of(check_scoring(self.estimator, self.scoring), self.estimator)
        measured = self.test_share_, self.__dict__.get("rows_tested_")
        found = CvSummary(
            {
                name: Estimate.of(
                    scores[self.best_index_], Basis(*measured, scales.get(name, UNKNOWN)), confidence, method
                )
                for name, scores in self.test_scores_.items()
            }
        )
        found.note = FLATTERED
        return found

    def _routes(self) -> list[Route]:
        return evaluation_routes(self.estimator, self.cv, scorer_of(self.estimator, self.scoring))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **metadata: Any) -> float:
        """The score of the best estimator on these rows, by the score that chose it."""
        refuse_metadata(self, "score", metadata)
        check_metadata(self, "score", metadata)
        model = self._fitted_best("score")
        scorer = self.scorer_
        if isinstance(scorer, dict):
            scorer = scorer[self._metric(list(scorer))] if isinstance(self.refit, str) else check_scoring(model)
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        given = {**weight, **metadata} if routing_is_enabled() else None
        scores = scores_of(scorer, model, FitArguments(X, y, weight, scored=given))
        return (
            scores[self.refit] if isinstance(self.refit, str) and self.refit in scores else next(iter(scores.values()))
        )

    def _check_fitted(self) -> None:
        if "candidates_" not in self.__dict__:
            raise not_fitted(self)

    def _fitted_best(self, name: str) -> Any:
        self._check_fitted()
        if "best_estimator_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}: {name} needs refit=True, which fits the best to all rows")
        return self.best_estimator_

    def __sklearn_is_fitted__(self) -> bool:
        return "candidates_" in self.__dict__

    @property
    def _estimator_type(self) -> str:
        kind = role(self.estimator)
        if kind is None:
            raise AttributeError(f"{type(self.estimator).__name__} does not have an estimator type")
        return kind

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        return get_tags(self.estimator)

    @available_if(offered("predict"))
    def predict(self, X: Any) -> Any:
        """Predictions of the best estimator."""
        return self._fitted_best("predict").predict(X)

    @available_if(offered("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities by the best estimator."""
        return self._fitted_best("predict_proba").predict_proba(X)

    @available_if(offered("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Any:
        """Log probabilities of the classes."""
        return self._fitted_best("predict_log_proba").predict_log_proba(X)

    @available_if(offered("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Decision function of the best estimator."""
        return self._fitted_best("decision_function").decision_function(X)

    @available_if(offered("score_samples"))
    def score_samples(self, X: Any) -> Any:
        """The log density of each row under the best estimator."""
        return self._fitted_best("score_samples").score_samples(X)

    @available_if(offered("transform"))
    def transform(self, X: Any) -> Any:
        """Transform `X` by the best estimator."""
        return self._fitted_best("transform").transform(X)

    @available_if(offered("inverse_transform"))
    def inverse_transform(self, X: Any) -> Any:
        """Inverse transform by the best estimator."""
        return self._fitted_best("inverse_transform").inverse_transform(X)
