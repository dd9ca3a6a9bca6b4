"""The shapes that covariances of components may have."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.numeric import EPSILON
from ..engines.iterate import State

Kind = Literal["full", "tied", "diag", "spherical", "identity"]

EMPTY = 1e-12  # share of all rows below which a component has none


class Sums(NamedTuple):
    """Sums over rows, weighted by the posterior of each component, about the means before the step.

    `scatter` is (components, features, features), or (components, features) where only squares matter.
    """

    total: Array
    shift: Array
    scatter: Array


def maximised(sums: Sums, means: Array, kind: Kind, variance: float) -> tuple[Array, Array, Array]:
    """Weights, means and covariances that are likeliest for these sums."""
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
    """The mean scatter of the rows of each component; one without rows takes that of all, and may find some again."""
    rows = total.reshape(-1, *[1] * (about.ndim - 1))
    return np.where(rows > EMPTY * total.sum(), about / rows, about.sum(axis=0) / total.sum())


def covariance_shape(kind: Kind, count: int, p: int) -> tuple[int, ...]:
    """The shape of the covariances of so many components.

    >>> covariance_shape("full", 2, 3), covariance_shape("tied", 2, 3), covariance_shape("spherical", 2, 3)
    ((2, 3, 3), (3, 3), (2,))
    """
    return {"full": (count, p, p), "tied": (p, p), "diag": (count, p)}.get(kind, (count,))


def as_full(covariances: Array, kind: Kind, count: int, p: int) -> Array:
    """The same covariances, a whole matrix for each component."""
    if kind == "full":
        return covariances
    if kind == "tied":
        return np.broadcast_to(covariances, (count, p, p))
    return np.asarray(as_variances(covariances, kind, p)[:, :, None] * np.eye(p))


def as_variances(covariances: Array, kind: Kind, p: int) -> Array:
    """Variances of the columns, a row for each component, of covariances that have no others."""
    return covariances if kind == "diag" else np.repeat(covariances[:, None], p, axis=1)


def precision_triangles(covariances: Array, kind: Kind, owner: str) -> Array:
    """Upper triangles U with precision U U', or inverse standard deviations: what scikit-learn keeps."""
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
    """The covariances of precisions that were given; those that have none are refused by the component they are of."""
    if kind in ("full", "tied"):
        for k, precision in enumerate(precisions.reshape(-1, *precisions.shape[-2:])):
            if wrong := what_is_wrong(precision):
                raise _no_beginning("all components" if kind == "tied" else f"component {k}", wrong)
        return np.linalg.inv(precisions)
    if (precisions <= 0).any():
        place = np.unravel_index(int(np.argmax(precisions <= 0)), precisions.shape)
        said = f"is {precisions[place]:g}" if kind != "diag" else f"has {precisions[place]:g} for column {place[1]}"
        raise _no_beginning(f"component {place[0]}", said)
    return np.asarray(1 / precisions)


def what_is_wrong(matrix: Array) -> str:
    """What a matrix lacks to be a covariance with an inverse; nothing if it is one.

    >>> what_is_wrong(np.eye(2)), what_is_wrong(np.diag([1.0, -2.0]))
    ('', 'has the eigenvalue -2')
    """
    if not np.allclose(matrix, matrix.T):
        return "is not symmetric"
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= -EPSILON * len(values) * abs(values).max():
        return f"has the eigenvalue {values[0]:g}"
    return "is singular" if values[0] <= EPSILON * len(values) * values[-1] else ""


def _no_beginning(whose: str, wrong: str) -> ParameterError:
    return ParameterError(
        f"precisions_init of {whose} {wrong}; the inverse of a covariance is symmetric, and its eigenvalues are above 0"
    )


def rounding(parameters: State) -> float:
    """The share of a likelihood that rounding may change: that of a number times the condition of the covariances.

    >>> 2e-6 < rounding({"covariances": np.diag([1e10, 1.0])}) < 3e-6
    True
    """
    return float(EPSILON * np.max(np.linalg.cond(parameters["covariances"])))


def free_numbers(kind: Kind, count: int, p: int) -> int:
    """How many numbers the covariances of a mixture have."""
    whole = p * (p + 1) // 2
    return {"full": count * whole, "tied": whole, "diag": count * p, "spherical": count, "identity": 0}[kind]


def ill_defined(owner: str) -> DataError:
    """What to say of a covariance that has no inverse."""
    return DataError(
        f"{owner}: the rows of a component lie in one point or one plane, so that its covariance has no inverse; "
        "use fewer components or a larger reg_covar"
    )
