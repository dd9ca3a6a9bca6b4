"""A model in another form, given out only after both answered rows alike."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Array, DataError, generator
from ...deployment import ExpectedColumn
from ..predict.predictor import Answering
from ..text import listed
from .inputs import Inputs
from .model_parts import expected, parts_of

ROWS = 500  # that are drawn where nobody gives any
CLOSE = 1e-9  # other programs add in an order of their own


@dataclass(frozen=True, slots=True)
class Converted:
    """The file, and how well it agrees with the model."""

    content: str | bytes
    rows: int
    agreement: str
    note: str
    inputs: list[dict[str, Any]] = field(default_factory=list)  # that the file takes, one after the other


def converted(requested: Answering, form: str, frame: Any = None) -> Converted:
    """The model as JSON, ONNX or C."""
    if form == "json":
        return _json(requested, drawn(requested) if frame is None else frame)
    from .c_file import c_file
    from .c_file import run as run_c
    from .onnx_file import onnx_file
    from .onnx_file import run as run_onnx

    parts = parts_of(requested)
    frame = drawn(requested, parts.inputs) if frame is None else frame
    rows, right = parts.inputs.matrix(frame), expected(requested, parts, frame)
    content: str | bytes
    if form == "c":
        content = c_file(parts)
        told = run_c(content, rows, parts.outputs)
    else:
        content = onnx_file(parts)
        told = run_onnx(content, rows)
    note = f"it gives {parts.says}{_taken(parts.inputs)}"
    return Converted(content, len(rows), _agreement(told, right), note, parts.inputs.described())


def _taken(inputs: Inputs) -> str:
    """How categories, texts and times are told to a file that takes numbers."""
    words = [
        f"{inputs.names[column]}: " + listed([f"{place} = {level}" for place, level in enumerate(levels)], 6)
        for column, levels in inputs.levels.items()
    ]
    said = f"; categories are told by their places ({'; '.join(words)})" if words else ""
    for one in inputs.taken:
        said += f"; {inputs.names[one.column]} is told by {len(one.meanings)} numbers ({listed(one.meanings, 2)})"
    return said + "; the file lists all that it takes" if words or inputs.taken else said


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


def _json(requested: Answering, frame: Any) -> Converted:
    from .json_file import json_file, model_of

    model = requested.model if requested.deployed else requested.model.model
    text = json_file(model)
    again = Answering.of(model_of(text), requested.name)
    told, right = (json.dumps(one.answers(frame).rows()) for one in (again, requested))  # writes each number in full
    if told != right:
        raise DataError("the model that was read back from JSON answers otherwise")
    return Converted(text, frame.num_rows, "the same bits", "it holds everything that the model file holds")


def drawn(requested: Answering, inputs: Inputs | None = None) -> Any:
    """Rows like those of training: numbers from the ranges, categories, words, and gaps where there were any.

    The `inputs` of a converted file say which categories and words there are; some rows then have none of them.
    """
    import pyarrow as pa

    if not requested.deployed and any(column.holds == "text" for column in requested.model.columns):
        raise DataError("the file does not say what the columns hold; give rows to compare the answers on, with --data")
    rng, inputs = generator(0), inputs or Inputs(requested.names)
    words = {one.column: one.words for one in inputs.taken}
    columns = [
        _texts(column, _categories(inputs, place, column), words.get(place, []), rng)
        if column.holds in ("category", "text")
        else _drawn(column, rng)
        for place, column in enumerate(requested.model.columns)
    ]
    return pa.table(columns, names=requested.names)


def _gone(column: ExpectedColumn, rng: Any) -> Array:
    """Which rows have a gap."""
    return np.asarray(rng.random(ROWS) < (0.05 if column.gaps and np.isfinite(column.low or 0.0) else 0.0))


def _categories(inputs: Inputs, place: int, column: ExpectedColumn) -> list[str]:
    """Those of training rows, and one more where the model takes any; codes, which may be taken as numbers, if none."""
    strangers = ["unheard"] if place in inputs.levels and place not in inputs.closed else []
    return inputs.levels.get(place, column.levels) + strangers or [f"{number:05d}" for number in range(20)]


def _texts(column: ExpectedColumn, categories: list[str], words: list[str], rng: Any) -> Any:
    """Texts of a few words where words are counted, else categories."""
    import pyarrow as pa

    gone = _gone(column, rng)
    if words:
        texts = [" ".join([*rng.choice(words, size), "unheard"]) for size in rng.integers(0, 6, ROWS)]
    else:
        texts = rng.choice(np.array(categories, dtype=object), ROWS).tolist()
    return pa.array(texts, pa.string(), mask=gone)


def _drawn(column: ExpectedColumn, rng: Any) -> Any:
    import pyarrow as pa

    gone = _gone(column, rng)
    low, high = column.low, column.high
    if low is None or high is None or not np.isfinite([low, high]).all():
        return pa.array(rng.standard_normal(ROWS), pa.float64())
    numbers = rng.uniform(low, high, ROWS)
    if column.holds == "time":
        return pa.array((numbers * 86_400e6).astype("datetime64[us]"), mask=gone)
    return pa.array(numbers, pa.float64(), mask=gone)
