"""Scores against the number of rows, and against a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from ..core import Array, ParameterError, RandomState
from ..core.declare.checked_functions import Column, Model, Rows, checked, limits, not_empty
from ..core.errors import warn
from ..core.roles.estimator import cloned
from ..core.runtime.random import stream
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.validate.rows import take_rows
from ..engines.folds import Fold, estimator_folds
from ..engines.parallel import each
from ..engines.time_budget import within_budget
from ..metrics import check_scoring
from ..metrics._score_range import scales_of
from ._curve_results import LearningCurve, ValidationCurve
from ._evaluation import FitArguments, Outcome, Trial, evaluate, score_table, scores_of, stepped, warn_of_failures
from ._path_cv import Family, is_applicable, together
from ._routed_metadata import RoutedMetadata
from .model_complexity import simpler_side
from .validation import Task, basis_of, prepared, run

TENTHS = np.linspace(0.1, 1.0, 5)
some = limits(accepts=not_empty, says="a list that is not empty")


@checked(param_range=some)
def validation_curve(
    estimator: Model,
    X: Rows,
    y: Rows | None = None,
    *,
    param_name: str,
    param_range: Iterable[Any],
    groups: Rows | None = None,
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    error_score: Any = np.nan,
    params: dict[str, Any] | None = None,
) -> ValidationCurve:
    """Validation curve: training and test scores (values, folds) for each value of a hyperparameter.

    The pair unpacks as scikit-learn's; it also has `best`, `one_standard_error`, `summary()` and `plot()`. Values are
    evaluated together where the estimator offers a shortcut.

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 4.9]
    >>> curve = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[0.01, 1.0, 100.0], cv=3)
    >>> curve.best
    0.01
    """
    scorer = check_scoring(estimator, scoring)
    sample, parts = prepared("validation_curve", estimator, X, y, groups, cv, params, scorer)
    values = list(param_range)
    family, found = Family(estimator, param_name, values, scorer, error_score), None
    if is_applicable(sample, family):
        with within_budget():
            found = together(sample, family, parts, True, n_jobs)
    if found is None:
        trials = [Trial(fold, {param_name: value}, with_train=True) for value in values for fold in parts]
        flat = run(Task("validation_curve", sample, estimator, scorer, error_score, n_jobs), trials)
    else:
        flat = [outcome for row in found for outcome in row]
    train, test = _tables(flat, len(values), error_score)
    basis = basis_of(sample, parts, scales_of(scorer, estimator, y), ["score"])["score"]
    curve = ValidationCurve.of(train, test, param_name, _array(values), basis)
    curve.simpler = simpler_side(estimator, param_name)
    return curve


@checked(train_sizes=some)
def learning_curve(
    estimator: Model,
    X: Rows,
    y: Rows | None = None,
    *,
    groups: Rows | None = None,
    train_sizes: Column = TENTHS,
    cv: Any = None,
    scoring: Any = None,
    exploit_incremental_learning: bool = False,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    shuffle: bool = False,
    random_state: RandomState = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: dict[str, Any] | None = None,
) -> LearningCurve:
    """Learning curve: training and test scores (sizes, folds) for growing training sets.

    The tuple unpacks as scikit-learn's: sizes, training scores, test scores, with `return_times` also seconds of fits
    and of scores; it also has `summary()` and `plot()`. `train_sizes` are numbers of rows, or shares of the smallest
    training set.

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0.1, 0.9, 2.1, 2.9, 4.1, 4.9]
    >>> sizes, train, test = learning_curve(Ridge(), X, y, train_sizes=[2, 4], cv=3)
    >>> sizes
    array([2, 4])
    """
    scorer = check_scoring(estimator, scoring)
    method = "partial_fit" if exploit_incremental_learning else "fit"
    sample, parts = prepared("learning_curve", estimator, X, y, groups, cv, params, scorer, method)
    if shuffle:
        rng = stream(random_state)
        parts = [(rng.permutation(train), test) for train, test in parts]
    sizes = absolute_sizes(train_sizes, len(parts[0][0]))
    if exploit_incremental_learning:
        flat = _in_steps(sample, estimator, scorer, error_score, parts, sizes, n_jobs)
    else:
        trials = [Trial(fold, with_train=True, limit=int(size)) for size in sizes for fold in parts]
        if verbose > 0:
            print(f"[learning_curve] Training set sizes: {sizes}")
        flat = run(Task("learning_curve", sample, estimator, scorer, error_score, n_jobs), trials)
    train, test = _tables(flat, len(sizes), error_score)
    times = [
        np.array([getattr(o, name) for o in flat]).reshape(train.shape) for name in ("fit_seconds", "score_seconds")
    ]
    basis = basis_of(sample, parts, scales_of(scorer, estimator, y), ["score"])["score"]
    return LearningCurve.of(sizes, train, test, times if return_times else [], basis)


def _array(values: list[Any]) -> Array:
    """Values of a parameter as an array, of Python's objects where they are no numbers or texts of one shape."""
    try:
        return np.asarray(values)
    except ValueError:
        found = np.empty(len(values), dtype=object)
        found[:] = values
        return found


def absolute_sizes(train_sizes: Any, most: int) -> Array:
    """Numbers of training rows, each once and in order, from numbers or from shares of `most`."""
    requested = np.asarray(train_sizes)
    if requested.dtype.kind not in "fiu" or not np.isfinite(requested).all():
        raise ParameterError(f"learning_curve: train_sizes must be finite numbers; got {train_sizes!r:.60}")
    if requested.dtype.kind == "f":
        if requested.min() <= 0 or requested.max() > 1:
            raise ParameterError(
                "learning_curve: train_sizes given as fractions must lie above 0 and up to 1; they go from "
                f"{requested.min()} to {requested.max()}"
            )
        requested = np.clip((requested * most).astype(int), 1, most)
    if requested.min() <= 0 or requested.max() > most:
        raise ParameterError(
            f"learning_curve: train_sizes given as numbers of rows must lie between 1 and {most}; they go from "
            f"{requested.min()} to {requested.max()}"
        )
    sizes = np.unique(requested)
    if len(sizes) < len(requested):
        warn(f"Removed duplicate entries from 'train_sizes': there are {len(sizes)} different ones.", RuntimeWarning)
    return sizes


def _tables(outcomes: list[Outcome], values: int, error_score: Any) -> tuple[Array, Array]:
    """Training and test scores, a row per value and a column per fold."""
    tables = [score_table(outcomes, error_score, which) for which in ("train", "test")]
    if "score" not in tables[1]:
        raise ParameterError(f"scoring must be one score; got {', '.join(tables[1])}: draw a curve for each of them")
    train, test = (table["score"].reshape(values, -1) for table in tables)
    return train, test


def _in_steps(
    sample: FitArguments,
    estimator: Any,
    scorer: Any,
    error_score: Any,
    parts: list[Fold],
    sizes: Array,
    n_jobs: int | None,
) -> list[Outcome]:
    """The outcomes of each size on each fold, where one model per fold learns the rows step by step."""
    if not hasattr(estimator, "partial_fit"):
        raise ParameterError(
            f"learning_curve: exploit_incremental_learning needs partial_fit, which {type(estimator).__name__} lacks"
        )
    found: list[Any] = [None] * len(parts)
    for place, outcomes in each(_stepped, (sample, estimator, scorer, error_score, sizes), parts, n_jobs):
        found[place] = outcomes
    flat = [outcomes[size] for size in range(len(sizes)) for outcomes in found]
    warn_of_failures(flat, error_score)
    return flat


def _stepped(
    sample: FitArguments, estimator: Any, scorer: Any, error_score: Any, sizes: Array, fold: Fold
) -> list[Outcome]:
    """The outcome of each size; those from a step on that failed have its story, as their rows were not learned."""
    train, test = fold
    model, tested = cloned(estimator), sample.part(test)
    extra = {"classes": np.unique(np.asarray(sample.y))} if is_classifier(estimator) else {}
    outcomes: list[Outcome] = []
    for before, size in pairwise([0, *sizes]):
        outcome = stepped(model, sample.part(train[before:size]), extra, error_score)
        if outcome.failure:
            return outcomes + [outcome] * (len(sizes) - len(outcomes))
        began = perf_counter()
        outcome.test = scores_of(scorer, model, tested, error_score)
        outcome.train = scores_of(scorer, model, sample.part(train[:size]), error_score)
        outcome.score_seconds = perf_counter() - began
        outcomes.append(outcome)
    return outcomes


@checked()
def permutation_test_score(
    estimator: Model,
    X: Rows,
    y: Rows,
    *,
    groups: Rows | None = None,
    cv: Any = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    verbose: int = 0,
    scoring: Any = None,
    params: dict[str, Any] | None = None,
) -> tuple[float, Array, float]:
    """Permutation test of a score.

    The score, those for permuted targets, and p = (permutations as good + 1) / (permutations + 1).

    Whether a model has found more than it finds where there is nothing; within groups, if there are any. [Ojala, 2010]

    >>> from learnable import Ridge
    >>> X = [[float(i)] for i in range(12)]
    >>> score, shuffled, p = permutation_test_score(Ridge(), X, [row[0] for row in X], cv=3, n_permutations=19)
    >>> round(p, 2)
    0.05
    """
    if n_permutations < 1:
        raise ParameterError(
            f"permutation_test_score: n_permutations must be at least 1, since p is counted over them; got "
            f"{n_permutations!r}"
        )
    scorer = check_scoring(estimator, scoring)
    sample, _ = prepared("permutation_test_score", estimator, X, y, groups, cv, params, scorer)
    routed = RoutedMetadata.of("permutation_test_score", estimator, cv, scorer, groups, params or {})
    cv, groups = routed.splitter(cv), routed.groups
    rng = stream(random_state)
    given = None if groups is None else np.asarray(groups)
    work = sample, estimator, scorer, cv, given
    score = _mean_score(*work, np.arange(sample.n))
    orders = [_shuffled(given, sample.n, rng) for _ in range(n_permutations)]
    shuffled = np.empty(n_permutations)
    for place, found in each(_mean_score, work, orders, n_jobs):
        shuffled[place] = found
    return score, shuffled, float(((shuffled >= score).sum() + 1.0) / (n_permutations + 1))


def _shuffled(groups: Array | None, n: int, rng: np.random.RandomState) -> Array:
    """A random order of the rows, within groups if there are any."""
    if groups is None:
        return rng.permutation(n)
    order = np.arange(n)
    for group in np.unique(groups):
        members = groups == group
        order[members] = rng.permutation(order[members])
    return order


def _mean_score(
    sample: FitArguments, estimator: Any, scorer: Any, cv: Any, groups: Array | None, order: Array
) -> float:
    """The mean score where the targets come in another order, which the folds follow."""
    own = FitArguments(sample.X, take_rows(sample.y, order), sample.options, scored=sample.scored)
    parts = estimator_folds("permutation_test_score", estimator, own.X, own.y, groups, cv, own.n)
    outcomes = [evaluate(own, estimator, scorer, "raise", Trial(fold)) for fold in parts]
    return float(np.mean([next(iter((outcome.test or {}).values())) for outcome in outcomes]))
