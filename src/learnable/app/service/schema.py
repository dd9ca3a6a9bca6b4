"""The schema of rows: types that validate requests and describe themselves in OpenAPI."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError, create_model

from ...deployment import ExpectedColumn
from ..predict.predictor import Predictor
from ..predict.type_conversion import ARROW, convert_column, null_marked_values, written
from ..text import quoted
from .problems import HttpError, too_many_rows, unusable

MAX_LEVELS = 12  # listed in a description
MAX_ERRORS = 3  # listed in a message
_list_begins = re.compile(rb"\s*\[")


class RowSchema:
    """The type of a row, created from the expected columns, and the conversion of rows to a frame.

    Validation stops at the first invalid row and at the maximum number of rows: a request with a
    million invalid rows costs no more than one of them.
    """

    def __init__(self, predictor: Predictor, most: int) -> None:
        self.predictor, self.most = predictor, most
        fields: dict[str, Any] = {
            f"c{index}": (_type(column, predictor.deployed), _field(column, predictor.deployed))
            for index, column in enumerate(predictor.model.columns)
        }
        self.row: Any = create_model("Row", __config__=ConfigDict(extra="ignore", allow_inf_nan=False), **fields)
        rows: Any = Annotated[list[self.row], FailFast(), Field(max_length=most)]  # type: ignore[name-defined]  # made just now
        self.request: Any = create_model("Request", rows=(rows, Field(description="The rows to predict.")))
        self.bare: TypeAdapter[list[BaseModel]] = TypeAdapter(rows)

    def parsed(self, body: bytes) -> list[BaseModel]:
        """The rows in a body: a list, or an object with a list called rows."""
        try:
            if _list_begins.match(body):
                found = self.bare.validate_json(body)
            else:
                found = self.request.model_validate_json(body).rows
        except ValidationError as error:
            raise self._problem(error) from None
        check_unambiguous(body)
        return found

    def frame(self, rows: list[BaseModel]) -> Any:
        """The rows as a frame for the model."""
        import pyarrow as pa

        columns = []
        for index, column in enumerate(self.predictor.model.columns):
            values = [getattr(row, f"c{index}") for row in rows]
            columns.append(_column(values, column, self.predictor))
        return pa.table(columns, names=self.predictor.names)

    def example(self) -> bytes:
        """A body with one row; zeros and empty texts if the model does not describe its columns."""
        row: dict[str, Any] = {}
        for column in self.predictor.model.columns:
            text = start(column) if self.predictor.deployed else ""
            row[column.name] = float(text or 0) if column.holds == "number" else text
        return json.dumps([row]).encode()

    def _problem(self, error: ValidationError) -> HttpError:
        """The problem of the first invalid row, by column."""
        found = error.errors(include_url=False, include_input=False, include_context=False)
        if found[0]["type"] == "too_long":
            return too_many_rows(self.most)
        words = "; ".join(_message(entry["loc"], entry["type"], entry["msg"]) for entry in found[:MAX_ERRORS])
        more = f" (and {len(found) - MAX_ERRORS} more)" if len(found) > MAX_ERRORS else ""
        return unusable(
            words + more, f"a row has the columns {quoted(self.predictor.names)}; the schema is at /openapi.json"
        )


def check_unambiguous(body: bytes) -> None:
    """Reject ambiguous JSON: repeated keys in an object, and NaN or Infinity."""
    try:
        _decoder.decode(body.decode())
    except ValueError as error:
        raise unusable(str(error)[:200], "send JSON with each key once, and null for missing values") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:80]!r} occurs twice in one object")


def _refused_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_without_repetition, parse_constant=_refused_constant, strict=False)


def _column(values: list[Any], column: ExpectedColumn, predictor: Predictor) -> Any:
    import pyarrow as pa

    if not predictor.deployed and column.holds == "text":  # its type is not known
        return pa.array([written(value) for value in values] if _mixed(values) else values)
    given = null_marked_values(
        pa.array(values, ARROW["text" if column.holds == "time" else column.holds]()), predictor.model.missing
    )
    return convert_column(given, column) if column.holds == "time" else given


def _mixed(values: list[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _type(column: ExpectedColumn, deployed: bool) -> Any:
    if column.holds == "number":
        return float | None
    return str | None if deployed else float | str | None


def _field(column: ExpectedColumn, deployed: bool) -> Any:
    """The OpenAPI field of a column, optional if it had missing values in training. Numbers are not read from texts."""
    more: dict[str, Any] = {"default": None} if column.gaps and deployed else {}
    return Field(alias=column.name, description=described(column, deployed), strict=True, **more)


def described(column: ExpectedColumn, deployed: bool = True) -> str:
    """The description of a column: its type, and its range or categories in training.

    >>> described(ExpectedColumn("age", "number", 18.0, 80.5, [], False))
    'number, 18 to 80.5 in training'
    """
    if not deployed:
        return "number" if column.holds == "number" else "number or text"
    if column.holds == "category":
        return f"category, {quoted(column.levels, MAX_LEVELS)} in training"
    if column.low is None or column.high is None or column.holds == "text":
        return column.holds
    if not math.isfinite(column.low) or not math.isfinite(column.high):
        return column.holds
    if column.holds == "time":
        import numpy as np

        low, high = (np.datetime64(int(day), "D") for day in (column.low, column.high))
        return f"time, {low} to {high} in training"
    return f"number, {column.low:.6g} to {column.high:.6g} in training"


def start(column: ExpectedColumn) -> str:
    """A typical value of a column as the initial value of a form field."""
    import numpy as np

    if column.holds == "category":
        return column.levels[0] if column.levels else ""
    if column.holds == "text" or column.low is None or column.high is None:
        return ""
    if not math.isfinite(column.low):
        return ""
    middle = (column.low + column.high) / 2
    return str(np.datetime64(int(middle), "D")) if column.holds == "time" else f"{middle:.3g}"


def _message(location: tuple[int | str, ...], kind: str, message: str) -> str:
    """The message of a validation error; its location is the list of rows, the row, the column, and the tried type."""
    inside = location[1:] if location[:1] == ("rows",) else location
    names = [f"row {part + 1}" if isinstance(part, int) else f"column {part[:80]!r}" for part in inside[:2]]
    where = ", ".join(names)
    said = "is missing" if kind == "missing" else message[0].lower() + message[1:200]
    return f"{where or 'the body'}: {said}"
