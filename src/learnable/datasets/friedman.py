"""Friedman's three nonlinear regression problems."""

from __future__ import annotations

import numpy as np

from ..core.declare.checked_functions import limits
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating(n_features=limits(at_least=5))
def make_friedman1(
    n_samples: int = 100, n_features: int = 10, *, noise: float = 0.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise * normal,   columns uniform in [0, 1].

    Columns beyond the fifth are idle. [Friedman, 1991]

    >>> X, y = make_friedman1(random_state=0)
    >>> X.shape, y.shape
    ((100, 10), (100,))
    """
    draws = stream(random_state)
    X = draws.uniform(size=(n_samples, n_features))
    x1, x2, x3, x4, x5 = X.T[:5]
    y = 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5
    return X, y + noise * draws.standard_normal(n_samples)


@generating()
def make_friedman2(
    n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """y = sqrt(x1^2 + (x2 x3 - 1 / (x2 x4))^2) + noise * normal: the impedance of a circuit.

    Uniform columns: x1 in [0, 100], x2 in [40 pi, 560 pi], x3 in [0, 1], x4 in [1, 11]. [Friedman, 1991]

    >>> X, y = make_friedman2(random_state=0)
    >>> X.shape, y.shape
    ((100, 4), (100,))
    """
    draws = stream(random_state)
    X = _circuit(draws, n_samples)
    x1, x2, x3, x4 = X.T
    y = np.sqrt(x1**2 + (x2 * x3 - 1 / (x2 * x4)) ** 2)
    return X, y + noise * draws.standard_normal(n_samples)


@generating()
def make_friedman3(
    n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """y = arctan((x2 x3 - 1 / (x2 x4)) / x1) + noise * normal: the phase of that circuit.

    The columns are those of make_friedman2. [Friedman, 1991]

    >>> X, y = make_friedman3(random_state=0)
    >>> X.shape, y.shape
    ((100, 4), (100,))
    """
    draws = stream(random_state)
    X = _circuit(draws, n_samples)
    x1, x2, x3, x4 = X.T
    y = np.arctan((x2 * x3 - 1 / (x2 * x4)) / x1)
    return X, y + noise * draws.standard_normal(n_samples)


def _circuit(draws: np.random.RandomState, n: int) -> Array:
    return draws.uniform(size=(n, 4)) * [100, 520 * np.pi, 1, 10] + [0, 40 * np.pi, 0, 1]
