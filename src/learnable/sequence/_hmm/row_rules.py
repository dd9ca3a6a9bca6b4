"""Rules that rows must keep for some emissions."""

from __future__ import annotations

import numpy as np

from ...core import Array, DataError
from ...core.validate.features import column_name
from .._sequences import Sequences


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
