"""L-BFGS on the dual of a maximum-entropy problem."""

from __future__ import annotations

import numpy as np

from ...core import Array
from ...engines.iterate import Progress, State
from ...engines.minimise.orthant_lbfgs import OrthantLBFGS
from .constraints import Constraints


class QuasiNewton:
    """L-BFGS until no constraint is violated by more than `tolerance`."""

    def __init__(self, problem: Constraints, tolerance: float) -> None:
        self.problem, self.tolerance = problem, tolerance
        first = np.zeros(int(np.prod(problem.shape)))
        self.method = OrthantLBFGS(self._dual, first, 0.0, 10, 0.0, 10, 0.0, 30)

    def start(self) -> State:
        """Weights of zero: the uniform distribution, whose entropy is largest without constraints."""
        return self.method.start()

    def step(self, state: State) -> State:
        """A step of L-BFGS."""
        return self.method.step(state)

    def progress(self, state: State) -> Progress:
        """The largest violation of a constraint."""
        violation = float(np.abs(state["gradient"]).max(initial=0.0))
        return Progress(state["objective"], violation, self.tolerance, stalled=state["stalled"])

    def _dual(self, flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(self.problem.shape)
        probabilities, objective = self.problem.probabilities(weights)
        expectations = self.problem.model_expectations(probabilities)
        return objective, self.problem.gradient(weights, expectations).ravel()
