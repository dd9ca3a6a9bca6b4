"""How LarsCV and LassoLarsCV choose where on the path to stop."""

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
from .lars_fit import Problem


@dataclass(frozen=True, slots=True)
class Choice:
    """The strength with the least mean error, and the errors (strengths, folds) of all that were tried.

    `stopped` says what ended the path of a fold early; only strengths that all folds reached are tried then.
    """

    alpha: float
    alphas: Array
    errors: Array
    stopped: Stopped = ""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Errors on held-out rows along a path: at its knots, and the mean product of errors at neighbouring knots.

    Coefficients are straight between knots, so the error there is a quadratic that these numbers determine.
    """

    alphas: Array
    squares: Array
    neighbours: Array
    stopped: Stopped

    def at(self, requested: Array) -> Array:
        """Mean squared error at each of the strengths `wanted`; beyond the ends of the path that of its end."""
        if len(self.alphas) == 1:
            return np.full(len(requested), self.squares[0])
        inside = np.clip(requested, self.alphas[0], self.alphas[-1])
        left = np.clip(np.searchsorted(self.alphas, inside, side="right") - 1, 0, len(self.alphas) - 2)
        t = (inside - self.alphas[left]) / (self.alphas[left + 1] - self.alphas[left])
        ends = (1 - t) ** 2 * self.squares[left] + t**2 * self.squares[left + 1]
        return np.asarray(ends + 2 * t * (1 - t) * self.neighbours[left])


def choose(model: Any, data: Data, rules: Rules) -> Choice:
    """Follow the path on the training rows of every fold, and find the strength that predicts the others best."""
    pairs = folds(model.cv, data.n, data.y, type(model).__name__)
    parts = []
    for place, (train, test) in enumerate(pairs):
        with fraction_of_time(1 / (len(pairs) - place + 1)):  # the last share is that of the fit of all rows
            part = _held_out(model, data, rules, train, test)
        parts += [part] if part is not None else []
    alphas = np.unique(np.concatenate([part.alphas for part in parts]))
    stopped: Stopped = next((part.stopped for part in parts if part.stopped in EARLY), "")
    if stopped:
        alphas = alphas[alphas >= max(part.alphas[0] for part in parts)]
    alphas = alphas[:: max(1, int(len(alphas) / model.max_n_alphas))]
    errors = np.column_stack([part.at(alphas) for part in parts])
    return Choice(float(alphas[np.argmin(errors.mean(axis=1))]), alphas, errors, stopped)


def _held_out(model: Any, data: Data, rules: Rules, train: Array, test: Array) -> HeldOut | None:
    """The errors on the rows `test` of the path on the rows `train`; None if no row of either counts."""
    weight = np.ones(data.n) if data.weight is None else data.weight
    if not (weight[train].any() and weight[test].any()):
        return None
    rows = Data(data.X[train], data.y[train], None if data.weight is None else data.weight[train], data.names)
    problem = Problem.of(rows, model.fit_intercept, _automatic(model.precompute), model.max_iter, rules.positive)
    trace = Trace()
    (path,) = problem.follow(rules, 0.0, model.max_iter, trace)
    units = problem.units
    levels, coefs = path.levels[::-1], path.coefs[::-1]
    predicted = matrix_products.scores(data.X[test], units.coefficients(coefs), units.intercepts(coefs))
    error = data.y[test][:, None] - predicted
    row_weight = weight[test] / weight[test].sum()
    neighbours = row_weight @ (error[:, 1:] * error[:, :-1])
    return HeldOut(units.alphas(levels), row_weight @ error**2, neighbours, trace.stopped)


def _automatic(precompute: Any) -> Any:
    """A Gram matrix of all rows is of no use in a fold."""
    return "auto" if hasattr(precompute, "__array__") else precompute
