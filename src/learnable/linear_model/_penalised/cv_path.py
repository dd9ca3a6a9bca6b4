"""Cross-validation paths of the lasso and elastic net: predictions of each fold for all alphas."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...core import Array, Data, Matrix
from ...engines import matrix_products
from ...engines.cv_path import FoldPaths, MethodOutputs
from ...engines.folds import Fold
from ...engines.minimise.coordinate import StandardisedLeastSquares, solve_path
from ...parts.penalties import ElasticNet
from ..penalised_paths import warn_unfinished
from .penalised_cv import CHOOSING, fold_problems
from .penalised_fit import solver_settings


def validation_path(model: Any, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
    """For each fold, predictions of the lasso or the elastic net at each alpha, along a warm-started path.

    The paths are solved to a small fraction of the tolerance, so that scores do not depend on it.
    """
    alphas = np.array(values, dtype=np.float64)
    plain = data.y.ndim == 1 and model.selection == "cyclic" and not model.warm_start
    if not plain or alphas.ndim != 1 or alphas.min() <= 0 or np.ndim(model.precompute) > 0:
        return None
    whole = StandardisedLeastSquares(data.X, data.weight, centre=model.fit_intercept, positive=model.positive)
    problems, _ = fold_problems(model, data, whole, parts, len(alphas))
    order = np.argsort(-alphas, kind="stable")
    penalties = [ElasticNet(alpha, model.l1_ratio) for alpha in alphas[order].tolist()]
    settings = solver_settings(model)
    settings = replace(settings, tol=settings.tol * CHOOSING)
    found: FoldPaths = []
    for problem in problems:
        path = solve_path(problem, penalties, settings)
        warn_unfinished(type(model).__name__, path.gap <= path.tolerance / CHOOSING)
        coef = np.ascontiguousarray(path.coef[0].T[np.argsort(order)])
        found.append(partial(_fold_outputs, data.X, coef, problem.mean_y[0] - coef @ problem.mean_x))
    return found


def _fold_outputs(X: Matrix, coef: Array, constants: Array, rows: Array) -> list[MethodOutputs]:
    """The predictions of the model of one fold for some rows at each alpha."""
    return [{"predict": at} for at in matrix_products.scores(matrix_products.rows(X, rows), coef, constants).T]
