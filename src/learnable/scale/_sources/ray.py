"""Ray datasets: their blocks are the fragments, which stay where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ...core.files.fingerprint import fingerprint
from .. import _tables
from .source import Fragment, FragmentRows, Piece, Source


@dataclass(frozen=True, eq=False)
class RayBlockRows:
    """Some rows of a block of a Ray dataset."""

    reference: Any
    number: int
    rows: int
    first: int = 0
    last: int = -1

    @property
    def origin(self) -> str:
        """Which block."""
        return f"block {self.number} of the Ray dataset"

    def segment(self, begin: int, end: int) -> FragmentRows:
        """Its rows [begin, end)."""
        return replace(self, first=begin, last=end)

    def read(self, columns: Sequence[Any] | None) -> Iterator[Piece]:
        """The rows."""
        import ray

        table = ray.get(self.reference)
        table = table if columns is None else _tables.selected(table, columns)
        yield Piece(_tables.cut(table, self.first, self.rows if self.last < 0 else self.last))


class RayDataset(Source):
    """A Ray dataset, computed once and kept in the object stores of the cluster."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    @cached_property
    def fragments(self) -> Sequence[Fragment]:
        """The blocks."""
        import ray

        count = ray.remote(_tables.row_count)
        self.dataset.context.execution_options.preserve_order = True  # which Ray does not by itself
        bundles = self.dataset.materialize().iter_internal_ref_bundles()
        references = [reference for bundle in bundles for reference in bundle.block_refs]
        lengths = ray.get([count.remote(reference) for reference in references])
        pairs = zip(references, lengths, strict=True)
        return [RayBlockRows(reference, k, rows) for k, (reference, rows) in enumerate(pairs)]

    @cached_property
    def schema(self) -> dict[Any, str]:
        """The type of each column."""
        found = self.dataset.schema()
        return {name: str(kind) for name, kind in zip(found.names, found.types, strict=True)}

    @property
    def names(self) -> list[Any] | None:
        """Names of the columns."""
        return list(self.schema)

    @property
    def fingerprint(self) -> str:
        """That of the plan and of its blocks."""
        return fingerprint(str(self.dataset), [part.rows for part in self.fragments], str(self.schema))
