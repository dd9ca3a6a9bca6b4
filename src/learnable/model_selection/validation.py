"""Cross-validation: fit without a fold, score on it, fold after fold."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core.errors import warn
from ..core.roles import is_classifier
from ..core.rows import check_equal_lengths
from ..engines.folds import Fold, folds
from ..engines.parallel import each
from ..metrics import check_scoring
from .as_splitter import holds_classes
from .estimate import Estimate, FoldScores, Method, Summary
from .evaluation import Outcome, Sample, Trial, evaluate, score_table, warn_of_failures
from .splitter import group_codes


class CrossValidation(dict[str, Any]):
    """Scores and times of every fold by name, a dictionary as scikit-learn's, with `summary()` on top."""

    test_share: float = 0.5
    rows: int | None = None

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> Summary:
        """Every test score as a mean with its interval.

        "corrected", also called "nadeau-bengio", allows for training rows that overlap [Nadeau and Bengio, 2003];
        "student" and "bootstrap" take the folds as independent; "wald" and "wilson" are for shares of rows, such as
        accuracy, and take the rows as independent.
        """
        found = {
            name.removeprefix("test_"): Estimate.of(values, self.test_share, confidence, method, self.rows)
            for name, values in self.items()
            if name.startswith("test_")
        }
        return Summary(found)


def cross_validate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
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
    """Fit and score fold by fold; `cross_validate(...).summary()` gives each mean score with its interval.

    CV = 1/K sum_k score of f_{-k} on fold k. `params` go to `fit`, cut to the training rows; a `sample_weight` among
    them counts rows in the scores as well. `verbose` and `pre_dispatch` are accepted for compatibility: see
    `learnable.progress`. [Stone, 1974]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 4.9]
    >>> cross_validate(Ridge(0.1), X, y, cv=3, scoring="neg_max_error")["test_score"].round(2)
    array([-0.25, -0.09, -0.25])
    """
    sample, parts = prepared("cross_validate", estimator, X, y, groups, cv, params)
    scorer = check_scoring(estimator, scoring, raise_exc=error_score == "raise")
    trials = [Trial(fold, with_train=return_train_score, keep=return_estimator) for fold in parts]
    outcomes = run(sample, estimator, scorer, error_score, trials, n_jobs)
    found = CrossValidation()
    found.test_share, found.rows = mean_test_share(parts), rows_tested(parts)
    found["fit_time"] = np.array([outcome.fit_seconds for outcome in outcomes])
    found["score_time"] = np.array([outcome.score_seconds for outcome in outcomes])
    if return_estimator:
        found["estimator"] = [outcome.estimator for outcome in outcomes]
    if return_indices:
        found["indices"] = {"train": tuple(train for train, _ in parts), "test": tuple(test for _, test in parts)}
    for which in ("test", "train") if return_train_score else ("test",):
        for name, values in score_table(outcomes, error_score, which).items():
            found[f"{which}_{name}"] = values
    return found


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
) -> FoldScores:
    """The score of each fold, an array with `summary()`: the mean and its interval.

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
    return FoldScores.of(found["test_score"], found.test_share, found.rows)


def prepared(
    owner: str, estimator: Any, X: Any, y: Any, groups: Any, cv: Any, params: dict[str, Any] | None
) -> tuple[Sample, list[Fold]]:
    """The rows with what goes to `fit`, and how `cv` divides them."""
    n = check_equal_lengths(owner, X=X, y=y, groups=groups)
    options = {name: value for name, value in (params or {}).items() if value is not None}
    if groups is None:
        groups = options.pop("groups", None)
    return Sample(X, y, options), parts_of(owner, estimator, X, y, groups, cv, n)


def parts_of(owner: str, estimator: Any, X: Any, y: Any, groups: Any, cv: Any, n: int) -> list[Fold]:
    """How `cv` divides the rows for this estimator: with equal shares of each class if it is a classifier."""
    by_number = cv is None or isinstance(cv, int)
    classes = by_number and is_classifier(estimator) and holds_classes(y)
    parts = folds(cv, n, y, owner, groups, classes, X)
    if groups is not None:
        _warn_of_shared_groups(owner, parts, groups)
    return parts


def _warn_of_shared_groups(owner: str, parts: list[Fold], groups: Any) -> None:
    """Say which group has rows on both sides of a fold: what is learned of it there helps on the test rows."""
    names, codes = group_codes(groups, owner)
    for place, (train, test) in enumerate(parts):
        shared = np.intersect1d(codes[train], codes[test])
        if len(shared):
            warn(
                f"{owner}: group {names.tolist()[shared[0]]!r} has training rows and test rows in fold {place} (so "
                f"have {len(shared)} groups), so its score flatters; use cv=GroupKFold() or another splitter of groups",
                UserWarning,
            )
            return


def run(
    sample: Sample, estimator: Any, scorer: Any, error_score: Any, trials: list[Trial], n_jobs: int | None
) -> list[Outcome]:
    """What came of each trial, in order; failures are told, and raised if nothing else is left."""
    outcomes: list[Any] = [None] * len(trials)
    for place, outcome in each(evaluate, (sample, estimator, scorer, error_score), trials, n_jobs):
        outcomes[place] = outcome
    warn_of_failures(outcomes, error_score)
    return outcomes


def mean_test_share(parts: list[Fold]) -> float:
    """The share of the rows of a split that are tested on, averaged over splits."""
    return float(np.mean([len(test) / (len(train) + len(test)) for train, test in parts]))


def rows_tested(parts: list[Fold]) -> int:
    """How many different rows are tested on."""
    return len(np.unique(np.concatenate([test for _, test in parts])))


Answer = Literal["predict", "predict_proba", "predict_log_proba", "decision_function"]


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    method: Answer = "predict",
) -> Any:
    """The prediction for every row by the model that did not see it.

    >>> from learnable import Ridge
    >>> cross_val_predict(Ridge(0.0), [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], cv=2).round(6)
    array([0., 1., 2., 3.])
    """
    from .out_of_fold import gathered

    sample, parts = prepared("cross_val_predict", estimator, X, y, groups, cv, params)
    return gathered(sample, parts, estimator, method, n_jobs)
