"""Classes coded as numbers, for regressions that classify by the sign or the largest of their answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data
from ..engines import design
from ..engines.minimise.fitted import LinearFit
from .direct import stored
from .logistic import refuse_one_class
from .logistic_fit import with_class_weights


def coded(code: Array, classes: int, low: float = -1.0, high: float = 1.0) -> Array:
    """A column per class, `high` where a row is of it and `low` elsewhere; of two classes, the column of the second.

    >>> coded(np.array([0, 1, 2]), 3).tolist()
    [[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    if classes == 2:
        return np.where(code == 1, high, low)[:, None]
    return np.where(code[:, None] == np.arange(classes), high, low)


def counted_classes(model: Any, data: Data, whole: bool = False) -> Data:
    """The rows that count, or the `whole`, with weights that take `class_weight` in; one class alone is refused."""
    data = with_class_weights(model, data)
    refuse_one_class(type(model).__name__, model.classes_, data.y, data.weight)
    return data if whole else Data(*design.counting_rows(data.X, data.y, data.weight), data.names)


def keep_classes(model: Any, fit: LinearFit, data: Data, trace: Any, shift: float = 0.0) -> None:
    """Set coefficients, a row per class or one for two, and say how good they are; constants move by `shift`."""
    model.coef_, model.intercept_ = stored(model, fit, data, trace, shift)


def keep_flat(model: Any, fit: LinearFit, data: Data, trace: Any) -> None:
    """The same, with coefficients of two classes that are no row but a vector, as scikit-learn has them here."""
    keep_classes(model, fit, data, trace)
    model.coef_ = model.coef_[0] if len(model.coef_) == 1 else model.coef_
