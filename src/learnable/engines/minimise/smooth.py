"""A smooth problem solved from start to certificate: choice of solver, scaling, and what is known of the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ...core.data import Array, Matrix
from ...core.trace import Trace
from ...parts.penalties.l2 import L2
from .. import design
from ..iterate import Method, State, iterate
from . import rotation
from .lbfgs import LBFGS, WIDEST_START
from .newton import Newton
from .problem import Model, Point, Problem
from .rows import Rows

MOST_COLUMNS = 2000  # beyond it, factorising the curvature costs more than many passes over the data
TIGHTEST = 1e-10

Solver = Literal["lbfgs", "newton-cholesky"]


@dataclass(frozen=True, slots=True)
class Smooth:
    """minimise over w, b    rows(Xw + b) + strength |w|^2 / 2,   the way it is solved and how well.

    Of many minima the one with the shortest w is found, if it starts from zero.
    """

    X: Matrix
    rows: Rows
    strength: float
    intercept: bool
    solver: Solver
    limit: int
    tol: float

    def solve(self, coef: Array, constant: float, trace: Trace) -> tuple[Array, float]:
        """Coefficients and intercept, found from those given; `trace` gets the course and the certificate."""
        try:
            state = self._solved(coef, constant, trace)
        except design.OutOfRange:
            scale = design.power_of_two_scales(self.X, together=self.strength > 0)
            strength = self.strength * float(scale[0]) ** 2
            scaled = replace(self, X=design.scaled_columns(self.X, scale), strength=strength)
            state = scaled._solved(coef / scale, constant, trace)
            state = state | {"coef": state["coef"] * scale}
        self._certify(state["criterion"], trace)
        return np.array(state["coef"]), float(state["intercept"])

    def _solved(self, coef: Array, constant: float, trace: Trace) -> State:
        if rotation.wide(self.X):
            return self._rotated(coef, constant, trace)
        problem = Problem.of(self.X, self.rows, L2(self.strength), self.intercept)
        first = Point.of(problem, coef, constant)
        model = self._model(problem, first)
        if model is not None and rotation.alike(self.X, model.moments):
            return self._rotated(coef, constant, trace)
        return self._run(problem, first, model, trace)

    def _model(self, problem: Problem, first: Point) -> Model | None:
        """The quadratic model to start from, unless there are too many columns."""
        most = WIDEST_START if self.solver == "lbfgs" else MOST_COLUMNS
        return Model(problem, first, caution=1.0) if problem.X.shape[1] <= most else None

    def _rotated(self, coef: Array, constant: float, trace: Trace) -> State:
        """The state of the problem in other coordinates, in which no column is a combination of others."""
        turn = rotation.Rotation.of(self.X, self.intercept)
        penalty = rotation.Quadratic(self.strength, turn.basis)
        problem = Problem.of(turn.columns, self.rows, penalty, self.intercept)
        start = turn.columns.T @ (design.scores(self.X, coef) - turn.mean @ coef)
        first = Point.of(problem, start, constant + float(turn.mean @ coef))
        state = self._run(problem, first, self._model(problem, first), trace)
        found = turn.basis @ state["coef"]
        return state | {"coef": found, "intercept": state["intercept"] - float(turn.mean @ found)}

    def _run(self, problem: Problem, first: Point, model: Model | None, trace: Trace) -> State:
        tolerance = gradient_tolerance(self.tol)
        method: Method = LBFGS(problem, tolerance, first, model)
        if self.solver == "newton-cholesky" and model is not None:
            method = Newton(problem, tolerance, first, model)
        return iterate(method, self.limit, trace)

    def _certify(self, criterion: float, trace: Trace) -> None:
        rounding = float(np.finfo(self.X.dtype).eps)  # the coefficients are stored in the type of the data
        trace.certify(
            "gradient norm",
            criterion + rounding,
            max(gradient_tolerance(self.tol), 64 * rounding),
            "no entry of the gradient is larger than this share of the size of the terms it sums",
        )


def gradient_tolerance(tol: float) -> float:
    """What the gradient must reach for a user's `tol`: its square as far as rounding allows, and never more than `tol`.

    A gradient of size tol leaves the objective about tol squared above its minimum, and the coefficients tol away;
    the last step of Newton's method squares it anyway.

    >>> gradient_tolerance(1e-4), gradient_tolerance(1e-12)
    (1e-08, 1e-12)
    """
    return min(tol, max(tol * tol, TIGHTEST))
