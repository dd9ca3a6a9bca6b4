"""Linear regression problems with known coefficients."""

from __future__ import annotations

import numpy as np

from ..core.declare.checked_functions import limits
from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating()
def make_regression(
    n_samples: int = 100,
    n_features: int = 100,
    *,
    n_informative: int = 10,
    n_targets: int = 1,
    bias: float = 0.0,
    effective_rank: int | None = None,
    tail_strength: float = 0.5,
    noise: float = 0.0,
    shuffle: bool = True,
    coef: bool = False,
    random_state: RandomState = None,
) -> tuple[Array, ...]:
    """X, y and with coef=True the weights w of   y = Xw + bias + noise * normal.

    n_informative weights are uniform in [0, 100], the others are 0. Columns are independent normals, or with
    effective_rank a matrix of about that rank (make_low_rank_matrix). shuffle permutes rows and columns.
    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y, w = make_regression(5, 3, n_informative=1, coef=True, random_state=0)
    >>> X.shape, int((w != 0).sum()), bool(np.allclose(X @ w, y))
    ((5, 3), 1, True)
    """
    draws = stream(random_state)
    if effective_rank is None:
        X = draws.standard_normal((n_samples, n_features))
    else:
        X = make_low_rank_matrix(
            n_samples,
            n_features,
            effective_rank=effective_rank,
            tail_strength=tail_strength,
            random_state=draws,
        )
    informative = min(n_informative, n_features)
    w = np.zeros((n_features, n_targets))
    w[:informative] = 100 * draws.uniform(size=(informative, n_targets))
    y = X @ w + bias
    if noise > 0:
        y += draws.normal(scale=noise, size=y.shape)
    if shuffle:
        rows, columns = np.arange(n_samples), np.arange(n_features)
        draws.shuffle(rows)
        draws.shuffle(columns)
        X, y, w = X[np.ix_(rows, columns)], y[rows], w[columns]
    return (X, np.squeeze(y), np.squeeze(w)) if coef else (X, np.squeeze(y))


@generating()
def make_low_rank_matrix(
    n_samples: int = 100,
    n_features: int = 100,
    *,
    effective_rank: int = 10,
    tail_strength: float = 0.5,
    random_state: RandomState = None,
) -> Array:
    """Low-rank matrix whose singular values have a bell-shaped profile of width effective_rank plus a heavy tail.

    value i = 0, 1, ...   (1 - t) exp(-u^2) + t exp(-u / 10),   u = i / effective_rank,   t = tail_strength

    >>> make_low_rank_matrix(20, 5, effective_rank=2, random_state=0).shape
    (20, 5)
    """
    draws = stream(random_state)
    n = min(n_samples, n_features)
    U, _ = np.linalg.qr(draws.standard_normal((n_samples, n)))
    V, _ = np.linalg.qr(draws.standard_normal((n_features, n)))
    order = np.arange(n) / effective_rank
    values = (1 - tail_strength) * np.exp(-(order**2)) + tail_strength * np.exp(-0.1 * order)
    product: Array = (U * values) @ V.T
    return product


@generating(n_features=limits(at_least=4))
def make_sparse_uncorrelated(
    n_samples: int = 100, n_features: int = 10, *, random_state: RandomState = None
) -> tuple[Array, Array]:
    """X of independent standard normals and   y = x1 + 2 x2 - 2 x3 - 1.5 x4 + normal   (other columns idle).

    [Celeux, El Anbari, Marin and Robert, 2009]

    >>> X, y = make_sparse_uncorrelated(random_state=0)
    >>> X.shape, y.shape
    ((100, 10), (100,))
    """
    draws = stream(random_state)
    X = draws.normal(size=(n_samples, n_features))
    mean = X[:, 0] + 2 * X[:, 1] - 2 * X[:, 2] - 1.5 * X[:, 3]
    return X, draws.normal(loc=mean)
