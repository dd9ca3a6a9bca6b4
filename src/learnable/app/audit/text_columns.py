"""Columns of words: too many different ones, numbers among them, several spellings of one, words for missing."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np

from ...datasets._reading.amounts import means_gap
from ..text import MOST_LISTED, counted, listed, percent, quoted
from .encoded_columns import Coded
from .evidence import Evidence, Findings, shown
from .table_view import View

FEWEST = 20  # known entries that a column must have to be judged
MANY_VALUES, MANY_SHARE = 50, 0.1  # different words, and how many of them for a row, from which they are too many
MOSTLY_NUMBERS = 0.8
LONG_TEXT = 4  # words of an entry from which it is a text rather than a category


def many_categories(view: View) -> Findings:
    """Categories so many that most of them have few rows."""
    told = {}
    for name, column in view.words.items():
        known, distinct = int(column.counts.sum()), len(column.values)
        if distinct > MANY_VALUES and MANY_SHARE * known < distinct < known and not is_text(column):
            told[name] = f"{name!r} ({distinct} in {counted(known, 'row')})"
    if told:
        yield Evidence("LB014", f"different values: {listed(list(told.values()))}{view.scope(rows=True)}", tuple(told))


def free_texts(view: View) -> Findings:
    """Columns of sentences."""
    found = tuple(name for name, column in view.words.items() if len(column.values) >= FEWEST and is_text(column))
    if found:
        yield Evidence(
            "LB025", f"entries of {quoted(found, MOST_LISTED)} are mostly of {LONG_TEXT} words or more", found
        )


def is_text(column: Coded) -> bool:
    """Whether entries are sentences: mostly different, mostly of several words."""
    texts = [str(value) for value in column.values[:1000]]
    lengths = sorted(len(text.split()) for text in texts)
    return 2 * len(column.values) > column.counts.sum() and lengths[len(lengths) // 2] >= LONG_TEXT


def numbers_as_words(view: View) -> Findings:
    """Columns of numbers that a few words among them turned into text."""
    told = {}
    for name, column in view.words.items():
        numeric = np.array([_is_number(value) for value in column.values], dtype=bool)
        known = int(column.counts.sum())
        count = int(column.counts[numeric].sum()) if known else 0
        if known >= FEWEST and MOSTLY_NUMBERS * known <= count < known and numeric.sum() > 2:
            others = [shown(column.values[place]) for place in np.flatnonzero(~numeric)]
            told[name] = f"{name!r} ({percent(count / known)} numbers, the rest {listed(others[:3])})"
    if told:
        yield Evidence("LB015", f"words among numbers in {listed(list(told.values()))}", tuple(told))


def _is_number(value: Any) -> bool:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return True
    try:
        return isinstance(value, str) and math.isfinite(float(value.replace(",", ".", 1)))
    except ValueError:
        return False


def mixed_types(view: View) -> Findings:
    """Columns whose entries are of several kinds, such as numbers and texts."""
    told = {}
    for name, column in view.words.items():
        kinds = sorted({_kind(value) for value in column.values})
        if len(kinds) > 1:
            told[name] = f"{name!r} ({' and '.join(kinds)})"
    if told:
        yield Evidence("LB016", f"several kinds of entries: {listed(list(told.values()))}", tuple(told))


def _kind(value: Any) -> str:
    """What an entry is, in a word; all numbers are one kind."""
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, (int, float)):
        return "numbers"
    return "texts" if isinstance(value, str) else f"values of type {type(value).__name__}"


def spellings(view: View) -> Findings:
    """Categories that differ in capitals or blanks alone."""
    told = {name: text for name, column in view.words.items() if (text := _spelled(column))}
    if told:
        texts = [f"{name!r} ({text})" for name, text in told.items()]
        yield Evidence("LB023", f"the same word in several spellings: {listed(texts)}", tuple(told))


def classes_spelled_apart(view: View) -> Findings:
    """Classes of the target that differ in capitals or blanks alone."""
    text = _spelled(view.classes)
    if text:
        yield Evidence("LB035", f"the classes {text}", (str(view.question.target),))


def _spelled(column: Coded) -> str:
    """The first word that has several spellings."""
    together = defaultdict(list)
    for value in column.values if len(column.values) <= column.counts.sum() / 2 else ():
        if isinstance(value, str):
            together[" ".join(value.casefold().split())].append(shown(value))
    return next((" and ".join(same) for same in together.values() if len(same) > 1), "")


def words_for_missing(view: View) -> Findings:
    """Words that say that an entry is missing."""
    told = {}
    for name, column in view.words.items():
        found = [value for value in column.values if means_gap(str(value))]
        if found and len(column.values) > 2:
            told[name] = f"{name!r} ({', '.join(map(shown, found))})"
    if told:
        yield Evidence("LB024", f"words that may mean missing: {listed(list(told.values()))}", tuple(told))
