"""Checks of text columns: high cardinality, numbers among texts, several spellings, texts that mean missing."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from ...datasets._reading.amounts import means_missing
from ..text import MAX_LISTED, counted, listed, percent, quoted
from .encoded_columns import Coded
from .evidence import AlarmEvidence, Findings, value_text
from .table_view import AuditView

MIN_ENTRIES = 20  # known entries that a column needs to be checked
MANY_VALUES, MANY_SHARE = 50, 0.1  # distinct values, and distinct values per row, from which there are too many
MOSTLY_NUMBERS = 0.8


def high_cardinality(view: AuditView) -> Findings:
    """Categorical columns of high cardinality, whose categories mostly have few rows."""
    described = {}
    for name, column in view.text_columns.items():
        known, distinct = int(column.counts.sum()), len(column.values)
        if distinct > MANY_VALUES and MANY_SHARE * known < distinct < known and name not in view.question.texts:
            described[name] = f"{name!r} ({distinct} in {counted(known, 'row')})"
    if described:
        yield AlarmEvidence(
            "LB014",
            f"numbers of distinct values: {listed(list(described.values()))}{view.scope(rows=True)}",
            tuple(described),
        )


def free_texts(view: AuditView) -> Findings:
    """Columns of free text."""
    if found := view.question.texts:
        yield AlarmEvidence(
            "LB025", f"entries of {quoted(found, MAX_LISTED)} have several words, and most of them occur once", found
        )


def numbers_as_text(view: AuditView) -> Findings:
    """Numeric columns that are stored as text because of a few other entries."""
    described = {}
    for name, column in view.text_columns.items():
        numeric = np.array([_is_number(value) for value in column.values], dtype=bool)
        known = int(column.counts.sum())
        count = int(column.counts[numeric].sum()) if known else 0
        if known >= MIN_ENTRIES and MOSTLY_NUMBERS * known <= count < known and numeric.sum() > 2:
            others = [value_text(column.values[index]) for index in np.flatnonzero(~numeric)]
            described[name] = f"{name!r} ({percent(count / known)} numbers, the rest {listed(others[:3])})"
    if described:
        yield AlarmEvidence(
            "LB015", f"non-numeric entries among numbers in {listed(list(described.values()))}", tuple(described)
        )


def _is_number(value: Any) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return True
    try:
        return isinstance(value, str) and math.isfinite(float(value.replace(",", ".", 1)))
    except ValueError:
        return False


def mixed_types(view: AuditView) -> Findings:
    """Columns whose entries have several types, such as numbers and texts."""
    described = {}
    for name, column in view.text_columns.items():
        kinds = sorted({_kind(value) for value in column.values})
        if len(kinds) > 1:
            described[name] = f"{name!r} ({' and '.join(kinds)})"
    if described:
        yield AlarmEvidence("LB016", f"several types of entries: {listed(list(described.values()))}", tuple(described))


def _kind(value: Any) -> str:
    """The type of an entry for display; all numbers count as one type."""
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, (int, float)):
        return "numbers"
    return "texts" if isinstance(value, str) else f"values of type {type(value).__name__}"


def spellings(view: AuditView) -> Findings:
    """Categories that differ only in capitals or blanks."""
    described = {name: text for name, column in view.text_columns.items() if (text := _spellings_of(column))}
    if described:
        texts = [f"{name!r} ({text})" for name, text in described.items()]
        yield AlarmEvidence("LB023", f"the same category in several spellings: {listed(texts)}", tuple(described))


def class_spellings(view: AuditView) -> Findings:
    """Classes of the target that differ only in capitals or blanks."""
    text = _spellings_of(view.classes)
    if text:
        yield AlarmEvidence("LB035", f"the classes {text}", (str(view.question.target),))


def _spellings_of(column: Coded) -> str:
    """The first category with several spellings, as a list of them."""
    together = defaultdict(list)
    for value in column.values if len(column.values) <= column.counts.sum() / 2 else ():
        if isinstance(value, str):
            together[" ".join(value.casefold().split())].append(value_text(value))
    return next((" and ".join(same) for same in together.values() if len(same) > 1), "")


def texts_for_missing(view: AuditView) -> Findings:
    """Texts that probably mean a missing value."""
    described = {}
    for name, column in view.text_columns.items():
        found = [value for value in column.values if means_missing(str(value))]
        if found and len(column.values) > 2:
            described[name] = f"{name!r} ({', '.join(map(value_text, found))})"
    if described:
        yield AlarmEvidence(
            "LB024", f"texts that probably mean missing: {listed(list(described.values()))}", tuple(described)
        )
