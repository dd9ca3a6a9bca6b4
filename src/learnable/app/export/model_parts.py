"""A model taken apart: features, and the linear function or the sum of trees that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.sparse_coefficients import dense
from ..predict.predictor import Answering
from .features import Feature, features_of, fitted_steps
from .inputs import Inputs


@dataclass(frozen=True, slots=True)
class Parts:
    """What a converted file is made of; `says` tells what its numbers are."""

    inputs: Inputs
    features: list[Feature]
    last: Any
    weights: Array | None
    constant: Array | None
    link: str
    says: str

    @property
    def outputs(self) -> int:
        """How many numbers an answer has."""
        if self.weights is None:
            return int(self.last._tree_sum().outputs)
        return 2 if self.link == "logistic" else len(self.weights)


def parts_of(requested: Answering) -> Parts:
    """The parts of a model, or why it has none that other programs know."""
    model = requested.model.model
    steps = fitted_steps(model) if type(model).__name__ == "Pipeline" else [model]
    inputs = Inputs(requested.names)
    last, features = steps[-1], features_of(steps[:-1], inputs)
    if hasattr(last, "_tree_sum"):
        return Parts(inputs, features, last, None, None, "none", _trees_say(last))
    if not hasattr(last, "coef_") or not hasattr(last, "intercept_"):
        name = type(last).__name__
        raise DataError(f"a {name} can become JSON; ONNX and C take linear models, trees, forests and boosting alone")
    weights = np.atleast_2d(dense(last.coef_).astype(np.float64))
    constant = np.resize(np.asarray(last.intercept_, dtype=np.float64), len(weights))
    if requested.model.task == "regression":
        return Parts(inputs, features, last, weights, constant, "none", "answers")
    link = "logistic" if len(weights) == 1 else "softmax"
    says = "probabilities of " + ", ".join(requested.classes)
    return Parts(inputs, features, last, weights, constant, link, says)


def expected(requested: Answering, parts: Parts, frame: Any) -> Array:
    """What the converted file has to say, told by the model itself."""
    rows = requested._rows(frame)
    if parts.weights is None:
        model = requested.model.model
        before = model[:-1].transform(rows) if len(getattr(model, "steps", ())) > 1 else rows
        found = parts.last._tree_sum().predict(parts.last._tree_rows(parts.last._read(before)))
    elif parts.link == "none":
        found = requested.model.model.predict(rows)
    elif hasattr(requested.model.model, "predict_proba"):
        found = requested.model.model.predict_proba(rows)
    else:
        raise DataError(f"a {type(parts.last).__name__} has no probabilities that a converted file could give")
    return np.asarray(found, dtype=np.float64).reshape(frame.num_rows, -1)


def _trees_say(last: Any) -> str:
    if not hasattr(last, "classes_"):
        return "answers"
    classes = ", ".join(map(str, last.classes_.tolist()))
    boosted = "Boosting" in type(last).__name__
    return f"scores before the link, of {classes}" if boosted else f"probabilities of {classes}"
