"""Settings of an estimator besides its parameters: output container and metadata requests."""

from __future__ import annotations

from typing import Any

from ..errors import ModelFileError, ParameterError
from .routing import METHODS, REQUESTS, request

OUTPUT = "_sklearn_output_config"  # under this name scikit-learn's clone carries the choice of `set_output` over
CONTAINERS = ("default", "pandas", "polars")


def chosen(estimator: Any) -> dict[str, Any]:
    """The choices that were made, as JSON can hold them."""
    kept, found = estimator.__dict__, {}
    if OUTPUT in kept:
        found["output"] = kept[OUTPUT]["transform"]
    if REQUESTS in kept:
        found["requests"] = kept[REQUESTS]
    return found


def choose(estimator: Any, choices: dict[str, Any]) -> None:
    """Make the choices that a file holds, each checked as if the user made it."""
    owner = type(estimator).__name__
    if unknown := set(choices) - {"output", "requests"}:
        raise ModelFileError(f"{owner}: {min(unknown)[:40]!r} is not a known option")
    if "output" in choices:
        if choices["output"] not in CONTAINERS or not hasattr(estimator, "set_output"):
            raise ModelFileError(f"{owner} cannot return its output as {str(choices['output'])[:40]!r}")
        estimator.__dict__[OUTPUT] = {"transform": choices["output"]}
    for method, requested in choices.get("requests", {}).items():
        if method not in METHODS:
            raise ModelFileError(f"{owner} has no metadata requests for the method {method[:40]!r}")
        try:
            request(estimator, method, requested)
        except ParameterError as error:
            raise ModelFileError(str(error)) from None
