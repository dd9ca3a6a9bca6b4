"""Derivatives by differences, to check formulas: gradients, and matrices of derivatives in either layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ..core.numeric import EPSILON
from ..core.validate.features import Array

STEP = EPSILON**0.2  # balances rounding and the error of the extrapolated difference


def numeric_gradient(f: Callable[[Array], float], x: Array) -> Array:
    """The gradient of a function of a vector (or matrix) that returns a number, in the shape of `x`.

    Central differences at two step lengths, combined so that errors of third order cancel. [Richardson, 1911]

    >>> numeric_gradient(lambda w: float(w @ w), np.array([1.0, 2.0])).round(6)
    array([2., 4.])
    """
    x = np.asarray(x, dtype=np.float64)
    return numeric_derivative(lambda w: np.atleast_1d(f(w)), x, "numerator").reshape(x.shape)


def numeric_derivative(
    f: Callable[[Array], Array], x: Array, layout: Literal["denominator", "numerator"] = "denominator"
) -> Array:
    """All derivatives of the entries of f(x) by those of x: D[i, j] = df_j / dx_i in denominator layout.

    In numerator layout it is the transpose: d(X'w)/dw is X in the one and X' in the other.

    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> numeric_derivative(lambda w: X.T @ w, np.ones(3)).round(6).tolist()
    [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    """
    x = np.asarray(x, dtype=np.float64)
    by_entry = np.array([_derivative(f, x, place) for place in range(x.size)])
    return by_entry if layout == "denominator" else by_entry.T


def _derivative(f: Callable[[Array], Array], x: Array, place: int) -> Array:
    """The derivative of all entries of f by one entry of x."""
    step = STEP * max(1.0, abs(float(x.flat[place])))
    short, long = (_difference(f, x, place, length) for length in (step, 2 * step))
    return (4 * short - long) / 3


def _difference(f: Callable[[Array], Array], x: Array, place: int, step: float) -> Array:
    ahead, behind = x.copy(), x.copy()
    ahead.flat[place] += step
    behind.flat[place] -= step
    width = float(ahead.flat[place] - behind.flat[place])
    return np.asarray((np.ravel(f(ahead)) - np.ravel(f(behind))) / width)


def is_linear(f: Callable[[Array], Array | float], size: int, trials: int = 20, tolerance: float = 1e-9) -> bool:
    """Whether f is linear on vectors of `size` numbers: f(a x) = a f(x) and f(x + z) = f(x) + f(z), at random points.

    An affine function with an offset is not linear in this sense.

    >>> is_linear(lambda x: 3 * x, 2), is_linear(lambda x: 3 * x + 1, 2)
    (True, False)
    """
    rng = np.random.default_rng(0)
    for _ in range(trials):
        x, z, a = rng.normal(size=size), rng.normal(size=size), rng.normal() * 10
        of_x, of_z = np.asarray(f(x)), np.asarray(f(z))
        scale = 1 + np.abs(of_x).max() + np.abs(of_z).max()
        homogeneous = np.abs(np.asarray(f(a * x)) - a * of_x).max() <= tolerance * scale * (1 + abs(a))
        additive = np.abs(np.asarray(f(x + z)) - of_x - of_z).max() <= tolerance * scale
        if not (homogeneous and additive):
            return False
    return True
