"""Groups of rows of categories, or of numbers beside categories: what k-modes and k-prototypes share."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ...core import Array, Data, DataError, Table
from ...core.runtime.context import give_way
from ...engines.columns.table_encoding import coded as places_among
from ...engines.columns.table_encoding import learned_categories
from ...engines.iterate import Progress, State
from ...engines.sampling.weighted_sampling import Population

LARGEST = 1e150  # whose square is a float


@dataclass(frozen=True)
class MixedRows:
    """Numbers (rows, q), and codes of categories (rows, c)."""

    numbers: Array
    codes: Array

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Any) -> MixedRows:
        return MixedRows(self.numbers[chosen], self.codes[chosen])

    def costs(self, centres: MixedRows, price: float) -> Array:
        """Squared distance of numbers plus `price` for each category that differs, to each of the centres."""
        found = np.zeros((len(self), len(centres)))
        for column, middles in zip(self.numbers.T, centres.numbers.T, strict=True):
            found += (column[:, None] - middles) ** 2
        different = np.zeros(found.shape)
        for codes, modes in zip(self.codes.T, centres.codes.T, strict=True):
            different += codes[:, None] != modes
        return np.asarray(found + price * different)


def counted_part(rows: MixedRows, weight: Array | None) -> MixedRows:
    """Those that have weight."""
    return rows if weight is None else rows.part(np.flatnonzero(weight))


def categories_of(table: Table, places: Array, owner: str) -> list[Array]:
    """The different values of some columns, sorted."""
    found = learned_categories(table, np.isin(np.arange(table.shape[1]), places), gaps_too=False, owner=owner)
    return [known for known in found if known is not None]


def coded(table: Table, places: Array, categories: list[Array], owner: str) -> Array:
    """The place of each value among the categories of its column, -1 for one that is not among them."""
    if not len(places):
        return np.empty((table.shape[0], 0), dtype=np.int32)
    names = None if table.names is None else [table.names[place] for place in places]
    chosen = Table(tuple(table.parts[place] for place in places), names)
    return places_among(chosen, list(categories), owner, unseen=-1.0).astype(np.int32)


def holds_numbers(part: Any) -> bool:
    """Whether a column is of numbers, be they Python's own."""
    if part.dtype.kind in "fiub":
        return True
    return isinstance(part, np.ndarray) and all(isinstance(value, Real) for value in part)


def numbers_of(table: Table, places: Array, owner: str) -> Array:
    """Columns of numbers, in double precision."""
    numbers = np.empty((table.shape[0], len(places)))
    for k, place in enumerate(places):
        try:
            numbers[:, k] = table.columns[place].astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{owner}: column {place} holds texts, not numbers; name it in categorical_features"
            ) from None
        largest = float(np.abs(numbers[:, k]).max(initial=0.0))
        if largest > LARGEST:
            raise DataError(
                f"{owner}: column {place} holds numbers of size {largest:.3g}, too large to be squared; "
                "measure it in another unit"
            )
    return numbers


def far_apart(rows: MixedRows, weight: Array, price: float, count: int, draws: np.random.Generator) -> MixedRows:
    """Rows drawn by their costs to those before, whatever the order and the copies of the rows."""
    content = np.column_stack([rows.numbers, rows.codes.astype(np.float64)])
    population = Population.of(Data(content, np.empty(0), weight, None))
    ground = rows.part(population.rows)
    heavy = np.ones(len(ground)) if population.weight is None else population.weight
    mass, chosen, closest = heavy, [], np.full(len(ground), np.inf)
    for _ in range(count):
        ends = np.cumsum(mass if mass.any() else heavy)
        chosen.append(int(min(np.searchsorted(ends, draws.random() * ends[-1], side="right"), len(ends) - 1)))
        closest = np.minimum(closest, ground.costs(ground.part([chosen[-1]]), price)[:, 0])
        mass = heavy * closest
    return ground.part(chosen)


@dataclass(frozen=True)
class Prototypes:
    """Cheapest prototypes, and the means and modes of the rows of each, in turn."""

    rows: MixedRows
    weight: Array
    price: float
    begin: MixedRows

    def start(self) -> State:
        labels = np.full(len(self.rows), -1)
        return {
            "numbers": self.begin.numbers,
            "codes": self.begin.codes,
            "labels": labels,
            "objective": 0.0,
            "changed": 1,
        }

    def step(self, state: State) -> State:
        give_way()
        costs = self.rows.costs(MixedRows(state["numbers"], state["codes"]), self.price)
        labels, least = costs.argmin(axis=1), costs.min(axis=1)
        changed = int((labels != state["labels"]).sum())
        moved = self._filled(labels, least)
        numbers, codes = state["numbers"].copy(), state["codes"].copy()
        for group in range(len(codes)):
            inside = np.flatnonzero((moved == group) & (self.weight > 0))
            if len(inside):
                numbers[group], codes[group] = self._middle(inside)
        cost = float((self.weight * least).sum())
        return {"numbers": numbers, "codes": codes, "labels": labels, "objective": cost, "changed": changed}

    def _filled(self, labels: Array, least: Array) -> Array:
        """Labels with which groups without rows begin anew, with the rows that cost most."""
        empty = np.flatnonzero(np.bincount(labels, self.weight, len(self.begin)) == 0)
        if not len(empty):
            return labels
        far = np.argsort(-least * (self.weight > 0), kind="stable")
        far = far[least[far] > 0][: len(empty)]
        labels = labels.copy()
        labels[far] = empty[: len(far)]
        return labels

    def _middle(self, inside: Array) -> tuple[Array, Array]:
        """Means of numbers, most frequent categories, the first of equals."""
        heavy = self.weight[inside]
        means = (self.rows.numbers[inside] * heavy[:, None]).sum(axis=0) / heavy.sum()
        modes = [int(np.bincount(column, heavy).argmax()) for column in self.rows.codes[inside].T]
        return means, np.array(modes, dtype=np.int32)

    def progress(self, state: State) -> Progress:
        return Progress(state["objective"], float(state["changed"]), 0.0)
