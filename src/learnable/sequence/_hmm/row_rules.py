"""Rules that rows must keep for some emissions."""

from __future__ import annotations

import numpy as np

from ...core import Array, DataError
from ...core.validate.features import column_name
from .._sequence_input import Sequences


def refuse_entries(owner: str, data: Sequences, wrong: Array, rule: str) -> None:
    """Raise a `DataError` that names the first of the `wrong` entries, and the rule that it breaks."""
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise DataError(
            f"{owner}: X must hold {rule}; {column_name(data.names, column)} has {data.X[row, column]:g} in row {row}"
        )


def refuse_non_counts(owner: str, data: Sequences) -> None:
    """Refuse entries that are not whole numbers from 0."""
    observed = ~np.isnan(data.X)
    filled = np.where(observed, data.X, 0.0)
    refuse_entries(owner, data, (filled < 0) | (filled != np.round(filled)), "counts: whole numbers of at least 0")


def refuse_non_symbols(owner: str, data: Sequences, known: int | None) -> None:
    """Refuse what is not one column of symbols 0, 1, ..., of which there are `known`, if that is given."""
    if data.X.shape[1] != 1:
        raise DataError(
            f"{owner}: X must have one column of symbols; it has {data.X.shape[1]}. MixedHMM takes several columns"
        )
    seen = data.X[~np.isnan(data.X)]
    if (seen != np.round(seen)).any() or (seen < 0).any():
        raise DataError(f"{owner}: X must hold symbols as whole numbers from 0; got {seen[:5].tolist()}")
    if known is not None and len(seen) and seen.max() >= known:
        raise DataError(f"{owner}: X has the symbol {seen.max():g}, but there are {known} symbols, from 0 on")
