"""Fingerprints: equal values have equal fingerprints, in this process and in others."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from ..sklearn_api.routing import REQUESTS
from ..validate.dataframes import is_frame, labels_of
from ..validate.mixed_table import Table, columns_of_frame
from .code_fingerprint import address_free, parts_of_class, parts_of_code, parts_of_function, parts_of_slots

Known = dict[int, tuple[Any, bytes]]  # values that were met, by identity, and what stands for them


def fingerprint(*values: Any) -> str:
    """32 hexadecimal digits that stand for the values; random streams are taken as they stand.

    Functions and classes of users count by what they do, not only by their names.

    >>> fingerprint(1, "a") == fingerprint(1, "a"), fingerprint(1) == fingerprint(1.0)
    (True, False)
    >>> fingerprint(lambda y: y + 1) == fingerprint(lambda y: y + 2)
    False
    """
    digest, known = hashlib.blake2b(digest_size=16), Known()
    for value in values:
        _add(digest, value, known)
    return digest.hexdigest()


def learned_by(estimator: Any) -> dict[str, Any]:
    """What an estimator has learned, by name, and what those inside it have; not how long that took."""
    return {
        name: _with_learned(value)
        for name, value in vars(estimator).items()
        if name.endswith("_") and name not in ("trace_", "certificate_")
    }


def _with_learned(value: Any) -> Any:
    """An estimator with what it has learned, and with that of its parts, which some keep among their parameters."""
    if isinstance(value, (list, tuple)):
        return [_with_learned(item) for item in value]
    if not (hasattr(value, "get_params") and hasattr(value, "__dict__")):
        return value
    return value, learned_by(value), [_with_learned(part) for part in value.get_params(deep=False).values()]


def _keeps_models(estimator: Any, given: dict[str, Any]) -> bool:
    """Whether models among the parameters are used as fitted: in frozen estimators, or with `prefit`."""
    frozen = hasattr(estimator, "__sklearn_clone__") and estimator.__sklearn_clone__() is estimator
    return frozen or given.get("prefit") is True or isinstance(given.get("cv"), str)


def _add(digest: Any, value: Any, known: Known) -> None:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(f"array {value.shape} {value.dtype} ".encode())
        digest.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)  # times lend no buffer of their own
        return
    if id(value) not in known:
        head, parts = _parts(value)
        if not parts:
            digest.update(f"{head} 0 ".encode())
            return
        known[id(value)] = value, b"itself"  # met again inside, as a function that calls itself is
        if isinstance(value, (set, frozenset)):
            parts = sorted(_summary("", [part], known) for part in parts)
        known[id(value)] = value, _summary(f"{head} {len(parts)} ", parts, known)
    digest.update(known[id(value)][1])


def _summary(head: str, parts: Sequence[Any], known: Known) -> bytes:
    digest = hashlib.blake2b(head.encode(), digest_size=16)
    for part in parts:
        _add(digest, part, known)
    return digest.digest()


def _parts(value: Any) -> tuple[str, Sequence[Any]]:
    """A word for the kind of a value, and the values that it is made of."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, dict):
        return kind, [item for key in sorted(value, key=str) for item in (key, value[key])]
    if isinstance(value, (str, bytes, int, float, complex)):
        return f"{kind} {value!r}", ()
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
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
    if isinstance(value, np.random.Generator):
        return kind, [value.bit_generator.state]
    return _parts_of_object(value, kind)


def _parts_of_object(value: Any, kind: str) -> tuple[str, Sequence[Any]]:
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__}", parts_of_class(value)
    if hasattr(value, "get_params"):
        given = value.get_params(deep=False)
        if _keeps_models(value, given):
            given = {name: _with_learned(item) for name, item in given.items()}
        return kind, [given, getattr(value, REQUESTS, None), *parts_of_class(type(value))]
    if isinstance(value, partial):
        return kind, [value.func, value.args, value.keywords]
    if isinstance(value, CodeType):
        return kind, parts_of_code(value)
    if hasattr(value, "__qualname__"):
        return f"{getattr(value, '__module__', None)}.{value.__qualname__}", parts_of_function(value)
    if isinstance(value, ModuleType):
        return f"{kind} {value.__name__}", ()
    if hasattr(value, "__dict__"):
        return kind, [vars(value), *parts_of_slots(value), *parts_of_class(type(value))]
    return f"{kind} {address_free(value)}", [*parts_of_slots(value), *parts_of_class(type(value))]
