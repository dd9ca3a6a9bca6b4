"""What predictions are compared by: larger is better, and weights count rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.errors import ParameterError
from ..core.sklearn_api.routing import accepts_weight
from ..core.validate.features import Array
from ..parts.regression_errors import NAMED

Scorer = Callable[[Array, Array, Array], float]


def scorer(scoring: str | Callable[..., float] | None) -> Scorer:
    """A function of truth, prediction and weight: by name, negative mean squared error for None, or made of a callable.

    A callable is called like scikit-learn's scorers, `scoring(model, X, y)`, with a model that returns X itself.

    >>> import numpy as np
    >>> scorer("r2")(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.ones(2))
    1.0
    """
    if callable(scoring):
        return _called(scoring)
    name = "neg_mean_squared_error" if scoring is None else scoring
    if name not in NAMED:
        raise ParameterError(f"scoring must be one of {', '.join(NAMED)}, or a callable; got {scoring!r}")
    measure = NAMED[name]

    def score(truth: Array, prediction: Array, weight: Array) -> float:
        rows = len(truth)
        return float(measure(truth.reshape(rows, -1), prediction.reshape(rows, -1), weight).mean())

    return score


def _called(given: Callable[..., float]) -> Scorer:
    """A scorer of our metrics scores predictions itself; any other is shown a model that echoes them.

    Either is given weights if it takes them.
    """
    direct, weighted = getattr(given, "of", None), accepts_weight(given)
    if direct is not None:
        return lambda truth, prediction, weight: float(direct(truth, prediction, weight if weighted else None))

    def score(truth: Array, prediction: Array, weight: Array) -> float:
        options = {"sample_weight": weight} if weighted else {}
        return float(given(_Echo(), prediction, truth, **options))

    return score


class _Echo:
    """A regressor that returns given predictions."""

    def predict(self, X: Any) -> Any:
        """X itself."""
        return X

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags, Tags, TargetTags

        target = TargetTags(required=True)
        return Tags(estimator_type="regressor", target_tags=target, regressor_tags=RegressorTags())
