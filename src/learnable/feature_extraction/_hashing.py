"""Columns by hash."""

from __future__ import annotations

import numpy as np

from ..core import Array


def columns_and_signs(hashes: Array, n_features: int, alternate_sign: bool) -> tuple[Array, Array | None]:
    """Column |h| mod n_features of each hash, and its sign."""
    columns = (np.abs(hashes.astype(np.int64)) % n_features).astype(np.int32)
    signs = np.where(hashes >= 0, 1, -1).astype(np.int8) if alternate_sign else None
    return columns, signs
