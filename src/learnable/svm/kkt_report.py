"""What a fitted support vector classifier does to its training rows, computed from the model and the data alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..core import Array, Data
from ..core.errors import DataError, ParameterError
from ..parts.kernels.semidefinite import is_semidefinite
from ._svm_base import CountingRows, scaled_cost

MAX_EIGENVALUE_ROWS = 2048  # rows for which the eigenvalues of a kernel matrix are computed
ROLES = ("outside", "margin", "inside", "wrong")


@dataclass(frozen=True, slots=True)
class KktReport:
    """KKT report of a support vector machine.

    Positions of the training rows relative to the margin, and the optimality of the solution.

    A row is `outside` the margin (its dual variable is 0), on the `margin` (between its bounds), `inside` the margin
    but on its own side, or on the `wrong` side (the variable at its upper bound, the slack above 1).

    The problem is `convex` if the kernel matrix is known to be positive semi-definite. If it is not, the dual objective
    bounds nothing and the optimality conditions are necessary alone: another classifier may satisfy them and be better.
    """

    rows: Array
    alpha: Array
    upper: Array
    value: Array
    slack: Array
    roles: Array
    margin: float
    primal: float
    dual: float
    violation: float
    convex: bool

    @property
    def gap(self) -> float:
        """The primal objective minus the dual one: no classifier is better by more. Infinite if not `convex`."""
        return self.primal - self.dual if self.convex else np.inf

    @property
    def counts(self) -> dict[str, int]:
        """How many rows play each role."""
        return {role: int((self.roles == role).sum()) for role in ROLES}

    def __str__(self) -> str:
        roles = ", ".join(f"{count} {role}" for role, count in self.counts.items())
        if self.convex:
            bound = f"at most {max(self.gap, 0.0):.3g} above the optimum"
        else:
            bound = "how far above the optimum is not known, as the kernel may not be positive semi-definite"
        return (
            f"{roles}; margin {self.margin:.4g}; objective {self.primal:.6g}, {bound}; optimality conditions violated "
            f"by at most {self.violation:.3g}{'' if self.convex else ', which is not sufficient for an optimum'}"
        )


def _place_of(model: Any, pair: tuple[int, int]) -> int:
    """The place of two classes among all pairs of them."""
    pairs = list(combinations(range(len(model.classes_)), 2))
    if tuple(pair) not in pairs:
        raise ParameterError(
            f"{type(model).__name__}: pair must be the indices of two classes in classes_, the smaller one first, such "
            f"as (0, {len(model.classes_) - 1}); got {pair!r}"
        )
    return pairs.index((pair[0], pair[1]))


def report_on(model: Any, X: Any, y: Any, sample_weight: Any, pair: tuple[int, int]) -> KktReport:
    """The report of one pair of classes; `X`, `y` and the weights must be those of the fit."""
    place = _place_of(model, pair)
    matrix = model._read(X)
    labels, codes = model._validator.classes(y, matrix.shape[0])
    if matrix.shape != model.shape_fit_ or labels.tolist() != model.classes_.tolist():
        raise DataError(f"{type(model).__name__}: kkt_report needs the data of the fit, {model.shape_fit_[0]} rows")
    rows = CountingRows.of(model, Data(matrix, codes, model._validator.weights(sample_weight, matrix.shape[0]), None))
    codes = codes[rows.kept]
    mine = np.flatnonzero((codes == pair[0]) | (codes == pair[1]))
    flip = -1.0 if len(model.classes_) == 2 else 1.0
    sign = np.where(codes[mine] == pair[0], flip, -flip)
    coef = np.zeros(matrix.shape[0])
    coef[model.support_] = model._decisions()[place]
    b, upper = coef[rows.kept][mine], scaled_cost(model.C, model._costs(rows.weight[mine], codes[mine]))
    if (b * sign < 0).any() or np.count_nonzero(b) < np.count_nonzero(coef):
        raise DataError(f"{type(model).__name__}: kkt_report needs the data of the fit; support vectors changed class")
    f = rows.sums(mine, mine, b)
    return _report(rows.kept[mine], sign, b * sign, upper, f, float(model.intercept_[place]), _is_convex(rows, mine))


def _is_convex(rows: CountingRows, mine: Array) -> bool:
    """Whether the kernel matrix of some rows is known to have no negative eigenvalues."""
    if rows.kernel.definite:
        return True
    return len(mine) <= MAX_EIGENVALUE_ROWS and is_semidefinite(np.asarray(rows.kernel(rows.part(mine)), np.float64))


def _width(length: float) -> float:
    """The width of the street, 2 / |f|; NaN where the kernel makes |f|^2 negative."""
    if length < 0:
        return np.nan
    return float(2 / np.sqrt(length)) if length > 0 else np.inf


def _primal(length: float, upper: Array, slack: Array) -> float:
    """The objective; of a hard margin, which has no slack, that of the function made so long that it has none."""
    hard = np.isinf(upper)
    stretch = 1 - float(slack[hard].max(initial=0.0))
    if stretch <= 0:
        return np.inf
    return length / 2 / stretch**2 + float(upper[~hard] @ slack[~hard])


def _report(rows: Array, sign: Array, alpha: Array, upper: Array, f: Array, constant: float, convex: bool) -> KktReport:
    value = f + constant
    slack = np.maximum(0.0, 1 - sign * value)
    length = float(alpha @ (sign * f))
    length = max(length, 0.0) if convex else length
    role = np.where(alpha <= 0, 0, np.where(alpha < upper, 1, np.where(slack <= 1, 2, 3)))
    steep = sign - f
    rise, fall = np.where(sign > 0, alpha < upper, alpha > 0), np.where(sign > 0, alpha > 0, alpha < upper)
    worst = steep[rise].max(initial=-np.inf) - steep[fall].min(initial=np.inf)
    return KktReport(
        rows, alpha, upper, value, slack, np.array(ROLES)[role], _width(length), _primal(length, upper, slack),
        float(alpha.sum()) - length / 2, max(float(worst), 0.0), convex,
    )  # fmt: skip
