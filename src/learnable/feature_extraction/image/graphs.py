"""Neighbouring pixels as a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...core.declare.checked_functions import DataType, Rows, checked, limits


@checked()
def img_to_graph(
    img: Rows, *, mask: Rows | None = None, return_as: Callable[..., Any] | None = None, dtype: DataType | None = None
) -> Any:
    """The graph of neighbouring pixels, weighted by how much they differ.

    G[i, j] = |pixel i - pixel j| if they touch,   G[i, i] = pixel i

    img has two or three axes. mask keeps some pixels only. return_as is a sparse class or numpy.ndarray, by default a
    COO matrix.

    >>> img_to_graph([[0, 0], [0, 1]]).toarray()
    array([[0, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 1],
           [0, 1, 1, 1]])
    """
    image = np.atleast_3d(img)
    if image.dtype.kind not in "biuf":
        raise DataError(f"img_to_graph: img must hold numbers; got {image.dtype}")
    edges = _edges(image.shape)
    values = image.ravel()
    kind = image.dtype if dtype is None else dtype
    return _graph(edges, np.abs(values[edges[0]] - values[edges[1]]), values, mask, return_as, kind)


@checked(n_x=limits(at_least=1), n_y=limits(at_least=1), n_z=limits(at_least=1))
def grid_to_graph(
    n_x: int,
    n_y: int,
    n_z: int = 1,
    *,
    mask: Rows | None = None,
    return_as: Callable[..., Any] | None = None,
    dtype: DataType = int,
) -> Any:
    """The graph of neighbouring points of a grid:   G[i, j] = 1 if they touch or are the same.

    mask keeps some points only. return_as is a sparse class or numpy.ndarray, by default a COO matrix.

    >>> grid_to_graph(1, 3).toarray()
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    edges = _edges((n_x, n_y, n_z))
    return _graph(edges, np.ones(edges.shape[1]), np.ones(n_x * n_y * n_z), mask, return_as, dtype)


def _edges(shape: tuple[int, ...]) -> Array:
    """Pairs of neighbours along each axis, as two rows of numbers."""
    points = np.arange(np.prod(shape)).reshape(shape)
    along = [(points[:, :, :-1], points[:, :, 1:]), (points[:, :-1], points[:, 1:]), (points[:-1], points[1:])]
    return np.concatenate([np.stack([first.ravel(), second.ravel()]) for first, second in along], axis=1)


def _graph(edges: Array, weight: Array, diagonal: Array, mask: Any, return_as: Any, dtype: Any) -> Any:
    from scipy.sparse import coo_matrix

    if mask is not None:
        kept = np.asarray(mask, dtype=bool).ravel()
        if kept.shape != diagonal.shape:
            raise DataError(f"mask must have an entry for each of {len(diagonal)} points; it has {len(kept)}")
        inside = kept[edges].all(axis=0)
        edges, weight, diagonal = (np.cumsum(kept) - 1)[edges[:, inside]], weight[inside], diagonal[kept]
    own = np.arange(len(diagonal))
    rows, columns = np.concatenate([edges[0], edges[1], own]), np.concatenate([edges[1], edges[0], own])
    values = np.concatenate([weight, weight, diagonal])
    graph = coo_matrix((values, (rows, columns)), shape=(len(own), len(own)), dtype=dtype)
    if return_as is np.ndarray:
        return graph.toarray()
    return graph if return_as is None else return_as(graph)
