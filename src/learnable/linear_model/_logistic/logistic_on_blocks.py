"""Logistic regression on rows in blocks: Newton's method, a pass for each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, Data, DataError, Trace
from ...core.runtime.trace import weakest
from ...engines.minimise.logistic.softmax_on_blocks import MAX_UNKNOWNS, class_totals, minimise_softmax_on_blocks
from ...engines.minimise.newton_on_blocks import minimise_on_blocks
from ...engines.passes import TrainingRows
from ...parts.class_weights import class_weights
from ...parts.losses.logistic import Logistic
from .logistic_objective import refuse_one_class


@dataclass(frozen=True)
class OneAgainstRest:
    """Targets of one where a row is of class `code`, weighted by class."""

    code: int
    class_weight: Array

    def __call__(self, block: Data) -> tuple[Array, Array]:
        """Targets and weights of a block."""
        weight = self.class_weight[block.y]
        return (block.y == self.code).astype(np.float64), weight if block.weight is None else weight * block.weight


def fit_logistic_on_blocks(model: Any, rows: TrainingRows, C: float, l1_ratio: float, trace: Trace) -> None:
    """Minimise, and set the learned attributes."""
    owner, classes = type(model).__name__, len(model.classes_)
    if l1_ratio > 0 and np.isfinite(C):
        raise DataError(f"{owner}: an l1 penalty needs all rows at once; set l1_ratio=0, or fit it to a sample")
    if model.solver == "liblinear" and model.fit_intercept and np.isfinite(C):
        raise DataError(f"{owner}: solver='liblinear' penalises the intercept; choose another for a scan")
    totals: Array = rows.total(class_totals, classes)
    codes = np.arange(classes)
    refuse_one_class(owner, model.classes_, codes, totals)
    each = class_weights(model.class_weight, model.classes_, codes, totals, owner)
    whole = totals * each
    alpha = 1 / C / float(whole.sum())
    if classes == 2:
        found = [_one(model, rows, 1, each, whole, alpha, trace)]
    elif model.strategy == "ovr":
        found, ends, proofs = [], [], []
        for code in codes.tolist():
            found.append(_one(model, rows, code, each, whole, alpha, trace))
            ends.append(trace.stopped)
            if trace.certificate is not None:
                proofs.append(trace.certificate)
        trace.stopped = weakest(ends)
        trace.certificate = max(proofs, key=lambda proof: proof.value / max(proof.tolerance, 1e-300))
    else:
        found = _together(model, rows, each, whole, alpha, trace)
    dtype = rows.first.X.dtype
    model.coef_ = np.array([coef for coef, _ in found]).astype(dtype)
    model.intercept_ = np.array([intercept for _, intercept in found]).astype(dtype)
    model.n_iter_ = np.array([trace.iterations], dtype=np.int32)
    model.solver_ = "newton-cholesky"
    model.statistics_ = {"weight": float(whole.sum())}


def _one(
    model: Any, rows: TrainingRows, code: int, each: Array, whole: Array, alpha: float, trace: Trace
) -> tuple[Array, float]:
    """One class against the rest."""

    def start() -> tuple[Array, float]:
        own = max(whole[code], 1e-300)
        best = float(np.log(own) - np.log(max(whole.sum() - whole[code], 1e-300)))
        return np.zeros(rows.first.p), best if model.fit_intercept else 0.0

    found = minimise_on_blocks(
        rows, Logistic(), OneAgainstRest(code, each), alpha, model.fit_intercept, max(1, model.max_iter),
        float(model.tol), trace, start,
    )  # fmt: skip
    return found.coef, found.intercept


def _together(
    model: Any, rows: TrainingRows, each: Array, whole: Array, alpha: float, trace: Trace
) -> list[tuple[Array, float]]:
    """All classes in one multinomial model."""
    classes, p = len(each), rows.first.p
    if classes * (p + 1) > MAX_UNKNOWNS:
        raise DataError(
            f"{type(model).__name__}: {classes} classes and {p} columns have too many coefficients for Newton's method "
            "on a scan; set strategy='ovr', or take SGDClassifier"
        )

    def start() -> tuple[Array, Array]:
        logs = np.log(np.maximum(whole, 1e-300 * whole.sum()))
        return np.zeros((classes, p)), (logs - logs.mean()) * model.fit_intercept

    coef, intercept = minimise_softmax_on_blocks(
        rows, classes, each, alpha, model.fit_intercept, max(1, model.max_iter), float(model.tol), trace, start
    )
    intercept = intercept - intercept.mean()  # a constant for all classes changes no probability
    coef = coef if alpha > 0 else coef - coef.mean(axis=0)
    return list(zip(coef, intercept.tolist(), strict=True))
