"""Predictions of a model for some rows, with probabilities, intervals and flags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ...core import Array


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions for rows; None for what a model does not provide.

    >>> Predictions(np.array([1.5]), interval=np.array([[1.0, 2.0]])).rows()
    [{'prediction': 1.5, 'interval': [1.0, 2.0]}]
    """

    prediction: Array
    classes: tuple[str, ...] = ()
    probabilities: Array | None = None
    interval: Array | None = None
    plausible: Array | None = None
    strange: Array | None = None
    names: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """The predictions as columns of a table."""
        found = self._predictions()
        if self.probabilities is not None:
            found |= {f"probability_{name}": self.probabilities[:, index] for index, name in enumerate(self.classes)}
        if self.interval is not None:
            found |= {"low": self.interval[:, 0], "high": self.interval[:, 1]}
        if self.plausible is not None:
            found["plausible"] = _chosen(self.classes, self.plausible, " | ")
        if self.strange is not None:
            found["strange"] = _chosen(self.names, self.strange, ", ")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The predictions as a JSON record per row; infinite ends of intervals are null."""
        found: list[dict[str, Any]] = [{"prediction": plain(value)} for value in self.prediction.tolist()]
        if self.probabilities is not None:
            for record, probabilities in zip(found, self.probabilities.tolist(), strict=True):
                record["probabilities"] = dict(zip(self.classes, probabilities, strict=True))
        if self.interval is not None:
            for record, ends in zip(found, self.interval.tolist(), strict=True):
                record["interval"] = [plain(end) for end in ends]
        for key, names, marks in (("plausible", self.classes, self.plausible), ("strange", self.names, self.strange)):
            if marks is not None:
                for record, chosen in zip(found, _chosen(names, marks), strict=True):
                    record[key] = chosen
        return found

    def _predictions(self) -> dict[str, Any]:
        """The column of predictions, or one for each target."""
        if not len(self.prediction):
            return {"prediction": self.prediction}  # the array keeps the type, which no entry shows
        if self.prediction.ndim == 1:
            return {"prediction": [plain(value) for value in self.prediction.tolist()]}
        return {f"prediction_{number}": column for number, column in enumerate(self.prediction.T, 1)}

    def part(self, rows: slice) -> Predictions:
        """The predictions for some of the rows."""
        cut = {key: getattr(self, key) for key in ("probabilities", "interval", "plausible", "strange")}
        found: dict[str, Any] = {key: None if values is None else values[rows] for key, values in cut.items()}
        return replace(self, prediction=self.prediction[rows], **found)


def plain(value: Any) -> Any:
    """A value for JSON and tables: None for a number that is not finite."""
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _chosen(names: tuple[str, ...], marks: Array, joined: str | None = None) -> list[Any]:
    """The names flagged in each row, as a list or as one text; rows with equal flags share it."""
    kinds, indices = np.unique(np.packbits(marks, axis=1), axis=0, return_inverse=True)
    chosen: list[Any] = [
        [name for name, marked in zip(names, kind, strict=False) if marked] for kind in np.unpackbits(kinds, axis=1)
    ]
    if joined is not None:
        chosen = [joined.join(found) for found in chosen]
    return [chosen[index] for index in indices.tolist()]
