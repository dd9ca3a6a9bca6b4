"""The Tweedie deviance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ...core import Array
from ...core.numeric import EPSILON
from ..log_link import exponential
from .deviance import half_deviance, log_leaf
from .optimal_constants import counted, crossing, mean
from .target_range import demand


@dataclass(frozen=True)
class Tweedie:
    """Half the deviance of the family with variance mean^power: 0 Gauss, 1 Poisson, 2 gamma, 3 inverse Gauss.

    value = integral from y to m of (u - y) / u^power du,  m = z (identity) or exp(z) (log)

    `link="auto"` is the identity up to power 0 and the log above. With the identity, unless the power is 0, a mean
    must be positive, and the value is infinite where it is not. `curvature` is the second derivative if the loss is
    convex (log link and power 1 to 2, identity and 0 to 1), else its expectation, as in Fisher scoring.
    Powers are held at 1e304 instead of overflowing, see links.exponential. [Jorgensen, 1987]

    >>> Tweedie(1.5).link, Tweedie(3.0).value(np.array([2.0]), np.log([1.0])).round(9).item()
    ('log', 0.25)
    """

    power: float = 0.0
    link: Literal["auto", "identity", "log"] = "auto"

    smooth: ClassVar[bool] = True
    majorises: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.link == "auto":
            object.__setattr__(self, "link", "identity" if self.power <= 0 else "log")

    @property
    def convex(self) -> bool:
        return 0 <= self._rate <= 1

    @property
    def curvature_bound(self) -> float | None:
        return 1.0 if self.power == 0 and self.link == "identity" else None

    @np.errstate(over="ignore")
    def value(self, y: Array, z: Array) -> Array:
        if self.power == 0:
            return np.asarray(np.square(y - self.predict(z)) / 2)
        value = half_deviance(y, self._log_mean(z), self.power)
        return value if self.link == "log" else np.where(z > 0, value, np.inf)

    @np.errstate(over="ignore")
    def gradient(self, y: Array, z: Array) -> Array:
        power = exponential((self._rate - 1) * self._log_mean(z))
        return (self.predict(z) - y) * power

    @np.errstate(over="ignore")
    def curvature(self, y: Array, z: Array) -> Array:
        high, turn = self._log_mean(z), self._rate - self._identity
        expected = exponential(turn * high)
        if not self.convex:
            return expected
        return self._rate * expected + (1 - self._rate) * y * exponential((turn - 1) * high)

    def best_constant(self, y: Array, weight: Array | None = None) -> float:
        if self.link == "log":
            return log_leaf(y, np.zeros_like(y), weight, self.power)
        centre = mean(y, weight)
        return centre if centre > 0 or self.power == 0 else EPSILON

    def best_leaf(self, y: Array, z: Array, weight: Array | None = None) -> float:
        if self.link == "log":
            return log_leaf(y, z, weight, self.power)
        return mean(y - z, weight) if self.power == 0 else self._search(y, z, weight)

    def predict(self, z: Array) -> Array:
        return exponential(z) if self.link == "log" else z

    def check(self, y: Array) -> None:
        if self.power >= 2:
            demand(y > 0, y, f"Tweedie({self.power:g})", "y > 0")
        elif self.power > 0:
            demand(y >= 0, y, f"Tweedie({self.power:g})", "y >= 0")

    @property
    def _identity(self) -> int:
        return int(self.link == "identity")

    @property
    def _rate(self) -> float:
        """The gradient is mean^rate - y mean^(rate - 1)."""
        return 2 - self.power - self._identity

    def _log_mean(self, z: Array) -> Array:
        return z if self.link == "log" else np.log(np.maximum(z, np.finfo(z.dtype).tiny))

    def _search(self, y: Array, z: Array, weight: Array | None) -> float:
        """Identity link: where the summed gradient crosses zero while every mean is positive."""
        rows, row_weight = counted(np.stack([y, z], axis=1), weight)
        y, z = rows[:, 0], rows[:, 1]

        def total_gradient(c: float) -> tuple[float, float]:
            return float(row_weight @ self.gradient(y, z + c)), float(row_weight @ self.curvature(y, z + c))

        low = max(float((y - z).min()), -float(z.min()) * (1 - 4 * EPSILON))
        return crossing(total_gradient, low, float((y - z).max()), slack=0.0)
