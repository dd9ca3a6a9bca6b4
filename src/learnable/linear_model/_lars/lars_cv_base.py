"""Cross-validation of the stopping point of LarsCV and LassoLarsCV."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, Data, Trace
from ...core.runtime.trace import EARLY, Stopped
from ...engines import matrix_products
from ...engines.folds import folds
from ...engines.paths.lars import Rules
from ...engines.time_budget import fraction_of_time
from .lars_fit import LarsProblem


@dataclass(frozen=True, slots=True)
class LarsCvChoice:
    """The alpha with the smallest mean error, and the errors (alphas, folds) of all candidates.

    `stopped` is the reason of an early stop of a path; candidates are then those that all folds reached.
    """

    alpha: float
    alphas: Array
    errors: Array
    stopped: Stopped = ""


@dataclass(frozen=True, slots=True)
class PathErrors:
    """Errors on held-out rows along a path: at its knots, and the mean product of errors at neighbouring knots.

    Coefficients are linear between knots, so that the error there is a quadratic determined by these.
    """

    alphas: Array
    squares: Array
    neighbours: Array
    stopped: Stopped

    def at(self, alphas: Array) -> Array:
        """Mean squared error at each of `alphas`; beyond the ends of the path that of its end."""
        if len(self.alphas) == 1:
            return np.full(len(alphas), self.squares[0])
        inside = np.clip(alphas, self.alphas[0], self.alphas[-1])
        left = np.clip(np.searchsorted(self.alphas, inside, side="right") - 1, 0, len(self.alphas) - 2)
        t = (inside - self.alphas[left]) / (self.alphas[left + 1] - self.alphas[left])
        ends = (1 - t) ** 2 * self.squares[left] + t**2 * self.squares[left + 1]
        return np.asarray(ends + 2 * t * (1 - t) * self.neighbours[left])


def choose(model: Any, data: Data, rules: Rules) -> LarsCvChoice:
    """Follow the path on the training rows of every fold, and choose the alpha with the smallest test error."""
    pairs = folds(model.cv, data.n, data.y, type(model).__name__)
    errors_by_fold = []
    for place, (train, test) in enumerate(pairs):
        with fraction_of_time(1 / (len(pairs) - place + 1)):  # the last fraction is for the fit of all rows
            fold_errors = _path_errors(model, data, rules, train, test)
        errors_by_fold += [fold_errors] if fold_errors is not None else []
    alphas = np.unique(np.concatenate([fold_errors.alphas for fold_errors in errors_by_fold]))
    stopped: Stopped = next((fold_errors.stopped for fold_errors in errors_by_fold if fold_errors.stopped in EARLY), "")
    if stopped:
        alphas = alphas[alphas >= max(fold_errors.alphas[0] for fold_errors in errors_by_fold)]
    alphas = alphas[:: max(1, int(len(alphas) / model.max_n_alphas))]
    errors = np.column_stack([fold_errors.at(alphas) for fold_errors in errors_by_fold])
    return LarsCvChoice(float(alphas[np.argmin(errors.mean(axis=1))]), alphas, errors, stopped)


def _path_errors(model: Any, data: Data, rules: Rules, train: Array, test: Array) -> PathErrors | None:
    """The errors on the rows `test` of the path on the rows `train`; None if all rows of either have weight zero."""
    weight = np.ones(data.n) if data.weight is None else data.weight
    if not (weight[train].any() and weight[test].any()):
        return None
    rows = Data(data.X[train], data.y[train], None if data.weight is None else data.weight[train], data.names)
    problem = LarsProblem.of(rows, model.fit_intercept, _automatic(model.precompute), model.max_iter, rules.positive)
    trace = Trace()
    (path,) = problem.follow(rules, 0.0, model.max_iter, trace)
    units = problem.units
    levels, coefs = path.levels[::-1], path.coefs[::-1]
    predicted = matrix_products.scores(data.X[test], units.coefficients(coefs), units.intercepts(coefs))
    error = data.y[test][:, None] - predicted
    row_weight = weight[test] / weight[test].sum()
    neighbours = row_weight @ (error[:, 1:] * error[:, :-1])
    return PathErrors(units.alphas(levels), row_weight @ error**2, neighbours, trace.stopped)


def _automatic(precompute: Any) -> Any:
    """`precompute` for a fold, for which a Gram matrix of all rows is not valid."""
    return "auto" if hasattr(precompute, "__array__") else precompute
