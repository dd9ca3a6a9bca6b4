"""Questions about estimators and seeds, under the path where people look for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core import RandomState
from ..core.display import html_repr
from ..core.errors import NotFittedError as NotFittedError
from ..core.errors import compatible, not_fitted
from ..core.random import stream


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
    """Raise a NotFittedError unless the estimator has what a fit leaves: `attributes`, or any that ends in "_".

    >>> from learnable import Ridge
    >>> check_is_fitted(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]))
    """
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise TypeError(f"{estimator} is a class, not an instance.")
    if not hasattr(estimator, "fit"):
        raise TypeError(f"{estimator!r:.60} is not an estimator instance.")
    if attributes is not None:
        wanted = [attributes] if isinstance(attributes, str) else attributes
        fitted = all_or_any([hasattr(estimator, attribute) for attribute in wanted])
    elif hasattr(estimator, "__sklearn_is_fitted__"):
        fitted = estimator.__sklearn_is_fitted__()
    else:
        fitted = any(key.endswith("_") and not key.startswith("__") for key in vars(estimator))
    if not fitted:
        raise not_fitted(estimator) if msg is None else compatible(NotFittedError)(msg % {"name": name})


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
    own = getattr(estimator, "_repr_html_", None)
    return str(own() if own is not None else html_repr(estimator))
