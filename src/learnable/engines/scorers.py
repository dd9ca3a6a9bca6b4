"""What predictions are compared by: larger is better, and weights count rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.data import Array
from ..core.errors import ParameterError
from ..core.regressor import r_squared
from ..parts.losses import Absolute

Scorer = Callable[[Array, Array, Array], float]


def scorer(scoring: str | Callable[..., float] | None) -> Scorer:
    """A function of truth, prediction and weight: by name, negative mean squared error for None, or made of a callable.

    A callable is called like scikit-learn's scorers, `scoring(model, X, y)`, with a model that returns X itself.

    >>> scorer("r2")(np.array([1.0, 2.0]), np.array([1.0, 2.0]), np.ones(2))
    1.0
    """
    if scoring is None:
        return _NAMED["neg_mean_squared_error"]
    if callable(scoring):
        given = scoring
        return lambda truth, prediction, weight: float(given(_Echo(), prediction, truth))
    if scoring not in _NAMED:
        raise ParameterError(f"scoring must be one of {', '.join(_NAMED)}, or a callable; got {scoring!r}")
    return _NAMED[scoring]


class _Echo:
    """A regressor whose predictions are what it is given."""

    def predict(self, X: Any) -> Any:
        """X itself."""
        return X

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags, Tags, TargetTags

        target = TargetTags(required=True)
        return Tags(estimator_type="regressor", target_tags=target, regressor_tags=RegressorTags())


_NAMED: dict[str, Scorer] = {
    "neg_mean_squared_error": lambda t, p, w: -float(np.average((t - p) ** 2, weights=w)),
    "neg_root_mean_squared_error": lambda t, p, w: -float(np.sqrt(np.average((t - p) ** 2, weights=w))),
    "neg_mean_absolute_error": lambda t, p, w: -float(np.average(np.abs(t - p), weights=w)),
    "neg_median_absolute_error": lambda t, p, w: -Absolute().best_constant(np.abs(t - p), w),
    "r2": lambda t, p, w: r_squared(t, p, w),
}
