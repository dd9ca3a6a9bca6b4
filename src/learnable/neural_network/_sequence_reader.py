"""Sequences of different lengths as rows of a table: numbers, or codes of symbols; steps that are missing are NaN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.validate.dataframes import is_frame

MAX_CELLS = 2**31  # of a table of sequences


def are_sequences(X: Any) -> bool:
    """Whether `X` is a list of sequences (or a stack of them), and not a table with a sequence in each row."""
    if isinstance(X, np.ndarray):
        return X.ndim == 3 or (X.ndim == 1 and X.dtype.kind in "UO")
    return isinstance(X, (list, tuple)) or (hasattr(X, "tolist") and not is_frame(X) and np.ndim(X) == 1)


@dataclass(frozen=True, slots=True)
class SequenceReader:
    """How the sequences of a model become rows: by codes of `symbols` from 1, 0 being unknown ones, or as numbers."""

    owner: str
    symbols: tuple[str, ...] | None
    channels: int

    def table(self, X: Any, steps: int = 0) -> Array:
        """A row for each sequence, with at least `steps` steps."""
        each = [self._steps(sequence, number) for number, sequence in enumerate(X)]
        if not each:
            raise DataError(f"{self.owner}: X has no sequences: 0 sample(s) while a minimum of 1 is required.")
        longest = max(1, steps, *(len(one) for one in each))
        if longest * self.channels * len(each) > MAX_CELLS:
            raise DataError(
                f"{self.owner}: {len(each)} sequences of up to {longest} steps need too large a table; cut long "
                "sequences into parts"
            )
        dtype = np.result_type(np.float32, *{one.dtype for one in each}) if self.symbols is None else np.float64
        found = np.full((len(each), longest, self.channels), np.nan, dtype)
        for row, one in zip(found, each, strict=True):
            row[: len(one)] = one
        return found.reshape(len(each), -1)

    def _steps(self, sequence: Any, number: int) -> Array:
        """The steps of a sequence, each a row of its channels."""
        if self.symbols is not None:
            codes = {symbol: code for code, symbol in enumerate(self.symbols, 1)}
            known = [codes.get(symbol, 0) for symbol in _symbols_of(self.owner, sequence, number)]
            return np.array(known, dtype=np.float64).reshape(-1, 1)
        steps = _numbers_of(self.owner, sequence, number)
        if steps.shape[1] != self.channels:
            raise DataError(
                f"{self.owner}: the steps of sequence {number} of X have {steps.shape[1]} numbers; expected "
                f"{self.channels}"
            )
        return steps


def learned_reader(owner: str, X: Any, channels: int, min_df: int) -> SequenceReader:
    """The reader for training sequences; a symbol in fewer than `min_df` of them counts as unknown."""
    if not are_sequences(X):
        return SequenceReader(owner, None, channels)
    first = next((one for one in X if isinstance(one, str) or np.size(one)), None)
    if first is None:
        raise DataError(f"{owner}: X holds no sequence with a step")
    if not isinstance(first, str) and not (np.ndim(first) == 1 and isinstance(first[0], str)):
        return SequenceReader(owner, None, _numbers_of(owner, first, 0).shape[1])
    counts = Counter[str]()
    for number, sequence in enumerate(X):
        counts.update(set(_symbols_of(owner, sequence, number)))
    kept = sorted(symbol for symbol, count in counts.items() if count >= min_df)
    return SequenceReader(owner, tuple(kept), 1)


def _symbols_of(owner: str, sequence: Any, number: int) -> Sequence[str]:
    """The characters of a text, or the texts of a list."""
    if isinstance(sequence, str):
        return sequence
    found = sequence.tolist() if isinstance(sequence, np.ndarray) else sequence
    if not isinstance(found, (list, tuple)) or not all(isinstance(one, str) for one in found):
        raise DataError(
            f"{owner}: sequence {number} of X must be a text or a list of texts, as others are; got {sequence!r:.60}"
        )
    return found


def _numbers_of(owner: str, sequence: Any, number: int) -> Array:
    """The steps of a sequence of numbers, or of rows of numbers."""
    try:
        steps = np.asarray(sequence)
        steps = steps if steps.dtype == np.float32 else steps.astype(np.float64)
    except (TypeError, ValueError):
        steps = np.empty(())
    if steps.ndim not in (1, 2):
        raise DataError(
            f"{owner}: sequence {number} of X must be a list of numbers, a table with a row for each step, a text, or "
            f"a list of texts; got {sequence!r:.60}"
        )
    return steps.reshape(len(steps), -1) if len(steps) else steps.reshape(0, steps.shape[-1] if steps.ndim == 2 else 1)
