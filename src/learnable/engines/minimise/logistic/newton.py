"""Newton's method for two classes on dense rows, one compiled pass over them for each step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ....core.runtime import context
from ....core.runtime.native import kernels
from ....core.runtime.trace import Trace
from ....core.validate.features import Array
from ...iterate import Progress, State, iterate
from ..smooth_solver import certify_gradient, gradient_tolerance

OBJECTIVE, CRITERION, STATUS, COEF = 0, 1, 2, 11  # indices in the state vector of the kernel
STALLED, UNFIT = 1, 2
EVERY = 7  # step of the rows in the sample; odd, so that alternating classes are both in it
MIN_SAMPLED = 2000  # rows of a sample, and at least 20 for each column
FEW_CELLS = 200_000  # entries of X below which all steps are done in one call
IGNORANT = math.log(2)  # mean loss of equal probabilities


@dataclass(frozen=True, slots=True)
class LogisticNewton:
    """minimise over w, b    sum_i s_i (log(1 + e^z_i) - y_i z_i) + strength |w|^2 / 2,   z = Xw + b,   y = [code = 1].

    The weights s of the rows sum to one. With many rows the search starts from the fit to a sample of them, which costs
    little and leaves two or three passes over all rows.
    """

    X: Array
    code: Array
    weight: Array | None
    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float

    def solve(self, start: Array, trace: Trace) -> Array | None:
        """Coefficients with the intercept last, found from `start`; `trace` records iterations and certificate.

        None if columns must be scaled or rotated first; `FloatingPointError` if X holds values that are not finite.
        """
        tolerance = gradient_tolerance(self.tol)
        search = self._search(tolerance)
        first = self._first(search, start)
        if first[STATUS] == UNFIT:
            if kernels.first_non_finite(self.X) >= 0:
                raise FloatingPointError("X holds values that are not finite")
            return None
        method = Search(search, first, tolerance)
        last = method.at_once(self.max_iter, trace) if self.X.size <= FEW_CELLS and context.undisturbed() else None
        if last is None:
            last = iterate(method, self.max_iter, trace)["numbers"]
        certify_gradient(float(last[CRITERION]), self.tol, self.X.dtype, trace)
        return last[COEF : COEF + len(start)]

    def _search(self, tolerance: float, sure: bool = True) -> kernels.LogisticNewton:
        return kernels.LogisticNewton(self.X, self.code, self.weight, self.alpha, self.fit_intercept, tolerance, sure)

    def _first(self, search: kernels.LogisticNewton, start: Array) -> Array:
        """The initial state: the fit to a sample, if there are many rows and no warm start, or else `start`."""
        rows, columns = self.X.shape
        if rows // EVERY >= max(MIN_SAMPLED, 20 * columns) and not start[:-1].any():
            sampled = self._sample()._solve_sample(start)
            if sampled is not None:
                first = search.start(sampled)
                if first[STATUS] != UNFIT and first[OBJECTIVE] <= IGNORANT:
                    return first
        return search.start(start)

    def _sample(self) -> LogisticNewton:
        """The same problem on some of the rows."""
        X = self.X[::EVERY]
        return replace(
            self,
            X=X if X.strides[1] == X.itemsize else np.ascontiguousarray(X),
            code=self.code[::EVERY].copy(),
            weight=None if self.weight is None else self.weight[::EVERY].copy(),
        )

    def _solve_sample(self, start: Array) -> Array | None:
        """Coefficients solved to the accuracy of the sample, None if columns must be scaled first."""
        search = self._search(2 / math.sqrt(len(self.code)), sure=False)
        first = self._first(search, start)
        if first[STATUS] == UNFIT:
            return None
        return np.array(search.steps(first, 20)[0][COEF : COEF + len(start)])


@dataclass(frozen=True, slots=True)
class Search:
    """The method, for `iterate`."""

    kernel: kernels.LogisticNewton
    first: Array
    tolerance: float

    def start(self) -> State:
        """The initial state."""
        return {"numbers": self.first}

    def step(self, state: State) -> State:
        """One step."""
        return {"numbers": self.kernel.steps(state["numbers"], 1)[0]}

    def progress(self, state: State) -> Progress:
        """The relative norm of the gradient."""
        objective, criterion, status = state["numbers"][:3].tolist()
        return Progress(objective, criterion, self.tolerance, stalled=status == STALLED)

    def at_once(self, max_iter: int, trace: Trace) -> Array:
        """The last state of all steps in one call, for a search too short to be interrupted."""
        last, course = self.kernel.steps(self.first, max_iter)
        for objective, criterion in course.tolist():
            trace.record(objective, criterion=criterion)
        here = self.progress({"numbers": last})
        trace.stopped = "converged" if here.criterion <= here.tolerance else "stalled" if here.stalled else "limit"
        numbers: Array = last
        return numbers
