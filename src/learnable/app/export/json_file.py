"""Export to JSON: the description of the model file, with the arrays as text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..._version import __version__
from ...core.files.decoding import Decoder
from ...core.files.encoding import Encoder
from ...core.files.model_file import FORMAT, build
from ..console import SCHEMA

NOT_FINITE = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}


def json_file(model: Any) -> str:
    """A model as JSON; numbers have enough digits to restore the same bits."""
    encoder = Encoder()
    description = encoder.encode(model, type(model).__name__)
    arrays = {name: _listed(np.asarray(array)) for name, array in encoder.tensors.items()}
    content = {"schema": SCHEMA, "format": FORMAT, "library": __version__, "model": description, "arrays": arrays}
    return json.dumps(content, allow_nan=False, indent=1)


def model_of(text: str) -> Any:
    """The model that a JSON file describes."""
    content = json.loads(text)
    tensors = {name: _array(entry) for name, entry in content["arrays"].items()}
    return Decoder(tensors, build).decode(content["model"])


def _listed(array: Any) -> dict[str, Any]:
    numbers = [_number(value) for value in array.ravel().tolist()]
    return {"type": array.dtype.name, "shape": list(array.shape), "numbers": numbers}


def _number(value: Any) -> Any:
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)


def _array(entry: dict[str, Any]) -> Any:
    numbers = [NOT_FINITE[value] if isinstance(value, str) else value for value in entry["numbers"]]
    return np.array(numbers, dtype=entry["type"]).reshape(entry["shape"])
