"""What OpenAPI says about the paths: the types of rows, of answers and of problems."""

from __future__ import annotations

from typing import Any

from ..predict.predictor import Answering
from .schema import Rows

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
PREDICT_STATUS = (400, 401, 403, 408, 413, 415, 421, 422, 500, 503)
STATUS = (401, 403, 421, 503)


def _object(properties: dict[str, Any], needed: list[str] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties) if needed is None else needed}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


PROBLEM: dict[str, Any] = {
    "description": "A problem, and what to do about it.",
    "content": _json(_object({"error": _object(dict.fromkeys(("code", "message", "remedy"), TEXT))})),
}
REFUSED: dict[int | str, dict[str, Any]] = dict.fromkeys(STATUS, PROBLEM)


def described_path(rows: Rows) -> dict[str, Any]:
    """The request and the responses of /predict."""
    row = rows.row.model_json_schema(by_alias=True)
    listed = {"type": "array", "items": row, "minItems": 1, "maxItems": rows.most}
    answers = _object({"model": TEXT, "answers": {"type": "array", "items": _answer(rows.requested)}})
    return {
        "requestBody": {
            "required": True,
            "content": {**_json({"oneOf": [_object({"rows": listed}), listed]}), "text/csv": {"schema": TEXT}},
        },
        "responses": {
            "200": {"description": "An answer for each row.", "content": _json(answers)},
            **{str(status): PROBLEM for status in PREDICT_STATUS},
        },
    }


def _answer(requested: Answering) -> dict[str, Any]:
    """What a row gets: a number or one of the classes, and what else this model can tell."""
    model = requested.model
    sure, chances = requested.deployed and len(model.misses) > 0, dict.fromkeys(requested.classes, NUMBER)
    found: dict[str, Any] = {
        "prediction": {} if not requested.deployed else NUMBER if not chances else _classes(requested)
    }
    if chances:
        found["probabilities"] = _object(chances)
    if sure and not chances:
        found["interval"] = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
    if sure and chances:
        found["plausible"] = _names(list(requested.classes))
    if requested.deployed:
        found["strange"] = _names(requested.names)
    return _object(found)


def _classes(requested: Answering) -> dict[str, Any]:
    return {"enum": requested.prediction_values()}


def _names(names: list[str]) -> dict[str, Any]:
    return {"type": "array", "items": {"enum": names}}
