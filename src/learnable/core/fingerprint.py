"""A short name for any value: equal values have equal names, in this process and the next."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .frames import is_frame, labels_of
from .table import Table, columns_of_frame


def fingerprint(*values: Any) -> str:
    """32 hexadecimal digits that stand for the values; random streams are taken as they stand.

    >>> fingerprint(1, "a") == fingerprint(1, "a"), fingerprint(1) == fingerprint(1.0)
    (True, False)
    """
    digest = hashlib.blake2b(digest_size=16)
    for value in values:
        _add(digest, value)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(f"array {value.shape} {value.dtype} ".encode())
        digest.update(np.ascontiguousarray(value).data)
        return
    head, parts = _parts(value)
    digest.update(f"{head} {len(parts)} ".encode())
    for part in parts:
        _add(digest, part)


def _parts(value: Any) -> tuple[str, Sequence[Any]]:
    """A word for the kind of a value, and the values that it is made of."""
    kind = type(value).__name__
    if isinstance(value, dict):
        return kind, [item for key in sorted(value, key=str) for item in (key, value[key])]
    if isinstance(value, (list, tuple, np.ndarray)):
        return f"{kind} {np.shape(value) if isinstance(value, np.ndarray) else ''}", list(value)
    if isinstance(value, Table):
        return f"{kind} {value.names}", value.columns
    if is_frame(value):
        labels = labels_of(value, "a table")
        return f"{kind} {labels}", columns_of_frame(value, labels)
    if hasattr(value, "to_numpy"):
        return kind, [np.asarray(value.to_numpy())]
    if hasattr(value, "indptr"):
        return f"{kind} {value.shape}", (value.data, value.indices, value.indptr)
    if isinstance(value, np.random.RandomState):
        return kind, list(value.get_state(legacy=True))
    return _parts_of_object(value, kind)


def _parts_of_object(value: Any, kind: str) -> tuple[str, Sequence[Any]]:
    if hasattr(value, "get_params") and not isinstance(value, type):
        return kind, [value.get_params(deep=False)]
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}", ()
    if hasattr(value, "__dict__"):
        return kind, [vars(value)]
    return f"{kind} {value!r}", ()
