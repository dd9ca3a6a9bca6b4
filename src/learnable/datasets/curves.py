"""Regression problems of one or two columns, as textbooks draw them."""

from __future__ import annotations

import numpy as np

from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating()
def make_cubic(
    n_samples: int = 50, *, coef: tuple[float, float, float, float] = (1.0, -2.0, 0.0, 1.0), noise: float = 1.0,
    low: float = -2.0, high: float = 2.0, random_state: RandomState = None,
) -> tuple[Array, Array]:  # fmt: skip
    """y = c0 + c1 x + c2 x^2 + c3 x^3 + noise * normal,   x uniform in [low, high], in order.

    >>> X, y = make_cubic(5, noise=0.0, random_state=0)
    >>> bool(np.allclose(y, 1 - 2 * X[:, 0] + X[:, 0] ** 3))
    True
    """
    draws = stream(random_state)
    x = np.sort(draws.uniform(low, high, n_samples))
    y = np.polynomial.polynomial.polyval(x, coef) + noise * draws.standard_normal(n_samples)
    return x[:, None], y


@generating()
def make_quadratic_surface(
    n_samples: int = 200, *, noise: float = 0.5, low: float = -2.0, high: float = 2.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """y = 1 + 2 x1 - x2 + x1^2 - x1 x2 + x2^2 / 2 + noise * normal,   x1 and x2 uniform in [low, high].

    >>> X, y = make_quadratic_surface(random_state=0)
    >>> X.shape, y.shape
    ((200, 2), (200,))
    """
    draws = stream(random_state)
    X = draws.uniform(low, high, (n_samples, 2))
    a, b = X.T
    return X, 1 + 2 * a - b + a**2 - a * b + b**2 / 2 + noise * draws.standard_normal(n_samples)


@generating()
def make_cosine_with_outliers(
    n_samples: int = 100,
    *,
    noise: float = 0.1,
    outliers: float = 0.1,
    size: float = 5.0,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    """y = cos(2x) + noise * normal, a share of the targets moved up by size;   x uniform in [0, 2 pi], in order.

    Returns X, y and a mask of the rows that were moved.

    >>> X, y, moved = make_cosine_with_outliers(random_state=0)
    >>> int(moved.sum()), bool(abs(y[~moved]).max() < 2 < y[moved].min())
    (10, True)
    """
    draws = stream(random_state)
    x = np.sort(draws.uniform(0, 2 * np.pi, n_samples))
    moved = draws.permutation(n_samples) < round(outliers * n_samples)
    return x[:, None], np.cos(2 * x) + noise * draws.standard_normal(n_samples) + size * moved, moved
