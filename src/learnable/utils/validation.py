"""Checks of estimators, data and seeds, at scikit-learn's import path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import numpy as np

from ..core import DataError, Estimator, RandomState
from ..core.declare.checked_functions import checked
from ..core.declare.display import html_repr
from ..core.errors import NotFittedError as NotFittedError
from ..core.errors import compatible, not_fitted
from ..core.roles.estimator import check_names
from ..core.runtime.random import stream
from ..core.sklearn_api.custom_tags import get_tags
from ..core.sklearn_api.estimator_type import is_fitted
from ..core.validate.columns import labels_or_none
from .arrays import as_float_array as as_float_array
from .arrays import assert_all_finite as assert_all_finite
from .arrays import check_array as check_array
from .arrays import check_consistent_length as check_consistent_length
from .arrays import check_X_y as check_X_y
from .arrays import column_or_1d as column_or_1d
from .indexing import indexable as indexable
from .scalars import check_scalar as check_scalar
from .scalars import check_symmetric as check_symmetric


@checked()
def check_random_state(seed: RandomState) -> np.random.RandomState:
    """The stream of random numbers that a seed, a generator or None (NumPy's global stream) stands for.

    >>> int(check_random_state(0).randint(100))
    44
    """
    return stream(seed)


def check_is_fitted(
    estimator: Any,
    attributes: str | Iterable[str] | None = None,
    *,
    msg: str | None = None,
    all_or_any: Callable[[Iterable[bool]], bool] = all,
) -> None:
    """Raise a NotFittedError unless the estimator has fitted attributes: `attributes`, or any that ends in "_".

    >>> from learnable import Ridge
    >>> check_is_fitted(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]))
    """
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise TypeError(f"{estimator} is a class, not an instance.")
    if not hasattr(estimator, "fit"):
        raise TypeError(f"{estimator!r:.60} is not a fitted estimator: it has no `fit`")
    if attributes is not None:
        requested = [attributes] if isinstance(attributes, str) else attributes
        fitted = all_or_any([hasattr(estimator, attribute) for attribute in requested])
    else:
        fitted = is_fitted(estimator)
    if not fitted:
        raise not_fitted(estimator) if msg is None else compatible(NotFittedError)(msg % {"name": name})


def validate_data(
    _estimator: Any,
    /,
    X: Any = "no_validation",
    y: Any = "no_validation",
    reset: bool = True,
    validate_separately: bool | tuple[dict[str, Any], dict[str, Any]] = False,
    skip_check_array: bool = False,
    **check_params: Any,
) -> Any:
    """X, or X and y, validated for a custom estimator, which stores the columns of X or (reset=False) must match.

    >>> from learnable.base import BaseEstimator
    >>> class Mean(BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.mean_ = validate_data(self, X).mean(axis=0)
    ...         return self
    >>> Mean().fit([[1.0, 2.0], [3.0, 4.0]]).n_features_in_
    2
    """
    _keep_names(_estimator, X, reset)
    without_target = y is None or (isinstance(y, str) and y == "no_validation")
    if y is None and get_tags(_estimator).target_tags.required:
        raise DataError(f"{type(_estimator).__name__} requires y to be passed, but the target y is None")
    if skip_check_array:
        found = (X, y)
    elif without_target:
        found = (check_array(X, estimator=_estimator, input_name="X", **check_params), None)
    elif isinstance(validate_separately, tuple):
        of_X, of_y = ({"estimator": _estimator, **options} for options in validate_separately)
        found = check_array(X, input_name="X", **of_X), check_array(y, input_name="y", **of_y)
    else:
        found = check_X_y(X, y, estimator=_estimator, **check_params)
    _keep_width(_estimator, found[0], reset)
    return found[0] if without_target else found


def _keep_names(estimator: Any, X: Any, reset: bool) -> None:
    """Let an estimator remember the names of the columns of `X`, or compare them with those it remembers."""
    labels = labels_or_none(X)
    names = labels if labels and all(isinstance(label, str) for label in labels) else None
    if not reset:
        known = getattr(estimator, "feature_names_in_", None)
        check_names(type(estimator).__name__, names, None if known is None else list(known))
        return
    vars(estimator).pop("feature_names_in_", None)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def _keep_width(estimator: Any, table: Any, reset: bool) -> None:
    """The same for the number of columns."""
    shape: tuple[int, ...] = getattr(table, "shape", ())
    if len(shape) < 2:
        return
    if reset:
        estimator.n_features_in_ = int(shape[1])
    elif shape[1] != getattr(estimator, "n_features_in_", shape[1]):
        raise DataError(
            f"X has {shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} "
            "features as input"
        )


@checked()
def check_non_negative(X: Any, whom: str) -> None:
    """Refuse negative entries; `whom` is who needs none.

    >>> check_non_negative([[0.0, 1.0]], "NMF")
    """
    check_array(X, True, ensure_non_negative=True, ensure_all_finite="allow-nan", estimator=whom)


def has_fit_parameter(estimator: Any, parameter: str) -> bool:
    """Whether `fit` of the estimator takes a parameter of this name.

    >>> from learnable import Ridge
    >>> has_fit_parameter(Ridge(), "sample_weight")
    True
    """
    from inspect import signature

    return hasattr(estimator, "fit") and parameter in signature(estimator.fit).parameters


def estimator_html_repr(estimator: Any) -> str:
    """An estimator as notebooks show it.

    >>> from learnable import Ridge
    >>> "Ridge" in estimator_html_repr(Ridge())
    True
    """
    if isinstance(estimator, Estimator):
        return html_repr(estimator)
    own = getattr(estimator, "_repr_html_", None)
    return f"<pre>{escape(repr(estimator))}</pre>" if own is None else str(own())
