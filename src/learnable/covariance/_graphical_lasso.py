"""The graphical lasso: a sparse inverse covariance with a duality gap.

    minimise over P    tr(S P) - log det P + alpha sum over i != j of |P_ij|
    dual:              maximise log det W + p    where |W_ij - S_ij| <= alpha for i != j, W_ii = S_ii

It is solved in columns of unit variance, where the penalty of an entry is alpha / (d_i d_j) for deviations d: the
problem is the same, and columns of any units are as well conditioned. The gap does not depend on units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core import Array, Trace
from ..core.errors import DataError
from ..core.runtime.native import kernels
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.iterate import Progress, State, iterate

MAX_PASSES = 1000
SLOW, FINER, FINEST = 0.3, 0.2, 1e-15  # a gap that falls to no less than SLOW needs finer column tolerances
RETRY = 1e-3  # finer column tolerance after a sweep that lost definiteness to rounding
STUCK = 10  # sweeps without a smaller gap that end the fit


class SparseInverse(NamedTuple):
    """Covariance, precision, and the objective and duality gap after each sweep; what continues the fit elsewhere."""

    covariance: Array
    precision: Array
    costs: list[tuple[float, float]]
    state: State


@dataclass(frozen=True)
class GraphicalLassoSweeps:
    """Sweeps over the columns of a correlation matrix S with the penalty q_i q_j |P_ij|."""

    S: Array
    q: Array
    tolerance: float
    column_tolerance: float
    begin: State | None = None

    def start(self) -> State:
        begin = {"cost": np.inf, "gap": np.inf, "least": np.inf, "stuck": 0, "within": self.column_tolerance}
        return (self._feasible() if self.begin is None else self.begin) | begin

    def _feasible(self) -> State:
        """The covariance as close to the identity as its bounds allow: feasible, and definite if `S` is singular."""
        p, size = len(self.S), np.abs(self.S)
        np.fill_diagonal(size, 0.0)
        bounds = np.outer(self.q, self.q)
        toward = float(np.min(bounds / np.where(size > 0, size, np.inf), initial=np.inf, where=size > 0))
        W = (1 - min(toward, 1.0)) * self.S
        W.flat[:: p + 1] = np.diag(self.S)
        return {"W": W, "coef": np.zeros((p, p)), "precision": np.zeros((p, p))}

    def step(self, state: State) -> State:
        W, coef, precision = (state[name].copy() for name in ("W", "coef", "precision"))
        kernels.graphical_lasso_sweep(self.S, self.q, state["within"], MAX_PASSES, W, coef, precision)
        cost, gap = duality_gap(self.S, self.q, W, precision)
        finer = FINER if not gap < SLOW * state["gap"] else 1.0
        if not np.isfinite(cost):
            return self._lost(state)
        return {
            "W": W, "coef": coef, "precision": precision, "cost": cost, "gap": gap, "least": min(gap, state["least"]),
            "stuck": 0 if gap < state["least"] else state["stuck"] + 1,
            "within": max(state["within"] * finer, FINEST),
        }  # fmt: skip

    def _lost(self, state: State) -> State:
        """After a sweep whose precision is not definite: begin again, with the inverse and finer column tolerances."""
        again = self._feasible()
        precision = np.linalg.pinv(again["W"], hermitian=True)
        cost, gap = duality_gap(self.S, self.q, again["W"], precision)
        here = {"precision": precision, "cost": cost, "gap": gap, "least": min(gap, state["least"])}
        return again | here | {"stuck": state["stuck"] + 1, "within": max(state["within"] * RETRY, FINEST)}

    def progress(self, state: State) -> Progress:
        return Progress(state["cost"], state["gap"], self.tolerance, stalled=state["stuck"] >= STUCK)


def duality_gap(S: Array, q: Array, W: Array, precision: Array) -> tuple[float, float]:
    """Objective of a precision matrix, and its distance from the dual bound of the nearest feasible covariance to W."""
    penalties = np.outer(q, q)
    np.fill_diagonal(penalties, 0.0)
    log_determinant = log_det(precision) if np.isfinite(W).all() else None
    if log_determinant is None:
        return np.inf, np.inf
    cost = float((S * precision).sum()) - log_determinant + float((penalties * np.abs(precision)).sum())
    bound = log_det(np.clip(W, S - penalties, S + penalties))
    return cost, np.inf if bound is None else max(cost - bound - len(S), 0.0)


def log_det(A: Array) -> float | None:
    """The log determinant of a symmetric matrix; None unless it is positive definite."""
    if not np.isfinite(A).all():
        return None
    try:
        factor = interruptibly(np.linalg.cholesky, A)
    except np.linalg.LinAlgError:
        return None
    return 2 * float(np.log(np.diag(factor)).sum())


def deviations_of(covariance: Array, owner: str, names: list[str] | None = None) -> Array:
    """Standard deviations; an error that names a column without variance, whose precision would be infinite."""
    variances = np.diag(covariance)
    if not (variances > 0).all():
        column = int(np.argmax(~(variances > 0)))
        name = f"column {column}" if names is None else f"column {names[column]!r}"
        raise DataError(
            f"{owner}: {name} does not vary, so that its precision is infinite; leave it out, as VarianceThreshold does"
        )
    return np.asarray(np.sqrt(variances))


@dataclass(frozen=True)
class GraphicalLassoSettings:
    """What is requested of a fit; `owner` is named in messages."""

    tol: float
    enet_tol: float
    max_iter: int
    owner: str
    names: list[str] | None = None


def solve_graphical_lasso(
    covariance: Array, alpha: float, settings: GraphicalLassoSettings, trace: Trace, begin: State | None = None
) -> SparseInverse:
    """The sparse inverse of a covariance, with its certificate in the trace; without penalty the inverse itself."""
    scale = deviations_of(covariance, settings.owner, settings.names)
    S = covariance / scale / scale[:, None]
    np.fill_diagonal(S, 1.0)
    shift = 2 * float(np.log(scale).sum())
    if alpha == 0 or len(S) == 1:
        return _without_penalty(S, scale, shift, settings.owner, trace)
    q = np.sqrt(alpha) / scale
    method = GraphicalLassoSweeps(S, q, settings.tol, settings.enet_tol, begin)
    first = len(trace.rows)
    state = iterate(method, settings.max_iter, trace)
    if not np.isfinite(state["cost"]):
        raise DataError(
            f"{settings.owner}: the precision is not definite to rounding, as columns nearly repeat others; use a "
            "larger alpha, or leave these columns out"
        )
    trace.certify(
        "duality gap", state["gap"], settings.tol,
        f"the penalised log likelihood is within {state['gap']:.2g} of the best of any precision matrix",
    )  # fmt: skip
    costs = [(row["objective"] + shift, row["criterion"]) for row in trace.rows[first:]]
    return SparseInverse(state["W"] * scale * scale[:, None], state["precision"] / scale / scale[:, None], costs, state)


def _without_penalty(S: Array, scale: Array, shift: float, owner: str, trace: Trace) -> SparseInverse:
    log_determinant = log_det(S)
    if log_determinant is None or np.linalg.cond(S) * np.finfo(np.float64).eps > 1:
        raise DataError(f"{owner}: the covariance is singular, so that alpha must be above 0")
    inverse = interruptibly(np.linalg.inv, S)
    cost = log_determinant + shift + len(S)
    trace.exact("the inverse of the covariance, computed directly", cost)
    state = {"W": S, "coef": np.zeros_like(S), "precision": inverse, "cost": cost}
    return SparseInverse(
        S * scale * scale[:, None], (inverse + inverse.T) / 2 / scale / scale[:, None], [(cost, 0.0)], state
    )
