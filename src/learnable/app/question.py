"""What is asked of a table: which column is predicted, from which others, and what the rest is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError
from ..core.table import is_missing
from ..datasets import Dataset

Task = Literal["regression", "binary", "multi-class", "structure"]
MOST_CLASSES = 20  # different whole numbers that are taken for classes rather than amounts
FEWEST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Question:
    """A table whose columns have their parts in a study: target, features, groups, time, weights.

    Rows without a target are left out. The task `structure` has no target.

    >>> table = Dataset.of({"age": [30.0, 41.5] * 15, "city": ["Rome", "Oslo"] * 15, "buys": ["no", "yes"] * 15})
    >>> question = ask(table, "buys")
    >>> question.task, question.features, question.positive
    ('binary', ('age', 'city'), 'yes')
    """

    table: Dataset
    task: Task
    features: tuple[str, ...]
    target: str | None = None
    group: str | None = None
    time: str | None = None
    weight: str | None = None
    positive: Any = None
    guessed: tuple[str, ...] = field(default=())

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.table.n

    @property
    def classifies(self) -> bool:
        """Whether the target is a class."""
        return self.task in ("binary", "multi-class")

    @property
    def y(self) -> Array:
        """The target: numbers, or classes as texts or numbers."""
        if self.target is None:
            raise DataError(f"{self.table.name}: no column is the target")
        return self.table.columns[self.target]

    @property
    def groups(self) -> Array | None:
        """The group of each row, as text."""
        return None if self.group is None else self.table.columns[self.group].astype(str)

    @property
    def weights(self) -> Array | None:
        """The weight of each row."""
        return None if self.weight is None else self.table.columns[self.weight].astype(np.float64)

    @property
    def moments(self) -> Array | None:
        """The time of each row: anything that has an order."""
        return None if self.time is None else self.table.columns[self.time]

    def frame(self) -> Any:
        """The features as an Arrow table, which every estimator takes by name."""
        return frame_of(self.table, self.features)

    def rows(self, chosen: Array) -> Question:
        """The same question of some rows, by index or mask."""
        return replace(self, table=self.table.rows(chosen))


def frame_of(table: Dataset, names: Sequence[str]) -> Any:
    """Columns of a table as an Arrow table; what cannot be read in Arrow as it is becomes text."""
    import pyarrow

    return pyarrow.table({name: _arrow(table.columns[name]) for name in names})


def _arrow(values: Array) -> Any:
    import pyarrow

    if values.dtype.kind in "fiub":
        return pyarrow.array(values, from_pandas=True)
    if values.dtype.kind == "M":
        return pyarrow.array(values.astype("datetime64[us]"))
    gone = is_missing(values)
    return pyarrow.array([None if lost else str(entry) for entry, lost in zip(values.tolist(), gone, strict=True)])


def ask(
    table: Dataset,
    target: str | None = None,
    *,
    task: Task | None = None,
    group: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    positive: str | None = None,
) -> Question:
    """The question that a table and the wishes of a person make; what nobody said is guessed, and told."""
    _check_names(table, [target, group, time, weight, *drop])
    if target is None or task == "structure":
        features = _features(table, {group, time, weight, *drop})
        return Question(table, "structure", features, None, group, time, weight)
    table = _with_target(table.with_target(target), target)
    task, guessed = (task, ()) if task else _guessed_task(table, target)
    values = table.columns[target]
    _check_target(table, target, values, task)
    features = _features(table, {target, group, time, weight, *drop})
    if not features:
        raise DataError(f"{table.name} has no column besides the target {target!r} to predict it from")
    if weight is not None:
        _check_weights(table, weight)
    if task != "regression":
        table = _with_whole_classes(table, target)
        values = table.columns[target]
    favoured = _positive(values, positive) if task == "binary" else None
    return Question(table, task, features, target, group, time, weight, favoured, guessed)


def _check_names(table: Dataset, names: Sequence[str | None]) -> None:
    from difflib import get_close_matches

    for name in names:
        if name is not None and name not in table.columns:
            near = get_close_matches(name, list(table.columns), 3) or list(table.columns)[:8]
            more = " ..." if len(table.columns) > len(near) else ""
            raise DataError(f"{table.name} has no column {name!r}; it has {', '.join(map(repr, near))}{more}")


def _features(table: Dataset, others: set[str | None]) -> tuple[str, ...]:
    return tuple(name for name in table.columns if name not in others)


def _with_target(table: Dataset, target: str) -> Dataset:
    """The rows whose target is known."""
    values = table.columns[target]
    gone = is_missing(values)
    if values.dtype.kind == "f":
        gone = gone | np.isinf(values)
    if gone.all():
        raise DataError(f"{table.name}: the target {target!r} has no value in any row; name another column")
    if not gone.any():
        return table
    kept = table.rows(~gone)
    kept.notes.append(f"{int(gone.sum())} of {table.n} rows have no target and are left out")
    return kept


def _guessed_task(table: Dataset, target: str) -> tuple[Task, tuple[str, ...]]:
    """The task that the values of the target suggest, and why."""
    values, kind = table.columns[target], table.types[target]
    distinct = len(set(values.tolist()))
    if kind in ("continuous", "time") or (kind == "integer" and distinct > MOST_CLASSES):
        return "regression", (f"task regression: {target!r} holds {distinct} different numbers",)
    task: Task = "binary" if distinct == 2 else "multi-class"
    return task, (f"task {task}: {target!r} has {distinct} different values; --task regression overrides it",)


def _check_target(table: Dataset, target: str, values: Array, task: Task) -> None:
    distinct = len(set(values.tolist()))
    if table.n < FEWEST_ROWS:
        count = f"{table.n} row{'s' * (table.n != 1)}"
        raise DataError(f"{table.name} has {count} with a target; a study needs at least {FEWEST_ROWS}")
    if distinct < 2:
        raise DataError(f"the target {target!r} has the same value in every row; there is nothing to predict")
    if task == "regression" and values.dtype.kind not in "biuf":
        raise DataError(f"the target {target!r} holds {values[0]!r:.40}, no number; it asks for --task classification")
    if task == "binary" and distinct != 2:
        raise DataError(f"the target {target!r} has {distinct} different values; two are needed for task binary")


def _with_whole_classes(table: Dataset, target: str) -> Dataset:
    """Classes that are whole numbers without a point."""
    values = table.columns[target]
    if values.dtype.kind != "f" or (values % 1).any():
        return table
    return replace(table, columns={**table.columns, target: values.astype(np.int64)})


def _check_weights(table: Dataset, weight: str) -> None:
    values = table.columns[weight]
    if values.dtype.kind not in "biuf" or not (np.isfinite(values) & (values >= 0)).all() or not values.any():
        raise DataError(f"the weights in {weight!r} must be numbers of 0 or more, in every row, and not all 0")


def _positive(values: Array, wished: str | None) -> Any:
    """The class that counts as positive: the one named, or the one that is written later in the alphabet."""
    classes = sorted(set(values.tolist()), key=lambda value: (isinstance(value, str), value))
    if wished is None:
        return classes[-1]
    for value in classes:
        if str(value) == wished:
            return value
    raise DataError(f"--positive {wished}: the target has the classes {classes[0]!r} and {classes[-1]!r}")
