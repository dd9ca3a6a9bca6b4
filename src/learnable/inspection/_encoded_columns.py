"""Pipelines as an encoder of single columns and a model of the encoded columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..engines.sparse_coefficients import dense
from ..engines.trees.additive_trees import is_tree_sum

CLOSE = 1e-8  # of a linear function and the predictions, relative


@dataclass(frozen=True)
class EncodedModel:
    """The last step of a pipeline, and the column of the table that each encoded column is made of."""

    encoder: Any
    model: Any
    source: Array
    width: int

    @classmethod
    def of(cls, model: Any, width: int) -> EncodedModel | None:
        """The parts of a model; None if its encoded columns are made of several columns, or of unknown ones."""
        steps = [model[k] for k in range(len(getattr(model, "steps", [])))]  # as fitted
        if not steps:
            return cls(None, model, np.arange(width), width)
        before = [step for step in steps[:-1] if step not in ("passthrough", None)]
        if not before:
            return cls(None, steps[-1], np.arange(width), width)
        if len(before) > 1:
            return None
        source = _sources(before[0])
        return None if source is None else cls(before[0], steps[-1], source, width)

    def encoded(self, X: Any) -> Any:
        """The encoded columns of a table."""
        return X if self.encoder is None else self.encoder.transform(X)

    def summed(self, values: Array) -> Array:
        """The values of encoded columns, summed over those of one column: (rows, columns)."""
        found = np.zeros((len(values), self.width))
        np.add.at(found.T, self.source, values.T)
        return found

    @property
    def one_to_one(self) -> bool:
        """Whether each column is at most one encoded column."""
        return len(np.unique(self.source)) == len(self.source)


def _sources(encoder: Any) -> Array | None:
    """The column that each encoded column is made of, of a table vectoriser or a scaler."""
    if hasattr(encoder, "parts_") and hasattr(encoder, "widths_"):
        found: list[int] = []
        for part, width in zip(encoder.parts_, encoder.widths_, strict=True):
            if len(part) > 1 and width != len(part):
                return None
            found += part if len(part) == width else part * width
        return np.array(found, dtype=np.int64)
    if hasattr(encoder, "scale_") and hasattr(encoder, "n_features_in_"):
        return np.arange(int(encoder.n_features_in_))
    return None


def linear_terms(parts: EncodedModel, X: Any, background: Any, output: int) -> tuple[Array, float, str] | None:
    """Contributions to a linear prediction or decision function; None if the model is not linear.

    phi_j = w_j (x_j - mean of the background in j)
    """
    model = parts.model
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        return None
    coef = np.atleast_2d(dense(model.coef_).astype(np.float64))
    intercept = np.resize(np.asarray(model.intercept_, dtype=np.float64), len(coef))
    classifies = hasattr(model, "classes_")
    k, sign = (0, 1.0 if output else -1.0) if len(coef) == 1 and classifies else (min(output, len(coef) - 1), 1.0)
    rows, others = parts.encoded(X), parts.encoded(background)
    if rows.shape[1] != coef.shape[1] or (not classifies and len(coef) > 1):
        return None
    if classifies and not hasattr(model, "decision_function"):
        return None
    predict = model.decision_function if classifies else model.predict
    right = np.asarray(predict(others), dtype=np.float64).reshape(others.shape[0], -1)
    if rows.shape[0]:
        predict(rows)  # the model refuses rows that it cannot predict, such as missing entries
    found = others @ coef.T + intercept
    if right.shape != found.shape or not np.allclose(found, right, rtol=CLOSE, atol=CLOSE * (1 + np.abs(right).max())):
        return None
    centre = np.asarray(others.mean(axis=0)).ravel()
    terms, mean = (np.asarray(_times(part, coef[k])) for part in (rows, centre[None]))
    values = parts.summed(terms) - parts.summed(mean)
    unit = "prediction" if not classifies else "score" if not hasattr(model, "predict_proba") else "log-odds"
    return sign * values, sign * float(mean.sum() + intercept[k]), unit


def _times(rows: Any, coef: Array) -> Array:
    return (rows.multiply(coef)).toarray() if hasattr(rows, "multiply") else np.asarray(rows) * coef


def tree_terms(parts: EncodedModel, X: Any, background: Any, output: int) -> tuple[Array, float, str] | None:
    """Contributions to a sum of trees; None if the model is none.

    The prediction of a forest or a tree, the score of boosting: log-odds, or the logarithm of a mean.
    """
    model = parts.model
    if not is_tree_sum(model) or not hasattr(model, "n_features_in_"):
        return None
    from .shapley import shap_values

    found = shap_values(model, parts.encoded(X), background=parts.encoded(background))
    values, base = found.values, np.atleast_1d(found.base)
    classifies = hasattr(model, "classes_")
    sign = -1.0 if classifies and values.ndim == 2 and output == 0 else 1.0
    k = min(output, len(base) - 1)
    chosen = values if values.ndim == 2 else values[:, :, k]
    link = model._tree_sum().link
    if classifies:
        unit = "log-odds" if hasattr(model, "decision_function") else "probability"
    else:
        unit = "prediction" if link == "identity" else "logarithm of the prediction"
    return sign * parts.summed(chosen), sign * float(base[k]), unit
