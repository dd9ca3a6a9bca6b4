"""Principal curves: nonlinear principal component analysis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Invertible, Matrix, Trace, estimator, generator, learned, param, scaling
from ..core.runtime.context import give_way
from ..core.runtime.threads import scipy_linalg
from ..engines import matrix_products
from ..engines.algebra.singular_vectors import CentredRows, Spectrum, column_spectrum, sketched_spectrum, whole_spectrum
from ..engines.iterate import Progress, State, iterate
from ._projection_base import score_names

SQUARE = 2000  # columns, or rows, up to which the Gram matrix gives the first component
FINE = 1e-10  # residual of the iterative first component
STIFF = 1e-2  # initial smoothness, of a nearly straight curve
SETTLED = 1e-4  # gain of an iteration below which the smoothness is halved
HOLD = 1e-12  # ridge towards the previous knots, so that those without rows are determined


@estimator
class PrincipalCurve(Invertible):
    """Principal curve: a smooth curve through the middle of the data, a nonlinear first principal component.

    minimise over f_1 .. f_m    (mean_i s_i |x_i - P(x_i)|^2 + smoothness (m - 1)^3 sum_k |second difference f_k|^2) / V

    P(x) is the nearest point of the polygon through the knots f, V the variance of all columns; the sum stands for the
    integral of the squared second derivative. From the line of the first component, projection of the rows on the curve
    and least squares update of the knots alternate, while the smoothness decreases to its value: each lowers the
    objective, to a local optimum. The curve has the direction of that component; scores are arc lengths, with mean
    zero; rows beyond an end get that end. Cost of an iteration: rows times columns times knots. [Hastie and Stuetzle,
    1989; Kégl et al., 2000]

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 50)
    >>> arc = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> PrincipalCurve().fit(arc).explained_variance_ratio_.round(2)
    array([1.])
    """

    n_knots: int = param(50, "number of knots of the polygon", at_least=2)
    smoothness: float = param(
        1e-5,
        "penalty of the curvature: large for a straight line, small for a flexible curve",
        at_least=1e-12,
        tune=(1e-6, 1e-5, 1e-4, 1e-3),
        simpler="larger",
    )
    tol: float = param(1e-6, "convergence threshold: gain of the objective", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    knots_: Array = learned("knots of the curve, from start to end", shape="knots features")
    positions_: Array = learned("score of each knot: arc length", shape="knots")
    explained_variance_ratio_: Array = learned(
        "fraction of the variance explained by the nearest points", shape="components"
    )
    mean_: Array = learned("mean of each column", shape="features")
    n_iter_: int = learned("number of iterations")

    title = "principal curve"
    reference = "Hastie and Stuetzle, Principal curves, 1989"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        rows = CentredRows.of(X, weight, summed=data.p <= min(len(X), SQUARE))
        found, total = _first_component(rows), float(len(X) if weight is None else weight.sum())
        centred = np.ascontiguousarray(rows.X - rows.mean)
        weights = np.full(len(X), 1 / len(X)) if weight is None else weight / total
        variance = found.square / total
        method = _CurveFit(centred, weights, variance or 1.0, self._line(centred, found), self.smoothness, self.tol)
        state = iterate(method, self.max_iter, trace)
        knots, lengths = state["knots"], _arc_lengths(state["knots"])
        mass = state["own"] + np.append(state["shared"], 0) + np.append(0, state["shared"])
        dtype, unit = data.X.dtype, rows.unit
        self.knots_ = ((knots + rows.mean) / unit).astype(dtype)
        self.positions_ = ((lengths - mass @ lengths) / unit).astype(dtype)
        self.mean_ = (rows.mean / unit).astype(dtype)
        explained = max(1 - state["residual"] / variance, 0.0) if variance > 0 else 0.0
        self.explained_variance_ratio_ = np.array([explained], dtype=dtype)
        self.n_iter_ = trace.iterations
        trace.certify(
            "gain", trace.rows[-1]["criterion"], self.tol,
            "each row is projected on its nearest point of the curve; decrease of the objective in the last iteration, "
            "relative to the variance",
        )  # fmt: skip

    def _line(self, X: Array, found: Spectrum) -> Array:
        """Knots along the first component, from the first row to the last."""
        scores = X @ found.vectors[0]
        return np.asarray(np.linspace(scores.min(), scores.max(), self.n_knots)[:, None] * found.vectors[0])

    def _transform(self, X: Matrix) -> Array:
        unit = scaling.unit_of(
            np.array([scaling.largest_entry(X), scaling.largest_entry(self.knots_)], dtype=np.float64)
        )
        origin, positions = self.mean_.astype(np.float64) * unit, self.positions_.astype(np.float64)
        curve, found = Polygon(self.knots_ * unit - origin), np.empty((len(X), 1), dtype=X.dtype)
        for block in _blocks(X, len(positions)):
            rows = np.ascontiguousarray(X[block] * unit - origin)
            segment, along, _ = curve.nearest(rows)
            found[block, 0] = positions[segment] + along * np.diff(positions)[segment]
        return found

    def _inverse(self, X: Matrix) -> Array:
        positions, knots = self.positions_.astype(np.float64), self.knots_.astype(np.float64)
        score = np.clip(X[:, 0].astype(np.float64), positions[0], positions[-1])
        segment = np.clip(np.searchsorted(positions, score, side="right") - 1, 0, len(knots) - 2)
        long = np.diff(positions)[segment]
        along = np.divide(score - positions[segment], long, where=long > 0, out=np.zeros(len(score)))[:, None]
        return np.asarray((1 - along) * knots[segment] + along * knots[segment + 1]).astype(X.dtype)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, 1)


def _first_component(rows: CentredRows) -> Spectrum:
    if rows.summed is not None:
        return column_spectrum(rows.summed, 1)
    few = min(rows.shape) <= SQUARE
    return whole_spectrum(rows) if few else sketched_spectrum(rows, 1, 10, 0, generator(0), FINE)


def _arc_lengths(knots: Array) -> Array:
    """The arc length of each knot along the polygon."""
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(knots, axis=0), axis=1)))


def _blocks(X: Array, knots: int) -> list[slice]:
    """Blocks of rows whose distances to all knots fit in memory."""
    size = max(1, matrix_products.CELLS_AT_ONCE // max(X.shape[1], knots))
    return [slice(first, first + size) for first in range(0, len(X), size)]


class Polygon:
    """Straight segments from knot to knot."""

    def __init__(self, knots: Array) -> None:
        self.knots, self.steps = knots, np.diff(knots, axis=0)
        self.squares = (self.steps**2).sum(axis=1)
        self.starts = -(knots[:-1] * self.steps).sum(axis=1)

    def nearest(self, X: Array) -> tuple[Array, Array, Array]:
        """The nearest point of each row: segment (ties go to the first), position on it (0 to 1), and residual.

        Segments are compared by |x - P|^2 - |x - f_1|^2, summed from knot to knot, which is the most accurate.
        """
        ahead = matrix_products.precise_products(X, self.steps.T, self.starts)
        position = self._fractions(ahead, self.squares)
        passed = np.cumsum(self.squares - 2 * ahead, axis=1)[:, :-1]
        cost = (position * self.squares - 2 * ahead) * position
        cost[:, 1:] += passed
        segment = cost.argmin(axis=1)
        residual, step = X - self.knots[segment], self.steps[segment]
        along = self._fractions((residual * step).sum(axis=1), self.squares[segment])
        return segment, along, residual - along[:, None] * step

    @staticmethod
    def _fractions(ahead: Array, squares: Array) -> Array:
        return np.asarray(np.clip(np.divide(ahead, squares, where=squares > 0, out=np.zeros_like(ahead)), 0.0, 1.0))


@dataclass(frozen=True)
class _CurveFit:
    """Alternating projection of the rows on the curve, and least squares update of the knots.

    A state holds the knots and the least-squares problem of the next ones: with weights B of the knots in the nearest
    point of each row, `own` and `shared` are the diagonal of B'SB and what is beside it, `pulled` is B'SX.
    """

    X: Array
    weights: Array
    variance: float
    line: Array
    smoothness: float
    tolerance: float

    def start(self) -> State:
        return {**self._project(self.line, 0.0), "next": max(STIFF, self.smoothness)}

    def step(self, state: State) -> State:
        soft = state["next"]
        penalty = soft * (len(self.line) - 1.0) ** 3
        after = self._project(*best_knots(state["own"], state["shared"], state["pulled"], penalty, state["knots"]))
        gain = state["objective"] - after["objective"]
        softer = max(soft / 2, self.smoothness) if gain <= SETTLED else soft
        return {**after, "smoothness": soft, "next": softer, "gain": gain}

    def progress(self, state: State) -> Progress:
        final = state["smoothness"] <= self.smoothness
        left = abs(state["gain"]) if final else 1.0  # no bound on the gain before the final smoothness
        return Progress(state["objective"], left, self.tolerance, {"smoothness": state["smoothness"]})

    def _project(self, knots: Array, curvature: float) -> State:
        """One pass over the rows: the residual of their projections, and the normal equations of the knots."""
        from scipy.sparse import csr_array

        curve, count, residual = Polygon(knots), len(knots), 0.0
        own, shared, pulled = np.zeros(count), np.zeros(count - 1), np.zeros(knots.shape)
        for block in _blocks(self.X, count):
            give_way()
            X, weight = self.X[block], self.weights[block]
            segment, along, apart = curve.nearest(X)
            residual += float(weight @ (apart**2).sum(axis=1))
            left, right = weight * (1 - along), weight * along
            own[:-1] += np.bincount(segment, left * (1 - along), count - 1)
            own[1:] += np.bincount(segment, right * along, count - 1)
            shared += np.bincount(segment, left * along, count - 1)
            both = np.column_stack([segment, segment + 1]).ravel(), np.arange(0, 2 * len(X) + 1, 2)
            pulled += csr_array((np.column_stack([left, right]).ravel(), *both), shape=(len(X), count)).T @ X
        objective = (residual + curvature) / self.variance
        return {
            "knots": knots, "own": own, "shared": shared, "pulled": pulled,
            "residual": residual, "objective": objective,
        }  # fmt: skip


def best_knots(own: Array, shared: Array, pulled: Array, penalty: float, knots: Array) -> tuple[Array, float]:
    """The knots f that minimise f'B'SBf - 2 f'B'SX + penalty |Df|^2, D second differences, and their penalty.

    Solved jointly with c = penalty Df, which is stable for every penalty: (B'SB) f + D'c = B'SX and penalty Df = c are
    a system of seven diagonals in f_1, c_1, f_2, c_2, ... (the ends have no second difference). A small term |f -
    knots|^2 makes it regular.
    """
    count = len(knots)
    inner = np.ones(count)
    inner[[0, -1]] = 0.0
    low, high = min(penalty, 1.0), 1 / max(penalty, 1.0)
    bands = np.zeros((7, 2 * count))
    bands[3, 0::2] = own + HOLD
    bands[1, 2::2] = bands[5, 0:-2:2] = shared
    bands[2, 1::2], bands[0, 3::2], bands[4, 1:-2:2] = -2 * inner, inner[1:], inner[:-1]
    bands[4, 0::2], bands[6, 0:-2:2], bands[2, 2::2] = -2 * low * inner, low * inner[1:], low * inner[:-1]
    bands[3, 1::2] = np.where(inner > 0, -high, 1.0)
    sides = np.zeros((2 * count, knots.shape[1]))
    sides[0::2] = pulled + HOLD * knots
    found: Any = scipy_linalg().solve_banded((3, 3), bands, sides, check_finite=False)
    differences = found[1::2]
    return np.ascontiguousarray(found[0::2]), float((differences**2).sum()) / penalty
