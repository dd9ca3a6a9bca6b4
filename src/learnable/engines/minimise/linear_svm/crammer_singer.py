"""The multiclass support vector machine of Crammer and Singer, by dual coordinate descent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ....core.runtime.native import kernels
from ....core.validate.features import Array, Matrix
from ... import matrix_products
from ...iterate import Progress, State
from ..duality import gap_between, relative_gap
from ..gradient_descent.epoch_order import shuffle


@dataclass(frozen=True, slots=True)
class CrammerSinger:
    """minimise over w_1 .. w_K    sum_k |w_k|^2 / 2  +  sum_i limit_i max_k ([k != y_i] + x_i w_k - x_i w_{y_i})

    Coordinate descent on the dual, the variables of a row together, in an order drawn from (`seed`, pass). Each row is
    followed by `intercept_scaling` (0: no intercept). Converged when the duality gap is at most `tolerance` of the
    objective. [Crammer and Singer, 2001]
    """

    X: Matrix
    label: Array
    classes: int
    limit: Array
    intercept_scaling: float
    tolerance: float
    seed: int
    norms: Array = field(init=False)

    def __post_init__(self) -> None:
        norms = np.empty(self.X.shape[0])
        kernels.squared_row_norms(self.X, norms)
        object.__setattr__(self, "norms", norms + self.intercept_scaling**2)

    def start(self) -> State:
        """All dual variables zero."""
        n, p = self.X.shape
        weights = np.zeros((p + (self.intercept_scaling != 0), self.classes))
        return {"dual": np.zeros((n, self.classes)), "w": weights, "pass": 0, "objective": np.inf, "gap": np.inf}

    def step(self, state: State) -> State:
        """One pass over the rows, and an evaluation of the gap after passes 1, 2, 3 and then every fourth."""
        dual, w, number = state["dual"].copy(), state["w"].copy(), state["pass"]
        order = np.arange(len(self.label))
        shuffle(order, self.seed, number)
        kernels.crammer_singer_pass(self.X, self.label, self.limit, self.norms, self.intercept_scaling, order, dual, w)
        after = state | {"dual": dual, "w": w, "pass": number + 1}
        return after | self.evaluate(dual) if number < 3 or number % 4 == 0 else after

    def progress(self, state: State) -> Progress:
        """The gap relative to the objective, when last evaluated."""
        return Progress(state["objective"], relative_gap(state["gap"], state["objective"]), self.tolerance)

    def evaluate(self, dual: Array, w: Array | None = None) -> State:
        """Weights, by default those of the dual variables, with their objective and duality gap."""
        combined = self.transposed_product(dual)
        w = combined if w is None else w
        scores, rows = self.scores(w), np.arange(len(dual))
        lead = scores - scores[rows, self.label][:, None] + 1
        lead[rows, self.label] = 0
        proven = float(dual[rows, self.label].sum() - dual.sum() - (combined * combined).sum() / 2)
        objective = float((w * w).sum() / 2 + self.limit @ lead.max(axis=1))
        return {"w": w, "objective": objective, "gap": gap_between(objective, proven)}

    def transposed_product(self, values: Array) -> Array:
        """X' times a column of values for each class."""
        combined = matrix_products.transposed_product(self.X, values)
        if self.intercept_scaling:
            combined = np.vstack([combined, self.intercept_scaling * values.sum(axis=0)])
        return np.ascontiguousarray(combined)

    def scores(self, w: Array) -> Array:
        """x_i w_k for every row and class."""
        p = self.X.shape[1]
        intercepts = self.intercept_scaling * w[p] if self.intercept_scaling else None
        found: Array = kernels.matvec(self.X, np.ascontiguousarray(w[:p]), intercepts)
        return found
