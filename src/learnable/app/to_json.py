"""Conversion of values to JSON types."""

from __future__ import annotations

from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """A value as numbers, text, lists and dictionaries; non-finite numbers become None, other objects their text.

    >>> import numpy as np
    >>> plain({"scores": np.array([0.5, np.nan]), 1: ("a", None)})
    {'scores': [0.5, None], '1': ['a', None]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
