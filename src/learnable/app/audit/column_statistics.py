"""Statistics of every column: counts, range, quartiles, frequency of repeated values.

Numeric columns are processed in blocks, so that a table of very many short columns costs as little as one of few
long ones. Counts of missing entries and the range come from all rows, whatever needs sorting from the sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from ...core import Array
from ...datasets import Dataset
from .encoded_columns import Coded, as_numbers, holds_numbers, missing_mask

BLOCK_CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class FeatureStatistics:
    """Statistics of the features, one entry each; NaN where a statistic is not defined for texts.

    missing and infinite count rows, low and high are the range; of the sample: known entries, distinct values, the
    count of the most frequent one, the probability that two rows agree, whether all are integers, and the quartiles.
    """

    number: Array
    missing: Array
    infinite: Array
    low: Array
    high: Array
    known: Array
    distinct: Array
    common: Array
    agreement: Array
    whole: Array
    first_quartile: Array
    median: Array
    third_quartile: Array


def column_statistics_of(
    table: Dataset, names: tuple[str, ...], rows: Array, text_columns: dict[str, Coded]
) -> FeatureStatistics:
    """The statistics of the columns `names`; `rows` is the sample, `text_columns` holds the columns without numbers."""
    found = {entry.name: np.full(len(names), np.nan) for entry in fields(FeatureStatistics)}
    for indices, stack in blocks(table, names):
        sample = stack if len(rows) == table.n else stack[:, rows]
        _fill(found, indices, {"number": 1.0, **_of_all(stack), **_of_sample(np.sort(sample, axis=1))})
    for position, name in enumerate(names):
        if name in text_columns:
            lost = text_columns[name].codes < 0 if len(rows) == table.n else missing_mask(table.columns[name])
            described = _of_texts(text_columns[name])
            _fill(found, position, {"number": 0.0, "missing": float(lost.sum()), "infinite": 0.0, **described})
    return FeatureStatistics(**found)


def blocks(table: Dataset, names: tuple[str, ...], rows: Array | None = None) -> Iterator[tuple[Array, Array]]:
    """The numeric columns in blocks: their indices in `names`, and a matrix whose rows are columns of the table."""
    indices = [position for position, name in enumerate(names) if holds_numbers(table.columns[name])]
    size = max(1, BLOCK_CELLS // max(1, table.n if rows is None else len(rows)))
    for start in range(0, len(indices), size):
        chosen = indices[start : start + size]
        columns = (table.columns[names[position]] for position in chosen)
        yield np.array(chosen), np.stack([as_numbers(values if rows is None else values[rows]) for values in columns])


def _fill(found: dict[str, Array], indices: Array | int, statistics: dict[str, Array | float]) -> None:
    for key, values in statistics.items():
        found[key][indices] = values


def _of_all(stack: Array) -> dict[str, Array | float]:
    """Counts and range over all rows."""
    low, high = np.fmin.reduce(stack, axis=1), np.fmax.reduce(stack, axis=1)
    infinite = np.zeros(len(stack))
    for row in np.flatnonzero(np.isinf(low) | np.isinf(high)):
        infinite[row] = np.count_nonzero(np.isinf(stack[row]))
    return {"missing": np.isnan(stack).sum(axis=1), "infinite": infinite, "low": low, "high": high}


def _of_sample(ordered: Array) -> dict[str, Array | float]:
    """Statistics of columns from their sorted entries, the missing ones last."""
    rows, lost = ordered.shape[1], np.isnan(ordered)
    known = rows - lost.sum(axis=1)
    rank = _rank_within_ties(ordered)
    pairs = rank.sum(axis=1) + (rows - known) * (rows - known - 1) / 2
    return {
        "known": known,
        "distinct": known - np.count_nonzero(rank, axis=1),
        "common": np.where(known > 0, rank.max(axis=1) + 1, 0),
        "agreement": pairs / max(1, rows * (rows - 1) / 2),
        "whole": ((np.floor(ordered) == ordered) | lost).all(axis=1) & (known > 0),
        **{key: _quantile(ordered, known, at) for key, at in QUARTILES.items()},
    }


QUARTILES = {"first_quartile": 0.25, "median": 0.5, "third_quartile": 0.75}


def _rank_within_ties(ordered: Array) -> Array:
    """The number of equal entries before each one; their sum is the number of equal pairs."""
    index = np.arange(ordered.shape[1])
    starts = np.zeros(ordered.shape, dtype=np.int64)
    starts[:, 1:] = np.where(ordered[:, 1:] == ordered[:, :-1], 0, index[1:])
    return np.asarray(index - np.maximum.accumulate(starts, axis=1))


def _quantile(ordered: Array, known: Array, at: float) -> Array:
    indices = np.maximum(np.ceil(at * known).astype(int) - 1, 0)
    return np.asarray(ordered[np.arange(len(ordered)), indices])


def _of_texts(column: Coded) -> dict[str, Array | float]:
    counts, rows = column.counts, len(column.codes)
    known = int(counts.sum())
    pairs = float((counts * (counts - 1) / 2).sum()) + (rows - known) * (rows - known - 1) / 2
    common = int(counts.max(initial=0))
    return {
        "known": known,
        "distinct": len(counts),
        "common": common,
        "agreement": pairs / max(1, rows * (rows - 1) / 2),
    }
