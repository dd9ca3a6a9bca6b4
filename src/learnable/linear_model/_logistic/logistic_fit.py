"""Fit of logistic classifiers: rows and weights, multinomial or one versus rest, and learned attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ...core import Array, Certificate, Data, ParameterError, Trace
from ...core.runtime.random import seed_of
from ...core.runtime.trace import Stopped, weakest
from ...engines import matrix_products
from ...engines.sparse_coefficients import dense
from ...parts.class_weights import class_weights, row_weights
from .logistic_objective import LogisticProblem, initial_coefficients, refuse_one_class
from .logistic_summary import logistic_statistics


def fit_logistic(model: Any, data: Data, C: float, l1_ratio: float, trace: Trace, start: Array | None = None) -> None:
    """Minimise, from `start` if given, and set the learned attributes."""
    problem = logistic_problem(model, with_class_weights(model, data), C, l1_ratio)
    if model.traits.detects_non_finite and data.weight is None and not problem.detects_non_finite:
        model._validator.refuse_missing(data.X, data.names)
    several = problem.classes > 2
    if model.max_iter == 0:
        found = _unmoved(model, problem, several, trace)
        model.n_iter_ = np.zeros(1, dtype=np.int32)
    elif several and model.strategy == "ovr":
        parts = [_alone(model, problem, k, trace) for k in range(problem.classes)]
        worst = max((part.proof for part in parts), key=_relative_violation)
        trace.certify(worst.kind, worst.value, worst.tolerance, f"{worst.claim}, in the fit of each class")
        trace.stopped = weakest(part.stopped for part in parts)
        found = np.vstack([part.found for part in parts])
        model.n_iter_ = np.array([part.steps for part in parts], dtype=np.int32)
    else:
        first = (
            start if start is not None and start.shape[1] == problem.X.shape[1] + 1 else _start(model, problem, several)
        )
        found = problem.fit(first, trace)
        model.n_iter_ = np.array([trace.iterations], dtype=np.int32)
    keep(model, found, data.X.dtype)
    model.solver_ = problem.method if model.strategy != "ovr" else replace(problem, classes=2).method
    model.statistics_ = logistic_statistics(problem, found, model.strategy == "ovr")


def with_class_weights(model: Any, data: Data) -> Data:
    """The data with sample weights times class weights."""
    if model.class_weight is None:
        return data
    each = weights_by_class(model, data)
    return Data(data.X, data.y, each if data.weight is None else data.weight * each, data.names)


def weights_by_class(model: Any, data: Data) -> Array:
    """The class weight of each row; for multilabel rows the product over their labels."""
    owner = type(model).__name__
    if data.y.ndim == 1:
        return class_weights(model.class_weight, model.classes_, data.y, data.weight, owner)[data.y]
    if isinstance(model.class_weight, dict):
        raise ParameterError(
            f'{owner}: class_weight must be "balanced" or None for multilabel targets; got {model.class_weight!r:.80}'
        )
    return row_weights(model.class_weight, [np.arange(2)] * data.y.shape[1], data.y, data.weight, owner)


def logistic_problem(model: Any, data: Data, C: float, l1_ratio: float) -> LogisticProblem:
    """The optimisation problem of a model on the rows with positive weight."""
    owner = type(model).__name__
    refuse_one_class(owner, model.classes_, data.y, data.weight)
    X, code, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
    fit_intercept = bool(model.fit_intercept)
    if model.solver == "liblinear" and len(model.classes_) > 2 and model.strategy != "ovr":
        raise ParameterError(
            f"{owner}: solver='liblinear' fits two classes; y holds more: choose another solver, or strategy='ovr'"
        )
    if model.solver == "liblinear" and fit_intercept and np.isfinite(C):  # which penalises the intercept too
        X, fit_intercept = matrix_products.with_column(X, float(model.intercept_scaling)), False
    return LogisticProblem(
        X,
        np.asarray(code, dtype=np.int64),
        weight,
        len(model.classes_),
        C,
        l1_ratio,
        fit_intercept,
        max(1, model.max_iter),
        float(model.tol),
        model.solver == "newton-cholesky",
        seed_of(model.random_state) if model.solver in ("sag", "saga") else None,
    )


def keep(model: Any, found: Array, dtype: Any) -> None:
    """Set the coefficients, the last column being the intercepts."""
    columns = model.n_features_in_
    model.coef_ = np.ascontiguousarray(found[:, :columns], dtype=dtype)
    intercept = found[:, -1]
    if found.shape[1] > columns + 1:
        intercept = found[:, columns] * model.intercept_scaling
    model.intercept_ = intercept.astype(dtype)


def _start(model: Any, problem: LogisticProblem, several: bool) -> Array:
    """Where to start: at the best constants, or at what the model learned before if it starts warm."""
    warm = getattr(model, "warm_start", False) and "coef_" in model.__dict__
    learned = dense(model.coef_) if warm else None
    rows = problem.classes if several else 1
    if learned is None or len(learned) != rows or learned.shape[1] + 1 > problem.X.shape[1] + 1:
        return initial_coefficients(problem, several)
    start = np.zeros((rows, problem.X.shape[1] + 1))
    start[:, : learned.shape[1]] = learned
    place = learned.shape[1] if problem.X.shape[1] > learned.shape[1] else -1
    start[:, place] = model.intercept_ if place == -1 else model.intercept_ / model.intercept_scaling
    return start


def _unmoved(model: Any, problem: LogisticProblem, several: bool, trace: Trace) -> Array:
    """The coefficients before the first iteration: zeros, or those of the last fit with a warm start."""
    trace.stopped = "limit"
    trace.certify("gradient", np.inf, model.tol, "no iteration was made")
    if getattr(model, "warm_start", False) and "coef_" in model.__dict__:
        return _start(model, problem, several)
    return np.zeros((problem.classes if several else 1, problem.X.shape[1] + 1))


class _Part(NamedTuple):
    """The fit of one class against the rest."""

    found: Array
    steps: int
    proof: Certificate
    stopped: Stopped


def _alone(model: Any, problem: LogisticProblem, k: int, trace: Trace) -> _Part:
    one = replace(problem, code=(problem.code == k).astype(np.int64), classes=2)
    before = trace.iterations
    warm = getattr(model, "warm_start", False) and "coef_" in model.__dict__
    start = _start(model, problem, True)[k : k + 1] if warm else initial_coefficients(one, False)
    found = one.fit(start, trace)
    assert trace.certificate is not None  # as every fit leaves one
    return _Part(found, trace.iterations - before, trace.certificate, trace.stopped)


def _relative_violation(proof: Certificate) -> float:
    return proof.value / max(proof.tolerance, 1e-300)
