"""Linear regression with Student's t noise, by the EM algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import log, pi
from typing import Any

import numpy as np

from ....core.numeric import half_step
from ....core.validate.features import Array
from ....parts.penalties.l1 import L1
from ... import matrix_products
from ...iterate import Progress, State
from ...sufficient_statistics import Moments
from ..optimality import Pull, Pulls, doubt, far_columns
from ..problem import QuadraticPenalty
from ..row_losses import length
from ..spd_solve import PositiveSystem

FEWEST_DEGREES, MOST_DEGREES = 0.5, 1e4
FLAT = 1e-14  # a difference of mean log densities, of the size of one, that may be rounding


@dataclass(frozen=True)
class StudentEM:
    """Each residual is Gaussian with a precision of its own, whose expectation weighs the row; then least squares.

    minimise over w, b, c, d    mean of (log c - log t_d((y - Xw - b) / c)) + squared(w) + absolute |w|_1

    The weight of a row is (d + 1) / (d + (r / c)^2). Every step lowers the objective: coefficients by the weighted
    least squares (one pass of coordinate descent if there is an absolute penalty), the scale by the expanded step that
    divides by the mean weight, scale and degrees together by a Newton step on the likelihood itself. `degrees` and
    `scale` are None where they are estimated; the scale is at least `floor`.
    [Lange, Little and Taylor, 1989; Meng and van Dyk, 1997]
    """

    X: Any
    y: Array
    share: Array
    squared: QuadraticPenalty
    absolute: float
    intercept: bool
    degrees: float | None
    scale: float | None
    floor: float
    tolerance: float
    norm: Array
    coef: Array
    constant: float

    def start(self) -> State:
        """The given coefficients, with the scale that suits their residuals."""
        residual = self.y - matrix_products.precise_scores(self.X, self.coef, self.constant)
        middle = float(np.sqrt(self.share @ residual**2))
        state = {
            "coef": self.coef,
            "intercept": self.constant,
            "residual": residual,
            "scale": self.scale if self.scale is not None else max(middle, self.floor),
            "degrees": self.degrees if self.degrees is not None else 4.0,
        }
        return self._judged(state)

    def step(self, state: State) -> State:
        """Expected weights; then coefficients, scale and degrees in turn."""
        weight = self.share * weights(state)
        moments = Moments.of(self.X, state["residual"][:, None], weight, self.intercept)
        move = self._move(moments, state)
        shift = float(moments.mean_y[0] - moments.mean_x @ move) if self.intercept else 0.0
        after = state | {"coef": state["coef"] + move, "intercept": state["intercept"] + shift}
        after["residual"] = self.y - matrix_products.precise_scores(self.X, after["coef"], after["intercept"])
        after |= self._shape(after)
        return self._judged(after)

    def _shape(self, state: State) -> State:
        """A better scale, and better degrees if they are asked for."""
        if self.scale is None and self.degrees is None:
            both = newton_shape(state["residual"], self.share, state["scale"], state["degrees"])
            if both is not None and both[0] > self.floor:
                return {"scale": both[0], "degrees": both[1]}
        found = {"scale": state["scale"], "degrees": state["degrees"]}
        if self.scale is None:
            weight = self.share * weights(state)
            spread = np.sqrt(float(weight @ state["residual"] ** 2) / float(weight.sum()))
            found["scale"] = max(float(spread), self.floor)
        if self.degrees is None:
            found["degrees"] = better_degrees(state["residual"] / found["scale"], self.share, found["degrees"])
        return found

    def progress(self, state: State) -> Progress:
        """How far the gradient is from zero."""
        more = {"scale": state["scale"], "degrees": state["degrees"]}
        return Progress(state["objective"], state["criterion"], self.tolerance, more)

    def _move(self, moments: Moments, state: State) -> Array:
        """The way to the minimum of the weighted least squares, or a pass of coordinate descent towards it."""
        coef, unit = state["coef"], state["scale"] ** 2
        pull = moments.cross[:, 0] - unit * self.squared.gradient(coef)
        curvature = moments.gram + unit * self.squared.gradient(np.eye(len(coef)))
        if self.absolute == 0:
            return PositiveSystem(curvature).solve(pull)
        move: Array = np.zeros_like(coef)
        for j, bend in enumerate(curvature.diagonal()):
            if bend > 0:
                aim = coef[j] + move[j] + (pull[j] - curvature[j] @ move) / bend
                move[j] = np.sign(aim) * max(abs(aim) - unit * self.absolute / bend, 0.0) - coef[j]
        return move

    def _judged(self, state: State) -> State:
        """The state with its objective and how far it is from stationary, each entry against what it sums."""
        scaled = state["residual"] / state["scale"]
        likelihood = float(self.share @ log_density(scaled, state["degrees"])) - log(state["scale"])
        slope = -self.share * weights(state) * scaled / state["scale"]
        root = np.sqrt(self.share)
        change = length(root * self.y) / state["scale"] ** 2
        size = length(slope / root) + doubt(self.tolerance) * change
        pull = Pull.of(self.squared, state["coef"])
        limit = self.norm * size + pull.magnitude + self.absolute
        away = L1(self.absolute).distance(state["coef"], matrix_products.pullback(self.X, slope) + pull.gradient)
        parts = [float(np.divide(away, limit, out=np.zeros_like(limit), where=limit > 0).max(initial=0))]
        parts.append(abs(float(slope.sum())) / size if self.intercept and size > 0 else 0.0)
        if max(parts) <= self.tolerance and (far := far_columns(self.X, self.norm)).any():
            sizes = np.abs(slope) + doubt(self.tolerance) * self.share * np.abs(self.y) / state["scale"] ** 2
            parts.append(self._pulls(state["coef"], slope, sizes, pull, far).largest_share())
        if self.scale is None and state["scale"] > self.floor:
            parts.append(abs(float(self.share @ (weights(state) * scaled**2)) - 1))
        if self.degrees is None and FEWEST_DEGREES < state["degrees"] < MOST_DEGREES:
            parts.append(abs(degrees_slope(scaled, self.share, state["degrees"])))
        cost = self.squared.value(state["coef"]) + L1(self.absolute).value(state["coef"])
        return state | {"objective": cost - likelihood, "criterion": max(parts)}

    def _pulls(self, coef: Array, slope: Array, sizes: Array, pull: Pull, far: Array) -> Pulls:
        away = partial(L1(self.absolute).distance, coef)
        free = self.intercept and self.absolute == 0
        return Pulls(self.X, slope, sizes, pull, free, self.tolerance, np.zeros(len(slope)), far, away)


def weights(state: State) -> Array:
    """The expected precision of each row: 1 for a residual of one scale, less for larger ones."""
    squares = np.square(state["residual"] / state["scale"])
    return np.asarray((state["degrees"] + 1) / (state["degrees"] + squares))


def log_density(t: Array, degrees: float) -> Array:
    """log of the density of Student's t.

    >>> log_density(np.zeros(1), 1.0).round(6).tolist()  # Cauchy: -log pi
    [-1.14473]
    """
    constant = half_step(degrees / 2) - log(degrees * pi) / 2
    return constant - (degrees + 1) / 2 * np.log1p(t * t / degrees)


def degrees_slope(t: Array, share: Array, degrees: float) -> float:
    """Derivative of the mean log density by the logarithm of the degrees."""
    from scipy.special import digamma

    squares = t * t / degrees
    known = digamma((degrees + 1) / 2) - digamma(degrees / 2) - 1 / degrees
    drawn = float(share @ (np.log1p(squares) - (degrees + 1) / degrees * squares / (1 + squares)))
    return degrees / 2 * (float(known) - drawn)


def better_degrees(t: Array, share: Array, degrees: float) -> float:
    """Degrees at which the density of `t` is at least as large: a Newton step, shortened until that is so."""
    slope = degrees_slope(t, share, degrees)
    bend = (degrees_slope(t, share, degrees * 1.001) - slope) / log(1.001)
    step = float(np.clip(-slope / bend if bend < 0 else np.sign(slope), -1, 1))
    before = float(share @ log_density(t, degrees))
    for _ in range(40):
        moved = float(np.clip(degrees * np.exp(step), FEWEST_DEGREES, MOST_DEGREES))
        if float(share @ log_density(t, moved)) >= before:
            return moved
        step /= 4
    return degrees


def newton_shape(residual: Array, share: Array, scale: float, degrees: float) -> tuple[float, float] | None:
    """Scale and degrees after a Newton step in their logarithms; None if that is no improvement.

    Where the density is flat but for rounding, smaller slopes are one.
    """
    here = np.array([log(scale), log(degrees)])

    def slopes(place: Array) -> Array:
        c, d = np.exp(place)
        t = residual / c
        return np.array([float(share @ ((d + 1) * t * t / (d + t * t))) - 1, degrees_slope(t, share, d)])

    def height(place: Array) -> float:
        return float(share @ log_density(residual / np.exp(place[0]), float(np.exp(place[1])))) - float(place[0])

    slope = slopes(here)
    bend = np.column_stack([(slopes(here + bump) - slope) / 1e-4 for bump in np.eye(2) * 1e-4])
    bend = (bend + bend.T) / 2
    if not (bend[0, 0] < 0 < np.linalg.det(bend)):
        return None
    there = here - np.clip(np.linalg.solve(bend, slope), -1, 1)
    inside = log(FEWEST_DEGREES) < there[1] < log(MOST_DEGREES)
    lost = height(here) - height(there)
    if not inside or lost > FLAT or (lost > 0 and np.abs(slopes(there)).max() >= np.abs(slope).max()):
        return None
    return float(np.exp(there[0])), float(np.exp(there[1]))
