"""Training rows as models see them, encoded once for all candidates that prepare them alike."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.files.fingerprint import fingerprint

MOST_KEPT = 2**28  # bytes of encoded rows

Step = Callable[[Any, Any, Any, Any, dict[str, Any]], tuple[Any, Any]]


class Encoded:
    """The `memory` of pipelines: a step that was fitted to the same rows, targets and weights is not fitted again.

    `spared` is how long the fits took that were not repeated since it was last set to 0, `spared_last` the latest of
    them; so a fit can still be said to cost what it costs alone. `took_last` is what the last fit asked for took, now
    or when it was done. What comes when `MOST_KEPT` bytes are kept is not.
    """

    def __init__(self) -> None:
        self.spared = self.spared_last = self.took_last = 0.0
        self.forget()

    def forget(self) -> None:
        """Let go of all rows."""
        self._kept: dict[str, tuple[tuple[Any, Any], float]] = {}
        self._bytes = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Encoded:
        return self  # copies of a pipeline share it

    def cache(self, function: Step) -> Step:
        """`function`, which fits a step and transforms rows, or what it gave for the same arguments before."""

        def remembered(step: Any, X: Any, y: Any, weight: Any, more: dict[str, Any]) -> tuple[Any, Any]:
            kind, chosen = type(step).__qualname__, step.get_params(deep=False)
            key = fingerprint(kind, chosen, _letters(X), y, weight, more)
            if key in self._kept:
                found, self.took_last = self._kept[key]
                self.spared, self.spared_last = self.spared + self.took_last, self.took_last
                return found
            self.spared_last, began = 0.0, time.perf_counter()
            found = function(step, X, y, weight, more)
            self.took_last = time.perf_counter() - began
            self._keep(key, found, self.took_last)
            return found

        return remembered

    def _keep(self, key: str, found: tuple[Any, Any], seconds: float) -> None:
        size = found[1].nbytes if isinstance(found[1], np.ndarray) else MOST_KEPT
        if self._bytes + size <= MOST_KEPT:
            found[1].flags.writeable = False  # others will see the same rows
            self._kept[key], self._bytes = (found, seconds), self._bytes + size


def _letters(table: Any) -> Any:
    """What stands for a table of Arrow: a digest of its memory, where missing entries may differ without a reason."""
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
