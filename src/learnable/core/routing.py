"""scikit-learn's metadata routing: which of its extra arguments a method of an estimator asks for."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

from .errors import ParameterError

REQUESTS = "_metadata_request"  # under this name scikit-learn's clone carries the requests over


def requests_of(estimator: Any) -> Any:
    """The `MetadataRequest` of an estimator: what the user set, or every extra argument unrequested."""
    if REQUESTS in estimator.__dict__:
        return copy.deepcopy(estimator.__dict__[REQUESTS])
    from sklearn.utils.metadata_routing import MetadataRequest

    requests = MetadataRequest(owner=estimator)
    for method in ("fit", "partial_fit", "predict", "score", "transform", "inverse_transform"):
        for argument in extra_arguments(estimator, method):
            getattr(requests, method).add_request(param=argument, alias=None)
    return requests


def request(estimator: Any, method: str, wanted: dict[str, Any]) -> None:
    """Remember which extra arguments `method` asks for."""
    known = extra_arguments(estimator, method)
    requests = requests_of(estimator)
    for argument, alias in wanted.items():
        if argument not in known:
            raise ParameterError(
                f"{type(estimator).__name__}.{method} takes no {argument!r} to route; it takes {known or 'nothing'}"
            )
        getattr(requests, method).add_request(param=argument, alias=alias)
    estimator.__dict__[REQUESTS] = requests


def takes_more(method: str) -> Callable[[Any], bool]:
    """A predicate: does a method of an estimator take arguments beyond the data?"""
    return lambda estimator: bool(extra_arguments(estimator, method))


def extra_arguments(estimator: Any, method: str) -> list[str]:
    """The named arguments of a method beyond the data."""
    function = getattr(type(estimator), method, None)
    if function is None:
        return []
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = [name for name, argument in inspect.signature(function).parameters.items() if argument.kind in kinds]
    return [name for name in found if name not in ("self", "X", "y")]
