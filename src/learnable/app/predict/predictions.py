"""What a model says about some rows, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from ...core import Array


@dataclass(frozen=True, slots=True)
class Answers:
    """The answer for each row; what a model cannot tell is None.

    >>> Answers(np.array([1.5]), interval=np.array([[1.0, 2.0]])).rows()
    [{'prediction': 1.5, 'interval': [1.0, 2.0]}]
    """

    prediction: Array
    classes: tuple[str, ...] = ()
    chances: Array | None = None
    interval: Array | None = None
    plausible: Array | None = None
    strange: Array | None = None
    names: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """A column for each thing that is told, for tables."""
        found = self._predictions()
        if self.chances is not None:
            found |= {f"probability_{name}": self.chances[:, place] for place, name in enumerate(self.classes)}
        if self.interval is not None:
            found |= {"low": self.interval[:, 0], "high": self.interval[:, 1]}
        if self.plausible is not None:
            found["plausible"] = _chosen(self.classes, self.plausible, " | ")
        if self.strange is not None:
            found["strange"] = _chosen(self.names, self.strange, ", ")
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A record for each row, for JSON; an interval without an end has null there."""
        found: list[dict[str, Any]] = [{"prediction": plain(value)} for value in self.prediction.tolist()]
        if self.chances is not None:
            for record, chances in zip(found, self.chances.tolist(), strict=True):
                record["probabilities"] = dict(zip(self.classes, chances, strict=True))
        if self.interval is not None:
            for record, ends in zip(found, self.interval.tolist(), strict=True):
                record["interval"] = [plain(end) for end in ends]
        for key, names, marks in (("plausible", self.classes, self.plausible), ("strange", self.names, self.strange)):
            if marks is not None:
                for record, chosen in zip(found, _chosen(names, marks), strict=True):
                    record[key] = chosen
        return found

    def _predictions(self) -> dict[str, Any]:
        """The column of answers, or one for each target."""
        if not len(self.prediction):
            return {"prediction": self.prediction}  # which knows its type, as no entry tells it
        if self.prediction.ndim == 1:
            return {"prediction": [plain(value) for value in self.prediction.tolist()]}
        return {f"prediction_{place + 1}": column for place, column in enumerate(self.prediction.T)}

    def part(self, rows: slice) -> Answers:
        """The answers for some of the rows."""
        cut = {key: getattr(self, key) for key in ("chances", "interval", "plausible", "strange")}
        found: dict[str, Any] = {key: None if part is None else part[rows] for key, part in cut.items()}
        return replace(self, prediction=self.prediction[rows], **found)


def plain(value: Any) -> Any:
    """A value as JSON and tables can hold it: null for what is no finite number."""
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _chosen(names: tuple[str, ...], marks: Array, joined: str | None = None) -> list[Any]:
    """The names that are marked in each row, as a list or as one text; rows marked alike share it."""
    kinds, places = np.unique(np.packbits(marks, axis=1), axis=0, return_inverse=True)
    chosen: list[Any] = [
        [name for name, marked in zip(names, kind, strict=False) if marked] for kind in np.unpackbits(kinds, axis=1)
    ]
    if joined is not None:
        chosen = [joined.join(found) for found in chosen]
    return [chosen[place] for place in places.tolist()]
