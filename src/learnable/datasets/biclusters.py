"""Matrices with blocks of rows and columns that belong together."""

from __future__ import annotations

import numpy as np

from ..core.runtime.random import RandomState, stream
from ._argument_rules import generating

Array = np.ndarray


@generating()
def make_biclusters(
    shape: tuple[int, int],
    n_clusters: int,
    *,
    noise: float = 0.0,
    minval: float = 10,
    maxval: float = 100,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    """A matrix of constant blocks along its diagonal, shuffled, and which rows and columns each block has.

    A[i, j] = level of block k if row i and column j belong to k, else 0; plus noise * normal.
    The same seed gives the same data as scikit-learn's function of this name. [Dhillon, 2001]

    >>> A, rows, columns = make_biclusters((6, 4), 2, random_state=0)
    >>> A.shape, rows.shape, columns.shape
    ((6, 4), (2, 6), (2, 4))
    """
    draws = stream(random_state)
    level = draws.uniform(minval, maxval, n_clusters)
    row, column = (_labels(size, n_clusters, draws) for size in shape)
    A = np.where(row[:, None] == column, level[row][:, None], 0.0)
    A, row, column = _finished(A, row, column, noise, shuffle, draws, random_state)
    blocks = np.arange(n_clusters)[:, None]
    return A, row == blocks, column == blocks


@generating()
def make_checkerboard(
    shape: tuple[int, int],
    n_clusters: int | tuple[int, int],
    *,
    noise: float = 0.0,
    minval: float = 10,
    maxval: float = 100,
    shuffle: bool = True,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    """A matrix of constant blocks like a checkerboard, shuffled, and which rows and columns each block has.

    A[i, j] = level[group of row i, group of column j] + noise * normal.
    The same seed gives the same data as scikit-learn's function of this name. [Kluger et al., 2003]

    >>> A, rows, columns = make_checkerboard((6, 4), (3, 2), random_state=0)
    >>> A.shape, rows.shape, columns.shape
    ((6, 4), (6, 6), (6, 4))
    """
    draws = stream(random_state)
    down, across = (n_clusters, n_clusters) if isinstance(n_clusters, int) else n_clusters
    row, column = (_labels(size, groups, draws) for size, groups in zip(shape, (down, across), strict=True))
    level = draws.uniform(minval, maxval, (down, across))
    A = level[np.ix_(row, column)]
    A, row, column = _finished(A, row, column, noise, shuffle, draws, random_state)
    return A, row == np.repeat(np.arange(down), across)[:, None], column == np.tile(np.arange(across), down)[:, None]


def _labels(size: int, groups: int, draws: np.random.RandomState) -> Array:
    return np.repeat(np.arange(groups), draws.multinomial(size, np.repeat(1.0 / groups, groups)))


def _finished(
    A: Array, row: Array, column: Array, noise: float, shuffle: bool, draws: np.random.RandomState, seed: RandomState
) -> tuple[Array, Array, Array]:
    """Noise added, rows and columns shuffled; the order is drawn from the seed again, as scikit-learn does."""
    if noise > 0:
        A = A + draws.normal(scale=noise, size=A.shape)
    if shuffle:
        again = stream(seed)
        rows, columns = again.permutation(A.shape[0]), again.permutation(A.shape[1])
        A, row, column = A[np.ix_(rows, columns)], row[rows], column[columns]
    return A, row, column
