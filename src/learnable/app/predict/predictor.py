"""A model from a file, ready to answer tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from ...core import Array, DataError, ModelFileError
from ...deployment import DeployedModel, ExpectedColumn
from ..text import quoted
from .number_formats import Ways
from .predictions import Answers
from .type_conversion import check_ends, converted, guessed, unmarked, written


@dataclass(frozen=True)
class Answering:
    """Whatever model a file holds, asked in one way.

    A `DeployedModel` says what it expects and how far its answers are off. Of any other model the columns are known by
    name or number alone, so nothing is strange to it and its answers have no intervals (`deployed` is False).
    """

    name: str
    model: DeployedModel
    deployed: bool
    named: bool

    @classmethod
    def opened(cls, path: str | os.PathLike[str], missing: Sequence[str] = ()) -> Answering:
        """The model in a file; in its rows, more marks may mean no value than in those that it was trained on."""
        from ...core.files.model_file import load

        if not Path(path).is_file():
            raise ModelFileError(f"there is no model file {path}")
        found = cls.of(load(path), Path(path).name)
        marks = [*found.model.missing, *missing]
        return replace(found, model=replace(found.model, missing=marks)) if missing else found

    @classmethod
    def of(cls, model: Any, name: str = "model") -> Answering:
        """A model that is here already."""
        deployed = isinstance(model, DeployedModel)
        if not deployed and not (hasattr(model, "predict") and _fitted(model)):
            raise ModelFileError(f"{name} holds a {type(model).__name__} that gives no answers for rows of a table")
        found = model if deployed else _wrapped(model)
        return cls(name, found, deployed, hasattr(found.model, "feature_names_in_") or deployed)

    @property
    def names(self) -> list[str]:
        """The columns that are asked for, in order."""
        return self.model.names

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in words; none for numbers."""
        return tuple(str(written(value)) for value in self.model.classes_.tolist()) if self._has_chances else ()

    def prediction_values(self) -> list[Any]:
        """The classes as answers give them."""
        found: list[Any] = _whole(self.model.classes_).tolist()
        return found

    @property
    def _has_chances(self) -> bool:
        return self.model.task != "regression" and hasattr(self.model.model, "predict_proba")

    def frame(self, table: Any, ways: Ways | None = None, first: int = 0) -> Any:
        """The expected columns of an Arrow table, in the form that the model was trained on.

        A table that comes in pieces is read in one way if all of them are given the same `ways`.
        """
        import pyarrow as pa

        places = self.places(table.column_names)
        marks = self.model.missing
        given = [unmarked(table.column(place), marks) for place in places]
        chosen = list(zip(given, self.model.columns, strict=True))
        if not self.deployed and any(column.holds == "text" for column in self.model.columns):
            return pa.table([guessed(values, column.name, ways, first) for values, column in chosen], names=self.names)
        columns = [unmarked(converted(values, column, ways, first), marks) for values, column in chosen]
        if self.deployed:
            check_ends(columns, self.names, first)
        return pa.table(columns, names=self.names)

    def places(self, names: Sequence[str]) -> list[int]:
        """Where the expected columns stand among those of a table; an error names those that are not there."""
        if not self.named:
            if len(names) != len(self.names):
                raise DataError(
                    f"the table has {len(names)} columns; the model, which knows no names, expects {len(self.names)}"
                )
            return list(range(len(names)))
        where = {name.strip(): place for place, name in enumerate(names)}
        if len(where) < len(names):
            counts = Counter(name.strip() for name in names)
            if twice := next((name for name in self.names if counts[name] > 1), None):
                raise DataError(f"the table has more than one column called {twice!r}; give each its own name")
        if missing := [name for name in self.names if name not in where]:
            raise DataError(_absent(missing, list(where), self.names))
        return [where[name] for name in self.names]

    def extra(self, names: Sequence[str]) -> list[str]:
        """Columns of a table that the model does not look at."""
        return [name for name in names if name.strip() not in self.names] if self.named else []

    def answers(self, frame: Any, share: float = 0.9) -> Answers:
        """What the model says about the rows of a frame, asking it once for each thing."""
        model, rows = self.model, self._rows(frame)
        chances = model.predict_proba(rows) if self._has_chances else None
        prediction = self._prediction(rows, chances)
        interval = plausible = None
        if self.deployed and len(model.misses):
            reach = model.reach(share)
            if chances is None:
                interval = np.column_stack([prediction - reach, prediction + reach])
            else:
                plausible = 1 - chances <= reach
                plausible[np.arange(len(chances)), chances.argmax(axis=1)] = True
        strange = model.strange(columns_of(frame)) if self.deployed else None
        prediction = _whole(prediction) if self.classes else prediction
        return Answers(prediction, self.classes, chances, interval, plausible, strange, tuple(self.names))

    def no_answers(self) -> Answers:
        """What a table without rows gets."""
        model, classes = self.model, self.classes
        classifies, sure = model.task != "regression", self.deployed and len(model.misses) > 0
        prediction = np.array(self.prediction_values())[:0] if classifies else np.empty(0)
        chances = np.empty((0, len(classes))) if classes else None
        interval = np.empty((0, 2)) if sure and not classes else None
        plausible = np.empty((0, len(classes)), bool) if sure and classes else None
        strange = np.empty((0, len(self.names)), bool) if self.deployed else None
        return Answers(prediction, classes, chances, interval, plausible, strange, tuple(self.names))

    def _prediction(self, rows: Any, chances: Array | None) -> Array:
        """The answers, from the chances where a deployed model decides by them."""
        if self.deployed and chances is not None:
            return self.model.decided(chances)
        return np.asarray(self.model.model.predict(rows))

    def _rows(self, frame: Any) -> Any:
        """A frame as the model inside takes it: by name if it was trained by name, else as a matrix."""
        numbers = all(column.holds == "number" for column in self.model.columns)
        if hasattr(self.model.model, "feature_names_in_") or not numbers:
            return frame
        return np.column_stack([column.to_numpy() for column in frame.columns])


def columns_of(frame: Any) -> dict[str, Array]:
    """The columns of a frame as arrays: NaN, NaT or None where missing."""
    return {name: column.to_numpy() for name, column in zip(frame.column_names, frame.columns, strict=True)}


def _whole(classes: Array) -> Array:
    """Classes that are whole numbers without their point, as tables write them."""
    whole = classes.dtype.kind == "f" and bool((classes == np.round(classes)).all())
    return classes.astype(np.int64) if whole else classes


def _fitted(model: Any) -> bool:
    check = getattr(model, "__sklearn_is_fitted__", None)
    return True if check is None else bool(check())


def _wrapped(model: Any) -> DeployedModel:
    """An estimator with what its file tells about the columns."""
    names = getattr(model, "feature_names_in_", None)
    count = int(getattr(model, "n_features_in_", 0))
    numbers = names is None or getattr(type(model), "takes", "numbers") == "numbers"
    holds = "number" if numbers else "text"
    columns = [
        ExpectedColumn(str(name), holds, -np.inf, np.inf, [], True)  # type: ignore[arg-type]  # one of the two
        for name in (range(1, count + 1) if names is None else names)
    ]
    task = "regression" if not hasattr(model, "classes_") else "binary" if len(model.classes_) == 2 else "multi-class"
    return DeployedModel(model, task, "prediction", columns, np.empty(0))  # type: ignore[arg-type]  # a task


def _absent(missing: list[str], there: list[str], expected: list[str]) -> str:
    """Which columns a table lacks, and which of its own may be meant."""
    near = [(name, get_close_matches(name.lower(), [other.lower() for other in there], 1, 0.7)) for name in missing]
    meant = [f"{found[0]!r} for {name!r}" for name, found in near if found]
    advice = f"; is it {', '.join(meant[:3])}?" if meant else ""
    return f"the table has no column {quoted(missing)}; the model expects {quoted(expected)}{advice}"
