"""Short ways to write down a contender. Parameters that are functions are applied to the data."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from benchmarks.task import Contender, Data, Kind, Output, read_model

key = itemgetter  # alpha=key("alpha") takes the parameter from the data


def read_path(raw: Any) -> Output:
    """What a path function returned: the values of alpha, and one column of weights for each."""
    return {"alphas": raw[0], "coefs": raw[1]}


def model(
    name: str,
    where: str,
    *,
    kind: Kind = "peer",
    read: Callable[[Any], Output] = read_model,
    **parameters: Any,
) -> Contender:
    """A class "module:Name" with a fit method; making and fitting it is timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        make, given = attribute(where), resolve(parameters, data)
        return lambda: make(**given).fit(data["X"], data["y"])

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def function(
    name: str,
    where: str,
    *,
    kind: Kind = "peer",
    read: Callable[[Any], Output] = read_path,
    **parameters: Any,
) -> Contender:
    """A function "module:name" of X and y."""

    def prepare(data: Data) -> Callable[[], Any]:
        call, given = attribute(where), resolve(parameters, data)
        return lambda: call(data["X"], data["y"], **given)

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def ours(name: str, **options: Any) -> Contender:
    """Our class or function of that name in linear_model."""
    make = model if name[0].isupper() else function
    return make("learnable", f"learnable.linear_model:{name}", kind="ours", **options)


def sklearn(name: str, label: str = "scikit-learn", **options: Any) -> Contender:
    """The class or function of that name in sklearn.linear_model."""
    make = model if name[0].isupper() else function
    return make(label, f"sklearn.linear_model:{name}", **options)


def package(where: str) -> str:
    """The package that "module:name" is in."""
    return where.partition(":")[0].partition(".")[0]


def attribute(where: str) -> Any:
    """What "module:name" stands for."""
    module, name = where.split(":")
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        raise ImportError(f"no {name} in {module}") from None


def resolve(parameters: dict[str, Any], data: Data) -> dict[str, Any]:
    """The parameters for this data."""
    return {name: value(data) if callable(value) else value for name, value in parameters.items()}
