"""Covariance types of mixture components."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ...core.errors import DataError, ParameterError
from ...core.numeric import EPSILON
from ...core.validate.features import Array
from ..iterate import State

Kind = Literal["full", "tied", "diag", "spherical", "identity"]

EMPTY = 1e-12  # fraction of all rows below which a component is empty


class Sums(NamedTuple):
    """Sums over rows, weighted by responsibilities, about the means before the M-step.

    `scatter` is (components, features, features), or (components, features) where only squares matter.
    """

    total: Array
    shift: Array
    scatter: Array


def maximise(sums: Sums, means: Array, kind: Kind, variance: float) -> tuple[Array, Array, Array]:
    """The M-step: mixing weights, means and covariances of maximum likelihood for these sums."""
    total = sums.total + 10 * np.finfo(np.float64).eps
    moved = sums.shift / total[:, None]
    return total / total.sum(), means + moved, _covariances(sums, total, moved, kind, variance)


def _covariances(sums: Sums, total: Array, moved: Array, kind: Kind, variance: float) -> Array:
    p = moved.shape[1]
    if kind == "identity":
        return np.full(len(total), variance)
    if kind in ("full", "tied"):
        about = sums.scatter - total[:, None, None] * moved[:, :, None] * moved[:, None, :]
        return per_component(about, total) if kind == "full" else np.asarray(about.sum(axis=0) / total.sum())
    squares = sums.scatter if sums.scatter.ndim == 2 else np.einsum("kjj->kj", sums.scatter)
    about = per_component(np.maximum(squares - total[:, None] * moved**2, 0.0), total)
    return np.asarray(about if kind == "diag" else about.sum(axis=1) / p)


def per_component(about: Array, total: Array) -> Array:
    """The mean scatter of the rows of each component; an empty one takes that of all rows."""
    rows = total.reshape(-1, *[1] * (about.ndim - 1))
    return np.where(rows > EMPTY * total.sum(), about / rows, about.sum(axis=0) / total.sum())


def covariance_shape(kind: Kind, count: int, p: int) -> tuple[int, ...]:
    """The shape of the covariances of `count` components.

    >>> covariance_shape("full", 2, 3), covariance_shape("tied", 2, 3), covariance_shape("spherical", 2, 3)
    ((2, 3, 3), (3, 3), (2,))
    """
    return {"full": (count, p, p), "tied": (p, p), "diag": (count, p)}.get(kind, (count,))


def as_full(covariances: Array, kind: Kind, count: int, p: int) -> Array:
    """The covariances as a full matrix for each component."""
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.broadcast_to(covariances, (count, p, p))
    return np.asarray(as_variances(covariances, kind, p)[:, :, None] * np.eye(p))


def draw_normal(rng: np.random.RandomState, mean: Array, covariance: Array, count: int, owner: str) -> Array:
    """Rows drawn from a normal distribution."""
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise ill_defined(owner)  # of infinite entries a decomposition may never end
    try:
        return np.asarray(rng.multivariate_normal(mean, covariance, count, check_valid="ignore"))
    except np.linalg.LinAlgError:
        raise ill_defined(owner) from None


def as_variances(covariances: Array, kind: Kind, p: int) -> Array:
    """Variances of the columns, a row for each component, of diagonal covariances."""
    return covariances if kind == "diag" else np.repeat(covariances[:, None], p, axis=1)


def precision_triangles(covariances: Array, kind: Kind, owner: str) -> Array:
    """Upper triangles U with precision U U', or inverse standard deviations: as in scikit-learn."""
    if kind not in ("full", "tied"):
        if (covariances <= 0).any():
            raise ill_defined(owner)
        return np.asarray(1 / np.sqrt(covariances))
    try:
        lower = np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        raise ill_defined(owner) from None
    p = covariances.shape[-1]
    return np.swapaxes(np.linalg.solve(lower, np.broadcast_to(np.eye(p), covariances.shape)), -1, -2)


def inverse_of(precisions: Array, kind: Kind) -> Array:
    """The covariances of given precisions; invalid ones are an error that names the component."""
    if kind in ("full", "tied"):
        for k, precision in enumerate(precisions.reshape(-1, *precisions.shape[-2:])):
            if wrong := covariance_defect(precision):
                raise _invalid_precision("all components" if kind == "tied" else f"component {k}", wrong)
        return np.linalg.inv(precisions)
    if (precisions <= 0).any():
        index = np.unravel_index(int(np.argmax(precisions <= 0)), precisions.shape)
        said = f"is {precisions[index]:g}" if kind != "diag" else f"has {precisions[index]:g} for column {index[1]}"
        raise _invalid_precision(f"component {index[0]}", said)
    return np.asarray(1 / precisions)


def covariance_defect(matrix: Array) -> str:
    """Why a matrix is not an invertible covariance; empty if it is one.

    >>> covariance_defect(np.eye(2)), covariance_defect(np.diag([1.0, -2.0]))
    ('', 'has the eigenvalue -2')
    """
    if not np.allclose(matrix, matrix.T):
        return "is not symmetric"
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= -EPSILON * len(values) * abs(values).max():
        return f"has the eigenvalue {values[0]:g}"
    return "is singular" if values[0] <= EPSILON * len(values) * values[-1] else ""


def _invalid_precision(whose: str, wrong: str) -> ParameterError:
    return ParameterError(
        f"precisions_init of {whose} {wrong}; the inverse of a covariance is symmetric, and its eigenvalues are above 0"
    )


def rounding(parameters: State) -> float:
    """The relative rounding error of a likelihood: machine epsilon times the condition number of the covariances.

    >>> 2e-6 < rounding({"covariances": np.diag([1e10, 1.0])}) < 3e-6
    True
    """
    return float(EPSILON * np.max(np.linalg.cond(parameters["covariances"])))


def free_parameters(kind: Kind, count: int, p: int) -> int:
    """Number of free parameters of the covariances of a mixture."""
    whole = p * (p + 1) // 2
    return {"full": count * whole, "tied": whole, "diag": count * p, "spherical": count, "identity": 0}[kind]


def ill_defined(owner: str) -> DataError:
    """The error of a singular covariance."""
    return DataError(
        f"{owner}: the rows of a component or state lie in one point or one plane, so that its covariance has no "
        f"inverse; use fewer of them, or a larger {'min_covar' if owner.endswith('HMM') else 'reg_covar'}"
    )
