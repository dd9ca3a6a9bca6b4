"""Shared code of k-modes and k-prototypes: mixed rows, their costs, initialisation, assignment and update."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core import Array, Data, DataError, Table
from ...core.files.learned_limits import flaw_of_categories
from ...engines.alternate import Alternation
from ...engines.columns.table_encoding import coded as codes_among
from ...engines.columns.table_encoding import learned_categories
from ...engines.iterate import State
from ...engines.sampling.weighted_sampling import Population

MAX_ABSOLUTE = 1e150  # whose square is a float


@dataclass(frozen=True)
class MixedRows:
    """Numeric columns (rows, q), and codes of categorical columns (rows, c)."""

    numbers: Array
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, chosen: Any) -> MixedRows:
        return MixedRows(self.numbers[chosen], self.codes[chosen])

    def costs(self, centres: MixedRows, gamma: float) -> Array:
        """Squared distance of numeric columns plus `gamma` for each category that differs, to each of the centres."""
        found = np.zeros((len(self), len(centres)))
        for column, means in zip(self.numbers.T, centres.numbers.T, strict=True):
            found += (column[:, None] - means) ** 2
        different = np.zeros(found.shape)
        for codes, modes in zip(self.codes.T, centres.codes.T, strict=True):
            different += codes[:, None] != modes
        return np.asarray(found + gamma * different)


def drop_weightless(rows: MixedRows, weight: Array | None) -> MixedRows:
    """The rows with weight."""
    return rows if weight is None else rows.take(np.flatnonzero(weight))


def flaw_of_modes(modes: Array, categories: list[Array]) -> str:
    """Why modes in a file do not name categories of their columns; empty if they do."""
    wrong = flaw_of_categories(categories)
    if wrong or modes.dtype.kind not in "iu" or modes.shape[1] != len(categories):
        return wrong or "modes_ must name a category of each column"
    sizes = np.array([len(values) for values in categories], dtype=np.int64)
    return "" if ((modes >= 0) & (modes < sizes)).all() else "modes_ must name a category of each column"


def categories_of(table: Table, columns: Array, owner: str) -> list[Array]:
    """The sorted categories of some columns."""
    found = learned_categories(table, np.isin(np.arange(table.shape[1]), columns), with_missing=False, owner=owner)
    return [known for known in found if known is not None]


def coded(table: Table, columns: Array, categories: list[Array], owner: str) -> Array:
    """The code of each value among the categories of its column, -1 for an unseen one."""
    if not len(columns):
        return np.empty((table.shape[0], 0), dtype=np.int32)
    names = None if table.names is None else [table.names[j] for j in columns]
    chosen = Table(tuple(table.parts[j] for j in columns), names)
    return codes_among(chosen, list(categories), owner, unseen=-1.0).astype(np.int32)


def is_numeric(column: Any) -> bool:
    """Whether a column is numeric, Python numbers included."""
    if column.dtype.kind in "fiub":
        return True
    return isinstance(column, np.ndarray) and all(isinstance(value, Real) for value in column)


def numbers_of(table: Table, columns: Array, owner: str) -> Array:
    """Numeric columns in double precision."""
    numbers = np.empty((table.shape[0], len(columns)))
    for k, j in enumerate(columns):
        try:
            numbers[:, k] = table.columns[j].astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{owner}: column {j} holds text, not numbers; name it in categorical_features") from None
        largest = float(np.abs(numbers[:, k]).max(initial=0.0))
        if largest > MAX_ABSOLUTE:
            raise DataError(
                f"{owner}: column {j} holds numbers of size {largest:.3g}, too large to be squared; "
                "measure it in another unit"
            )
    return numbers


def plus_plus_rows(rows: MixedRows, weight: Array, gamma: float, count: int, draws: np.random.Generator) -> MixedRows:
    """k-means++ seeding by costs: independent of the order of the rows, and of copies instead of weights."""
    content = np.column_stack([rows.numbers, rows.codes.astype(np.float64)])
    population = Population.of(Data(content, np.empty(0), weight, None))
    distinct = rows.take(population.rows)
    weights = np.ones(len(distinct)) if population.weight is None else population.weight
    mass, chosen, closest = weights, [], np.full(len(distinct), np.inf)
    for _ in range(count):
        ends = np.cumsum(mass if mass.any() else weights)
        chosen.append(int(min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(ends) - 1)))
        closest = np.minimum(closest, distinct.costs(distinct.take([chosen[-1]]), gamma)[:, 0])
        mass = weights * closest
    return distinct.take(chosen)


def alternation(rows: MixedRows, weight: Array, gamma: float, centres: MixedRows) -> Alternation:
    """Cheapest centres, and the means and modes of the rows of each."""
    count = len(centres)

    def assign(state: State) -> State:
        costs = rows.costs(MixedRows(state["numbers"], state["codes"]), gamma)
        least = costs.min(axis=1)
        return {"labels": costs.argmin(axis=1), "least": least, "objective": float((weight * least).sum())}

    def update(state: State) -> State:
        numbers, codes = state["numbers"].copy(), state["codes"].copy()
        filled = _fill_empty(state["labels"], state["least"], weight, count)
        for cluster in range(count):
            members = np.flatnonzero((filled == cluster) & (weight > 0))
            if len(members):
                numbers[cluster], codes[cluster] = _centre(rows.take(members), weight[members])
        return {"numbers": numbers, "codes": codes}

    labels = np.full(len(rows), -1)
    initial = {"numbers": centres.numbers, "codes": centres.codes, "labels": labels, "objective": 0.0, "changed": 1}
    return Alternation(initial, assign, update)


def _fill_empty(labels: Array, least: Array, weight: Array, count: int) -> Array:
    """Labels in which the rows of the largest costs are moved to the clusters without rows."""
    empty = np.flatnonzero(np.bincount(labels, weight, count) == 0)
    if not len(empty):
        return labels
    far = np.argsort(-least * (weight > 0), kind="stable")
    far = far[least[far] > 0][: len(empty)]
    labels = labels.copy()
    labels[far] = empty[: len(far)]
    return labels


def _centre(rows: MixedRows, weight: Array) -> tuple[Array, Array]:
    """Means of the numeric columns, modes of the categorical ones; ties go to the first category."""
    means = (rows.numbers * weight[:, None]).sum(axis=0) / weight.sum()
    modes = [int(np.bincount(column, weight).argmax()) for column in rows.codes.T]
    return means, np.array(modes, dtype=np.int32)
