"""The rows that a model takes, as types that check requests and describe themselves in OpenAPI."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, FailFast, Field, TypeAdapter, ValidationError, create_model

from ...deployment import ExpectedColumn
from ..predict.predictor import Answering
from ..predict.type_conversion import ARROW, converted, unmarked, written
from ..text import quoted
from .problems import Problem, too_many_rows, unusable

MOST_LEVELS = 12  # that a description lists
MOST_ERRORS = 3  # that a message lists
_list_begins = re.compile(rb"\s*\[")


class Rows:
    """The type of a row, made from what the model expects, and what turns rows into a frame.

    Rows are read no further than the first that does not fit, nor beyond the most that are taken: a request of a
    million bad rows costs no more than one of them.
    """

    def __init__(self, requested: Answering, most: int) -> None:
        self.requested, self.most = requested, most
        fields: dict[str, Any] = {
            f"c{place}": (_type(column, requested.deployed), _field(column, requested.deployed))
            for place, column in enumerate(requested.model.columns)
        }
        self.row: Any = create_model("Row", __config__=ConfigDict(extra="ignore", allow_inf_nan=False), **fields)
        rows: Any = Annotated[list[self.row], FailFast(), Field(max_length=most)]  # type: ignore[name-defined]  # made just now
        self.request: Any = create_model("Request", rows=(rows, Field(description="The rows to answer.")))
        self.bare: TypeAdapter[list[BaseModel]] = TypeAdapter(rows)

    def parsed(self, body: bytes) -> list[BaseModel]:
        """The rows in a body: a list, or an object with a list called rows."""
        try:
            if _list_begins.match(body):
                found = self.bare.validate_json(body)
            else:
                found = self.request.model_validate_json(body).rows
        except ValidationError as error:
            raise self._told(error) from None
        check_unambiguous(body)
        return found

    def frame(self, rows: list[BaseModel]) -> Any:
        """The rows as the model takes them."""
        import pyarrow as pa

        columns = []
        for place, column in enumerate(self.requested.model.columns):
            values = [getattr(row, f"c{place}") for row in rows]
            columns.append(_column(values, column, self.requested))
        return pa.table(columns, names=self.requested.names)

    def example(self) -> bytes:
        """A body of one row; of a model that does not say what its columns hold, of zeros and empty texts."""
        row: dict[str, Any] = {}
        for column in self.requested.model.columns:
            text = start(column) if self.requested.deployed else ""
            row[column.name] = float(text or 0) if column.holds == "number" else text
        return json.dumps([row]).encode()

    def _told(self, error: ValidationError) -> Problem:
        """What is wrong with the first row that does not fit, by column."""
        found = error.errors(include_url=False, include_input=False, include_context=False)
        if found[0]["type"] == "too_long":
            return too_many_rows(self.most)
        words = "; ".join(_words(entry["loc"], entry["type"], entry["msg"]) for entry in found[:MOST_ERRORS])
        more = f" (and {len(found) - MOST_ERRORS} more)" if len(found) > MOST_ERRORS else ""
        return unusable(
            words + more, f"a row has the columns {quoted(self.requested.names)}; the schema is at /openapi.json"
        )


def check_unambiguous(body: bytes) -> None:
    """Refuse JSON that others may read in another way: keys given twice in one object, and NaN or Infinity."""
    try:
        _decoder.decode(body.decode())
    except ValueError as error:
        raise unusable(str(error)[:200], "send JSON with each key once, and null for what is missing") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"the key {twice[:80]!r} is given twice in one object")


def _refused_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_without_repetition, parse_constant=_refused_constant, strict=False)


def _column(values: list[Any], column: ExpectedColumn, requested: Answering) -> Any:
    import pyarrow as pa

    if not requested.deployed and column.holds == "text":  # nothing is known of it
        return pa.array([written(value) for value in values] if _mixed(values) else values)
    given = unmarked(
        pa.array(values, ARROW["text" if column.holds == "time" else column.holds]()), requested.model.missing
    )
    return converted(given, column) if column.holds == "time" else given


def _mixed(values: list[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _type(column: ExpectedColumn, deployed: bool) -> Any:
    if column.holds == "number":
        return float | None
    return str | None if deployed else float | str | None


def _field(column: ExpectedColumn, deployed: bool) -> Any:
    """What OpenAPI says about a column; one that had gaps in training need not be given. A number is no text."""
    more: dict[str, Any] = {"default": None} if column.gaps and deployed else {}
    return Field(alias=column.name, description=described(column, deployed), strict=True, **more)


def described(column: ExpectedColumn, deployed: bool = True) -> str:
    """What training rows had in a column, in words.

    >>> described(ExpectedColumn("age", "number", 18.0, 80.5, [], False))
    'number, 18 to 80.5 in training'
    """
    if not deployed:
        return "number" if column.holds == "number" else "number or text"
    if column.holds == "category":
        return f"category, {quoted(column.levels, MOST_LEVELS)} in training"
    if column.low is None or column.high is None or column.holds == "text":
        return column.holds
    if column.holds == "time":
        import numpy as np

        low, high = (np.datetime64(int(day), "D") for day in (column.low, column.high))
        return f"time, {low} to {high} in training"
    return f"number, {column.low:.6g} to {column.high:.6g} in training"


def start(column: ExpectedColumn) -> str:
    """A value like those of training, for a form to begin with."""
    import numpy as np

    if column.holds == "category":
        return column.levels[0] if column.levels else ""
    if column.holds == "text" or column.low is None or column.high is None:
        return ""
    middle = (column.low + column.high) / 2
    return str(np.datetime64(int(middle), "D")) if column.holds == "time" else f"{middle:.3g}"


def _words(place: tuple[int | str, ...], kind: str, message: str) -> str:
    """An error in words; its place is the list of rows, the row, the column, and which of several types it is not."""
    inside = place[1:] if place[:1] == ("rows",) else place
    names = [f"row {part + 1}" if isinstance(part, int) else f"column {part[:80]!r}" for part in inside[:2]]
    where = ", ".join(names)
    said = "is missing" if kind == "missing" else message[0].lower() + message[1:200]
    return f"{where or 'the body'}: {said}"
