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
from ..optimality import GradientTerms, PenaltyGradient, far_columns, rounding_factor
from ..problem import QuadraticPenalty
from ..row_losses import safe_norm
from ..spd_solve import PositiveSystem

MIN_DEGREES_OF_FREEDOM, MAX_DEGREES_OF_FREEDOM = 0.5, 1e4
ROUNDING = 1e-14  # a difference of mean log densities, of the size of one, that may be rounding


@dataclass(frozen=True)
class StudentEM:
    """Each residual is Gaussian with a precision of its own, whose expectation weights the row.

    minimise over w, b, c, d    mean of (log c - log t_d((y - Xw - b) / c)) + squared(w) + absolute |w|_1

    The weight of a row is (d + 1) / (d + (r / c)^2). Every step lowers the objective: coefficients by the weighted
    least squares (one pass of coordinate descent if there is an l1 penalty), the scale by the expanded step that
    divides by the mean weight, scale and degrees together by a Newton step on the likelihood itself. `degrees` and
    `scale` are None where they are estimated; the scale is at least `floor`.
    [Lange, Little and Taylor, 1989; Meng and van Dyk, 1997]
    """

    X: Any
    y: Array
    row_weight: Array
    squared: QuadraticPenalty
    absolute: float
    fit_intercept: bool
    degrees: float | None
    scale: float | None
    floor: float
    tolerance: float
    norm: Array
    coef: Array
    intercept: float

    def start(self) -> State:
        """The given coefficients, with the scale that suits their residuals."""
        residual = self.y - matrix_products.precise_scores(self.X, self.coef, self.intercept)
        middle = float(np.sqrt(self.row_weight @ residual**2))
        state = {
            "coef": self.coef,
            "intercept": self.intercept,
            "residual": residual,
            "scale": self.scale if self.scale is not None else max(middle, self.floor),
            "degrees": self.degrees if self.degrees is not None else 4.0,
        }
        return self._evaluated(state)

    def step(self, state: State) -> State:
        """Expected weights; then coefficients, scale and degrees in turn."""
        weight = self.row_weight * precision_weights(state)
        moments = Moments.of(self.X, state["residual"][:, None], weight, self.fit_intercept)
        move = self._move(moments, state)
        shift = float(moments.mean_y[0] - moments.mean_x @ move) if self.fit_intercept else 0.0
        after = state | {"coef": state["coef"] + move, "intercept": state["intercept"] + shift}
        after["residual"] = self.y - matrix_products.precise_scores(self.X, after["coef"], after["intercept"])
        after |= self._scale_and_degrees(after)
        return self._evaluated(after)

    def _scale_and_degrees(self, state: State) -> State:
        """Updated scale and degrees of freedom, if they are estimated."""
        if self.scale is None and self.degrees is None:
            both = newton_scale_and_degrees(state["residual"], self.row_weight, state["scale"], state["degrees"])
            if both is not None and both[0] > self.floor:
                return {"scale": both[0], "degrees": both[1]}
        found = {"scale": state["scale"], "degrees": state["degrees"]}
        if self.scale is None:
            weight = self.row_weight * precision_weights(state)
            spread = np.sqrt(float(weight @ state["residual"] ** 2) / float(weight.sum()))
            found["scale"] = max(float(spread), self.floor)
        if self.degrees is None:
            found["degrees"] = update_degrees(state["residual"] / found["scale"], self.row_weight, found["degrees"])
        return found

    def progress(self, state: State) -> Progress:
        """Objective and relative norm of the gradient."""
        more = {"scale": state["scale"], "degrees": state["degrees"]}
        return Progress(state["objective"], state["criterion"], self.tolerance, more)

    def _move(self, moments: Moments, state: State) -> Array:
        """The way to the minimum of the weighted least squares, or a pass of coordinate descent towards it."""
        coef, unit = state["coef"], state["scale"] ** 2
        negative_gradient = moments.cross[:, 0] - unit * self.squared.gradient(coef)
        curvature = moments.gram + unit * self.squared.gradient(np.eye(len(coef)))
        if self.absolute == 0:
            return PositiveSystem(curvature).solve(negative_gradient)
        move: Array = np.zeros_like(coef)
        for j, own in enumerate(curvature.diagonal()):
            if own > 0:
                aim = coef[j] + move[j] + (negative_gradient[j] - curvature[j] @ move) / own
                move[j] = np.sign(aim) * max(abs(aim) - unit * self.absolute / own, 0.0) - coef[j]
        return move

    def _evaluated(self, state: State) -> State:
        """The state with its objective and the relative violation of stationarity."""
        scaled = state["residual"] / state["scale"]
        likelihood = float(self.row_weight @ log_density(scaled, state["degrees"])) - log(state["scale"])
        precision = precision_weights(state)
        gradient = -self.row_weight * precision * scaled / state["scale"]
        root = np.sqrt(self.row_weight)
        change = safe_norm(root * precision * self.y) / state["scale"] ** 2
        size = safe_norm(gradient / root) + rounding_factor(self.tolerance) * change
        penalty_gradient = PenaltyGradient.of(self.squared, state["coef"])
        limit = self.norm * size + penalty_gradient.magnitude + self.absolute
        distance = L1(self.absolute).distance(
            state["coef"], matrix_products.transposed_product(self.X, gradient) + penalty_gradient.gradient
        )
        parts = [float(np.divide(distance, limit, out=np.zeros_like(limit), where=limit > 0).max(initial=0))]
        parts.append(abs(float(gradient.sum())) / size if self.fit_intercept and size > 0 else 0.0)
        if max(parts) <= self.tolerance and (far := far_columns(self.X, self.norm)).any():
            sizes = (
                np.abs(gradient)
                + rounding_factor(self.tolerance) * self.row_weight * np.abs(self.y) / state["scale"] ** 2
            )
            parts.append(
                self._gradient_terms(state["coef"], gradient, sizes, penalty_gradient, far).largest_violation()
            )
        if self.scale is None and state["scale"] > self.floor:
            parts.append(abs(float(self.row_weight @ (precision_weights(state) * scaled**2)) - 1))
        if self.degrees is None and MIN_DEGREES_OF_FREEDOM < state["degrees"] < MAX_DEGREES_OF_FREEDOM:
            parts.append(abs(degrees_gradient(scaled, self.row_weight, state["degrees"])))
        cost = self.squared.value(state["coef"]) + L1(self.absolute).value(state["coef"])
        return state | {"objective": cost - likelihood, "criterion": max(parts)}

    def _gradient_terms(
        self, coef: Array, gradient: Array, sizes: Array, penalty_gradient: PenaltyGradient, far: Array
    ) -> GradientTerms:
        distance = partial(L1(self.absolute).distance, coef)
        free = self.fit_intercept and self.absolute == 0
        return GradientTerms(
            self.X, gradient, sizes, penalty_gradient, free, self.tolerance, np.zeros(len(gradient)), far, distance
        )


def precision_weights(state: State) -> Array:
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


def degrees_gradient(t: Array, row_weight: Array, degrees: float) -> float:
    """Derivative of the mean log density by the logarithm of the degrees."""
    from scipy.special import digamma

    squares = t * t / degrees
    known = digamma((degrees + 1) / 2) - digamma(degrees / 2) - 1 / degrees
    drawn = float(row_weight @ (np.log1p(squares) - (degrees + 1) / degrees * squares / (1 + squares)))
    return degrees / 2 * (float(known) - drawn)


def update_degrees(t: Array, row_weight: Array, degrees: float) -> float:
    """Degrees at which the density of `t` is at least as large: a Newton step, shortened until that is so."""
    gradient = degrees_gradient(t, row_weight, degrees)
    curvature = (degrees_gradient(t, row_weight, degrees * 1.001) - gradient) / log(1.001)
    step = float(np.clip(-gradient / curvature if curvature < 0 else np.sign(gradient), -1, 1))
    before = float(row_weight @ log_density(t, degrees))
    for _ in range(40):
        moved = float(np.clip(degrees * np.exp(step), MIN_DEGREES_OF_FREEDOM, MAX_DEGREES_OF_FREEDOM))
        if float(row_weight @ log_density(t, moved)) >= before:
            return moved
        step /= 4
    return degrees


def newton_scale_and_degrees(
    residual: Array, row_weight: Array, scale: float, degrees: float
) -> tuple[float, float] | None:
    """Scale and degrees after a Newton step in their logarithms; None if that does not improve the likelihood.

    Where the likelihood is flat up to rounding, a smaller gradient counts as an improvement.
    """
    here = np.array([log(scale), log(degrees)])

    def gradient_at(at: Array) -> Array:
        c, d = np.exp(at)
        t = residual / c
        return np.array([float(row_weight @ ((d + 1) * t * t / (d + t * t))) - 1, degrees_gradient(t, row_weight, d)])

    def log_likelihood_at(at: Array) -> float:
        return float(row_weight @ log_density(residual / np.exp(at[0]), float(np.exp(at[1])))) - float(at[0])

    gradient = gradient_at(here)
    curvature = np.column_stack([(gradient_at(here + step) - gradient) / 1e-4 for step in np.eye(2) * 1e-4])
    curvature = (curvature + curvature.T) / 2
    if not (curvature[0, 0] < 0 < np.linalg.det(curvature)):
        return None
    there = here - np.clip(np.linalg.solve(curvature, gradient), -1, 1)
    inside = log(MIN_DEGREES_OF_FREEDOM) < there[1] < log(MAX_DEGREES_OF_FREEDOM)
    lost = log_likelihood_at(here) - log_likelihood_at(there)
    if not inside or lost > ROUNDING or (lost > 0 and np.abs(gradient_at(there)).max() >= np.abs(gradient).max()):
        return None
    return float(np.exp(there[0])), float(np.exp(there[1]))
