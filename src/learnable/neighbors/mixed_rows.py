"""Tables of numbers beside categories as numbers, for Gower's distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, Table
from ..core.table import columns_of_array, is_missing
from ..engines.coding import chosen_columns, coded, learned_categories
from ..metrics.gower import marked_columns

UNSEEN = -1.0  # stands for every category that training rows do not have: it differs from all


def holds_categories(table: Table) -> bool:
    """Whether some columns are no numbers."""
    return bool(chosen_columns(table, "from_dtype", "").any())


def categories_among(table: Table, marked: Any, owner: str) -> list[Array | None]:
    """The sorted values of the columns that are no numbers, or are marked as categories; None for the others."""
    chosen = chosen_columns(table, "from_dtype", owner) | marked_columns(marked, table.shape[1], table.names)
    return learned_categories(table, chosen, gaps_too=False, owner=owner)


def numbered(X: Matrix, categories: list[Array | None], owner: str) -> Array:
    """Rows as numbers, categories by their places among those of training; gaps are NaN."""
    table = X if isinstance(X, Table) else Table(columns_of_array(X), None)
    codes = coded(table, categories, owner)
    for column, part, known in zip(codes.T, table.parts, categories, strict=True):
        if known is not None:
            column[np.isnan(column) & ~is_missing(part)] = UNSEEN
    return codes
