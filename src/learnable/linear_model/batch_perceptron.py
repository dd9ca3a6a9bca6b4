"""The perceptron's rule for all wrong rows of a pass at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core import Array, Matrix
from ..engines import design
from ..engines.iterate import Progress, State
from ..engines.minimise.stochastic import largest_gain


@dataclass(frozen=True, slots=True)
class BatchPerceptron:
    """w += eta sum of y x over the rows on the wrong side; the fit ends when the mean loss gains less than `tol`.

    A weight counts copies. With `zero_one` a row on the plane belongs to class 1.
    """

    X: Matrix
    sign: Array
    weight: Array | None
    eta: float
    intercept_step: float
    zero_one: bool
    begin: State
    tol: float
    patience: int
    error: Callable[[Array, float], float] | None = None
    reference: float = np.inf

    def start(self) -> State:
        return self.begin

    def step(self, state: State) -> State:
        numbers = state["numbers"].copy()
        share = np.ones(len(self.sign)) if self.weight is None else self.weight
        scores = design.precise_scores(self.X, state["coef"], numbers[0])
        wrong = ((scores >= 0) != (self.sign > 0)) if self.zero_one else (self.sign * scores <= 0)
        move = self.eta * np.where(wrong, self.sign * share, 0.0)
        numbers[0] += self.intercept_step * move.sum()
        numbers[2] += len(self.sign)
        numbers[4] = np.count_nonzero(wrong & (share > 0))
        objective = float(share @ np.maximum(-self.sign * scores, 0) / share.sum())
        gain = 0.0 if numbers[4] == 0 else state["best"] - objective
        return state | {
            "coef": state["coef"] + design.pullback(self.X, move),
            "numbers": numbers,
            "epoch": state["epoch"] + 1,
            "best": min(state["best"], objective),
            "gains": [*state["gains"], gain][-self.patience :],
            "objective": objective,
        }

    def progress(self, state: State) -> Progress:
        gain = largest_gain(state["gains"], self.patience)
        more = {"rate": self.eta, "moves": float(state["numbers"][4])}
        return Progress(state["objective"], gain, np.nextafter(self.tol, -np.inf), more)
