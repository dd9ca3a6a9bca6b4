"""Undirected graphs of near rows: edges with lengths, shortest paths, connected components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.runtime.native import kernels
from ...core.validate.features import Array
from ..neighbours import Found, Within


@dataclass(frozen=True)
class Graph:
    """Edges by rows: those of row i lead to `index[start[i]:start[i + 1]]`, with these lengths or weights."""

    start: Array
    index: Array
    length: Array

    @property
    def rows(self) -> int:
        """The number of nodes."""
        return len(self.start) - 1

    @property
    def ends(self) -> Array:
        """The row at which each edge begins."""
        return np.repeat(np.arange(self.rows), np.diff(self.start))

    @staticmethod
    def of_matrix(W: Any) -> Graph:
        """The stored entries of a sparse matrix."""
        W = W.tocsr()
        return Graph(W.indptr.astype(np.int64), W.indices.astype(np.int64), W.data.astype(np.float64))

    def matrix(self) -> Any:
        """The edges as a sparse matrix; an edge of length zero is a stored zero."""
        from scipy.sparse import csr_array

        return csr_array((self.length, self.index, self.start), shape=(self.rows, self.rows))

    def scaled_to_one(self, by_row: bool = False) -> Graph:
        """The weights over the largest of all, or of each row."""
        largest = np.full(len(self.length), self.length.max(initial=0.0))
        if by_row and len(self.length):
            filled = np.flatnonzero(np.diff(self.start))
            top = np.maximum.reduceat(self.length, self.start[filled])
            largest = np.repeat(top, np.diff(self.start)[filled])
        return Graph(self.start, self.index, self.length / np.where(largest > 0, largest, 1.0))

    def undirected(self) -> Graph:
        """Every edge in both directions; of two between the same rows the shorter one.

        >>> Graph(np.array([0, 1, 1]), np.array([1]), np.array([2.0])).undirected().index.tolist()
        [1, 0]
        """
        return self.with_edges(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))

    def with_edges(self, one: Array, other: Array, length: Array) -> Graph:
        """The undirected graph with more edges."""
        ends = self.ends
        begin = np.concatenate([ends, self.index, one, other])
        end = np.concatenate([self.index, ends, other, one])
        value = np.concatenate([self.length, self.length, length, length])
        return _from_edges(begin, end, value, self.rows)

    def shortest_paths(self, sources: Array | None = None) -> Array:
        """Lengths of the shortest paths from each source, or from all rows, to all rows; infinite without a path.

        >>> line = Graph(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]), np.array([1.0, 1.0, 2.0, 2.0]))
        >>> line.shortest_paths(np.array([0])).tolist()
        [[0.0, 1.0, 3.0]]
        """
        chosen = np.arange(self.rows) if sources is None else np.asarray(sources, dtype=np.int64)
        found = np.empty((len(chosen), self.rows))
        kernels.shortest_paths(self.start, self.index, self.length, chosen, found)
        return found

    def components(self) -> Array:
        """The connected component of each row, numbered by their first rows."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        linked = csr_array((np.ones(len(self.index)), self.index, self.start), shape=(self.rows, self.rows))
        return np.asarray(connected_components(linked, directed=False)[1], dtype=np.int64)


def nearest_graph(found: Found) -> Graph:
    """The directed graph of the nearest rows of every row."""
    distances, rows = found
    count, k = rows.shape
    start = np.arange(count + 1, dtype=np.int64) * k
    return Graph(start, rows.ravel().astype(np.int64), distances.ravel().astype(np.float64))


def radius_graph(found: Within) -> Graph:
    """The graph of all rows within a radius of every row."""
    distances, rows, start = found
    return Graph(start.astype(np.int64), rows.astype(np.int64), distances.astype(np.float64))


def _from_edges(begin: Array, end: Array, value: Array, rows: int) -> Graph:
    """The graph of these edges, the shortest of several between the same rows."""
    order = np.lexsort((value, end, begin))
    begin, end, value = begin[order], end[order], value[order]
    first = np.ones(len(begin), dtype=bool)
    first[1:] = (begin[1:] != begin[:-1]) | (end[1:] != end[:-1])
    start = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(begin[first], minlength=rows), out=start[1:])
    return Graph(start, end[first].astype(np.int64), value[first])
