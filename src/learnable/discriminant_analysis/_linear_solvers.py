"""Three solvers of linear discriminant analysis."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array
from ..core.numeric import EPSILON
from ..core.runtime.native import kernels
from ..engines.algebra.cholesky import solve_factored
from ..engines.algebra.covariances import covariance_of, shrunk
from ..engines.algebra.interruptible_lapack import interruptibly
from ._discriminant_base import SingularError, upright

OWNER = "LinearDiscriminantAnalysis"
MIN_TOLERANCE = 1e-6  # smaller singular values are lost in the squares of the covariance


class DiscriminantProblem(NamedTuple):
    """Rows, class codes and weights; class weights and priors; covariance estimation."""

    X: Array
    codes: Array
    weight: Array | None
    totals: Array
    priors: Array
    shrinkage: Any
    estimator: Any


class Discriminant(NamedTuple):
    """Class means, and the linear function of each class."""

    means: Array
    coef: Array
    intercept: Array
    covariance: Array | None = None
    scalings: Array | None = None
    centre: Array | None = None
    ratios: Array | None = None


def log_priors(priors: Array) -> Array:
    """Log prior probabilities, -inf for zero."""
    if priors.all():
        return np.asarray(np.log(priors))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(priors))


def within(problem: DiscriminantProblem, factor: Array) -> tuple[Array, Array]:
    """Class means, and the sum over classes of factor times their scatter."""
    return kernels.pooled_scatter(problem.X, problem.codes, np.ascontiguousarray(factor, np.float64), problem.weight)


def solve_svd(problem: DiscriminantProblem, tol: float, store: bool) -> Discriminant:
    """Whiten the rows about their class means, dropping directions without variance; then an SVD of the class means.

    Singular values of the rows are roots of eigenvalues of their covariance; rows themselves are decomposed only where
    there are fewer of them than columns, or where `tol` asks for more digits than squares keep.
    """
    totals = problem.totals
    n, classes = float(totals.sum()), len(totals)
    means, scatter = within(problem, np.full(classes, 1 / n))
    std = _sizes(scatter)
    if problem.X.shape[1] > len(problem.X) or tol < MIN_TOLERANCE:
        size, axes = _singular_values(problem, means, std, n)
    else:
        values, vectors = interruptibly(np.linalg.eigh, scatter / (std[:, None] * std))
        size, axes = np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1]
    rank = int(np.count_nonzero(size > tol))
    if rank == 0:
        raise SingularError(
            f"{OWNER}: all columns are constant within the classes, so that no covariance can be estimated"
        )
    whitening = axes[:, :rank] / std[:, None] / size[:rank]
    centre = problem.priors @ means
    away = means - centre
    spread = np.sqrt(n * problem.priors / max(classes - 1, 1))[:, None] * (away @ whitening)
    _, size, axes = interruptibly(np.linalg.svd, spread, full_matrices=False)
    kept = int(np.count_nonzero(size > tol * size[0]))
    scalings = upright(whitening @ axes[:kept].T)
    projected = away @ scalings
    coef = projected @ scalings.T
    intercept = log_priors(problem.priors) - 0.5 * (projected**2).sum(axis=1) - coef @ centre
    squares = size * size
    total = float(squares.sum())
    ratios = squares / total if total > 0 else np.zeros_like(size)
    covariance = None
    if store:
        covariance = scatter if np.allclose(problem.priors, totals / n) else within(problem, problem.priors / totals)[1]
    return Discriminant(means, coef, intercept, covariance, scalings, centre, ratios)


def _sizes(covariance: Array) -> Array:
    """The standard deviations of the columns, 1 for those that have none."""
    std = np.sqrt(covariance.diagonal())
    if not std.all():
        std[std == 0] = 1.0
    return np.asarray(std)


def _singular_values(problem: DiscriminantProblem, means: Array, std: Array, n: float) -> tuple[Array, Array]:
    rows = (problem.X - means[problem.codes]) / std / np.sqrt(n)
    if problem.weight is not None:
        rows *= np.sqrt(problem.weight)[:, None]
    _, size, axes = interruptibly(np.linalg.svd, rows, full_matrices=False)
    return size, axes.T


def pooled_covariance(problem: DiscriminantProblem) -> tuple[Array, Array]:
    """Class means, and the covariances of the classes in proportion to their probabilities, each with shrinkage."""
    totals = problem.totals
    means, covariance = within(problem, problem.priors / totals)
    if problem.estimator is None and problem.shrinkage != "auto":
        return means, covariance if not problem.shrinkage else shrunk(covariance, problem.shrinkage)
    covariance = np.zeros_like(covariance)
    for k, prior in enumerate(problem.priors):
        chosen = problem.codes == k
        weight = None if problem.weight is None else problem.weight[chosen]
        covariance += prior * covariance_of(problem.X[chosen], weight, problem.shrinkage, problem.estimator, OWNER)
    return means, covariance


def solve_least_squares(problem: DiscriminantProblem) -> Discriminant:
    """coef_k solves S coef_k = mu_k, of minimum norm if S is singular."""
    means, covariance = pooled_covariance(problem)
    coef = _solved(covariance, means.T).T
    intercept = log_priors(problem.priors) - 0.5 * np.einsum("kj,kj->k", means, coef)
    return Discriminant(means, coef, intercept, covariance)


def _solved(covariance: Array, right: Array) -> Array:
    """The solution of S w = b; of minimum norm if S is nearly singular."""
    size = float(np.diag(covariance).max())
    if not size > 0:
        raise SingularError(
            f"{OWNER}: all columns are constant within the classes, so that no covariance can be estimated"
        )
    unit = 2.0 ** -np.round(np.log2(size))  # brings the largest variance near one: nothing leaves the floating range
    scaled = covariance * unit
    try:
        factor = interruptibly(np.linalg.cholesky, scaled)
        pivots = np.diag(factor)
        if pivots.min() > 1e-5 * pivots.max():
            return np.asarray(solve_factored(factor, right) * unit)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(interruptibly(np.linalg.lstsq, scaled, right, rcond=EPSILON)[0] * unit)


def solve_eigen(problem: DiscriminantProblem) -> Discriminant:
    """Directions of largest ratio of the scatter between classes to that within: S_b v = lambda S_w v.

    With S_w = L L' these are v = L'^-1 u for the eigenvectors u of L^-1 S_b L'^-1.
    """
    means, covariance = pooled_covariance(problem)
    std = _sizes(covariance)
    unit = std[:, None] * std
    between = _total_covariance(problem) / unit - covariance / unit
    try:
        root = interruptibly(np.linalg.inv, interruptibly(np.linalg.cholesky, covariance / unit))
    except np.linalg.LinAlgError:
        raise SingularError(
            f"{OWNER}: the covariance within the classes is singular; use solver='svd', or give shrinkage a value"
        ) from None
    values, axes = interruptibly(
        np.linalg.eigh, interruptibly(np.matmul, interruptibly(np.matmul, root, between), root.T)
    )
    scalings = upright(interruptibly(np.matmul, root.T, axes)[:, ::-1] / std[:, None])
    coef = (means @ scalings) @ scalings.T
    intercept = log_priors(problem.priors) - 0.5 * np.einsum("kj,kj->k", means, coef)
    total = float(values.sum())
    ratios = values[::-1] / total if total != 0 else np.zeros_like(values)
    return Discriminant(means, coef, intercept, covariance, scalings, None, ratios)


def _total_covariance(problem: DiscriminantProblem) -> Array:
    """The covariance of all rows, whatever their class."""
    if problem.estimator is not None or problem.shrinkage == "auto":
        return covariance_of(problem.X, problem.weight, problem.shrinkage, problem.estimator, OWNER)
    totals = problem.totals
    n = totals.sum()
    means, scatter = within(problem, np.full(len(totals), 1 / n))
    distance = means - totals @ means / n
    covariance = scatter + (distance * (totals / n)[:, None]).T @ distance
    return covariance if not problem.shrinkage else shrunk(covariance, problem.shrinkage)
