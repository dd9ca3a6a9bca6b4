"""A short name for any value: equal values have equal names, in this process and the next."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def fingerprint(*values: Any) -> str:
    """32 hexadecimal digits that stand for the values; random generators are taken as they stand.

    >>> fingerprint(1, "a") == fingerprint(1, "a"), fingerprint(1) == fingerprint(1.0)
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        _add(digest, value)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"array {value.shape} {value.dtype} ".encode())
        digest.update(np.ascontiguousarray(value).data.cast("B") if value.size else b"")
    elif hasattr(value, "indptr"):
        _add_each(digest, f"sparse {value.shape}", (value.data, value.indices, value.indptr))
    elif isinstance(value, dict):
        _add_each(digest, "dict", [item for key in sorted(value, key=str) for item in (key, value[key])])
    elif isinstance(value, (list, tuple, np.ndarray)):
        _add_each(digest, type(value).__name__, list(value))
    elif hasattr(value, "__dataframe__") or hasattr(value, "to_numpy"):
        _add_table(digest, value)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        _add_each(digest, type(value).__name__, [value.get_params(deep=False)])
    elif isinstance(value, np.random.RandomState):
        _add_each(digest, "random", list(value.get_state(legacy=True)))
    elif callable(value) and hasattr(value, "__qualname__"):
        _add_each(digest, "function", [value.__module__, value.__qualname__])
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        _add_each(digest, type(value).__name__, [vars(value)])
    else:
        digest.update(f"{type(value).__name__} {value!r} ".encode())


def _add_each(digest: Any, head: str, values: Any) -> None:
    digest.update(f"{head} {len(values)} ".encode())
    for value in values:
        _add(digest, value)


def _add_table(digest: Any, table: Any) -> None:
    names = list(getattr(table, "columns", []))
    columns = [table[name] for name in names] if names and isinstance(names[0], str) else [table]
    _add_each(digest, f"table {names}", [np.asarray(column) for column in columns])


