"""The point with the least mean distance from given points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from ...engines import matrix_products
from ...engines.algebra.interruptible_lapack import interruptibly
from ...engines.iterate import Progress, State

ROUNDING = 2 * EPSILON
LENGTHS = (1.0, 0.25, 0.06, 0.015, 0.004)  # shares of a Newton step to try
SMALLEST_BEND = 1e-12
PATIENCE = 5  # steps without a gain before rounding is given as the reason to stop


@dataclass(frozen=True, slots=True)
class View:
    """The points as seen from a place: offsets and distances, the sum of their pulls, and how many are right there."""

    place: Array
    apart: Array
    distance: Array
    pulls: Array
    pull: Array
    held: int

    @classmethod
    def of(cls, offsets: Array, place: Array, size: Array) -> View:
        """Look at all points from `place`; every point pulls with force one, except from its own place.

        Numbers of the given `size` cannot tell places apart that differ by less than their rounding.
        """
        apart = offsets - place
        distance = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        grain = ROUNDING * (size + np.abs(place))
        close = np.flatnonzero(distance <= np.linalg.norm(grain))
        distance[close[(np.abs(apart[close]) <= grain).all(axis=1)]] = 0
        pulls = np.divide(apart, distance[:, None], out=np.zeros_like(apart), where=distance[:, None] > 0)
        return cls(place, apart, distance, pulls, pulls.sum(axis=0), int(np.count_nonzero(distance == 0)))

    @property
    def nearness(self) -> Array:
        """One over the distance, zero for points right here."""
        return np.divide(1.0, self.distance, out=np.zeros_like(self.distance), where=self.distance > 0)

    @property
    def left(self) -> float:
        """What is left of the pull after the points at this place have held against it; zero at the median."""
        return max(0.0, float(np.linalg.norm(self.pull)) - self.held)

    @property
    def left_share(self) -> float:
        """The largest part of the pulls along one coordinate that is left, whatever unit each is measured in."""
        if self.left == 0:
            return 0.0
        every = np.abs(self.pulls).sum(axis=0)
        along = np.divide(np.abs(self.pull), every, out=np.zeros_like(every), where=every > 0)
        return float(along.max() * self.left / np.linalg.norm(self.pull))

    def gain(self, other: View) -> float:
        """How much smaller the sum of distances is from `other`, without the rounding of the sums themselves.

        |u| - |v| = (u - v).(u + v) / (|u| + |v|), and u - v is the same for all points.
        """
        total = self.distance + other.distance
        along = (self.apart + other.apart) @ (other.place - self.place)
        return float(np.divide(along, total, out=np.zeros_like(total), where=total > 0).sum())


@dataclass(frozen=True, slots=True)
class SpatialMedian:
    """minimise over m    mean_i |point_i - m|

    Every point pulls with the same force, so at the median the pulls cancel, or points right there hold what is left of
    them. A step goes where Newton's method or the modified Weiszfeld iteration leads, whichever is better, or to the
    nearest point if that is the median. [Vardi and Zhang, 2000]

    Places are relative to `origin`, in a unit that makes the largest offset about one.
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
        scale = matrix_products.power_of_two_scale(offsets)
        return cls(offsets * scale, origin, 1 / scale, tolerance)

    def start(self) -> State:
        """The median of each coordinate."""
        return self._state(self._view(np.zeros(self.offsets.shape[1])), 0)

    def step(self, state: State) -> State:
        """To the best place in sight, if one is better than this."""
        here = self._view(state["place"])
        if here.left == 0:
            return state
        others = np.where(here.distance > 0, here.distance, np.inf)
        nearest = self._view(self.offsets[np.argmin(others)])
        if nearest.left == 0:
            return self._state(nearest, 0)
        best = max((nearest, self._view(here.place + _weiszfeld(here))), key=here.gain)
        move = _newton(here)
        for length in LENGTHS:
            view = self._view(here.place + length * move)
            if here.gain(view) > here.gain(best):
                return self._state(view, 0)
        return self._state(best, 0) if here.gain(best) > 0 else state | {"idle": state["idle"] + 1}

    def _view(self, place: Array) -> View:
        return View.of(self.offsets, place, np.abs(self.origin) / self.unit)

    def _state(self, view: View, idle: int) -> State:
        length = float(view.distance.mean())
        return {"place": view.place, "objective": length, "pull": view.left_share, "idle": idle}

    def progress(self, state: State) -> Progress:
        """Mean distance, and the share of the pulls that is left."""
        length = state["objective"] * self.unit
        return Progress(length, state["pull"], self.tolerance, stalled=state["idle"] >= PATIENCE)

    def point(self, state: State) -> Array:
        """The place in the coordinates of the points."""
        return np.asarray(self.origin + state["place"] * self.unit)


def _weiszfeld(here: View) -> Array:
    """The move to the mean of the points, each weighted by its nearness; shorter if points hold here."""
    return np.asarray(here.left / np.linalg.norm(here.pull) * here.pull / here.nearness.sum())


def _newton(here: View) -> Array:
    """The move to the minimum of a quadratic model; where points hold, on the line of the pull only."""
    along = (here.pulls * here.nearness[:, None]).T @ here.pulls
    bend = here.nearness.sum() * np.eye(len(along)) - along
    if not here.held:
        return np.asarray(interruptibly(np.linalg.lstsq, bend, here.pull, rcond=1e-14)[0])
    direction = here.pull / np.linalg.norm(here.pull)
    return np.asarray(here.left / max(float(direction @ bend @ direction), SMALLEST_BEND) * direction)
