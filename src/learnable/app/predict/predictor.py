"""Predictors: models from files, ready to predict the rows of tables."""

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
from ...core.roles.traits import traits_of
from ...deployment import DeployedModel, ExpectedColumn
from ..text import quoted
from .number_formats import NumberFormats
from .predictions import Predictions
from .type_conversion import convert_column, infer_type, null_marked_values, reject_infinities, written


@dataclass(frozen=True)
class Predictor:
    """The model of a file with a uniform interface for prediction.

    A `DeployedModel` describes its columns and the errors of its predictions. Of any other model only the names or the
    number of its columns are known, so there are no `strange` values and no intervals (`deployed` is False).
    """

    name: str
    model: DeployedModel
    deployed: bool
    named: bool

    @classmethod
    def opened(cls, path: str | os.PathLike[str], missing: Sequence[str] = ()) -> Predictor:
        """Load the model of a file; `missing` are additional marks of missing values in the rows to predict."""
        from ...core.files.model_file import load

        if not Path(path).is_file():
            raise ModelFileError(f"model file {path} does not exist")
        found = cls.of(load(path), Path(path).name)
        marks = [*found.model.missing, *missing]
        return replace(found, model=replace(found.model, missing=marks)) if missing else found

    @classmethod
    def of(cls, model: Any, name: str = "model") -> Predictor:
        """The predictor of a model in memory."""
        deployed = isinstance(model, DeployedModel)
        if not deployed and not (hasattr(model, "predict") and _fitted(model)):
            raise ModelFileError(f"{name} holds a {type(model).__name__} that does not predict the rows of a table")
        found = model if deployed else _wrapped(model)
        return cls(name, found, deployed, hasattr(found.model, "feature_names_in_") or deployed)

    @property
    def names(self) -> list[str]:
        """The expected columns, in order."""
        return self.model.names

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes as texts; empty for regression."""
        return tuple(str(written(value)) for value in self.model.classes_.tolist()) if self._has_probabilities else ()

    def prediction_values(self) -> list[Any]:
        """The classes as they appear in predictions."""
        found: list[Any] = _whole(self.model.classes_).tolist()
        return found

    @property
    def _has_probabilities(self) -> bool:
        return self.model.task != "regression" and hasattr(self.model.model, "predict_proba")

    def frame(self, table: Any, formats: NumberFormats | None = None, first: int = 0) -> Any:
        """The expected columns of an Arrow table, in the form that the model was trained on.

        Chunks of a table are read consistently if they are given the same `formats`.
        """
        import pyarrow as pa

        indices = self.column_indices(table.column_names)
        marks = self.model.missing
        given = [null_marked_values(table.column(index), marks) for index in indices]
        chosen = list(zip(given, self.model.columns, strict=True))
        if not self.deployed and any(column.holds == "text" for column in self.model.columns):
            return pa.table(
                [infer_type(values, column.name, formats, first) for values, column in chosen], names=self.names
            )
        columns = [
            null_marked_values(convert_column(values, column, formats, first), marks) for values, column in chosen
        ]
        if self.deployed:
            reject_infinities(columns, self.names, first)
        return pa.table(columns, names=self.names)

    def column_indices(self, names: Sequence[str]) -> list[int]:
        """The indices of the expected columns in those of a table; an error names missing ones."""
        if not self.named:
            if len(names) != len(self.names):
                raise DataError(
                    f"the table has {len(names)} columns; the model was trained without names "
                    f"and expects {len(self.names)}"
                )
            return list(range(len(names)))
        where = {name.strip(): index for index, name in enumerate(names)}
        if len(where) < len(names):
            counts = Counter(name.strip() for name in names)
            if twice := next((name for name in self.names if counts[name] > 1), None):
                raise DataError(f"the table has more than one column called {twice!r}; give each its own name")
        if missing := [name for name in self.names if name not in where]:
            raise DataError(_absent(missing, list(where), self.names))
        return [where[name] for name in self.names]

    def extra(self, names: Sequence[str]) -> list[str]:
        """Columns of a table that the model does not use."""
        return [name for name in names if name.strip() not in self.names] if self.named else []

    def predict(self, frame: Any, share: float = 0.9) -> Predictions:
        """Predictions for the rows of a frame, with probabilities, intervals and flags where available."""
        model, rows = self.model, self._rows(frame)
        probabilities = model.predict_proba(rows) if self._has_probabilities else None
        prediction = self._prediction(rows, probabilities)
        interval = plausible = None
        if self.deployed and len(model.misses):
            reach = model.reach(share)
            if probabilities is None:
                interval = np.column_stack([prediction - reach, prediction + reach])
            else:
                plausible = 1 - probabilities <= reach
                plausible[np.arange(len(probabilities)), probabilities.argmax(axis=1)] = True
        strange = model.strange(columns_of(frame)) if self.deployed else None
        prediction = _whole(prediction) if self.classes else prediction
        return Predictions(prediction, self.classes, probabilities, interval, plausible, strange, tuple(self.names))

    def empty_predictions(self) -> Predictions:
        """The predictions of a table without rows."""
        model, classes = self.model, self.classes
        classifies, calibrated = model.task != "regression", self.deployed and len(model.misses) > 0
        prediction = np.array(self.prediction_values())[:0] if classifies else np.empty(0)
        probabilities = np.empty((0, len(classes))) if classes else None
        interval = np.empty((0, 2)) if calibrated and not classes else None
        plausible = np.empty((0, len(classes)), bool) if calibrated and classes else None
        strange = np.empty((0, len(self.names)), bool) if self.deployed else None
        return Predictions(prediction, classes, probabilities, interval, plausible, strange, tuple(self.names))

    def _prediction(self, rows: Any, probabilities: Array | None) -> Array:
        """The predictions, from the probabilities where a deployed model has a decision rule."""
        if self.deployed and probabilities is not None:
            return self.model.decided(probabilities)
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
    """Integer-valued classes as integers, as tables write them."""
    whole = classes.dtype.kind == "f" and bool((classes == np.round(classes)).all())
    return classes.astype(np.int64) if whole else classes


def _fitted(model: Any) -> bool:
    check = getattr(model, "__sklearn_is_fitted__", None)
    return True if check is None else bool(check())


def _wrapped(model: Any) -> DeployedModel:
    """An estimator as a deployed model, with the columns that its file describes."""
    names = getattr(model, "feature_names_in_", None)
    count = int(getattr(model, "n_features_in_", 0))
    numbers = names is None or traits_of(model).takes == "numbers"
    holds = "number" if numbers else "text"
    columns = [
        ExpectedColumn(str(name), holds, -np.inf, np.inf, [], True)  # type: ignore[arg-type]  # one of the two
        for name in (range(1, count + 1) if names is None else names)
    ]
    task = "regression" if not hasattr(model, "classes_") else "binary" if len(model.classes_) == 2 else "multi-class"
    return DeployedModel(model, task, "prediction", columns, np.empty(0))  # type: ignore[arg-type]  # a task


def _absent(missing: list[str], there: list[str], expected: list[str]) -> str:
    """The error message for missing columns, with similar names as suggestions."""
    near = [(name, get_close_matches(name.lower(), [other.lower() for other in there], 1, 0.7)) for name in missing]
    meant = [f"{found[0]!r} for {name!r}" for name, found in near if found]
    advice = f"; did you mean {', '.join(meant[:3])}?" if meant else ""
    return f"the table has no column {quoted(missing)}; the model expects {quoted(expected)}{advice}"
