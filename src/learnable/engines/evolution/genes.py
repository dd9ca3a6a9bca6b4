"""Kinds of genes: bits, whole numbers, real numbers, permutations, and mixtures of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...core import Array, ParameterError
from ...core.validate.sparse_input import ChecksSparse
from .row_draws import RowDraws


def _count(owner: str, n: Any) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ParameterError(f"{owner}: n must be a whole number of at least 1; got {n!r:.40}")


def _bounds(owner: str, low: Any, high: Any, n: int) -> tuple[Array, Array]:
    """Bounds of every gene as two rows of numbers."""
    try:
        least, most = (np.broadcast_to(np.asarray(bound, dtype=np.float64), (n,)).copy() for bound in (low, high))
    except (TypeError, ValueError):
        raise ParameterError(
            f"{owner}: low and high must be numbers, or {n} numbers each; got {low!r:.40} and {high!r:.40}"
        ) from None
    if not (np.isfinite(least).all() and np.isfinite(most).all() and (least <= most).all()):
        raise ParameterError(f"{owner}: low must not exceed high, and both be finite; got {low!r:.40}, {high!r:.40}")
    return least, most


@dataclass(frozen=True, eq=False)
class Bits(ChecksSparse):
    """Genes that are 0 or 1: a bit string of length `n`.

    >>> Bits(3).decoded(np.array([[0.0, 1.0, 1.0]]))
    array([[False,  True,  True]])
    """

    n: int
    kind: ClassVar[str] = "bits"
    crossovers: ClassVar[tuple[str, ...]] = ("two_point", "one_point", "uniform")
    mutations: ClassVar[tuple[str, ...]] = ("flip",)

    def __post_init__(self) -> None:
        _count("Bits", self.n)

    def random(self, draws: RowDraws) -> Array:
        """Individuals drawn uniformly."""
        return draws.below(2, self.n).astype(np.float64)

    def decoded(self, rows: Array) -> Array:
        """The genes in their own type."""
        return rows.astype(bool)

    def bounds(self) -> tuple[Array, Array]:
        """The least and the largest value of each gene."""
        return np.zeros(self.n), np.ones(self.n)


@dataclass(frozen=True, eq=False)
class Integers(ChecksSparse):
    """Genes that are whole numbers from `low` to `high`, both included.

    >>> Integers(1, 6, n=2).bounds()
    (array([1., 1.]), array([6., 6.]))
    """

    low: Any
    high: Any
    n: int = 1
    kind: ClassVar[str] = "integers"
    crossovers: ClassVar[tuple[str, ...]] = ("uniform", "one_point", "two_point")
    mutations: ClassVar[tuple[str, ...]] = ("reset",)

    def __post_init__(self) -> None:
        _count("Integers", self.n)
        for bound in _bounds("Integers", self.low, self.high, self.n):
            if (bound != np.floor(bound)).any() or np.abs(bound).max() > 2**53:
                raise ParameterError("Integers: low and high must be whole numbers of at most 2**53")

    def random(self, draws: RowDraws) -> Array:
        """Individuals drawn uniformly."""
        low, high = self.bounds()
        drawn: Array = np.minimum(low + np.floor(draws.uniform(self.n) * (high - low + 1)), high)
        return drawn

    def decoded(self, rows: Array) -> Array:
        """The genes in their own type."""
        return rows.astype(np.int64)

    def bounds(self) -> tuple[Array, Array]:
        """The least and the largest value of each gene."""
        return _bounds("Integers", self.low, self.high, self.n)


@dataclass(frozen=True, eq=False)
class Reals(ChecksSparse):
    """Genes that are real numbers between `low` and `high`.

    >>> Reals(-1.0, 1.0, n=2).bounds()
    (array([-1., -1.]), array([1., 1.]))
    """

    low: Any
    high: Any
    n: int = 1
    kind: ClassVar[str] = "reals"
    crossovers: ClassVar[tuple[str, ...]] = ("sbx", "blend", "uniform", "one_point", "two_point")
    mutations: ClassVar[tuple[str, ...]] = ("polynomial", "gaussian")

    def __post_init__(self) -> None:
        _count("Reals", self.n)
        _bounds("Reals", self.low, self.high, self.n)

    def random(self, draws: RowDraws) -> Array:
        """Individuals drawn uniformly."""
        low, high = self.bounds()
        drawn: Array = low + draws.uniform(self.n) * (high - low)
        return drawn

    def decoded(self, rows: Array) -> Array:
        """The genes in their own type."""
        return rows

    def bounds(self) -> tuple[Array, Array]:
        """The least and the largest value of each gene."""
        return _bounds("Reals", self.low, self.high, self.n)


@dataclass(frozen=True, eq=False)
class Permutation(ChecksSparse):
    """Genes that are a permutation of 0..n - 1.

    >>> Permutation(3).decoded(np.array([[2.0, 0.0, 1.0]]))
    array([[2, 0, 1]])
    """

    n: int
    kind: ClassVar[str] = "permutation"
    crossovers: ClassVar[tuple[str, ...]] = ("order", "pmx")
    mutations: ClassVar[tuple[str, ...]] = ("swap",)

    def __post_init__(self) -> None:
        _count("Permutation", self.n)

    def random(self, draws: RowDraws) -> Array:
        """Individuals drawn uniformly."""
        return draws.permuted(self.n, self.n).astype(np.float64)

    def decoded(self, rows: Array) -> Array:
        """The genes in their own type."""
        return rows.astype(np.int64)

    def bounds(self) -> tuple[Array, Array]:
        """The least and the largest value of each gene."""
        return np.zeros(self.n), np.full(self.n, self.n - 1.0)


Genes = Bits | Integers | Reals | Permutation
GENES = (Bits, Integers, Reals, Permutation)


def are_genes(value: Any) -> bool:
    """Whether it is one kind of genes, or a list of several."""
    several = value if isinstance(value, (list, tuple)) and value else [value]
    return all(isinstance(item, GENES) for item in several)


@dataclass(frozen=True)
class Genome:
    """Blocks of genes, beside one another in the rows of a matrix."""

    blocks: tuple[Genes, ...]
    single: bool

    @classmethod
    def of(cls, genes: Any) -> Genome:
        """From one kind of genes, or a list of several."""
        several = isinstance(genes, (list, tuple))
        return cls(tuple(genes) if several else (genes,), not several)

    @property
    def columns(self) -> list[slice]:
        """Where each block stands."""
        ends = np.cumsum([block.n for block in self.blocks])
        return [slice(int(end) - block.n, int(end)) for block, end in zip(self.blocks, ends, strict=True)]

    def random(self, draws: RowDraws) -> Array:
        """Individuals drawn uniformly."""
        return np.hstack([block.random(draws) for block in self.blocks])

    def decoded(self, rows: Array) -> Any:
        """The genes in their own types: a matrix, or one for each block."""
        parts = [block.decoded(rows[:, at]) for block, at in zip(self.blocks, self.columns, strict=True)]
        return parts[0] if self.single else tuple(parts)

    def one(self, row: Array) -> Any:
        """The genes of one individual in their own types."""
        found = self.decoded(row[None])
        return found[0] if self.single else tuple(part[0] for part in found)
