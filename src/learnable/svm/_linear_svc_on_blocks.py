"""The linear SVM with squared hinge loss on rows in blocks: Newton's method, a pass for each step."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Trace
from ..core.runtime.trace import weakest
from ..engines.minimise.logistic.softmax_on_blocks import class_totals
from ..engines.minimise.newton_on_blocks import WithConstant, minimise_on_blocks
from ..engines.passes import TrainingRows
from ..parts.class_weights import class_weights
from ..parts.losses.squared_hinge import SquaredHinge
from ._linear_svm_base import certify_gap

GRADIENT = 1e-7  # relative norm that the search reaches: the gap is of the order of its square


class ActiveSquaredHinge(SquaredHinge):
    """The squared hinge loss with its second derivative, which is zero beyond the margin."""

    def curvature(self, y: Array, z: Array) -> Array:
        """Second derivative by z."""
        return np.where(y * z < 1, 2.0, 0.0)


def _zero_plane(width: int) -> tuple[Array, float]:
    return np.zeros(width), 0.0


@dataclass(frozen=True)
class Sides:
    """Targets of one where a row is of class `code` and minus one elsewhere, weighted by class."""

    code: int
    own: float
    others: float

    def __call__(self, block: Data) -> tuple[Array, Array]:
        """Targets and weights of a block."""
        mine = block.y == self.code
        weight = np.where(mine, self.own, self.others)
        return np.where(mine, 1.0, -1.0), weight if block.weight is None else weight * block.weight


def fit_linear_svc_on_blocks(model: Any, rows: TrainingRows, trace: Trace) -> None:
    """Minimise, and set the learned attributes."""
    if model.penalty != "l2" or model.loss != "squared_hinge" or model.multi_class != "ovr" or not np.isfinite(model.C):
        raise DataError(
            "LinearSVC: a scan needs penalty='l2', loss='squared_hinge', multi_class='ovr' and a finite C; or fit it "
            "to a sample"
        )
    classes = len(model.classes_)
    totals: Array = rows.total(class_totals, classes)
    factors = class_weights(model.class_weight, model.classes_, np.arange(classes), totals, "LinearSVC")
    constant = float(model.intercept_scaling) if model.fit_intercept else 0.0
    seen: TrainingRows = WithConstant(rows, constant) if constant else rows
    codes = [1] if classes == 2 else list(range(classes))
    planes, proofs, ends = [], [], []
    for code in codes:
        others = float(factors[0]) if classes == 2 else 1.0
        sides = Sides(code, float(factors[code]), others)
        weight = float(totals[code] * sides.own + (totals.sum() - totals[code]) * others)
        width = seen.first.p
        found = minimise_on_blocks(
            seen, ActiveSquaredHinge(), sides, 1 / (model.C * weight), False, model.max_iter, GRADIENT, trace,
            partial(_zero_plane, width),
        )  # fmt: skip
        whole = model.C * weight
        gradient = whole * found.state["gradient"] * found.columns.scale
        proofs.append(float(gradient @ gradient) / 2 / max(whole * found.state["objective"], 1e-300))
        ends.append(trace.stopped)
        planes.append(found.coef)
    trace.stopped = weakest(ends)
    certify_gap(trace, max(proofs), model.tol)
    p, dtype = rows.first.p, rows.first.X.dtype
    model.coef_ = np.array([plane[:p] for plane in planes]).astype(dtype)
    intercepts = [plane[-1] * constant if constant else 0.0 for plane in planes]
    model.intercept_ = np.array(intercepts).astype(dtype)
    model.n_iter_ = trace.iterations
