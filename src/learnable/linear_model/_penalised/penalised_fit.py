"""Fits of the lasso and elastic net: from parameters and data to coefficients with a certificate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, Data, DataError, Trace, seed_of
from ...core.errors import warn
from ...engines import matrix_products
from ...engines.minimise.coordinate import PenalisedSolution, SolverSettings, StandardisedLeastSquares, certify, solve
from ...parts.penalties import ElasticNet, GroupL2


def solver_settings(model: Any) -> SolverSettings:
    """The solver settings of a model."""
    options = {"selection": model.selection, "random_state": model.random_state}
    return SolverSettings(model.tol, model.max_iter, seed_for(options))


def seed_for(options: dict[str, Any]) -> int:
    """The seed of the column order: 0 for cyclic."""
    if options.get("selection", "cyclic") != "random":
        return 0
    return (seed_of(options.get("random_state")) % 2**62) * 2 + 1


def fit_each_target(model: Any, data: Data, trace: Trace) -> None:
    """Fit each target separately, and set the coefficients of `model` in scikit-learn's shapes."""
    y = data.y.reshape(data.n, -1)
    problem = StandardisedLeastSquares(data.X, data.weight, centre=model.fit_intercept, positive=model.positive)
    use_gram(problem, model.precompute)
    starts = warm_start(model, (y.shape[1], data.p))
    penalty = ElasticNet(model.alpha, model.l1_ratio)
    found: list[PenalisedSolution] = []
    reasons = []
    for target, start in zip(y.T, starts, strict=True):
        problem.set_target(target)
        found.append(solve(problem, penalty, solver_settings(model), trace, start))
        reasons.append(trace.stopped)
    trace.stopped = next((reason for reason in reasons if reason != "converged"), "converged")
    worst = max(found, key=lambda solution: solution.gap - solution.tolerance)
    certify(trace, worst.gap, worst.tolerance, bound=model.alpha > 0)
    keep(model, found, data.y.ndim == 2)


def fit_all_targets(model: Any, data: Data, trace: Trace) -> None:
    """Fit all targets jointly with the group lasso, and set the coefficients of `model`."""
    if data.y.ndim == 1:
        name = type(model).__name__.removeprefix("MultiTask")
        raise DataError(f"{type(model).__name__}: y has one target only; use {name} for it")
    problem = StandardisedLeastSquares(data.X, data.weight, centre=model.fit_intercept, targets=data.y.shape[1])
    problem.set_target(data.y)
    start = warm_start(model, (1, data.y.shape[1], data.p))[0]
    solution = solve(problem, GroupL2(model.alpha, model.l1_ratio), solver_settings(model), trace, start)
    certify(trace, solution.gap, solution.tolerance, bound=model.alpha > 0)
    model.coef_ = solution.coef
    model.intercept_ = solution.intercept if model.fit_intercept else np.zeros(1)[0]
    model.dual_gap_, model.n_iter_ = solution.gap, max(int(not model.warm_start), solution.passes)
    model.eps_ = model.tol * problem.scale * data.n


def keep(model: Any, found: list[PenalisedSolution], several: bool) -> None:
    """Set coefficients, intercepts, duality gaps and numbers of passes, of one target or several.

    Intercepts stay in double precision: with columns far from zero they are large, and rounding would shift every row.
    """
    coef = np.concatenate([solution.coef for solution in found])
    intercept = np.concatenate([solution.intercept for solution in found])
    least = 0 if model.warm_start else 1  # the first fit makes a pass at least
    passes = [max(least, solution.passes) for solution in found]
    one = len(found) == 1
    model.coef_ = coef[0] if one else coef
    model.intercept_ = (intercept if several else float(intercept[0])) if model.fit_intercept else 0.0
    model.dual_gap_ = found[0].gap if one else np.array([solution.gap for solution in found])
    model.n_iter_ = passes[0] if one else passes


def warm_start(model: Any, shape: tuple[int, ...]) -> Any:
    """The coefficients of the last fit in `shape`, with a warm start; else a None per target."""
    last = model.__dict__.get("coef_") if model.warm_start else None
    if last is None or last.size != np.prod(shape):
        return [None] * shape[0]
    return last.reshape(shape)


def use_gram(problem: StandardisedLeastSquares, gram: Any) -> None:
    """Use a Gram matrix given by the caller, after checking that it belongs to these columns."""
    if gram is None or isinstance(gram, (bool, str)):
        return
    products = np.ascontiguousarray(gram, dtype=np.float64)
    p = problem.shape[1]
    if products.shape != (p, p):
        raise DataError(
            f"precompute must be the Gram matrix, of shape ({p}, {p}) for {p} columns; got shape {products.shape}"
        )
    if problem.centre and not np.allclose(problem.mean_x, 0):
        warn("The given Gram matrix is not that of the centred columns; it is recomputed.", UserWarning)
        return
    total = problem.shape[0]
    precision = 1e-3 if problem.dtype == np.float32 else 1e-7
    if not np.allclose(np.diag(products) / total, problem.kernel.squares, rtol=precision):
        raise DataError("the Gram matrix in precompute did not pass validation: its diagonal is not that of X'X")
    problem.use_gram(products / total)


def sparse_coefficients(model: Any) -> Any:
    """The coefficients as a SciPy sparse array with one row per target."""
    from scipy import sparse

    return sparse.csr_array(np.atleast_2d(model.coef_))


def predict(model: Any, X: Any) -> Array:
    """X w + b."""
    return matrix_products.scores(X, model.coef_, model.intercept_)
