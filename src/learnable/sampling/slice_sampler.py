"""Slice sampling."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from ..core import Array, DataError, declaring, param
from ..engines.iterate import State
from ._chain_by_chain import ChainByChain
from ._sampler import ChainSampler
from ._target import TargetDensity

MAX_STEPS_OUT = 50
MAX_SHRINKS = 200


@declaring
class SliceSampler(ChainSampler):
    """Slice sampler: one coordinate after the other, or elliptical slices for normal priors.

    A level is drawn uniformly below the density at x; an interval around x is stepped out until its ends are below the
    level, and shrunk around x until a uniform draw from it is above. Nothing is rejected, and `width` matters little:
    in the warm-up it follows the steps of the chain. With `kind="elliptical"` all parameters move together on an
    ellipse through x and a draw from the prior N(0, `prior_covariance`), and the density is that of the likelihood
    alone. [Neal, 2003; Murray, Adams and MacKay, 2010]

    >>> draws = SliceSampler().sample(lambda x: -abs(x[0]), [0.0], draws=2000, random_state=0)
    >>> bool(abs(draws["x"].mean()) < 0.15), bool(abs(draws["x"].var() - 2) < 0.4)
    (True, True)
    """

    width: float = param(1.0, "first length of the intervals", above=0)
    kind: Literal["stepping out", "elliptical"] = param("stepping out", "how the slice is explored")
    prior_covariance: np.ndarray | None = param(None, "covariance of the normal prior, for elliptical slices")

    uses_gradient: ClassVar[bool] = False

    def _transition(self, target: TargetDensity, tune: int) -> ChainByChain:
        if self.kind == "stepping out":
            return CoordinateSlices(target, self.width)
        size = target.layout.size
        covariance = np.asarray(np.eye(size) if self.prior_covariance is None else self.prior_covariance, dtype=float)
        if covariance.shape != (size, size) or target.layout.bounded:
            raise DataError(
                f"SliceSampler: elliptical slices need a prior_covariance of shape ({size}, {size}) and no bounds; got "
                f"{covariance.shape}"
            )
        try:
            return EllipticalSlices(target, np.linalg.cholesky(covariance))
        except np.linalg.LinAlgError:
            raise DataError("SliceSampler: prior_covariance must be positive definite") from None


class CoordinateSlices(ChainByChain):
    """Slices along the coordinates, by stepping out and shrinking."""

    statistic: ClassVar[str] = "n_evaluations"

    def __init__(self, target: TargetDensity, width: float) -> None:
        super().__init__(target)
        self.width = width

    def further(self, positions: Array) -> State:
        """The widths, and the mean steps of the chains."""
        shape = (len(positions), self.size)
        return {"width": np.full(shape, self.width), "step": np.full(shape, self.width / 2)}

    def run(
        self, state: State, chain: int, random: Any, first: int, tuning: bool, draws: Array, lp: Array, stat: Array
    ) -> None:
        """Every draw updates all coordinates."""
        position, value = state["position"][chain], state["lp"][chain]
        for d in range(len(draws)):
            evaluations = 0
            for j in range(self.size):
                before = position[j]
                level = value + np.log1p(-random.random())
                value, used = self._update(position, j, level, state["width"][chain, j], random)
                evaluations += used
                if tuning:
                    state["step"][chain, j] += (abs(position[j] - before) - state["step"][chain, j]) / (first + d + 2)
            draws[d], lp[d], stat[d] = position, value, evaluations
        state["lp"][chain] = value

    def _update(self, position: Array, j: int, level: float, width: float, random: Any) -> tuple[float, int]:
        """Move coordinate j in place; the log density there, and the number of evaluations."""
        here = position[j]
        used = 0

        def at(coordinate: float) -> float:
            nonlocal used
            used += 1
            position[j] = coordinate
            return self.value(position)

        low = here - width * random.random()
        high = low + width
        left = int(random.integers(MAX_STEPS_OUT))
        right = MAX_STEPS_OUT - 1 - left
        while left > 0 and at(low) > level:
            low, left = low - width, left - 1
        while right > 0 and at(high) > level:
            high, right = high + width, right - 1
        for _ in range(MAX_SHRINKS):
            there = random.uniform(low, high)
            value = at(there)
            if value > level:
                return value, used
            low, high = (there, high) if there < here else (low, there)
        return at(here), used

    def adapted(self, state: State, draws: Array, done: int) -> State:
        """Widths of twice the mean steps or more."""
        return {"width": np.maximum(2 * state["step"], 1e-10)}


class EllipticalSlices(ChainByChain):
    """Slices on ellipses for a prior N(0, L L')."""

    statistic: ClassVar[str] = "n_evaluations"

    def __init__(self, target: TargetDensity, factor: Array) -> None:
        super().__init__(target)
        self.factor = factor

    def run(
        self, state: State, chain: int, random: Any, first: int, tuning: bool, draws: Array, lp: Array, stat: Array
    ) -> None:
        """Shrink an angle towards 0 until the likelihood is above the level."""
        position, value = state["position"][chain], state["lp"][chain]
        for d in range(len(draws)):
            other = self.factor @ random.standard_normal(self.size)
            level = value + np.log1p(-random.random())
            angle = random.uniform(0, 2 * np.pi)
            low, high = angle - 2 * np.pi, angle
            for used in range(1, MAX_SHRINKS):
                there = position * np.cos(angle) + other * np.sin(angle)
                found = self.value(there)
                stat[d] = used
                if found > level:
                    position, value = there, found
                    break
                low, high = (angle, high) if angle < 0 else (low, angle)
                angle = random.uniform(low, high)
            draws[d], lp[d] = position, value
        state["position"][chain], state["lp"][chain] = position, value
