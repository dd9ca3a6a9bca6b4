"""A cache of encoded training rows, shared by all candidates with the same preprocessing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.files.fingerprint import fingerprint

MAX_KEPT = 2**28  # bytes of encoded rows

Step = Callable[[Any, Any, Any, Any, dict[str, Any]], tuple[Any, Any]]


class EncodingCache:
    """The `memory` of pipelines: a step that was fitted to the same rows, targets and weights is not fitted again.

    `saved` is the time of the fits that were not repeated since it was last set to 0, `last_saved` that of the latest;
    added to a measured time, they give the time of a fit without the cache. `last_took` is the time of the last fit,
    cached or not. Once `MAX_KEPT` bytes are stored, no more are.
    """

    def __init__(self) -> None:
        self.saved = self.last_saved = self.last_took = 0.0
        self.forget()

    def forget(self) -> None:
        """Empty the cache."""
        self._kept: dict[str, tuple[tuple[Any, Any], float]] = {}
        self._bytes = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> EncodingCache:
        return self  # copies of a pipeline share it

    def cache(self, function: Step) -> Step:
        """`function`, which fits a step and transforms rows, with its results remembered by argument."""

        def remembered(step: Any, X: Any, y: Any, weight: Any, more: dict[str, Any]) -> tuple[Any, Any]:
            kind, chosen = type(step).__qualname__, step.get_params(deep=False)
            key = fingerprint(kind, chosen, _digest(X), y, weight, more)
            if key in self._kept:
                found, self.last_took = self._kept[key]
                self.saved, self.last_saved = self.saved + self.last_took, self.last_took
                return found
            self.last_saved, began = 0.0, time.perf_counter()
            found = function(step, X, y, weight, more)
            self.last_took = time.perf_counter() - began
            self._keep(key, found, self.last_took)
            return found

        return remembered

    def _keep(self, key: str, found: tuple[Any, Any], seconds: float) -> None:
        arrays = [found[1]] if isinstance(found[1], np.ndarray) else _arrays_of(found[1])
        size = sum(array.nbytes for array in arrays) if arrays else MAX_KEPT
        if self._bytes + size <= MAX_KEPT:
            for array in arrays:
                array.flags.writeable = False  # shared with later fits
            self._kept[key], self._bytes = (found, seconds), self._bytes + size


def _arrays_of(rows: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of a sparse matrix of compressed rows; none of anything else."""
    return [getattr(rows, name) for name in ("data", "indices", "indptr") if hasattr(rows, name)]


def _digest(table: Any) -> Any:
    """The digest of an Arrow table from its buffers, in which equal tables with missing entries may differ."""
    if not hasattr(table, "schema") or not hasattr(table, "to_batches"):
        return table
    digest = hashlib.blake2b(str(table.schema).encode(), digest_size=16)
    for batch in table.to_batches():
        for column in batch.columns:
            digest.update(f"{len(column)} {column.offset} ".encode())
            for buffer in column.buffers():
                digest.update(b"-" if buffer is None else f"{buffer.size} ".encode())
                digest.update(b"" if buffer is None else memoryview(buffer))
    return digest.digest()
