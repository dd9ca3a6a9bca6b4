"""Classes whose clusters sit on the corners of a cube."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.declare.checked_functions import numbers
from ..core.errors import ParameterError
from ..core.runtime.random import RandomState, stream
from ._argument_rules import count, generating
from ._generators import shuffled
from .bunch import Bunch

Array = np.ndarray


@generating(n_informative=count)
def make_classification(
    n_samples: int = 100,
    n_features: int = 20,
    *,
    n_informative: int = 2,
    n_redundant: int = 2,
    n_repeated: int = 0,
    n_classes: int = 2,
    n_clusters_per_class: int = 2,
    weights: Sequence[float] | None = None,
    flip_y: float = 0.01,
    class_sep: float = 1.0,
    hypercube: bool = True,
    shift: float | Array | None = 0.0,
    scale: float | Array | None = 1.0,
    shuffle: bool = True,
    random_state: RandomState = None,
    return_X_y: bool = True,
) -> Any:
    """Normal clusters at the corners of a hypercube as classes:   x = corner * class_sep + A_cluster * normal.

    That is for n_informative columns; n_redundant are mixtures of them, n_repeated copies of columns, the rest noise.
    weights are the class proportions, flip_y the fraction of labels drawn at random. shift and scale change the columns
    (None: at random). With return_X_y=False a Bunch says which column is which. [Guyon, 2003]
    The same seed gives the same data as scikit-learn's function of this name.

    >>> X, y = make_classification(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((100, 20), [50, 50])
    """
    given = dict(locals())
    draws = stream(random_state)
    noise = n_features - n_informative - n_redundant - n_repeated
    clusters = n_classes * n_clusters_per_class
    _check(noise, n_informative, n_classes, n_clusters_per_class)
    sizes = _sizes(n_samples, _shares(weights, n_classes), n_clusters_per_class)
    corners = class_sep * (2.0 * _corners(clusters, n_informative, draws) - 1)
    if not hypercube:
        corners *= draws.uniform(size=(clusters, 1))
        corners *= draws.uniform(size=(1, n_informative))
    X, y = np.zeros((n_samples, n_features)), np.repeat(np.arange(clusters) % n_classes, sizes)
    X[:, :n_informative] = _clusters(corners, sizes, draws)
    _fill_dependent(X, n_informative, n_redundant, n_repeated, draws)
    if noise > 0:
        X[:, -noise:] = draws.standard_normal((n_samples, noise))
    if flip_y >= 0:
        flipped = draws.uniform(size=n_samples) < flip_y
        y[flipped] = draws.randint(n_classes, size=flipped.sum())
    X += (2 * draws.uniform(size=n_features) - 1) * class_sep if shift is None else _of_columns("shift", shift, X)
    X *= 1 + 100 * draws.uniform(size=n_features) if scale is None else _of_columns("scale", scale, X)
    columns = np.arange(n_features)
    if shuffle:
        X, y = shuffled(draws, X, y)
        draws.shuffle(columns)
        X = np.take(X, columns, axis=1)  # row by row in memory
    if return_X_y:
        return X, y
    kinds = np.repeat(
        ["informative", "redundant", "repeated", "random"], [n_informative, n_redundant, n_repeated, noise]
    )
    return Bunch(DESCR=make_classification.__doc__, parameters=given, feature_info=kinds[columns].tolist(), X=X, y=y)


def _check(noise: int, informative: int, classes: int, clusters: int) -> None:
    if noise < 0:
        raise ParameterError(
            "make_classification: n_informative + n_redundant + n_repeated is more than n_features; ask for more "
            "columns"
        )
    if classes * clusters > 2**informative:
        raise ParameterError(
            f"make_classification: n_classes({classes}) * n_clusters_per_class({clusters}) must be smaller or equal "
            f"2**n_informative({informative})={2**informative}"
        )


def _of_columns(name: str, given: Any, X: Array) -> Any:
    """A number, or one for each column."""
    return given if np.isscalar(given) else numbers("make_classification", name, given, X.shape[1])


def _shares(weights: Sequence[float] | None, classes: int) -> list[float]:
    """The share of each class; the last is what remains if it is not given."""
    if weights is None:
        return [1.0 / classes] * classes
    if len(weights) not in (classes, classes - 1):
        raise ParameterError(
            f"make_classification: weights holds {len(weights)} proportions for {classes} classes; give one for each, "
            "or for all but the last"
        )
    return [*weights, 1.0 - sum(weights)][:classes]


def _sizes(samples: int, shares: list[float], clusters_per_class: int) -> list[int]:
    clusters = len(shares) * clusters_per_class
    sizes = [int(samples * shares[k % len(shares)] / clusters_per_class) for k in range(clusters)]
    for k in range(samples - sum(sizes)):
        sizes[k % clusters] += 1
    return sizes


def _clusters(corners: Array, sizes: list[int], draws: np.random.RandomState) -> Array:
    """Normal points with a random covariance around each corner."""
    p = corners.shape[1]
    points = np.split(draws.standard_normal((sum(sizes), p)), np.cumsum(sizes)[:-1])
    mixed = [part @ (2 * draws.uniform(size=(p, p)) - 1) for part in points]
    return np.concatenate([part + corner for part, corner in zip(mixed, corners, strict=True)])


def _fill_dependent(X: Array, informative: int, redundant: int, repeated: int, draws: np.random.RandomState) -> None:
    known = informative + redundant
    if redundant:
        X[:, informative:known] = X[:, :informative] @ (2 * draws.uniform(size=(informative, redundant)) - 1)
    if repeated:
        copied = ((known - 1) * draws.uniform(size=repeated) + 0.5).astype(np.intp)
        X[:, known : known + repeated] = X[:, copied]


def _corners(count: int, dimensions: int, draws: np.random.RandomState) -> Array:
    """Different corners of the unit cube; beyond 30 dimensions only the last 30 coordinates make them different."""
    if dimensions > 30:
        free = draws.randint(2, size=(count, dimensions - 30))
        return np.hstack([free, _corners(count, 30, draws)])
    numbers = _without_replacement(2**dimensions, count, draws)
    return (numbers[:, None] >> np.arange(dimensions - 1, -1, -1)) & 1


def _without_replacement(population: int, count: int, draws: np.random.RandomState) -> Array:
    """Different whole numbers below `population`, by the rule that scikit-learn follows."""
    if 0.01 < count / population < 0.99:
        return draws.permutation(population)[:count]
    if count / population <= 0.01:
        seen: dict[int, None] = {}
        while len(seen) < count:
            seen[int(draws.randint(population))] = None
        return np.array(list(seen), dtype=np.int64)
    chosen = np.arange(count)
    for number in range(count, population):
        place = draws.randint(0, number + 1)
        if place < count:
            chosen[place] = number
    return chosen
