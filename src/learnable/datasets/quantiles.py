"""Classes that are shells around a centre."""

from __future__ import annotations

import numpy as np

from ..core.declare.checked_functions import numbers
from ..core.errors import ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating
from ._generators import shuffled

Array = np.ndarray


@generating()
def make_gaussian_quantiles(
    *,
    mean: Array | None = None,
    cov: float = 1.0,
    n_samples: int = 100,
    n_features: int = 2,
    n_classes: int = 3,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[Array, Array]:
    """Gaussian quantiles: one normal distribution cut into nested shells with equally many points, a class each.

    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y = make_gaussian_quantiles(n_samples=9, random_state=0)
    >>> np.bincount(y).tolist()
    [3, 3, 3]
    """
    if n_samples < n_classes:
        raise ParameterError(f"make_gaussian_quantiles: n_samples must be at least n_classes; got {n_samples}")
    draws = stream(random_state)
    centre = np.zeros(n_features) if mean is None else numbers("make_gaussian_quantiles", "mean", mean, n_features)
    X = draws.multivariate_normal(centre, cov * np.identity(n_features), (n_samples,))
    X = X[np.argsort(((X - centre) ** 2).sum(axis=1))]
    y = np.minimum(np.arange(n_samples) // (n_samples // n_classes), n_classes - 1)
    return tuple(shuffled(draws, X, y)) if shuffle else (X, y)  # type: ignore[return-value]  # two of them


@generating()
def make_hastie_10_2(n_samples: int = 12000, *, random_state: RandomState = None) -> tuple[Array, Array]:
    """Ten independent normals and   y = 1 if the sum of their squares is above 9.34, else -1.

    9.34 is about the median, so the classes are equally frequent. [Hastie, Tibshirani and Friedman, 2009, eq. 10.2]

    >>> X, y = make_hastie_10_2(1000, random_state=0)
    >>> X.shape, bool(450 < (y == 1).sum() < 550)
    ((1000, 10), True)
    """
    X = stream(random_state).normal(size=(n_samples, 10))
    return X, np.where((X**2).sum(axis=1) > 9.34, 1.0, -1.0)
