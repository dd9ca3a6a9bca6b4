"""Conversion of models to other formats, verified by comparing predictions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import Array, DataError, generator
from ...deployment import ExpectedColumn
from ..predict.predictions import Predictions
from ..predict.predictor import Predictor
from ..text import listed
from .inputs import Inputs
from .model_parts import expected, parts_of

ROWS = 500  # sampled if none are given
TABLE = "rows"  # the name of the table in a query, if none is given
CLOSE = 1e-9  # other programs sum in another order
CLOSE_SINGLE = 1e-5  # of networks whose own precision is single, where the file computes in double


@dataclass(frozen=True, slots=True)
class Converted:
    """A converted file and its agreement with the model."""

    content: str | bytes
    rows: int
    agreement: str
    note: str
    inputs: list[dict[str, Any]] = field(default_factory=list)  # inputs of the file, in order


def convert_model(predictor: Predictor, form: str, frame: Any = None) -> Converted:
    """Convert a model to JSON, ONNX or C, and compare the predictions."""
    if form == "json":
        return _json(predictor, sample_rows(predictor) if frame is None else frame)
    from .c_file import c_file
    from .c_file import run as run_c
    from .onnx_file import onnx_file
    from .onnx_file import run as run_onnx

    parts = parts_of(predictor)
    frame = sample_rows(predictor, parts.inputs) if frame is None else frame
    rows, right = parts.inputs.matrix(frame), expected(predictor, parts, frame)
    content: str | bytes
    if form == "c":
        content = c_file(parts)
        found = run_c(content, rows, parts.outputs)
    else:
        content = onnx_file(parts)
        found = run_onnx(content, rows)
    note = f"its output is {parts.says}{_taken(parts.inputs)}"
    single = parts.network is not None and parts.network.single
    agreement = _agreement(found, right, CLOSE_SINGLE if single else CLOSE)
    return Converted(content, len(rows), agreement, note, parts.inputs.described())


def convert_to_sql(predictor: Predictor, frame: Any = None, table: str = TABLE, keys: Sequence[str] = ()) -> Converted:
    """Convert a model to a SQL query, and compare its predictions in a SQLite database."""
    from .sql_file import run, sql_file

    parts = parts_of(predictor)
    if parts.network is not None:
        raise DataError("a network cannot be converted to SQL; convert it to ONNX or C")
    frame = sample_rows(predictor, parts.inputs) if frame is None else frame
    predictions = predictor.predict(frame)
    plain = predictions.probabilities is None
    right = np.asarray(predictions.prediction if plain else predictions.probabilities, dtype=np.float64)
    right = right.reshape(frame.num_rows, -1)
    found, chosen = run(sql_file(parts, predictor, table), table, frame, right.shape[1])
    agreement = _agreement(found, right)
    if not plain:
        _check_classes(chosen, predictions)
    note = f"it reads the table {table!r}; its columns are {listed([*keys, 'prediction', *_shares(predictor)], 6)}"
    return Converted(sql_file(parts, predictor, table, keys), frame.num_rows, agreement, note, parts.inputs.described())


def _shares(predictor: Predictor) -> list[str]:
    return [f"probability_{name}" for name in predictor.classes]


def _check_classes(chosen: list[Any], predictions: Predictions) -> None:
    """Refuse other classes than those of the model, unless the two most probable are as good as tied."""
    assert predictions.probabilities is not None
    top = np.sort(predictions.probabilities, axis=1)
    clear = top[:, -1] - top[:, -2] > CLOSE
    if any(sure and one != own for sure, one, own in zip(clear, chosen, predictions.prediction.tolist(), strict=True)):
        raise DataError("the query gives other classes than the model: this model cannot be converted to SQL")


def _taken(inputs: Inputs) -> str:
    """How categories, texts and times are encoded as inputs of the file."""
    words = [
        f"{inputs.names[column]}: " + listed([f"{code} = {level}" for code, level in enumerate(levels)], 6)
        for column, levels in inputs.levels.items()
    ]
    said = f"; categories are encoded by index ({'; '.join(words)})" if words else ""
    for one in inputs.taken:
        said += f"; {inputs.names[one.column]} is encoded by {len(one.meanings)} numbers ({listed(one.meanings, 2)})"
    return said + "; the file lists all its inputs" if words or inputs.taken else said


def _agreement(found: Array, right: Array, close: float = CLOSE) -> str:
    """The largest difference of the predictions as text; too large a difference is an error."""
    if found.shape != right.shape:
        raise DataError(f"the converted file gives {found.shape[1]} numbers for a row, the model {right.shape[1]}")
    if np.array_equal(found, right):
        return "the same bits"
    worst = float(np.abs(found - right).max() / max(1.0, float(np.abs(right).max())))
    if not worst <= close:
        raise DataError(
            f"the converted file and the model differ by {worst:.3g}: this model cannot be converted to this format"
        )
    return f"within {worst:.1g} of the largest"


def _json(predictor: Predictor, frame: Any) -> Converted:
    from .json_file import json_file, model_of

    model = predictor.model if predictor.deployed else predictor.model.model
    text = json_file(model)
    again = Predictor.of(model_of(text), predictor.name)
    found, right = (json.dumps(one.predict(frame).rows()) for one in (again, predictor))  # writes each number in full
    if found != right:
        raise DataError("the model read back from JSON gives other predictions")
    return Converted(text, frame.num_rows, "the same bits", "it holds the complete model file")


def sample_rows(predictor: Predictor, inputs: Inputs | None = None) -> Any:
    """Sample rows like those of training: numbers from the ranges, categories, words, and missing values.

    The `inputs` of a converted file give the categories and words; some rows then have unknown ones.
    """
    import pyarrow as pa

    if not predictor.deployed and any(column.holds == "text" for column in predictor.model.columns):
        raise DataError(
            "the file does not say what the columns hold; give rows to compare the predictions on with --data"
        )
    rng, inputs = generator(0), inputs or Inputs(predictor.names)
    words = {one.column: one.words for one in inputs.taken}
    columns = [
        _sample_texts(column, _categories(inputs, index, column), words.get(index, []), rng)
        if column.holds in ("category", "text")
        else _sample_numbers(column, rng)
        for index, column in enumerate(predictor.model.columns)
    ]
    return pa.table(columns, names=predictor.names)


def _sample_missing(column: ExpectedColumn, rng: Any) -> Array:
    """Mask of rows with a missing value."""
    return np.asarray(rng.random(ROWS) < (0.05 if column.gaps and np.isfinite(column.low or 0.0) else 0.0))


def _categories(inputs: Inputs, index: int, column: ExpectedColumn) -> list[str]:
    """The categories of training rows, and an unknown one if the model accepts it; numeric codes if there are none."""
    unknown = ["unheard"] if index in inputs.levels and index not in inputs.closed else []
    return inputs.levels.get(index, column.levels) + unknown or [f"{number:05d}" for number in range(20)]


def _sample_texts(column: ExpectedColumn, categories: list[str], words: list[str], rng: Any) -> Any:
    """Texts of a few words where words are counted, categories elsewhere."""
    import pyarrow as pa

    missing = _sample_missing(column, rng)
    if words:
        texts = [" ".join([*rng.choice(words, size), "unheard"]) for size in rng.integers(0, 6, ROWS)]
    else:
        texts = rng.choice(np.array(categories, dtype=object), ROWS).tolist()
    return pa.array(texts, pa.string(), mask=missing)


def _sample_numbers(column: ExpectedColumn, rng: Any) -> Any:
    import pyarrow as pa

    missing = _sample_missing(column, rng)
    low, high = column.low, column.high
    if low is None or high is None or not np.isfinite([low, high]).all():
        return pa.array(rng.standard_normal(ROWS), pa.float64())
    numbers = rng.uniform(low, high, ROWS)
    if column.holds == "time":
        return pa.array((numbers * 86_400e6).astype("datetime64[us]"), mask=missing)
    return pa.array(numbers, pa.float64(), mask=missing)
