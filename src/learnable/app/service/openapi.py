"""OpenAPI descriptions of the paths: schemas of rows, predictions and problems."""

from __future__ import annotations

from typing import Any

from ..predict.predictor import Predictor
from .schema import RowSchema

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
PREDICT_STATUS = (400, 401, 403, 408, 413, 415, 421, 422, 500, 503)
STATUS = (401, 403, 421, 503)


def _object(properties: dict[str, Any], needed: list[str] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties) if needed is None else needed}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


PROBLEM: dict[str, Any] = {
    "description": "A problem and its remedy.",
    "content": _json(_object({"error": _object(dict.fromkeys(("code", "message", "remedy"), TEXT))})),
}
REFUSED: dict[int | str, dict[str, Any]] = dict.fromkeys(STATUS, PROBLEM)


def described_path(rows: RowSchema) -> dict[str, Any]:
    """The request and the responses of /predict."""
    row = rows.row.model_json_schema(by_alias=True)
    listed = {"type": "array", "items": row, "minItems": 1, "maxItems": rows.most}
    predictions = _object({"model": TEXT, "predictions": {"type": "array", "items": _prediction(rows.predictor)}})
    return {
        "requestBody": {
            "required": True,
            "content": {**_json({"oneOf": [_object({"rows": listed}), listed]}), "text/csv": {"schema": TEXT}},
        },
        "responses": {
            "200": {"description": "A prediction for each row.", "content": _json(predictions)},
            **{str(status): PROBLEM for status in PREDICT_STATUS},
        },
    }


def _prediction(predictor: Predictor) -> dict[str, Any]:
    """The schema of the prediction of a row: a number or a class, and what else the model provides."""
    model = predictor.model
    calibrated, probabilities = predictor.deployed and len(model.misses) > 0, dict.fromkeys(predictor.classes, NUMBER)
    found: dict[str, Any] = {
        "prediction": {} if not predictor.deployed else NUMBER if not probabilities else _classes(predictor)
    }
    if probabilities:
        found["probabilities"] = _object(probabilities)
    if calibrated and not probabilities:
        found["interval"] = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
    if calibrated and probabilities:
        found["plausible"] = _names(list(predictor.classes))
    if predictor.deployed:
        found["strange"] = _names(predictor.names)
    return _object(found)


def _classes(predictor: Predictor) -> dict[str, Any]:
    return {"enum": predictor.prediction_values()}


def _names(names: list[str]) -> dict[str, Any]:
    return {"type": "array", "items": {"enum": names}}
