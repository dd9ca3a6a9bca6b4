"""Inference of column types from values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from ...core import Array
from ...core.errors import DataError, ParameterError
from ...core.validate.mixed_table import is_missing
from .dates import times_of

Kind = Literal["binary", "categorical", "ordinal", "integer", "continuous", "time"]
KINDS: tuple[str, ...] = get_args(Kind)
ALSO_CALLED = {"text": "categorical", "number": "continuous", "date": "time"}
SCALES = (  # words with a known order, from less to more
    ("low", "medium", "high"),
    ("low", "middle", "high"),
    ("small", "medium", "large"),
    ("cold", "cool", "mild", "warm", "hot"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
)
_like_number = re.compile(  # with a few other letters or signs around it
    r"[^\w\s]{0,2}\s*(?:\d+(?:[.,]\d+)?|\d{1,3}(?:[.,'’\s]\d{2,3})*[.,'’\s]\d{3}(?:[.,]\d+)?)\s*[^\d/:]{0,6}"
)
BEYOND = ("<", ">", "≤", "≥")
NUMBER_FRACTION, FIRST_CELLS = (
    0.9,
    100,
)  # fraction of numbers above which a word is an exception, values to inspect first


def infer_kind(values: Array) -> Kind:
    """The kind of a column: two values are binary, dates time, known scales ordinal, whole numbers integer.

    >>> [infer_kind(np.array(column)) for column in ([1.5, 2], [1, 2, 3], ["a", "b", "c"], ["low", "high", "medium"])]
    ['continuous', 'integer', 'categorical', 'ordinal']
    """
    if values.dtype.kind == "M":
        return "time"
    known = values[~is_missing(values)]
    if values.dtype.kind == "f" and not (len(known) and (np.isfinite(known) & (known == np.round(known))).all()):
        return "continuous"
    if values.dtype.kind == "b" or _distinct(known) == 2:
        return "binary"
    if values.dtype.kind in "iuf":
        return "integer"
    return "ordinal" if scale_of(known) else "categorical"


def _distinct(known: Array) -> int:
    """How many values there are, counted up to 3; whatever cannot be compared is its text."""
    first = known[:1000] if known.dtype.kind != "O" else known[:1000].astype(str)
    few = len(np.unique(first))
    if few > 2 or len(known) <= 1000:
        return min(few, 3)
    return min(len(np.unique(known if known.dtype.kind != "O" else known.astype(str))), 3)


def scale_of(known: Array) -> tuple[str, ...] | None:
    """The scale that all values belong to, with at least two of its words."""
    words = {word.strip().lower() for word in set(map(str, known.tolist()))}
    return next((scale for scale in SCALES if len(words) >= 2 and words <= set(scale)), None)


def levels_of(values: Array, kind: str) -> list[Any]:
    """The distinct values in order, of their scale if they have one."""
    known = values[~is_missing(values)]
    scale = scale_of(known) if kind == "ordinal" else None
    distinct = list(dict.fromkeys(known.tolist()))
    if scale:
        return sorted(distinct, key=lambda value: scale.index(str(value).strip().lower()))
    return sorted(distinct, key=lambda value: (0, value, "") if isinstance(value, Real) else (1, 0.0, str(value)))


def named_kinds(types: Mapping[str, str]) -> dict[str, str]:
    """Kinds by column, under their own names where an alias was given."""
    return {column: ALSO_CALLED.get(kind, kind) for column, kind in types.items()}


def converted(name: str, values: Array, kind: str) -> Array:
    """The values converted to the requested `kind`; an error names the first invalid one."""
    if kind not in KINDS:
        known = ", ".join([*KINDS, *ALSO_CALLED])
        raise ParameterError(f"column {name!r}: the kind must be one of {known}; got {kind!r}")
    if kind in ("integer", "continuous") and values.dtype.kind not in "iufb":
        return _numbers(name, values, kind)
    if kind == "time" and values.dtype.kind != "M":
        return times_of(name, values)
    if kind in ("categorical", "ordinal") and values.dtype.kind == "f":
        return _labels(values)
    return values


def _labels(values: Array) -> Array:
    """Numbers that are names: whole ones without their point."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = [value if value != value or value % 1 else int(value) for value in values.tolist()]
    return labels


def _numbers(name: str, values: Array, kind: str) -> Array:
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values.tolist()):
        if value is None or value != value:
            continue
        try:
            found[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise DataError(
                f"column {name!r} cannot be {kind}: row {row} holds {value!r:.40}; correct it, or leave the column text"
            ) from None
    return found


def note_on_strays(name: str, values: Array) -> list[str]:
    """Say which value keeps a column of numbers from being one, such as 12 kg, or a word that stands for a gap."""
    known = np.flatnonzero(~is_missing(values))
    if not _mostly_numbers(values[known[:FIRST_CELLS]]) or not _mostly_numbers(values[known]):
        return []
    stray = next((int(row) for row in known if not is_number(values[row])), None)
    if stray is None:  # codes, which are kept as text on purpose
        return []
    if all(str(value).lstrip()[:1] in BEYOND for value in values[known]):  # names of ranges, such as <=50K and >50K
        return []
    return [
        f"{name!r} is read as text: most of it is numbers, but row {stray} holds {values[stray]!r:.40}; write plain "
        "numbers, or name it by --missing (in Python, missing)"
    ]


def _mostly_numbers(known: Array) -> bool:
    numbers = sum(is_number(value) or _like_number.fullmatch(str(value)) is not None for value in known.tolist())
    return len(known) > 0 and numbers >= NUMBER_FRACTION * len(known)


def is_number(value: Any) -> bool:
    """Whether a value, perhaps a text, is a finite number."""
    try:
        return bool(np.isfinite(float(value)))
    except (TypeError, ValueError, OverflowError):
        return False
