"""Cross-validation of alpha and l1_ratio for the lasso and elastic net, along regularisation paths."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ...core import Array, BudgetError, Data, DataError, Trace
from ...core.runtime.trace import Stopped
from ...engines.folds import Fold, folds
from ...engines.minimise.coordinate import (
    SolverSettings,
    StandardisedLeastSquares,
    alpha_grid,
    certify,
    path_errors,
    solve,
)
from ...engines.sufficient_statistics import Moments
from ...engines.time_budget import fraction_of_time
from ...parts.penalties import ElasticNet, GroupL2
from .._cv_scores import record_alphas
from ..penalised_paths import alpha_max, warn_unfinished
from .penalised_fit import solver_settings

Rule = Literal["min", "one_standard_error"]


@dataclass(frozen=True, slots=True)
class PenaltyChoice:
    """Alphas (ratios, alphas), errors (ratios, alphas, folds) and the indices of the chosen pair.

    `stopped` is the reason of an early stop; errors that were not reached are NaN.
    """

    alphas: Array
    errors: Array
    ratio: int
    alpha_index: int
    stopped: Stopped = ""


# Alphas with errors this near to the best are compared again at that fraction of the tolerance, so that the choice
# does not depend on it.
NEAR_OPTIMUM = 0.05
CHOOSING = 1e-3


def fit_with_chosen_alpha(model: Any, data: Data, trace: Trace, l1_ratios: Array) -> float:
    """Choose alpha and l1_ratio by cross-validation, fit all rows, set the learned attributes, and return l1_ratio."""
    several = model.traits.multi_target
    penalty = GroupL2 if several else ElasticNet
    _check_targets(model, data, several)
    targets = data.y.shape[1] if several else 1
    positive = getattr(model, "positive", False)
    problem = StandardisedLeastSquares(
        data.X, data.weight, centre=model.fit_intercept, positive=positive, targets=targets
    )
    problem.set_target(data.y)
    choice = _choose(model, data, problem, l1_ratios)
    _record(choice, l1_ratios)
    alpha, ratio = float(choice.alphas[choice.ratio, choice.alpha_index]), float(l1_ratios[choice.ratio])
    solution = solve(problem, penalty(alpha, ratio), solver_settings(model), trace)
    trace.stopped = choice.stopped or trace.stopped
    certify(trace, solution.gap, solution.tolerance, bound=alpha > 0)
    given = np.ndim(model.alphas) > 0 or len(l1_ratios) == 1
    model.alpha_, model.alphas_ = alpha, choice.alphas[0] if given else choice.alphas
    model.mse_path_ = np.squeeze(choice.errors)
    model.coef_ = solution.coef if several else solution.coef[0]
    intercept = solution.intercept
    model.intercept_ = (intercept if several else float(intercept[0])) if model.fit_intercept else 0.0
    model.dual_gap_, model.n_iter_ = solution.gap, max(1, solution.passes)
    return ratio


def _record(choice: PenaltyChoice, l1_ratios: Array) -> None:
    """Report the mean error of each alpha to watchers, in a trace of its own."""
    compared = Trace()
    for alphas, errors, ratio in zip(choice.alphas, choice.errors, l1_ratios.tolist(), strict=True):
        record_alphas(compared, alphas, errors.mean(axis=1), l1_ratio=ratio)


def _check_targets(model: Any, data: Data, several: bool) -> None:
    name = type(model).__name__
    if several and data.y.ndim == 1:
        raise DataError(f"{name}: y has one target only; use {name.removeprefix('MultiTask')} for it")


def _choose(model: Any, data: Data, problem: StandardisedLeastSquares, l1_ratios: Array) -> PenaltyChoice:
    """Errors of every alpha on every fold, and the best of them."""
    grids = np.array([_grid(model, problem, ratio) for ratio in l1_ratios])
    parts = folds(model.cv, data.n, data.y, owner=type(model).__name__)
    penalty = GroupL2 if model.traits.multi_target else ElasticNet
    folded = Folded(*fold_problems(model, data, problem, parts, grids.size), penalty)
    with fraction_of_time(len(parts) / (len(parts) + 1)):  # the rest is for the fit of all rows
        errors = _errors(model, folded, grids, l1_ratios)
    warn_unfinished(type(model).__name__, np.concatenate(folded.converged))
    return PenaltyChoice(grids, errors, *_best(errors, model.rule), next(iter(folded.stopped), ""))


def _errors(model: Any, folded: Folded, grids: Array, l1_ratios: Array) -> Array:
    """Mean squared errors (ratios, alphas, folds), those near the best computed more accurately."""
    settings = solver_settings(model)
    errors = np.array([folded.errors(grid, ratio, settings) for grid, ratio in zip(grids, l1_ratios, strict=True)])
    if np.isnan(errors).any(axis=2).all():
        raise BudgetError("the budget ended before one alpha was tried on all folds; increase the budget")
    closer = replace(settings, tol=settings.tol * CHOOSING)
    for index, near in enumerate(_near(errors, model.rule)):
        if near.any() and not folded.stopped:
            span = slice(near.argmax(), len(near) - near[::-1].argmax())
            again = folded.errors(grids[index, span], l1_ratios[index], closer)
            errors[index, span] = np.where(np.isnan(again), errors[index, span], again)
    return errors


def _best(errors: Array, rule: Rule) -> tuple[int, int]:
    """Indices of the chosen ratio and alpha: smallest mean error, or largest alpha within its standard error."""
    mean = errors.mean(axis=2)
    ratio, alpha_index = (int(index) for index in np.unravel_index(np.nanargmin(mean), mean.shape))
    if rule == "one_standard_error":
        alpha_index = int(np.argmax(mean[ratio] <= mean[ratio, alpha_index] + _spread(errors[ratio, alpha_index])))
    return ratio, alpha_index


def _near(errors: Array, rule: Rule) -> Array:
    """Which alphas (ratios, alphas) have an error near the limit below which one may be chosen."""
    mean = errors.mean(axis=2)
    ratio, alpha_index = np.unravel_index(np.nanargmin(mean), mean.shape)
    allowed = _spread(errors[ratio, alpha_index]) if rule == "one_standard_error" else 0.0
    near: Array = mean <= (1 + NEAR_OPTIMUM) * (np.nanmin(mean) + allowed)
    return near


def _spread(errors: Array) -> float:
    """The standard error of a mean over folds."""
    return float(errors.std(ddof=1) / np.sqrt(len(errors))) if len(errors) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Folded:
    """A problem per fold, weights of its test rows, convergence of its paths, and the reason of an early stop."""

    problems: list[StandardisedLeastSquares]
    test_weight: Array
    penalty: type[ElasticNet] | type[GroupL2]
    converged: list[Array] = field(default_factory=list)
    stopped: list[Stopped] = field(default_factory=list)

    def errors(self, alphas: Array, l1_ratio: float, settings: SolverSettings) -> Array:
        """Mean squared errors (alphas, folds) on the test rows; NaN once a path was stopped."""
        if self.stopped:
            return np.full((len(alphas), len(self.problems)), np.nan)
        penalties = [self.penalty(alpha, l1_ratio) for alpha in alphas.tolist()]
        found, converged, stopped = path_errors(self.problems, penalties, settings, self.test_weight)
        self.converged.append(np.ravel(converged))
        self.stopped.extend([stopped] if stopped else [])
        return found.T


def fold_problems(
    model: Any, data: Data, whole: StandardisedLeastSquares, parts: list[Fold], n_alphas: int
) -> tuple[list[StandardisedLeastSquares], Array]:
    """A problem per fold, in which test rows have weight zero, and the weights of the test rows."""
    weight = np.ones(data.n) if data.weight is None else data.weight
    problems, test_weight = [], np.empty((len(parts), data.n))
    summed = Moments.of(data.X, data.y, weight, whole.centre) if whole.gram_pays(n_alphas) else None
    for index, (train, test) in enumerate(parts):
        trains, test_weight[index] = (np.bincount(rows, minlength=data.n) * weight for rows in (train, test))
        if not trains.any() or not test_weight[index].any():
            raise DataError(f"{type(model).__name__}: all rows of a fold have weight zero; use other folds")
        fold_problem = whole.with_weight(data.X, trains)
        if summed is not None:
            fold_problem.use_gram(_without(summed, data, weight, trains))
        fold_problem.set_target(data.y)
        problems.append(fold_problem)
    return problems, test_weight


def _without(summed: Moments, data: Data, weight: Array, trains: Array) -> Array:
    """The Gram matrix of the training rows: that of all rows less that of the others.

    It is recomputed where the difference would cost time, or more than three digits in some column.
    """
    others = np.flatnonzero(trains != weight)
    if not len(others):
        return summed.gram / summed.weight
    if 2 * len(others) <= data.n and not (trains > weight).any():
        rest = summed - Moments.of(data.X[others], data.y[others], weight[others] - trains[others], summed.centred)
        if rest.is_sound_rest_of(summed):
            return rest.gram / rest.weight
    rest = Moments.of(data.X, data.y, trains, summed.centred)
    return rest.gram / rest.weight


def _grid(model: Any, problem: StandardisedLeastSquares, l1_ratio: float) -> Array:
    """Alphas in descending order: those given, or a grid of that many."""
    if np.ndim(model.alphas) == 0:
        return alpha_grid(alpha_max(problem, l1_ratio), model.eps, int(model.alphas))
    return np.sort(np.asarray(model.alphas, dtype=np.float64))[::-1]
