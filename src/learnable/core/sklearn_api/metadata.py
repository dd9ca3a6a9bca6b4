"""Metadata of meta-estimators: which extra arguments of a method go to which methods of the components.

With `set_config(enable_metadata_routing=True)`, of this library or of scikit-learn, a component is given what it
requests (`set_fit_request`, ...), as in scikit-learn. Otherwise weights go to every component that takes them, and
arguments are addressed to one by its name: `component__argument`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ParameterError, ParameterTypeError, unrequested
from .configuration import routing_is_enabled
from .routing import METHODS, requests_by_argument

Given = Mapping[str, Any]
COMPOSED = {"fit_transform": ("fit", "transform"), "fit_predict": ("fit", "predict")}
FIT_ONLY = {"fit": ("fit",), "partial_fit": ("partial_fit",)}


@dataclass(frozen=True)
class Route:
    """A component by name, and which of its methods each method of the meta-estimator calls."""

    name: str
    component: Any
    calls: Mapping[str, Sequence[str]]


def check_metadata(owner: Any, method: str, given: Given) -> None:
    """Refuse metadata that no component of a meta-estimator requests or could request, where routing is enabled."""
    given = _present(given)
    if not given:
        return
    if not routing_is_enabled():
        _refuse_untaken(owner, method, given)
        return
    unknown = set(given) - known_metadata(owner, method)
    if unknown:
        raise ParameterTypeError(
            f"{type(owner).__name__}.{method} got unexpected argument(s) {unknown}, which are not routed to any object"
        )


def _refuse_untaken(owner: Any, method: str, given: Given) -> None:
    """Refuse arguments that the only component of a meta-estimator, which is given all of them, does not take."""
    routes = [route for route in routes_of(owner, method) or [] if route.name == "estimator"]
    if not routes:
        return
    taken = inspect.signature(getattr(routes[0].component, method)).parameters
    unknown = sorted(given.keys() - {"sample_weight", *taken})
    if unknown and not any(argument.kind is argument.VAR_KEYWORD for argument in taken.values()):
        raise ParameterTypeError(
            f"{type(owner).__name__}.{method}: {type(routes[0].component).__name__}.{method} takes no {unknown[0]!r}; "
            "passing it to others is only supported if enable_metadata_routing=True, see set_config"
        )


def refuse_metadata(owner: Any, method: str, given: Given) -> None:
    """Refuse metadata for a method that passes them on only where routing is enabled."""
    if given and not routing_is_enabled():
        raise ParameterError(
            f"{type(owner).__name__}.{method}: passing {', '.join(given)} to components is only supported if "
            "enable_metadata_routing=True, see set_config"
        )


def requested_metadata(component: Any, method: str, given: Given) -> dict[str, Any]:
    """The part of the metadata that a method of a component requests, under its own names; routing is enabled.

    Metadata that it takes, but that it neither requests nor declines, are an error.
    """
    given = _present(given)
    if not given:
        return {}
    if routes_of(component, method) is not None:
        return {name: value for name, value in given.items() if name in known_metadata(component, method)}
    requests = requests_for(component, method)
    if requests is None:
        return {name: given[name] for name in component.get_metadata_routing().consumes(method, given.keys())}
    unset = [name for name, alias in requests.items() if alias is None and name in given]
    taken = {
        name: given[alias if isinstance(alias, str) else name]
        for name, alias in requests.items()
        if (alias is True and name in given) or (isinstance(alias, str) and alias in given)
    }
    if unset:
        raise unrequested(type(component).__name__, method, {name: given[name] for name in unset}, taken)
    return taken


def known_metadata(component: Any, method: str) -> set[str]:
    """The names of the metadata that a method of a component takes, as they are given to a meta-estimator."""
    routes = routes_of(component, method)
    if routes is not None:
        return {
            name
            for route in routes
            for callee in route.calls.get(method, ())
            for name in known_metadata(route.component, callee)
        }
    requests = requests_for(component, method)
    if requests is None:
        return _known_by_router(component.get_metadata_routing(), method)
    return {alias if isinstance(alias, str) else name for name, alias in requests.items() if alias is not False}


def routes_of(component: Any, method: str) -> list[Route] | None:
    """Where a method of a meta-estimator of this library passes metadata on; None if it does not, or is not one."""
    find = getattr(component, "_routes", None)
    routes: list[Route] | None = find() if callable(find) and not isinstance(component, type) else None
    return routes if routes is not None and any(method in route.calls for route in routes) else None


def requests_for(component: Any, method: str) -> dict[str, Any] | None:
    """Argument -> request of a method of an estimator, splitter or scorer; None if it passes metadata on to others."""
    if hasattr(component, "_metadata_requests"):  # ours
        return {
            name: alias
            for simple in COMPOSED.get(method, (method,))
            for name, alias in component._metadata_requests(simple).items()
        }
    if not hasattr(component, "get_metadata_routing") or isinstance(component, type):
        return {}
    routing = component.get_metadata_routing()
    return dict(getattr(routing, method).requests) if hasattr(routing, method) else None


def _known_by_router(router: Any, method: str) -> set[str]:
    """What a meta-estimator of scikit-learn passes on."""
    return set(router._get_param_names(method=method, return_alias=True, ignore_self_request=False))


def _present(given: Given) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def router_of(owner: Any, routes: Iterable[Route]) -> Any:
    """scikit-learn's `MetadataRouter` of a meta-estimator."""
    from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter, MethodMapping

    routes, own = list(routes), MetadataRequest(owner=owner)
    for method in METHODS:
        if not any(method in route.calls for route in routes):
            for argument, alias in requests_by_argument(owner, method).items():
                getattr(own, method).add_request(param=argument, alias=alias)
    router = MetadataRouter(owner=owner).add_self_request(own)
    for route in routes:
        mapping = MethodMapping()
        for caller, callees in route.calls.items():
            for callee in callees:
                mapping.add(caller=caller, callee=callee)
        router.add(method_mapping=mapping, **{route.name: route.component})
    return router
