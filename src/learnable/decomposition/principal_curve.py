"""A principal curve: the first component, allowed to bend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, Invertible, Matrix, Trace, estimator, generator, learned, param
from ..core.runtime.context import give_way
from ..core.runtime.threads import scipy_linalg
from ..engines import matrix_products
from ..engines.algebra.spectrum import CentredRows, Spectrum, column_spectrum, sketched_spectrum, whole_spectrum
from ..engines.iterate import Progress, State, iterate
from ._projection_base import score_names

SQUARE = 2000  # columns, or rows, of which all products are formed to find the first component
FINE = 1e-10  # residual of a first component found otherwise
STIFF = 1e-2  # smoothness to begin with, at which a curve hardly bends
SETTLED = 1e-4  # gain of a step from which on it is halved
HOLD = 1e-12  # weight by which knots stay where they are, so that those without rows have a place too


@estimator
class PrincipalCurve(Invertible):
    """A smooth curve through the middle of the rows: principal components that bend.

    minimise over f_1 .. f_m    (mean_i s_i |x_i - P(x_i)|^2 + smoothness (m - 1)^3 sum_k |second difference f_k|^2) / V

    P(x) is the nearest point of the polygon through the knots f, V the variance of all columns; the sum stands for the
    integral of the squared second derivative. From the line of the first component on, rows go to their nearest points
    and knots to where they are best for those, in turn, while smoothness falls to its value: all of this lowers the
    objective, to an optimum nearby. The curve runs as that component does; scores are lengths along it, with mean zero,
    and rows beyond an end get that end. Cost of a step: rows times columns times knots. [Hastie and Stuetzle, 1989;
    Kégl et al., 2000]

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 50)
    >>> arc = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> PrincipalCurve().fit(arc).explained_variance_ratio_.round(2)
    array([1.])
    """

    n_knots: int = param(50, "number of knots; more make rounder bends", at_least=2)
    smoothness: float = param(
        1e-5,
        "price of bends: large for a straight line, small for one that turns to every row",
        at_least=1e-12,
        tune=(1e-6, 1e-5, 1e-4, 1e-3),
        simpler="larger",
    )
    tol: float = param(1e-6, "gain of the objective that ends the fit", at_least=0)
    max_iter: int = param(1000, "most steps", at_least=1)
    knots_: Array = learned("points of the curve, from its beginning to its end", shape="knots features")
    positions_: Array = learned("score of each knot: its place along the curve", shape="knots")
    explained_variance_ratio_: Array = learned("share of the variance that the nearest points have", shape="components")
    mean_: Array = learned("mean of each column", shape="features")
    n_iter_: int = learned("steps done")

    reference = "Hastie and Stuetzle, Principal curves, 1989"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        rows = CentredRows.of(X, weight, summed=data.p <= min(len(X), SQUARE))
        found, total = _first_component(rows), float(len(X) if weight is None else weight.sum())
        centred = np.ascontiguousarray(rows.X - rows.mean)
        shares = np.full(len(X), 1 / len(X)) if weight is None else weight / total
        variance = found.square / total
        method = _Bending(centred, shares, variance or 1.0, self._line(centred, found), self.smoothness, self.tol)
        state = iterate(method, self.max_iter, trace)
        knots, places = state["knots"], _lengths(state["knots"])
        mass = state["own"] + np.append(state["shared"], 0) + np.append(0, state["shared"])
        dtype, unit = data.X.dtype, rows.unit
        self.knots_ = ((knots + rows.mean) / unit).astype(dtype)
        self.positions_ = ((places - mass @ places) / unit).astype(dtype)
        self.mean_ = (rows.mean / unit).astype(dtype)
        explained = max(1 - state["residual"] / variance, 0.0) if variance > 0 else 0.0
        self.explained_variance_ratio_ = np.array([explained], dtype=dtype)
        self.n_iter_ = trace.iterations
        trace.certify(
            "gain", trace.rows[-1]["criterion"], self.tol,
            "each row is at its nearest point of the curve, and the last step, to the knots that were best for the "
            "points before, lowered the objective by this share of the variance",
        )  # fmt: skip

    def _line(self, X: Array, found: Spectrum) -> Array:
        """Knots along the first component, from the first row to the last."""
        scores = X @ found.vectors[0]
        return np.asarray(np.linspace(scores.min(), scores.max(), self.n_knots)[:, None] * found.vectors[0])

    def _transform(self, X: Matrix) -> Array:
        unit = matrix_products.unit_of(
            np.array([matrix_products.largest_entry(X), matrix_products.largest_entry(self.knots_)], dtype=np.float64)
        )
        origin, positions = self.mean_.astype(np.float64) * unit, self.positions_.astype(np.float64)
        curve, found = Polygon(self.knots_ * unit - origin), np.empty((len(X), 1), dtype=X.dtype)
        for part in _parts(X, len(positions)):
            rows = np.ascontiguousarray(X[part] * unit - origin)
            segment, along, _ = curve.nearest(rows)
            found[part, 0] = positions[segment] + along * np.diff(positions)[segment]
        return found

    def _inverse(self, X: Matrix) -> Array:
        positions, knots = self.positions_.astype(np.float64), self.knots_.astype(np.float64)
        place = np.clip(X[:, 0].astype(np.float64), positions[0], positions[-1])
        segment = np.clip(np.searchsorted(positions, place, side="right") - 1, 0, len(knots) - 2)
        long = np.diff(positions)[segment]
        along = np.divide(place - positions[segment], long, where=long > 0, out=np.zeros(len(place)))[:, None]
        return np.asarray((1 - along) * knots[segment] + along * knots[segment + 1]).astype(X.dtype)

    def _names_out(self, names: list[str]) -> list[str]:
        return score_names(self, 1)


def _first_component(rows: CentredRows) -> Spectrum:
    if rows.summed is not None:
        return column_spectrum(rows.summed, 1)
    few = min(rows.shape) <= SQUARE
    return whole_spectrum(rows) if few else sketched_spectrum(rows, 1, 10, 0, generator(0), FINE)


def _lengths(knots: Array) -> Array:
    """How far each knot is from the first, along the polygon."""
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(knots, axis=0), axis=1)))


def _parts(X: Array, knots: int) -> list[slice]:
    """Blocks of rows of which all distances to the knots can be held at once."""
    size = max(1, matrix_products.CELLS_AT_ONCE // max(X.shape[1], knots))
    return [slice(first, first + size) for first in range(0, len(X), size)]


class Polygon:
    """Straight segments from knot to knot."""

    def __init__(self, knots: Array) -> None:
        self.knots, self.steps = knots, np.diff(knots, axis=0)
        self.squares = (self.steps**2).sum(axis=1)
        self.starts = -(knots[:-1] * self.steps).sum(axis=1)

    def nearest(self, X: Array) -> tuple[Array, Array, Array]:
        """The nearest point of each row: its segment (the first if there are several), its share of it, and the gap.

        Segments are compared by |x - P|^2 - |x - f_1|^2, summed from knot to knot, which rounding harms least.
        """
        ahead = matrix_products.precise_products(X, self.steps.T, self.starts)
        share = self._shares(ahead, self.squares)
        passed = np.cumsum(self.squares - 2 * ahead, axis=1)[:, :-1]
        cost = (share * self.squares - 2 * ahead) * share
        cost[:, 1:] += passed
        segment = cost.argmin(axis=1)
        gap, step = X - self.knots[segment], self.steps[segment]
        along = self._shares((gap * step).sum(axis=1), self.squares[segment])
        return segment, along, gap - along[:, None] * step

    @staticmethod
    def _shares(ahead: Array, squares: Array) -> Array:
        return np.asarray(np.clip(np.divide(ahead, squares, where=squares > 0, out=np.zeros_like(ahead)), 0.0, 1.0))


@dataclass(frozen=True)
class _Bending:
    """Rows to their nearest points and knots to where they are best for those, in turn.

    A state holds the knots and the least-squares problem of the next ones: with shares B of the knots in the nearest
    point of each row, `own` and `shared` are the diagonal of B'SB and what is beside it, `pulled` is B'SX.
    """

    X: Array
    shares: Array
    variance: float
    line: Array
    smoothness: float
    tolerance: float

    def start(self) -> State:
        return {**self._looked_at(self.line, 0.0), "next": max(STIFF, self.smoothness)}

    def step(self, state: State) -> State:
        soft = state["next"]
        price = soft * (len(self.line) - 1.0) ** 3
        after = self._looked_at(*best_knots(state["own"], state["shared"], state["pulled"], price, state["knots"]))
        gain = state["objective"] - after["objective"]
        softer = max(soft / 2, self.smoothness) if gain <= SETTLED else soft
        return {**after, "smoothness": soft, "next": softer, "gain": gain}

    def progress(self, state: State) -> Progress:
        final = state["smoothness"] <= self.smoothness
        left = abs(state["gain"]) if final else 1.0  # all of the variance may still be gained
        return Progress(state["objective"], left, self.tolerance, {"smoothness": state["smoothness"]})

    def _looked_at(self, knots: Array, bent: float) -> State:
        """One pass over the rows: how far they are from the curve, and what they say of its knots."""
        from scipy.sparse import csr_array

        curve, count, residual = Polygon(knots), len(knots), 0.0
        own, shared, pulled = np.zeros(count), np.zeros(count - 1), np.zeros(knots.shape)
        for part in _parts(self.X, count):
            give_way()
            X, weight = self.X[part], self.shares[part]
            segment, along, gap = curve.nearest(X)
            residual += float(weight @ (gap**2).sum(axis=1))
            left, right = weight * (1 - along), weight * along
            own[:-1] += np.bincount(segment, left * (1 - along), count - 1)
            own[1:] += np.bincount(segment, right * along, count - 1)
            shared += np.bincount(segment, left * along, count - 1)
            both = np.column_stack([segment, segment + 1]).ravel(), np.arange(0, 2 * len(X) + 1, 2)
            pulled += csr_array((np.column_stack([left, right]).ravel(), *both), shape=(len(X), count)).T @ X
        objective = (residual + bent) / self.variance
        return {
            "knots": knots, "own": own, "shared": shared, "pulled": pulled,
            "residual": residual, "objective": objective,
        }  # fmt: skip


def best_knots(own: Array, shared: Array, pulled: Array, price: float, knots: Array) -> tuple[Array, float]:
    """The knots f that minimise f'B'SBf - 2 f'B'SX + price |Df|^2, D second differences, and the price of their bends.

    Together with bends c = price Df, so that no price is too high: (B'SB) f + D'c = B'SX and price Df = c are a system
    of seven diagonals in f_1, c_1, f_2, c_2, ... (the ends have no bend). A touch of |f - knots|^2 makes it regular.
    """
    count = len(knots)
    inner = np.ones(count)
    inner[[0, -1]] = 0.0
    low, high = min(price, 1.0), 1 / max(price, 1.0)
    bands = np.zeros((7, 2 * count))
    bands[3, 0::2] = own + HOLD
    bands[1, 2::2] = bands[5, 0:-2:2] = shared
    bands[2, 1::2], bands[0, 3::2], bands[4, 1:-2:2] = -2 * inner, inner[1:], inner[:-1]
    bands[4, 0::2], bands[6, 0:-2:2], bands[2, 2::2] = -2 * low * inner, low * inner[1:], low * inner[:-1]
    bands[3, 1::2] = np.where(inner > 0, -high, 1.0)
    sides = np.zeros((2 * count, knots.shape[1]))
    sides[0::2] = pulled + HOLD * knots
    found: Any = scipy_linalg().solve_banded((3, 3), bands, sides, check_finite=False)
    bends = found[1::2]
    return np.ascontiguousarray(found[0::2]), float((bends**2).sum()) / price
