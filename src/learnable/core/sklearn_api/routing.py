"""scikit-learn's metadata routing: which of its extra arguments a method of an estimator asks for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..errors import ParameterError

REQUESTS = "_metadata_request"  # under this name scikit-learn's clone carries the requests over
METHODS = (
    "fit", "partial_fit", "predict", "predict_proba", "decision_function", "score", "transform", "inverse_transform",
)  # fmt: skip


class Requests(dict[str, dict[str, Any]]):
    """Method -> argument -> what was requested for it: plain data, so that scikit-learn need not be there."""

    def __sklearn_clone__(self) -> Requests:
        return Requests(self)


def requests_of(estimator: Any) -> Any:
    """The `MetadataRequest` of an estimator: what the user set, and every other extra argument unrequested."""
    from sklearn.utils.metadata_routing import MetadataRequest

    requests = MetadataRequest(owner=estimator)
    for method in METHODS:
        for argument, alias in requests_by_argument(estimator, method).items():
            getattr(requests, method).add_request(param=argument, alias=alias)
    return requests


def requests_by_argument(estimator: Any, method: str) -> dict[str, Any]:
    """Every extra argument of a method and what was requested for it, None where nothing was."""
    return {argument: _request_of(estimator, method, argument) for argument in extra_arguments(estimator, method)}


def _request_of(estimator: Any, method: str, argument: str) -> Any:
    """The request for an argument; where there is none, the request that the inner estimators agree on.

    A request of one of them outvotes refusals and those without a request.
    """
    own = _requested(estimator, method).get(argument)
    if own is not None or not hasattr(estimator, "get_params"):
        return own
    inside = [part for name, part in estimator.get_params().items() if "__" not in name and hasattr(part, "fit")]
    said = {_request_of(part, method, argument) for part in inside}
    asking = said - {None, False} or said
    return asking.pop() if len(asking) == 1 else None


def request(estimator: Any, method: str, requests: dict[str, Any]) -> None:
    """Remember which extra arguments `method` asks for."""
    known = extra_arguments(estimator, method)
    for argument, alias in requests.items():
        if argument not in known:
            raise ParameterError(
                f"{type(estimator).__name__}.{method} takes no {argument!r} to route; it takes {known or 'nothing'}"
            )
        if not (alias is None or isinstance(alias, bool) or (isinstance(alias, str) and alias.isidentifier())):
            raise ParameterError(
                f"{type(estimator).__name__}: the request for {argument!r} must be True, False, None or the name it is "
                f"passed under; got {alias!r:.40}"
            )
    before = estimator.__dict__.get(REQUESTS, {})
    estimator.__dict__[REQUESTS] = Requests({**before, method: {**before.get(method, {}), **requests}})


def declines(estimator: Any, method: str, argument: str) -> bool:
    """Whether the user said that `method` of an estimator, ours or scikit-learn's, shall not be given `argument`."""
    return _requested(estimator, method).get(argument) is False


def accepts_weight(scorer: Any) -> bool:
    """Whether a scorer, ours, scikit-learn's or any function, takes weights of rows and did not decline them."""
    if hasattr(scorer, "accepts_weight"):
        return bool(scorer.accepts_weight)
    if declines(scorer, "score", "sample_weight"):
        return False
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    return "sample_weight" in inspect.signature(scorer).parameters


def weight_for(scorer: Any, weight: Any) -> dict[str, Any]:
    """The weights of rows as the argument that a scorer takes them by; nothing where there are none, or it takes none.

    >>> weight_for(lambda model, X, y, sample_weight: 0.0, [1, 2]), weight_for(lambda model, X, y: 0.0, [1, 2])
    ({'sample_weight': [1, 2]}, {})
    """
    return {} if weight is None or not accepts_weight(scorer) else {"sample_weight": weight}


def requested(estimator: Any, method: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments for `method` out of those given: without what it declines, and by its own names what it renamed."""
    requests = _requested(estimator, method)
    renamed = {argument: alias for argument, alias in requests.items() if isinstance(alias, str)}
    left = {
        name: value for name, value in given.items()
        if requests.get(name) is not False and name not in {*renamed, *renamed.values()}
    }  # fmt: skip
    return {**left, **{argument: given[alias] for argument, alias in renamed.items() if alias in given}}


def _requested(estimator: Any, method: str) -> dict[str, Any]:
    """Metadata requests for `method`, ours or scikit-learn's: argument -> True, False, None or another name."""
    stored = getattr(estimator, "__dict__", {}).get(REQUESTS, {})
    requests: dict[str, Any] = stored.get(method, {}) if isinstance(stored, dict) else getattr(stored, method).requests
    return requests


def takes_more(method: str) -> Callable[[Any], bool]:
    """A predicate: does a method of an estimator take arguments beyond the data?"""
    return lambda estimator: bool(extra_arguments(estimator, method))


def extra_arguments(estimator: Any, method: str) -> list[str]:
    """The named arguments of a method beyond the data; of one that hands others on, also those of who gets them."""
    function = getattr(type(estimator), method, None)
    if function is None:
        return []
    arguments = inspect.signature(function).parameters
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    found = [name for name, argument in arguments.items() if argument.kind in kinds]
    if any(argument.kind is argument.VAR_KEYWORD for argument in arguments.values()):
        found += extra_arguments(getattr(estimator, "estimator", None), method)
    return [name for name in dict.fromkeys(found) if name not in ("self", "X", "y")]
