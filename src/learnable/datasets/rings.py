"""Groups in the plane that no straight line separates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.declare.checked_functions import limits
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating
from ._generators import shuffled, two_sizes

Array = np.ndarray


@generating(factor=limits(at_least=0, below=1))
def make_circles(
    n_samples: int | Sequence[int] = 100,
    *,
    shuffle: bool = True,
    noise: float | None = None,
    random_state: RandomState = None,
    factor: float = 0.8,
) -> tuple[Array, Array]:
    """Two concentric circles:   x = r (cos t, sin t) + noise * normal,   r = 1 (y = 0) or factor (y = 1).

    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y = make_circles(10, factor=0.5, random_state=0)
    >>> sorted({(int(label), round(float(np.hypot(*x)), 6)) for x, label in zip(X, y)})
    [(0, 1.0), (1, 0.5)]
    """
    outer, inner = two_sizes("make_circles", n_samples)
    rings = [
        radius * _circle(np.linspace(0, 2 * np.pi, size, endpoint=False))
        for radius, size in ((1, outer), (factor, inner))
    ]
    return _noisy(np.concatenate(rings), outer, inner, shuffle, noise, stream(random_state))


@generating()
def make_moons(
    n_samples: int | Sequence[int] = 100,
    *,
    shuffle: bool = True,
    noise: float | None = None,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """Two interleaving half circles:   (cos t, sin t) and (1 - cos t, 1/2 - sin t),   0 <= t <= pi.

    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y = make_moons(4, shuffle=False)
    >>> X.round(6).tolist()
    [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [2.0, 0.5]]
    """
    outer, inner = two_sizes("make_moons", n_samples)
    upper = _circle(np.linspace(0, np.pi, outer))
    lower = 1 - _circle(np.linspace(0, np.pi, inner)) - [0, 0.5]
    return _noisy(np.concatenate([upper, lower]), outer, inner, shuffle, noise, stream(random_state))


@generating()
def make_xor(
    n_samples: int = 200, *, noise: float = 0.2, flip_y: float = 0.0, random_state: RandomState = None
) -> tuple[Array, Array]:
    """XOR data: four clusters at the corners of a square, opposite ones of one class.

    y = [x1 > 0] xor [x2 > 0] at the centres.

    x = (+-1, +-1) + noise * normal; a fraction flip_y of the labels is drawn at random. No line separates the classes.

    >>> X, y = make_xor(8, noise=0.0, random_state=0)
    >>> bool(((X[:, 0] > 0) != (X[:, 1] > 0))[y == 1].all())
    True
    """
    draws = stream(random_state)
    corner = np.arange(n_samples) % 4
    draws.shuffle(corner)
    high = np.column_stack([corner // 2, corner % 2])
    X = 2.0 * high - 1 + noise * draws.standard_normal((n_samples, 2))
    y = high[:, 0] ^ high[:, 1]
    flipped = draws.uniform(size=n_samples) < flip_y
    return X, np.where(flipped, draws.randint(2, size=n_samples), y)


def _circle(angle: Array) -> Array:
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _noisy(
    X: Array, first: int, second: int, shuffle: bool, noise: float | None, draws: np.random.RandomState
) -> tuple[Array, Array]:
    y = np.repeat(np.array([0, 1], dtype=np.intp), [first, second])
    if shuffle:
        X, y = shuffled(draws, X, y)
    if noise is not None:
        X = X + draws.normal(scale=noise, size=X.shape)
    return X, y
