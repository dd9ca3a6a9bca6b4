"""The spatial (geometric) median of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array, scaling
from ...core.numeric import EPSILON
from ...engines.algebra.interruptible_lapack import interruptibly
from ...engines.iterate import Progress, State

ROUNDING = 2 * EPSILON
LENGTHS = (1.0, 0.25, 0.06, 0.015, 0.004)  # fractions of a Newton step to try
MIN_CURVATURE = 1e-12
PATIENCE = 5  # steps without a gain before rounding is given as the reason to stop


@dataclass(frozen=True, slots=True)
class Distances:
    """Offsets, distances and unit vectors of the points from a location, and the points coincident with it."""

    point: Array
    offset: Array
    distance: Array
    unit_vectors: Array
    resultant: Array
    coincident: int

    @classmethod
    def of(cls, offsets: Array, point: Array, size: Array) -> Distances:
        """The distances from `point`; coincident points have no unit vector.

        Points that differ by less than the rounding of coordinates of the given `size` are coincident.
        """
        offset = offsets - point
        distance = np.sqrt(np.einsum("ij,ij->i", offset, offset))
        grain = ROUNDING * (size + np.abs(point))
        close = np.flatnonzero(distance <= np.linalg.norm(grain))
        distance[close[(np.abs(offset[close]) <= grain).all(axis=1)]] = 0
        unit_vectors = np.divide(offset, distance[:, None], out=np.zeros_like(offset), where=distance[:, None] > 0)
        return cls(
            point, offset, distance, unit_vectors, unit_vectors.sum(axis=0), int(np.count_nonzero(distance == 0))
        )

    @property
    def nearness(self) -> Array:
        """One over the distance, zero for coincident points."""
        return np.divide(1.0, self.distance, out=np.zeros_like(self.distance), where=self.distance > 0)

    @property
    def net_force(self) -> float:
        """The norm of the resultant less the number of coincident points; zero at the median."""
        return max(0.0, float(np.linalg.norm(self.resultant)) - self.coincident)

    @property
    def relative_resultant(self) -> float:
        """The largest coordinate of the resultant relative to the unit vectors, which does not depend on scales."""
        if self.net_force == 0:
            return 0.0
        every = np.abs(self.unit_vectors).sum(axis=0)
        along = np.divide(np.abs(self.resultant), every, out=np.zeros_like(every), where=every > 0)
        return float(along.max() * self.net_force / np.linalg.norm(self.resultant))

    def gain(self, other: Distances) -> float:
        """How much smaller the sum of distances is from `other`, without the rounding of the sums themselves.

        |u| - |v| = (u - v).(u + v) / (|u| + |v|), and u - v is the same for all points.
        """
        total = self.distance + other.distance
        along = (self.offset + other.offset) @ (other.point - self.point)
        return float(np.divide(along, total, out=np.zeros_like(total), where=total > 0).sum())


@dataclass(frozen=True, slots=True)
class SpatialMedian:
    """minimise over m    mean_i |point_i - m|

    At the median the unit vectors to the points sum to zero, or to at most the number of coincident points. A step is
    that of Newton's method or of the modified Weiszfeld iteration, whichever is better, or goes to the nearest point if
    that is the median. [Vardi and Zhang, 2000]

    Locations are relative to `origin`, scaled so that the largest offset is about one.
    """

    offsets: Array
    origin: Array
    unit: float
    tolerance: float

    @classmethod
    def of(cls, points: Array, tolerance: float) -> SpatialMedian:
        """The problem of `points` (points, dimensions), seen from the median of each coordinate."""
        origin = np.median(points, axis=0)
        offsets = points - origin
        scale = scaling.power_of_two_scale(offsets)
        return cls(offsets * scale, origin, 1 / scale, tolerance)

    def start(self) -> State:
        """The median of each coordinate."""
        return self._state(self._view(np.zeros(self.offsets.shape[1])), 0)

    def step(self, state: State) -> State:
        """To the best candidate, if it is better than the present point."""
        here = self._view(state["point"])
        if here.net_force == 0:
            return state
        others = np.where(here.distance > 0, here.distance, np.inf)
        nearest = self._view(self.offsets[np.argmin(others)])
        if nearest.net_force == 0:
            return self._state(nearest, 0)
        best = max((nearest, self._view(here.point + _weiszfeld(here))), key=here.gain)
        move = _newton(here)
        for length in LENGTHS:
            view = self._view(here.point + length * move)
            if here.gain(view) > here.gain(best):
                return self._state(view, 0)
        return self._state(best, 0) if here.gain(best) > 0 else state | {"idle": state["idle"] + 1}

    def _view(self, point: Array) -> Distances:
        return Distances.of(self.offsets, point, np.abs(self.origin) / self.unit)

    def _state(self, view: Distances, idle: int) -> State:
        length = float(view.distance.mean())
        return {"point": view.point, "objective": length, "resultant": view.relative_resultant, "idle": idle}

    def progress(self, state: State) -> Progress:
        """Mean distance, and the relative resultant."""
        length = state["objective"] * self.unit
        return Progress(length, state["resultant"], self.tolerance, stalled=state["idle"] >= PATIENCE)

    def point(self, state: State) -> Array:
        """The median in the coordinates of the points."""
        return np.asarray(self.origin + state["point"] * self.unit)


def _weiszfeld(here: Distances) -> Array:
    """The move to the mean of the points, each weighted by its nearness; shorter at a coincident point."""
    return np.asarray(here.net_force / np.linalg.norm(here.resultant) * here.resultant / here.nearness.sum())


def _newton(here: Distances) -> Array:
    """The move to the minimum of a quadratic model; at a coincident point only along the resultant."""
    along = (here.unit_vectors * here.nearness[:, None]).T @ here.unit_vectors
    hessian = here.nearness.sum() * np.eye(len(along)) - along
    if not here.coincident:
        return np.asarray(interruptibly(np.linalg.lstsq, hessian, here.resultant, rcond=1e-14)[0])
    direction = here.resultant / np.linalg.norm(here.resultant)
    return np.asarray(here.net_force / max(float(direction @ hessian @ direction), MIN_CURVATURE) * direction)
