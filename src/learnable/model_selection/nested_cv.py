"""Estimates that do not flatter: what was tuned is tested on rows that had no say in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState
from ..core.declare.checked_functions import Model, Rows, checked, limits
from ..core.roles.estimator import cloned
from ..core.sklearn_api.estimator_type import is_pairwise
from ..core.validate.rows import check_equal_lengths, take_rows
from ..engines.folds import Fold
from ..metrics import check_scoring
from ..metrics._score_range import scales_of
from ._cv_estimate import Basis, CvSummary, Estimate, Method
from ._evaluation import FitArguments, Trial, fitted, score_table, scores_of
from ._train_test_split import train_test_split
from .refit_rules import minimal_error_rule
from .validation import Task, basis_of, prepared, run_all

GRID = limits(accepts=lambda grid: isinstance(grid, Mapping) or len(grid) > 0, says="not empty")


@dataclass(slots=True)
class NestedValidation:
    """Scores on outer folds by name, the parameters chosen for each, and the fitted searches if requested."""

    test_scores: dict[str, Array]
    best_params: list[dict[str, Any]]
    basis: dict[str, Basis]
    searches: list[Any] = field(default_factory=list)

    def summary(self, confidence: float = 0.95, method: Method = "corrected") -> CvSummary:
        """Every score as a mean with its interval; half sampling would repeat the searches."""
        how = (confidence, method)
        found = {name: Estimate.of(self.test_scores[name], what, *how) for name, what in self.basis.items()}
        return CvSummary(found).telling_width()


@checked()
def nested_cross_validate(
    search: Model,
    X: Rows,
    y: Rows | None = None,
    *,
    cv: Any = None,
    groups: Rows | None = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
    return_estimator: bool = False,
) -> NestedValidation:
    """Nested cross-validation.

    Inner folds choose hyperparameters on K - 1 outer folds, the outer fold scores the choice.

    `scoring` is the search's own unless another is given. `groups` go to both, the outer folds and those of the search.
    The mean is an estimate for the whole procedure, tuning included. [Varma and Simon, 2006]

    >>> from learnable import GridSearchCV, Ridge
    >>> X, y = [[float(i)] for i in range(12)], [2.0 * i + i % 2 for i in range(12)]
    >>> result = nested_cross_validate(GridSearchCV(Ridge(), {"alpha": [0.01, 100.0]}, cv=3), X, y, cv=3)
    >>> result.best_params
    [{'alpha': 0.01}, {'alpha': 0.01}, {'alpha': 0.01}]
    """
    if groups is not None and hasattr(search, "cv"):
        params = {"groups": groups, **(params or {})}
    sample, parts = prepared("nested_cross_validate", search, X, y, groups, cv, params)
    scorer = check_scoring(search, scoring)
    task = Task("nested_cross_validate", sample, search, scorer, n_jobs=n_jobs)
    outcomes = run_all(task, [Trial(fold, keep=True) for fold in parts])
    searches = [outcome.estimator for outcome in outcomes]
    chosen = [_choice(model) for model in searches]
    kept = searches if return_estimator else []
    scores = score_table(outcomes, "raise")
    return NestedValidation(scores, chosen, basis_of(sample, parts, scales_of(scorer, search, y), scores), kept)


def _choice(model: Any) -> dict[str, Any]:
    """The parameters that a fitted search has chosen."""
    if not hasattr(model, "best_params_"):
        name = type(model).__name__
        raise ParameterError(
            f"nested_cross_validate: {name} does not tune hyperparameters: pass a search with refit=True, such as "
            f"GridSearchCV({name}(), ...), or use cross_validate"
        )
    return dict(model.best_params_)


@checked(param_grid=GRID)
def rotating_cross_validate(
    estimator: Model,
    param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    X: Rows,
    y: Rows | None = None,
    *,
    cv: Any = None,
    groups: Rows | None = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
) -> NestedValidation:
    """Rotating cross-validation with a validation fold.

    Each round has one test fold, the next fold to choose hyperparameters, and K - 2 training folds.

    Cheaper than nested cross-validation: one fit per candidate and round, and one more of the best to training and
    validation rows together.

    >>> from learnable import Ridge
    >>> X, y = [[float(i)] for i in range(12)], [2.0 * i + i % 2 for i in range(12)]
    >>> rotating_cross_validate(Ridge(), {"alpha": [0.01, 100.0]}, X, y, cv=3).best_params
    [{'alpha': 0.01}, {'alpha': 0.01}, {'alpha': 0.01}]
    """
    from .parameter_grid import ParameterGrid

    sample, parts = prepared("rotating_cross_validate", estimator, X, y, groups, cv, params)
    if len(parts) < 3:
        raise DataError(
            "rotating_cross_validate: at least three folds are needed: to test, to choose and to train; got "
            f"{len(parts)}"
        )
    scorer, candidates = check_scoring(estimator, scoring), list(ParameterGrid(param_grid))
    task = Task("rotating_cross_validate", sample, estimator, scorer, n_jobs=n_jobs)
    chosen, scores = [], []
    for place, (train, test) in enumerate(parts):
        validation = np.setdiff1d(parts[(place + 1) % len(parts)][1], test)
        training = np.setdiff1d(train, validation)
        best = _chosen(task, candidates, (training, validation))
        columns = train if is_pairwise(estimator) else None
        model = fitted(cloned(estimator).set_params(**best), sample.part(train, columns))
        chosen.append(best)
        scores.append(scores_of(scorer, model, sample.part(test, columns)))
    table = {name: np.array([row[name] for row in scores]) for name in scores[0]}
    return NestedValidation(table, chosen, basis_of(sample, parts, scales_of(scorer, estimator, y), table))


def _chosen(task: Task, candidates: list[dict[str, Any]], fold: Fold) -> dict[str, Any]:
    """The candidate that does best on the validation rows; by the first score if there are several."""
    outcomes = run_all(task, [Trial(fold, candidate) for candidate in candidates])
    scores = next(iter(score_table(outcomes, "raise").values()))
    return candidates[minimal_error_rule(scores[:, None])]


@dataclass(slots=True)
class HoldOut:
    """The result of one split into training, validation and test rows."""

    best_params: dict[str, Any]
    validation_scores: Array
    test_scores: dict[str, float]
    estimator: Any
    rows: dict[str, Array]


@checked(param_grid=GRID, validation_size=limits(above=0), test_size=limits(above=0))
def train_validate_test(
    estimator: Model,
    param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    X: Rows,
    y: Rows,
    *,
    validation_size: float = 0.2,
    test_size: float = 0.2,
    stratify: Rows | None = None,
    scoring: Any = None,
    refit: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> HoldOut:
    """Train, validation and test split.

    Fit on training rows, choose hyperparameters on validation rows, score once on test rows.

    With `refit` the choice is fitted to training and validation rows together before the test. 60:20:20 by default.

    >>> from learnable import Ridge
    >>> X, y = [[float(i)] for i in range(20)], [2.0 * i + i % 2 for i in range(20)]
    >>> result = train_validate_test(Ridge(), {"alpha": [0.01, 1000.0]}, X, y, random_state=0)
    >>> result.best_params, {part: len(rows) for part, rows in result.rows.items()}
    ({'alpha': 0.01}, {'train': 12, 'validation': 4, 'test': 4})
    """
    from .parameter_grid import ParameterGrid

    check_equal_lengths("train_validate_test", X=X, y=y)
    sample, scorer = FitArguments(X, y), check_scoring(estimator, scoring)
    everything, candidates = np.arange(sample.n), list(ParameterGrid(param_grid))
    known, test = train_test_split(everything, test_size=test_size, stratify=stratify, random_state=random_state)
    strata = None if stratify is None else take_rows(stratify, known)
    count = math.ceil(validation_size * len(everything)) if validation_size < 1 else int(validation_size)
    if count >= len(known):
        raise DataError(
            f"train_validate_test: validation_size={validation_size:g} and test_size={test_size:g} leave none of "
            f"{len(everything)} rows for training; reduce one of them"
        )
    train, validation = train_test_split(known, test_size=count, stratify=strata, random_state=random_state)
    task = Task("train_validate_test", sample, estimator, scorer, n_jobs=n_jobs)
    outcomes = run_all(task, [Trial((train, validation), candidate) for candidate in candidates])
    scores = next(iter(score_table(outcomes, "raise").values()))
    best = candidates[minimal_error_rule(scores[:, None])]
    learned = known if refit else train
    columns = learned if is_pairwise(estimator) else None
    model = fitted(cloned(estimator).set_params(**best), sample.part(learned, columns))
    rows = {"train": train, "validation": validation, "test": test}
    return HoldOut(best, scores, scores_of(scorer, model, sample.part(test, columns)), model, rows)
