"""What linear support vector machines share: how the data are seen, which method solves them, what is proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, Matrix, Trace, scaling
from ..core.runtime.random import generator, seed_of
from ..engines import matrix_products
from ..engines.iterate import Method, State, iterate
from ..engines.lockstep import Lockstep
from ..engines.minimise.duality import relative_gap
from ..engines.minimise.linear_svm.active_set_newton import ActiveSetNewton
from ..engines.minimise.linear_svm.bounded_dual import BoundedDual
from ..engines.minimise.linear_svm.crammer_singer import CrammerSinger
from ..engines.minimise.linear_svm.crammer_singer_interior_point import CrammerSingerInteriorPoint
from ..engines.minimise.linear_svm.dual_descent import DualDescent

MAX_PRODUCTS = 3000  # columns, or rows, up to which products of all pairs are worth their cost
MAX_SPARSE = 200  # the same for columns of sparse data
MAX_UNKNOWNS = 600  # weights of all classes but one for which linear systems are worth their cost
MAX_WORK = 3e8  # rows times squares of these: products of columns that a step takes
NEWTON_TOL = 1e-6  # fraction of the tolerance that Newton's method must reach
ROUNDING = 64 * np.finfo(np.float64).eps  # the smallest gap distinguishable from zero
MAX_COST = 1e100  # costs, of rows whose entries are about one, that overflow


@dataclass(frozen=True, slots=True)
class ScaledRows:
    """The rows that count, in an order that row-wise passes like, times `unit`, each followed by `constant`.

    With a `basis` the rows are the coordinates of longer ones in it: then there were more columns than rows.
    """

    X: Matrix
    constant: float
    unit: float
    basis: Array | None

    @classmethod
    def of(cls, X: Matrix, constant: float, turn: bool) -> ScaledRows:
        """Data ready for a machine; `turn` allows for other coordinates."""
        largest = max(scaling.largest_entry(X), constant)
        unit = float(scaling.power_of_two(largest)) if largest > scaling.SAFE[1] else 1.0
        X = X if unit == 1 else X * unit
        X = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        constant = constant * unit
        n, p = X.shape
        if not turn or matrix_products.is_sparse(X) or p <= n or n > MAX_PRODUCTS:
            return cls(X, constant, unit, None)
        wide = np.column_stack([X, np.full(n, constant)]) if constant else X
        basis, triangle = np.linalg.qr(wide.T.astype(np.float64))
        return cls(np.ascontiguousarray(triangle.T), 0.0, unit, basis)

    def limits(self, limit: Array, owner: str) -> Array:
        """Costs of residuals for weights in units of `unit`."""
        if self.unit == 1:
            return limit
        with np.errstate(over="ignore"):
            scaled = limit / self.unit / self.unit
        if not scaled[np.isfinite(limit)].max(initial=0.0) < MAX_COST:
            raise DataError(
                f"{owner}: the largest entry of X is about {1 / self.unit:.3g}, and with C={limit.max():.3g} every "
                "digit of the margin is lost to rounding; scale the columns of X, or lower C"
            )
        return scaled

    def weights(self, w: Array, constant: float) -> tuple[Array, float]:
        """Weights of the columns as they were given, and the intercept."""
        w = (w if self.basis is None else self.basis @ w) * self.unit
        return (w[:-1], constant * float(w[-1])) if constant else (w, 0.0)


def methods_for(model: Any, problems: list[BoundedDual]) -> list[Method]:
    """Newton's method where products of columns can be had, coordinate descent on the dual elsewhere.

    Where no plane separates the classes of a hard margin, Newton's method finds out soon, the other never. The problems
    are of the same rows, so that one method serves them all.
    """
    p = problems[0].X.shape[1]
    most = MAX_SPARSE if matrix_products.is_sparse(problems[0].X) else MAX_PRODUCTS
    newton = model.solver == "newton" or (p <= most and (model.solver == "auto" or problems[0].is_hard))
    if newton:  # its last steps gain many digits each: a few more make the solution independent of tol
        return [ActiveSetNewton(problem, max(NEWTON_TOL * model.tol, 1e-14)) for problem in problems]
    seed = seed_of(model.random_state)
    seeds = [int(generator(seed, place).integers(2**63)) for place in range(len(problems))]
    return [DualDescent(problem, model.tol, own) for problem, own in zip(problems, seeds, strict=True)]


def method_at_once(model: Any, problem: CrammerSinger) -> Method:
    """Interior point where the weights are few, for any cost; else coordinate descent."""
    unknowns = (problem.X.shape[1] + (problem.intercept_scaling != 0)) * (problem.classes - 1)
    cheap = unknowns <= MAX_UNKNOWNS and len(problem.label) * unknowns**2 <= MAX_WORK
    if model.solver == "newton" or (model.solver == "auto" and cheap):
        return CrammerSingerInteriorPoint(problem, max(NEWTON_TOL * model.tol, 1e-14))
    return problem


def solve(model: Any, problems: list[BoundedDual], trace: Trace) -> list[State]:
    """The last states of all problems, solved side by side; the certificate is of the widest gap."""
    methods = methods_for(model, problems)
    if len(methods) == 1:
        return [iterate(methods[0], model.max_iter, trace)]
    state = iterate(Lockstep(methods), model.max_iter, trace)
    return list(state["parts"])


def certify(trace: Trace, problems: list[BoundedDual], found: list[State], tol: float) -> None:
    """State the duality gap, computed again from weights and dual variables."""
    shares = [_share(problem, state) for problem, state in zip(problems, found, strict=True)]
    certify_gap(trace, float(np.maximum.reduce(shares)), tol)


def _share(problem: BoundedDual, state: State) -> float:
    """The gap as a share of the objective; all of it while a hard margin has no plane that separates yet."""
    objective, gap = problem.gap(state["w"], state["dual"])
    return 1.0 if objective == gap == np.inf else relative_gap(gap, objective)


def certify_gap(trace: Trace, gap: float, tol: float) -> None:
    """State a duality gap as a share of the objective."""
    tol = max(tol, ROUNDING)
    sentence = "the objective is at most this share of itself above the least one, as dual variables prove"
    trace.certify("relative duality gap", gap, tol, sentence)
    if trace.stopped in ("converged", "stalled"):  # as the gap without the rounding of many steps has it
        trace.stopped = "converged" if gap <= tol else "stalled"
