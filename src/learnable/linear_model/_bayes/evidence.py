"""Evidence maximisation: priors of precisions, convergence and results of Bayesian linear regressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...core import Array, Data, DataError, Trace, scaling
from ...core.numeric import HUGE, TINY
from ...engines.iterate import Method, Progress, State
from ...engines.standardised import Units

MAX_ABSOLUTE = 1e153
MIN_GRADIENT = 1e-12  # per row: below, it is rounding


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """A gamma prior of a precision, by shape and rate."""

    shape: float
    rate: float

    def update(self, used: Any, squares: Any) -> Any:
        """MacKay's update of the precision of `used` values with this sum of squares."""
        return (used + 2 * self.shape) / self._spread(squares)

    def gradient(self, precision: Any, used: Any, squares: Any) -> Any:
        """The derivative of the log evidence by the logarithm of the precision; zero where `update` changes nothing."""
        return (used + 2 * self.shape - precision * self._spread(squares)) / 2

    def log_density(self, precision: Any) -> Any:
        """Log density up to a constant."""
        return self.shape * np.log(precision) - self.rate * precision

    def _spread(self, squares: Any) -> Any:
        return np.maximum(squares + 2 * self.rate, TINY)


def target_variance(data: Data) -> float:
    """Weighted variance of the target."""
    y = data.y.astype(np.float64)
    mean = np.average(y, weights=data.weight)
    return float(np.average((y - mean) ** 2, weights=data.weight))


def progress(state: dict[str, Any], objective: float, tol: float, **more: float) -> Progress:
    """Converged when the gradient of the log evidence is small, and the last update changed the coefficients little.

    In sum these may move by `tol`, or by `tol` of their size if they are small; or by rounding.
    """
    tolerance, size, change = tolerance_of(tol), state["size"], state["change"]
    settled = max(tol * min(1.0, size), 1e-14 * size)
    unsettled = tolerance * change / settled if settled > 0 else change
    more |= {"gradient": state["gradient"], "change": change}
    return Progress(objective, max(state["gradient"], unsettled), tolerance, more)


def tolerance_of(tol: float) -> float:
    """The length of the gradient, per row, that ends a fit."""
    return max(tol, MIN_GRADIENT)


def certify(trace: Trace, gradient: float, tol: float) -> None:
    """Certify the gradient of the log evidence."""
    trace.certify(
        "gradient norm", gradient, tolerance_of(tol),
        "the gradient of the log evidence, by the logarithms of the precisions of the noise and of the weights "
        "that are left, has this length per row.",
    )  # fmt: skip


class EvidenceFit(NamedTuple):
    """The result in prepared units: precisions of noise and weights, mean and covariance of the weights.

    Then the gradient norm of the log evidence, and its value if it was computed.
    """

    noise: float
    precision: Any
    coef: Array
    sigma: Array
    gradient: float
    score: list[float]


class EvidenceMaximisation(Method, Protocol):
    """Updates of the precisions as a method of `iterate`, in its own `units`."""

    @property
    def units(self) -> Units:
        """The scale of the prepared data."""

    def found(self, state: State) -> EvidenceFit:
        """The weights and precisions of the last state."""


def keep(model: Any, data: Data, units: Units, found: EvidenceFit) -> None:
    """Set what was learned, in the units of the data."""
    dtype, ratio = data.X.dtype, units.scale_x / units.scale_y
    with np.errstate(over="ignore", under="ignore"):
        precision = np.clip(found.precision / ratio / ratio, 0, HUGE)
        model.sigma_ = np.clip(found.sigma * ratio * ratio, -HUGE, HUGE).astype(dtype)
    model.alpha_ = found.noise * units.scale_y**2
    model.lambda_ = precision.astype(dtype) if precision.ndim else float(precision)
    model.coef_ = units.coefficients(found.coef).astype(dtype)
    model.intercept_ = units.intercepts(found.coef[None]).astype(dtype)[0]
    model.X_offset_ = (units.mean_x / units.scale_x).astype(dtype)
    model.X_scale_ = np.ones(data.p, dtype=dtype)


def check_squares(model: Any, data: Data) -> None:
    """Refuse data whose variances or precisions overflow."""
    for name, values in (("X", data.X), ("y", data.y)):
        largest = scaling.largest_entry(values)
        if largest > MAX_ABSOLUTE or 0 < largest < 1 / MAX_ABSOLUTE:
            raise DataError(
                f"{type(model).__name__}: the largest entry of {name} is {largest:.3g} in size, whose square is beyond "
                f"the range of floating-point numbers; bring it between {1 / MAX_ABSOLUTE:g} and {MAX_ABSOLUTE:g}"
            )
