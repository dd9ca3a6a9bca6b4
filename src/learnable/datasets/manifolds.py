"""Rolled sheets in three dimensions."""

from __future__ import annotations

import numpy as np

from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating()
def make_s_curve(n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None) -> tuple[Array, Array]:
    """S-curve:   x = (sin t, u, sign(t) (cos t - 1)),   |t| <= 3 pi / 2,   0 <= u <= 2; and t.

    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, t = make_s_curve(random_state=0)
    >>> X.shape, t.shape
    ((100, 3), (100,))
    """
    draws = stream(random_state)
    t = 3 * np.pi * (draws.uniform(size=n_samples) - 0.5)
    X = np.column_stack([np.sin(t), 2.0 * draws.uniform(size=n_samples), np.sign(t) * (np.cos(t) - 1)])
    return X + noise * draws.standard_normal((3, n_samples)).T, t


@generating()
def make_swiss_roll(
    n_samples: int = 100, *, noise: float = 0.0, random_state: RandomState = None, hole: bool = False
) -> tuple[Array, Array]:
    """Swiss roll:   x = (t cos t, u, t sin t),   1.5 pi <= t <= 4.5 pi,   0 <= u <= 21; and t.

    With hole, the middle of the sheet is cut out. The same seed gives the same data as scikit-learn's function of this
    name. [Marsland, 2009]

    >>> X, t = make_swiss_roll(random_state=0)
    >>> bool(np.allclose(np.hypot(X[:, 0], X[:, 2]), t))
    True
    """
    draws = stream(random_state)
    if hole:
        cells = np.array([(np.pi * (1.5 + i), 7.0 * j) for i in range(3) for j in range(3) if (i, j) != (1, 1)])
        corner = cells[draws.choice(8, n_samples)].T
        t, u = corner + draws.uniform(size=(2, n_samples)) * [[np.pi], [7]]
    else:
        t = 1.5 * np.pi * (1 + 2 * draws.uniform(size=n_samples))
        u = 21 * draws.uniform(size=n_samples)
    X = np.stack([t * np.cos(t), u, t * np.sin(t)])
    return (X + noise * draws.standard_normal((3, n_samples))).T, t
