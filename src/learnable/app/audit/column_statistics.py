"""What is known of every column before a question is asked of it: counts, range, quartiles, how often values repeat.

Columns of numbers are looked at in blocks, so that a table of very many short columns costs as little as one of few
long ones. Counts of missing entries and the range come from all rows, what needs sorting from the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from ...core import Array
from ...datasets import Dataset
from .encoded_columns import Coded, as_numbers, gaps, holds_numbers

BLOCK_CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class Facts:
    """One entry for each feature; what makes no sense for words is NaN there.

    missing and infinite count rows, low and high are the range; of the sample: known entries, distinct values, the
    count of the commonest, the chance that two rows agree, whether all are whole, and the quartiles.
    """

    number: Array
    missing: Array
    infinite: Array
    low: Array
    high: Array
    known: Array
    distinct: Array
    common: Array
    alike: Array
    whole: Array
    first_quartile: Array
    median: Array
    third_quartile: Array


def facts_of(table: Dataset, names: tuple[str, ...], rows: Array, words: dict[str, Coded]) -> Facts:
    """The facts of the columns `names`; `rows` is the sample, `words` holds the columns that are not numbers."""
    found = {entry.name: np.full(len(names), np.nan) for entry in fields(Facts)}
    for places, stack in blocks(table, names):
        sample = stack if len(rows) == table.n else stack[:, rows]
        _put(found, places, {"number": 1.0, **_of_all(stack), **_of_sample(np.sort(sample, axis=1))})
    for place, name in enumerate(names):
        if name in words:
            lost = words[name].codes < 0 if len(rows) == table.n else gaps(table.columns[name])
            told = _of_words(words[name])
            _put(found, place, {"number": 0.0, "missing": float(lost.sum()), "infinite": 0.0, **told})
    return Facts(**found)


def blocks(table: Dataset, names: tuple[str, ...], rows: Array | None = None) -> Iterator[tuple[Array, Array]]:
    """The columns of numbers in blocks: their places among `names`, and a matrix with a column of the table a row."""
    places = [place for place, name in enumerate(names) if holds_numbers(table.columns[name])]
    size = max(1, BLOCK_CELLS // max(1, table.n if rows is None else len(rows)))
    for start in range(0, len(places), size):
        chosen = places[start : start + size]
        columns = (table.columns[names[place]] for place in chosen)
        yield np.array(chosen), np.stack([as_numbers(values if rows is None else values[rows]) for values in columns])


def _put(found: dict[str, Array], places: Array | int, facts: dict[str, Array | float]) -> None:
    for key, values in facts.items():
        found[key][places] = values


def _of_all(stack: Array) -> dict[str, Array | float]:
    """Counts and range over all rows."""
    low, high = np.fmin.reduce(stack, axis=1), np.fmax.reduce(stack, axis=1)
    infinite = np.zeros(len(stack))
    for place in np.flatnonzero(np.isinf(low) | np.isinf(high)):
        infinite[place] = np.count_nonzero(np.isinf(stack[place]))
    return {"missing": np.isnan(stack).sum(axis=1), "infinite": infinite, "low": low, "high": high}


def _of_sample(ordered: Array) -> dict[str, Array | float]:
    """What sorted entries, the missing ones last, tell of each column."""
    rows, lost = ordered.shape[1], np.isnan(ordered)
    known = rows - lost.sum(axis=1)
    place = _place_in_run(ordered)
    pairs = place.sum(axis=1) + (rows - known) * (rows - known - 1) / 2
    return {
        "known": known,
        "distinct": known - np.count_nonzero(place, axis=1),
        "common": np.where(known > 0, place.max(axis=1) + 1, 0),
        "alike": pairs / max(1, rows * (rows - 1) / 2),
        "whole": ((np.floor(ordered) == ordered) | lost).all(axis=1) & (known > 0),
        **{key: _quantile(ordered, known, at) for key, at in QUARTILES.items()},
    }


QUARTILES = {"first_quartile": 0.25, "median": 0.5, "third_quartile": 0.75}


def _place_in_run(ordered: Array) -> Array:
    """How many equal entries stand before each one: summed, the number of equal pairs."""
    index = np.arange(ordered.shape[1])
    starts = np.zeros(ordered.shape, dtype=np.int64)
    starts[:, 1:] = np.where(ordered[:, 1:] == ordered[:, :-1], 0, index[1:])
    return np.asarray(index - np.maximum.accumulate(starts, axis=1))


def _quantile(ordered: Array, known: Array, at: float) -> Array:
    places = np.maximum(np.ceil(at * known).astype(int) - 1, 0)
    return np.asarray(ordered[np.arange(len(ordered)), places])


def _of_words(column: Coded) -> dict[str, Array | float]:
    counts, rows = column.counts, len(column.codes)
    known = int(counts.sum())
    pairs = float((counts * (counts - 1) / 2).sum()) + (rows - known) * (rows - known - 1) / 2
    common = int(counts.max(initial=0))
    return {"known": known, "distinct": len(counts), "common": common, "alike": pairs / max(1, rows * (rows - 1) / 2)}
