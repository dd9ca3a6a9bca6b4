"""The roles of the columns of a table: target, features, groups, time, weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any, Literal

import numpy as np

from ..compose._column_types import is_free_text
from ..core import Array, DataError, ParameterError
from ..core.validate.mixed_table import is_missing
from ..datasets import Dataset
from ..deployment import LagFeatures
from .text import agree, quoted

Task = Literal["regression", "binary", "multi-class", "unsupervised"]
RequestedTask = Task | Literal["classification", "recommendation"]
MAX_CLASSES = 20  # maximum number of distinct integers that are inferred to be classes
MIN_ROWS = 20
MIN_OF_CLASS = 2  # minimum mean number of rows of a class
ROWS_OF_NUMBER = 5  # minimum mean number of rows of an integer that is inferred to be a class
MAX_COLUMNS = 20_000
MAX_NAMED = 8  # columns that an error lists
_year_first = re.compile(r"\d{4}(?!\d)")
FLAGS = {"true": "1", "false": "0"}


@dataclass(frozen=True, slots=True)
class Question:
    """A table with the roles of its columns: target, features, groups, time, weights.

    Rows without a target are left out; `kept` are the numbers of the others in the table as it was read. The task
    `unsupervised` has no target. If it `recommends`, the features are a user and an item, and the target is a rating.

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
    kept: Array | None = None
    texts: tuple[str, ...] = ()  # features of free text
    recommends: bool = False
    lags: LagFeatures | None = None  # features made of earlier targets and the calendar, among `features`

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.table.n

    @property
    def classifies(self) -> bool:
        """Whether the target is a class."""
        return self.task in ("binary", "multi-class")

    @property
    def aim(self) -> str:
        """The task as users name it: a recommendation is the regression of a rating on a user and an item."""
        return "recommendation" if self.recommends else self.task

    @property
    def y(self) -> Array:
        """The target values, or the class labels."""
        if self.target is None:
            raise DataError(f"{self.table.name}: no target column was given")
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
        """The time of each row: values of any ordered type."""
        return None if self.time is None else self.table.columns[self.time]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns without a role."""
        used = {*self.features, self.target, self.group, self.time, self.weight}
        return tuple(name for name in self.table.columns if name not in used)

    @property
    def as_read(self) -> Question:
        """The question without the features that are made of earlier targets and the calendar."""
        if self.lags is None:
            return self
        made = set(self.lags.names)
        columns = {name: values for name, values in self.table.columns.items() if name not in made}
        table = replace(self.table, columns=columns, types={name: self.table.types[name] for name in columns})
        return replace(self, table=table, features=tuple(one for one in self.features if one not in made), lags=None)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns of the table as it was read that a prediction needs."""
        given = self.as_read.features
        return given if self.lags is None or self.time is None else (*given, self.time)

    def numbers(self, rows: Array) -> Array:
        """The row numbers in the table as it was read; the first row is 0."""
        return rows if self.kept is None else self.kept[rows]

    def frame(self) -> Any:
        """The features as an Arrow table."""
        return self.table.arrow(self.features)

    @property
    def named_by_digits(self) -> list[str]:
        """Categorical features that are written as integers: codes such as 00501."""
        return [name for name in self.features if _names_in_digits(self.table.columns[name])]

    def rows(self, chosen: Array) -> Question:
        """The same roles for some of the rows, by index or mask."""
        kept = np.arange(self.n) if self.kept is None else self.kept
        return replace(self, table=self.table.rows(chosen), kept=kept[chosen])


def _names_in_digits(values: Array) -> bool:
    """Whether a text column holds only integers; other numbers in it were declared to be text."""
    if values.dtype.kind != "O":
        return False
    known = (value for value, missing in zip(values.tolist(), is_missing(values), strict=True) if not missing)
    return all(not isinstance(value, str) or value.strip().lstrip("+-").isdigit() for value in known)


def ask(
    table: Dataset,
    target: str | None = None,
    *,
    task: RequestedTask | None = None,
    group: str | None = None,
    time: str | None = None,
    weight: str | None = None,
    drop: Sequence[str] = (),
    text: Sequence[str] = (),
    positive: str | None = None,
) -> Question:
    """The question for a table and given roles; the task is inferred if not given, which `guessed` reports."""
    if task == "recommendation":
        return _ask_for_ratings(table, target, group=group, time=time, weight=weight, drop=drop)
    _check_names(table, [target, group, time, weight, *drop, *text])
    _check_roles({"target": target, "group": group, "time": time, "weight": weight}, drop)
    _check_size(table)
    table = _with_moments(table, time)
    if target is None or task == "unsupervised":
        features = _features(table, {group, time, weight, *drop})
        texts, recognised = _texts(table, features, text)
        return Question(table, "unsupervised", features, None, group, time, weight, guessed=recognised, texts=texts)
    table, kept = _with_target(table.with_target(target), target)
    task, guessed = _task(table, target, task)
    values = table.columns[target]
    _check_target(table, target, values, task)
    features = _features(table, {target, group, time, weight, *drop})
    if not features and time is None:  # of a time series earlier targets become features
        raise DataError(f"{table.name} has no column besides the target {target!r} to predict it from")
    if features and all(is_missing(table.columns[name]).all() for name in features):
        raise DataError(f"{table.name}: no column besides the target {target!r} has a value in any row")
    if weight is not None:
        _check_weights(table, weight)
    if task != "regression":
        table = _with_integer_classes(table, target)
        values = table.columns[target]
    positive_class = _positive(values, positive, task)
    texts, recognised = _texts(table, features, text)
    guessed = (*guessed, *recognised)
    return Question(table, task, features, target, group, time, weight, positive_class, guessed, kept, texts)


def _ask_for_ratings(
    table: Dataset, rating: str | None, *, group: str | None, time: str | None, weight: str | None, drop: Sequence[str]
) -> Question:
    """The question for a table of ratings; user, item, rating and time are found by the names of the columns."""
    from ..recommend.rating_files import find_columns

    if weight is not None:
        raise ParameterError("--weight: not all recommenders take weights; leave it out for --task recommendation")
    _check_names(table, [rating, group, time, *drop])
    names = [name for name in table.columns if name not in {rating, group, time, *drop}]
    found = find_columns([*names, *([rating] if rating else [])])
    if len(names) < 2 + (rating is None):
        raise DataError(f"{table.name}: --task recommendation needs columns with the user, the item and the rating")
    user, item = names[found["user"]], names[found["item"]]
    rating = rating or names[found["rating"]]
    if time is None and found.get("time", len(names)) < len(names):
        time = names[found["time"]]
    others = [name for name in table.columns if name not in {user, item, rating, time, group}]
    ids = table.with_types({user: "categorical", item: "categorical"})
    question = ask(ids, rating, task="regression", group=group, time=time, drop=others)
    roles = f"user {user!r}, item {item!r}, rating {rating!r}" + f", time {time!r}" * (time is not None)
    ordered = replace(question, features=(user, item), texts=(), recommends=True)
    return replace(ordered, guessed=(f"task recommendation: {roles}; --drop and --target choose others",))


def _check_names(table: Dataset, names: Sequence[str | None]) -> None:
    from difflib import get_close_matches

    for name in names:
        if name is not None and name not in table.columns:
            near = get_close_matches(name, list(table.columns), 3)
            first = ", ".join(map(repr, list(table.columns)[:MAX_NAMED])) + " ..." * (len(table.columns) > MAX_NAMED)
            advice = f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {first}"
            raise DataError(f"{table.name} has no column {name!r}; {advice}")


def _check_roles(roles: dict[str, str | None], drop: Sequence[str]) -> None:
    """Refuse a column with two roles."""
    named = [(f"--{role}", name) for role, name in roles.items() if name is not None]
    named += [("--drop", name) for name in drop if name == roles["target"]]
    seen: dict[str, str] = {}
    for flag, name in named:
        if name in seen:
            raise ParameterError(f"{seen[name]} and {flag} both name the column {name!r}; a column has one role")
        seen[name] = flag


def _check_size(table: Dataset) -> None:
    if len(table.columns) > MAX_COLUMNS:
        raise DataError(
            f"{table.name} has {len(table.columns)} columns; a study takes at most {MAX_COLUMNS}: select columns, or "
            "transpose the table if its columns are rows"
        )


def _with_moments(table: Dataset, time: str | None) -> Dataset:
    """The table with the text of `--time` parsed as times, so that 12/31/2023 is before 01/31/2024.

    Text that begins with the year, such as 2024Q3, is ordered as text.
    """
    if time is None or table.columns[time].dtype.kind != "O":
        return table
    try:
        return table.with_types({time: "time"})
    except DataError:
        values = table.columns[time]
        known = values[~is_missing(values)].astype(str).tolist()
        stray = next((text for text in known if not _year_first.match(text)), None)
        if stray is None:
            return table
        raise DataError(
            f"--time: {time!r} holds {stray!r:.40}, which is not a time; write times as 2024-12-31 or as numbers"
        ) from None


def _texts(
    table: Dataset, features: Sequence[str], requested: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The features of free text: the requested ones, otherwise those that are recognised, with a note on these."""
    if requested:
        if other := [name for name in requested if name not in features or table.columns[name].dtype.kind != "O"]:
            raise DataError(f"--text: {other[0]!r} does not hold text that is a feature; name a column of strings")
        return tuple(name for name in features if name in requested), ()
    found = tuple(name for name in features if is_free_text(table.columns[name]))
    note = f"free text: {quoted(found, MAX_NAMED)}; --text COLUMN names the columns of free text instead"
    return found, (note,) if found else ()


def _features(table: Dataset, others: set[str | None]) -> tuple[str, ...]:
    return tuple(name for name in table.columns if name not in others)


def _with_target(table: Dataset, target: str) -> tuple[Dataset, Array | None]:
    """The rows with a known target, and their numbers; None if all targets are known."""
    values = table.columns[target]
    missing = is_missing(values)
    if values.dtype.kind == "f":
        missing = missing | np.isinf(values)
    if missing.all():
        raise DataError(f"{table.name}: the target {target!r} has no value in any row; choose another column")
    if not missing.any():
        return table, None
    count = int(missing.sum())
    note = f"{count} of {table.n} rows {agree('has', count)} no target and {agree('is', count)} left out"
    return replace(table.rows(~missing), notes=[*table.notes, note]), np.flatnonzero(~missing)


def _task(table: Dataset, target: str, requested: RequestedTask | None) -> tuple[Task, tuple[str, ...]]:
    """The requested task, or the one inferred from the target values, and why."""
    values, kind = table.columns[target], table.types[target]
    distinct = _distinct(values)
    if requested == "classification":
        return "binary" if distinct == 2 else "multi-class", ()
    if requested is not None and requested != "recommendation":
        return requested, ()
    most = min(MAX_CLASSES, table.n / ROWS_OF_NUMBER)
    if kind in ("continuous", "time") or (kind == "integer" and distinct > most):
        return "regression", (
            f"task regression: {target!r} has {distinct} distinct values; --task classification overrides it",
        )
    task: Task = "binary" if distinct == 2 else "multi-class"
    override = "; --task regression overrides it" if values.dtype.kind in "biuf" else ""
    return task, (f"task {task}: {target!r} has {distinct} distinct values{override}",)


def _distinct(values: Array) -> int:
    """The number of distinct values."""
    return len(set(values.tolist()) if values.dtype.kind == "O" else np.unique(values))


def _check_target(table: Dataset, target: str, values: Array, task: Task) -> None:
    distinct = _distinct(values)
    if table.n < MIN_ROWS:
        count = f"{table.n} row{'s' * (table.n != 1)}"
        raise DataError(f"{table.name} has {count} with a target; a study needs at least {MIN_ROWS}")
    if distinct < 2:
        raise DataError(f"the target {target!r} has the same value in every row; there is nothing to predict")
    if task == "regression" and values.dtype.kind not in "biuf":
        raise DataError(
            f"the target {target!r} contains {values[0]!r:.40}, which is not a number; use --task classification"
        )
    if task == "binary" and distinct != 2:
        raise DataError(f"the target {target!r} has {distinct} distinct values; task binary needs two")
    if task == "multi-class" and distinct > table.n / MIN_OF_CLASS:
        raise DataError(
            f"the target {target!r} has {distinct} distinct values in {table.n} rows, too many for classes; "
            "choose another target"
        )


def refuse_infinity(question: Question) -> None:
    """Refuse infinite feature values."""
    for name in question.features:
        values = question.table.columns[name]
        if values.dtype.kind == "f" and np.isinf(values).any():
            row = int(question.numbers(np.flatnonzero(np.isinf(values))[:1])[0])
            raise DataError(
                f"{question.table.name}: column {name!r} contains infinity in row {row} (the first row is 0); replace "
                f"it by a number or an empty cell, or drop the column: --drop {quote(name)}"
            )


def _with_integer_classes(table: Dataset, target: str) -> Dataset:
    """The table with integral class labels as integers."""
    values = table.columns[target]
    if values.dtype.kind != "f" or (values % 1).any():
        return table
    return replace(table, columns={**table.columns, target: values.astype(np.int64)})


def _check_weights(table: Dataset, weight: str) -> None:
    values = table.columns[weight]
    if values.dtype.kind not in "biuf" or not (np.isfinite(values) & (values >= 0)).all() or not values.any():
        raise DataError(f"the weights in {weight!r} must be non-negative numbers without missing values, and not all 0")


def _positive(values: Array, name: str | None, task: Task) -> Any:
    """The positive class of two: the one named, or the last in sorted order."""
    if task != "binary":
        if name is not None:
            raise ParameterError(f"--positive {name} needs two classes; the task is {task}")
        return None
    classes = sorted(set(values.tolist()), key=lambda value: (isinstance(value, str), value))
    if name is None:
        return classes[-1]
    for value in classes:
        if _is_called(value, name):
            return value
    raise DataError(f"--positive {name}: the target has the classes {classes[0]!r} and {classes[-1]!r}")


def _is_called(value: Any, name: str) -> bool:
    """Whether a name denotes a class; numeric classes, true and false included, may be written in any way."""
    if isinstance(value, str):
        return value == name
    try:
        return bool(float(FLAGS.get(name.lower(), name)) == value)
    except ValueError:
        return False
