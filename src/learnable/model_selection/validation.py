"""Cross-validation: fit without a fold, score on it, fold after fold."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..core import Array, BudgetError, ParameterError
from ..core.declare.checked_functions import Model, Rows, RowsOrScan, checked
from ..core.errors import warn
from ..core.runtime import context
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.sklearn_api.routing import extra_arguments
from ..core.validate.row_source import RowSource
from ..core.validate.rows import check_equal_lengths
from ..engines.folds import Fold, estimator_folds, holds_classes, mean_test_share, rows_tested
from ..engines.parallel import each
from ..metrics import check_scoring
from ..metrics._score_range import UNKNOWN, Scale, scales_of
from ._cv_estimate import Basis, CvSummary, Method
from ._evaluation import FitArguments, Outcome, Trial, evaluate, score_table, warn_of_failures
from ._half_sampling_scores import FoldScores, Halves, estimated
from ._routed_metadata import RoutedMetadata
from ._row_source_folds import cross_validate_source

EXACT = 'summary(method="halves") measures how wide it has to be'


class CrossValidation(dict[str, Any]):
    """Scores and times of every fold by name, a dictionary as scikit-learn's, with `summary()` on top."""

    basis: dict[str, Basis]
    left_out: int = 0  # folds that a budget left no time for
    halves: Halves | None = None  # what scores halves of the table, where rows may be drawn one by one

    def summary(self, confidence: float = 0.95, method: Method = "auto") -> CvSummary:
        """Every test score as a mean with its interval.

        "halves" measures how much folds depend on each other, as `compare` does: it refits on 24 halves of the table,
        about twelve times the work, and 95 % intervals held the expected score in 93.8 to 96.5 % of the tables in
        simulations. Of shares of rows that takes any number of folds, of other scores 5. "auto" takes it for tables
        of 100 to 5000 rows that folds divide one by one, and "corrected" for others.

        "corrected", also called "nadeau-bengio", allows for training rows that overlap [Nadeau and Bengio, 2003] and
        needs no further fit. It is wider than most models need it: 93 to 99.5 % in simulations. "student" and
        "bootstrap" take the folds as independent; "wald" and "wilson" are for shares of rows, such as accuracy, and
        take the rows as independent. For such a share "corrected" is never narrower than "wilson".
        """
        found = CvSummary(
            {
                name: estimated(name, self[f"test_{name}"], what, self.halves, confidence, method)
                for name, what in self.basis.items()
            }
        )
        return found.telling_width("" if self.halves is None else EXACT)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "halves": self.halves and self.halves.without_table()}


@checked()
def cross_validate(
    estimator: Model,
    X: RowsOrScan,
    y: Rows | None = None,
    *,
    groups: Rows | None = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: Any = np.nan,
) -> CrossValidation:
    """Cross-validation: fit and score fold by fold.

    `cross_validate(...).summary()` gives each mean score with its interval.

    CV = 1/K sum_k score of f_{-k} on fold k. `params` go to `fit`, cut to the training rows; a `sample_weight` among
    them counts rows in the scores as well. `verbose` and `pre_dispatch` are accepted for compatibility: see
    `learnable.progress`. [Stone, 1974]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 4.9]
    >>> cross_validate(Ridge(0.1), X, y, cv=3, scoring="neg_max_error")["test_score"].round(2)
    array([-0.25, -0.09, -0.25])
    """
    if isinstance(X, RowSource):
        columns, basis = cross_validate_source(estimator, X, y, cv, scoring, return_train_score, return_estimator)
        of_source = CrossValidation(columns)
        of_source.basis = basis
        return of_source
    scorer = check_scoring(estimator, scoring, raise_exc=error_score == "raise")
    sample, parts = prepared("cross_validate", estimator, X, y, groups, cv, params, scorer)
    trials = [Trial(fold, with_train=return_train_score, keep=return_estimator) for fold in parts]
    task = Task("cross_validate", sample, estimator, scorer, error_score, n_jobs)
    outcomes = run(task, trials)
    found = CrossValidation()
    found["fit_time"] = np.array([outcome.fit_seconds for outcome in outcomes])
    found["score_time"] = np.array([outcome.score_seconds for outcome in outcomes])
    if return_estimator:
        found["estimator"] = [outcome.estimator for outcome in outcomes]
    if return_indices:
        found["indices"] = {"train": tuple(train for train, _ in parts), "test": tuple(test for _, test in parts)}
    scores = score_table(outcomes, error_score)
    found.update({f"test_{name}": values for name, values in scores.items()})
    if return_train_score:
        trained = score_table(outcomes, error_score, "train")
        found.update({f"train_{name}": values for name, values in trained.items()})
    found.left_out = sum(outcome.test is None and not outcome.failure for outcome in outcomes)
    found.basis = basis_of(sample, parts, scales_of(scorer, estimator, y), scores)
    if groups is None and (cv is None or isinstance(cv, Integral) or type(cv).__name__ in ("KFold", "StratifiedKFold")):
        classes = y if is_classifier(estimator) and holds_classes(y) else None
        found.halves = Halves(partial(_scores_again, replace(task, error_score=np.nan)), sample.n, len(parts), classes)
    return found


def _scores_again(task: Task, parts: list[Fold]) -> dict[str, Array]:
    """Every score of other folds by name."""
    return score_table(run_all(task, [Trial(fold) for fold in parts]), np.nan)


@checked()
def cross_val_score(
    estimator: Model,
    X: Rows,
    y: Rows | None = None,
    *,
    groups: Rows | None = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
) -> FoldScores:
    """Cross-validation scores of each fold, an array whose `summary()` has the mean and its confidence interval.

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 4.9]
    >>> scores = cross_val_score(Ridge(0.1), X, y, cv=3)
    >>> round(scores.summary().mean, 2)
    0.83
    """
    scorer = check_scoring(estimator, scoring)
    found = cross_validate(
        estimator, X, y, groups=groups, scoring={"score": scorer}, cv=cv, n_jobs=n_jobs, params=params,
        error_score=error_score,
    )  # fmt: skip
    return FoldScores.of(found["test_score"], found.basis["score"], found.halves)


def scores_of_all_folds(estimator: Any, X: Any, y: Any, **options: Any) -> Array:
    """The score of each fold; an error if the budget ends before all are computed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "cross_validate: the budget ended")
        found = cross_validate(estimator, X, y, **options)
    if "test_score" not in found:
        several = ", ".join(name.removeprefix("test_") for name in found if name.startswith("test_"))
        raise ParameterError(f"scoring must be one score; got {several}: call the function once for each of them")
    scores = np.asarray(found["test_score"], dtype=float)
    if found.left_out:
        raise BudgetError(f"{len(scores) - found.left_out} were scored")
    return scores


def prepared(
    owner: str,
    estimator: Any,
    X: Any,
    y: Any,
    groups: Any,
    cv: Any,
    params: dict[str, Any] | None,
    scorer: Any = None,
    method: str = "fit",
) -> tuple[FitArguments, list[Fold]]:
    """The rows with what goes to `fit`, and how `cv` divides them.

    Searches and selectors, which split the training rows once more, receive the groups of these.
    """
    n = check_equal_lengths(owner, X=X, y=y, groups=groups)
    options = {name: value for name, value in (params or {}).items() if value is not None}
    if routing_is_enabled():
        routed = RoutedMetadata.of(owner, estimator, cv, scorer, groups, options, method)
        parts = estimator_folds(owner, estimator, X, y, routed.groups, routed.splitter(cv), n)
        return FitArguments(X, y, routed.fit, scored=routed.score), parts
    if groups is None:
        groups = options.pop("groups", None)
    if groups is not None and "groups" in extra_arguments(estimator, "fit"):
        options["groups"] = groups
    return FitArguments(X, y, options), estimator_folds(owner, estimator, X, y, groups, cv, n)


@dataclass(frozen=True, slots=True)
class Task:
    """The estimator, its scorer, the number of workers, and the caller."""

    owner: str
    sample: FitArguments
    estimator: Any
    scorer: Any
    error_score: Any = "raise"
    n_jobs: int | None = None


def run(task: Task, trials: list[Trial]) -> list[Outcome]:
    """What came of each trial, in order; failures are reported, and raised if all trials fail.

    If a budget ends before the trials do, those that were not done have outcomes without scores.
    """
    outcomes = _done(task, trials)
    if len(outcomes) < len(trials):
        warn(
            f"{task.owner}: the budget ended after {len(outcomes)} of {len(trials)} fits; the scores of the others are "
            "NaN, and summaries leave them out",
            UserWarning,
        )
    warn_of_failures(list(outcomes.values()), task.error_score)
    return [outcomes.get(place, Outcome()) for place in range(len(trials))]


def run_all(task: Task, trials: list[Trial]) -> list[Outcome]:
    """The same for trials that are worth nothing one by one: a budget that ends before them is an error."""
    outcomes = _done(task, trials)
    if len(outcomes) < len(trials):
        raise BudgetError(
            f"{task.owner}: the budget ended after {len(outcomes)} of {len(trials)} fits, and it needs all of them; "
            "give it more time"
        )
    warn_of_failures(list(outcomes.values()), task.error_score)
    return [outcomes[place] for place in range(len(trials))]


def _done(task: Task, trials: list[Trial]) -> dict[int, Outcome]:
    """The results of the trials that were done before any budget ended, by index."""
    outcomes: dict[int, Outcome] = {}
    common = (task.sample, task.estimator, task.scorer, task.error_score)
    try:
        for place, outcome in each(evaluate, common, trials, task.n_jobs):
            if outcome.cut_short and context.reason_to_stop() == "budget":
                break
            outcomes[place] = outcome
    except BudgetError:
        pass
    if not outcomes:
        raise BudgetError(
            f"{task.owner}: the budget ended before the first of {len(trials)} fits was done; give it more time"
        )
    return outcomes


def basis_of(
    sample: FitArguments, parts: list[Fold], scales: dict[str, Scale], names: Iterable[str]
) -> dict[str, Basis]:
    """What the scores of these names were measured on."""
    share, rows = mean_test_share(parts), rows_tested(parts, sample.weight)
    return {name: Basis(share, rows, scales.get(name, UNKNOWN)) for name in names}


PredictionMethod = Literal["predict", "predict_proba", "predict_log_proba", "decision_function"]


@checked()
def cross_val_predict(
    estimator: Model,
    X: Rows,
    y: Rows | None = None,
    *,
    groups: Rows | None = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    method: PredictionMethod = "predict",
) -> Any:
    """Out-of-fold predictions: every row is predicted by the model that was not trained on it.

    >>> from learnable import Ridge
    >>> cross_val_predict(Ridge(0.0), [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], cv=2).round(6)
    array([0., 1., 2., 3.])
    """
    from ._out_of_fold import gathered

    sample, parts = prepared("cross_val_predict", estimator, X, y, groups, cv, params)
    return gathered(sample, parts, estimator, method, n_jobs)
