"""A model in another form, given out only after both answered rows alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError, generator
from ...deployment import ExpectedColumn
from ..usage.answering import Answering
from .parts import expected, matrix_of, parts_of

ROWS = 500  # that are drawn where nobody gives any
CLOSE = 1e-9  # other programs add in an order of their own


@dataclass(frozen=True, slots=True)
class Converted:
    """The file, and how well it agrees with the model."""

    content: str | bytes
    rows: int
    agreement: str
    note: str


def converted(asked: Answering, form: str, frame: Any = None) -> Converted:
    """The model as JSON, ONNX or C."""
    frame = drawn(asked) if frame is None else frame
    if form == "json":
        return _json(asked, frame)
    from .c_file import c_file
    from .c_file import run as run_c
    from .onnx_file import onnx_file
    from .onnx_file import run as run_onnx

    parts = parts_of(asked)
    rows, right = matrix_of(frame, parts.features.levels), expected(asked, parts, frame)
    content: str | bytes
    if form == "c":
        content = c_file(parts, asked.names)
        told = run_c(content, rows, parts.outputs)
    else:
        content = onnx_file(parts, len(asked.names))
        told = run_onnx(content, rows)
    return Converted(content, len(rows), _agreement(told, right), f"it gives {parts.says}{_places(asked, parts)}")


def _places(asked: Answering, parts: Any) -> str:
    """How categories are told to a file that takes numbers."""
    words = [
        f"{asked.names[column]}: " + ", ".join(f"{place} = {level}" for place, level in enumerate(levels))
        for column, levels in parts.features.levels.items()
    ]
    return f"; categories are told by their places ({'; '.join(words)})" if words else ""


def _agreement(told: Array, right: Array) -> str:
    """In words how far the answers differ; too far is an error."""
    if told.shape != right.shape:
        raise DataError(f"the converted file gives {told.shape[1]} numbers for a row, the model {right.shape[1]}")
    if np.array_equal(told, right):
        return "the same bits"
    worst = float(np.abs(told - right).max() / max(1.0, float(np.abs(right).max())))
    if not worst <= CLOSE:
        raise DataError(f"the converted file and the model differ by {worst:.3g}: this model cannot be converted so")
    return f"within {worst:.1g} of the largest"


def _json(asked: Answering, frame: Any) -> Converted:
    from .json_file import json_file, model_of

    model = asked.model if asked.deployed else asked.model.model
    text = json_file(model)
    again = Answering.of(model_of(text), asked.name)
    same = np.array_equal(again.answers(frame).prediction, asked.answers(frame).prediction)
    if not same:
        raise DataError("the model that was read back from JSON answers otherwise")
    return Converted(text, frame.num_rows, "the same bits", "it holds everything that the model file holds")


def drawn(asked: Answering) -> Any:
    """Rows like those of training: numbers from the ranges, categories from the levels, gaps where there were any."""
    import pyarrow as pa

    if not asked.deployed and any(column.holds == "text" for column in asked.model.columns):
        raise DataError("the file does not say what the columns hold; give rows to compare the answers on, with --data")
    rng = generator(0)
    return pa.table([_drawn(column, rng) for column in asked.model.columns], names=asked.names)


def _drawn(column: ExpectedColumn, rng: Any) -> Any:
    import pyarrow as pa

    gone = rng.random(ROWS) < (0.05 if column.gaps and np.isfinite(column.low or 0.0) else 0.0)
    if column.holds in ("category", "text"):
        return pa.array(rng.choice(np.array(column.levels or [""], dtype=object), ROWS), pa.string(), mask=gone)
    low, high = column.low, column.high
    if low is None or high is None or not np.isfinite([low, high]).all():
        return pa.array(rng.standard_normal(ROWS), pa.float64())
    numbers = rng.uniform(low, high, ROWS)
    if column.holds == "time":
        return pa.array((numbers * 86_400e6).astype("datetime64[us]"), mask=gone)
    return pa.array(numbers, pa.float64(), mask=gone)
