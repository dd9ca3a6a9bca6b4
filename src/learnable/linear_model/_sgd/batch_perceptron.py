"""The batch perceptron: updates by all misclassified rows of a pass at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...core import Array, Matrix
from ...engines import matrix_products
from ...engines.iterate import Progress, State


@dataclass(frozen=True, slots=True)
class BatchPerceptron:
    """w += eta sum of y x over the misclassified rows, until there is none.

    The mean loss may rise on the way to a separating hyperplane, so it does not decide convergence. A weight counts
    copies. With `zero_one` a row on the plane belongs to class 1. With tol=-inf, passes continue without mistakes.
    """

    X: Matrix
    sign: Array
    weight: Array | None
    eta: float
    intercept_step: float
    zero_one: bool
    first: State
    tol: float
    error: Callable[[Array, float], float] | None = None
    reference: float = np.inf

    def start(self) -> State:
        return self.first

    def step(self, state: State) -> State:
        numbers = state["numbers"].copy()
        row_weight = np.ones(len(self.sign)) if self.weight is None else self.weight
        scores = matrix_products.precise_scores(self.X, state["coef"], numbers[0])
        wrong = ((scores >= 0) != (self.sign > 0)) if self.zero_one else (self.sign * scores <= 0)
        move = self.eta * np.where(wrong, self.sign * row_weight, 0.0)
        numbers[0] += self.intercept_step * move.sum()
        numbers[2] += len(self.sign)
        numbers[4] = np.count_nonzero(wrong & (row_weight > 0))
        objective = float(row_weight @ np.maximum(-self.sign * scores, 0) / row_weight.sum())
        return state | {
            "coef": state["coef"] + matrix_products.transposed_product(self.X, move),
            "numbers": numbers,
            "epoch": state["epoch"] + 1,
            "objective": objective,
        }

    def progress(self, state: State) -> Progress:
        mistakes = float(state["numbers"][4])
        more = {"rate": self.eta, "moves": mistakes}
        return Progress(state["objective"], mistakes, min(self.tol, 0.0), more)
