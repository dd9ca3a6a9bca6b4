"""Power transforms of a column towards normality, and the likelihood of their power (Box and Cox; Yeo and Johnson)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.validate.features import Array

MAX_POWER = 1000.0  # no sample that is not constant up to rounding asks for such a power
ZERO_POWER = 1e-12  # powers nearer to zero than that are the logarithm


def box_cox(x: Array, power: float) -> Array:
    """(x^power - 1) / power, and log x for power zero.

    >>> box_cox(np.array([1.0, 4.0]), 0.5)
    array([0., 2.])
    """
    return np.log(x) if abs(power) < ZERO_POWER else np.asarray(np.expm1(power * np.log(x)) / power)


def box_cox_back(z: Array, power: float) -> Array:
    """The x of which `box_cox` gave z; NaN where there is none."""
    if abs(power) < ZERO_POWER:
        return np.exp(z)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.exp(np.log1p(power * z) / power))


def yeo_johnson(x: Array, power: float) -> Array:
    """Box and Cox's transform of 1 + x for x >= 0, and its mirror image with power 2 - power below.

    >>> yeo_johnson(np.array([-3.0, 0.0, 3.0]), 1.0)
    array([-3.,  0.,  3.])
    """
    result = np.empty(x.shape, dtype=np.float64)
    below = x < 0
    above = ~below
    result[above] = _transformed(np.log1p(x[above]), power)
    result[below] = -_transformed(np.log1p(-x[below]), 2 - power)
    return result


def _transformed(logarithm: Array, power: float) -> Array:
    return logarithm if abs(power) < ZERO_POWER else np.asarray(np.expm1(power * logarithm) / power)


def yeo_johnson_back(z: Array, power: float) -> Array:
    """The x of which `yeo_johnson` gave z; NaN where there is none."""
    result = np.empty(z.shape, dtype=np.float64)
    below = z < 0
    above = ~below
    with np.errstate(invalid="ignore"):
        result[above] = np.expm1(_straight(z[above], power))
        result[below] = -np.expm1(_straight(-z[below], 2 - power))
    return result


def _straight(transformed: Array, power: float) -> Array:
    return transformed if abs(power) < ZERO_POWER else np.asarray(np.log1p(power * transformed) / power)


def _derivative(logarithm: Array, power: float) -> Array:
    """The derivative of `_transformed` with respect to the power."""
    transformed, angle = _transformed(logarithm, power), power * logarithm
    near = np.abs(angle) < 1e-3  # there the difference below would lose its digits
    far = (logarithm * (power * transformed + 1) - transformed) / (power if power else 1.0)
    series = logarithm**2 * (1 / 2 + angle * (1 / 3 + angle * (1 / 8 + angle / 30)))
    return np.where(near, series, far)


def box_cox_score(x: Array, weight: Array, power: float) -> tuple[float, float]:
    """Log-likelihood of the power for positive x, up to a constant, and its derivative.

    The transformed values are modelled as normal with unknown mean and variance.
    """
    logarithm = np.log(x)
    centred = (
        logarithm - logarithm.max() if power > 0 else logarithm - logarithm.min()
    )  # a unit in which none overflows
    shift = float((logarithm - centred)[0])
    value, derivative = _score(_transformed(centred, power), _derivative(centred, power), weight)
    jacobian = float(weight @ logarithm) - weight.sum() * shift
    return value + (power - 1) * jacobian, derivative + jacobian


def yeo_johnson_score(x: Array, weight: Array, power: float) -> tuple[float, float]:
    """Log-likelihood of the power, up to a constant, and its derivative."""
    logarithm, below = np.log1p(np.abs(x)), x < 0
    derivative = np.empty(x.shape)
    derivative[~below] = _derivative(logarithm[~below], power)
    derivative[below] = _derivative(logarithm[below], 2 - power)
    jacobian = float(weight @ (np.sign(x) * logarithm))
    value, change = _score(yeo_johnson(x, power), derivative, weight)
    return value + (power - 1) * jacobian, change + jacobian


def _score(values: Array, derivatives: Array, weight: Array) -> tuple[float, float]:
    """-n/2 log variance of the values, and its derivative by that of the values."""
    size, total = float(np.abs(values).max()), weight.sum()
    if not 0 < size < np.inf:
        return -np.inf, np.nan
    values, derivatives = values / size, derivatives / size
    values = values - float(weight @ values) / total
    variance = float(weight @ values**2) / total
    if variance <= 0:
        return -np.inf, np.nan
    return -total * (0.5 * np.log(variance) + np.log(size)), -float(weight @ (values * derivatives)) / variance


def best_power(score: Callable[[float], tuple[float, float]]) -> float:
    """The power of the largest likelihood: the best of a grid, then the zero of the derivative.

    The likelihood of both families is unimodal, so that the sign of the derivative brackets the maximum.
    """
    from scipy.optimize import brentq

    def derivative(power: float) -> float:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return score(float(power))[1]

    low, high, step = 0.0, 2.0, 2.0
    while derivative(low) < 0 and step < MAX_POWER:
        low, high, step = low - step, low, 2 * step
    while derivative(high) > 0 and step < MAX_POWER:
        low, high, step = high, high + step, 2 * step
    if not derivative(low) >= 0 >= derivative(high):
        return 1.0
    return float(brentq(derivative, low, high, xtol=1e-13, rtol=1e-14))
