"""What OpenAPI says about /predict: the types of its rows, of its answers and of its problems."""

from __future__ import annotations

from typing import Any

from .schema import Rows

TEXT: dict[str, Any] = {"type": "string"}
ERROR: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(("code", "message", "remedy"), TEXT)}
REFUSALS = ("401", "403", "408", "413", "415", "421", "422", "503")


def described_path(rows: Rows, most_rows: int) -> dict[str, Any]:
    """The request and the responses of /predict."""
    listed = {"type": "array", "items": rows.row.model_json_schema(by_alias=True), "minItems": 1, "maxItems": most_rows}
    body = {"oneOf": [{"type": "object", "properties": {"rows": listed}, "required": ["rows"]}, listed]}
    answers = {"model": TEXT, "answers": {"type": "array", "items": _answer()}}
    problem = {"description": "A problem, and what to do about it.", "content": _json({"error": ERROR})}
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body}, "text/csv": {"schema": TEXT}},
        },
        "responses": {
            "200": {"description": "An answer for each row.", "content": _json(answers)},
            **dict.fromkeys(REFUSALS, problem),
        },
    }


def _json(properties: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": {"type": "object", "properties": properties}}}


def _answer() -> dict[str, Any]:
    numbers = {"type": "array", "items": {"type": ["number", "null"]}}
    names = {"type": "array", "items": TEXT}
    chances = {"type": "object", "additionalProperties": {"type": "number"}}
    properties = {"prediction": {}, "probabilities": chances, "interval": numbers, "plausible": names, "strange": names}
    return {"type": "object", "properties": properties, "required": ["prediction"]}
