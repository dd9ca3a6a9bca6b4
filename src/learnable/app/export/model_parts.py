"""Decomposition of a model into features and a linear function, a sum of trees or the layers of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...engines.sparse_coefficients import dense
from ..predict.predictor import Predictor
from .features import Feature, features_of, fitted_steps
from .inputs import Inputs
from .network_steps import NetworkSteps, network_steps


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a converted file; `says` describes its output."""

    inputs: Inputs
    features: list[Feature]
    last: Any
    weights: Array | None
    intercept: Array | None
    link: str
    says: str
    network: NetworkSteps | None = None

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        if self.network is not None:
            return self.network.outputs
        if self.weights is None:
            return int(self.last._tree_sum().outputs)
        return 2 if self.link == "logistic" else len(self.weights)


def parts_of(predictor: Predictor) -> Parts:
    """The parts of a model; an error explains why a model cannot be decomposed."""
    model = predictor.model.model
    steps = fitted_steps(model) if type(model).__name__ == "Pipeline" else [model]
    inputs = Inputs(predictor.names)
    last, features = steps[-1], features_of(steps[:-1], inputs)
    if hasattr(last, "_tree_sum"):
        return Parts(inputs, features, last, None, None, "none", _output_of_trees(last))
    if hasattr(last, "_fitted_plan") and hasattr(last, "predict"):
        says = "predictions" if predictor.model.task == "regression" else _probabilities_of(predictor)
        return Parts(inputs, features, last, None, None, "none", says, network_steps(last))
    if not hasattr(last, "coef_") or not hasattr(last, "intercept_"):
        name = type(last).__name__
        raise DataError(
            f"a {name} can only be converted to JSON; ONNX and C support linear models, trees, forests, boosting and "
            "networks"
        )
    weights = np.atleast_2d(dense(last.coef_).astype(np.float64))
    intercept = np.resize(np.asarray(last.intercept_, dtype=np.float64), len(weights))
    if predictor.model.task == "regression":
        return Parts(inputs, features, last, weights, intercept, "none", "predictions")
    link = "logistic" if len(weights) == 1 else "softmax"
    return Parts(inputs, features, last, weights, intercept, link, _probabilities_of(predictor))


def _probabilities_of(predictor: Predictor) -> str:
    return "probabilities of " + ", ".join(predictor.classes)


def expected(predictor: Predictor, parts: Parts, frame: Any) -> Array:
    """The expected output of the converted file, computed by the model."""
    rows = predictor._rows(frame)
    if parts.weights is None and parts.network is None:
        model = predictor.model.model
        before = model[:-1].transform(rows) if len(getattr(model, "steps", ())) > 1 else rows
        found = parts.last._tree_sum().predict(parts.last._tree_rows(parts.last._read(before)))
    elif parts.link == "none" and predictor.model.task == "regression":
        found = predictor.model.model.predict(rows)
    elif hasattr(predictor.model.model, "predict_proba"):
        found = predictor.model.model.predict_proba(rows)
    else:
        raise DataError(f"a {type(parts.last).__name__} has no probabilities for a converted file")
    return np.asarray(found, dtype=np.float64).reshape(frame.num_rows, -1)


def _output_of_trees(last: Any) -> str:
    if not hasattr(last, "classes_"):
        return "predictions"
    classes = ", ".join(map(str, last.classes_.tolist()))
    boosted = "Boosting" in type(last).__name__
    return f"scores before the link, of {classes}" if boosted else f"probabilities of {classes}"
