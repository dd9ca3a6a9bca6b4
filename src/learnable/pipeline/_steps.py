"""What pipelines, unions and column transformers do with the estimators inside them."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..core import ParameterTypeError, Traits, cloned
from ..core.roles.traits import traits_of
from ..core.sklearn_api.estimator_type import is_fitted
from ..core.sklearn_api.routing import declines
from ..core.validate.features import Array

PASS = (None, "passthrough")


def takes_weights(part: Any) -> bool:
    """Whether `fit` of an estimator accepts weights, or passes them on to an estimator that does."""
    arguments = inspect.signature(part.fit).parameters
    if "sample_weight" in arguments:
        return True
    hands_on = any(argument.kind is argument.VAR_KEYWORD for argument in arguments.values())
    inner = getattr(part, "estimator", None)
    return hands_on and hasattr(inner, "fit") and takes_weights(inner)


def with_weights(part: Any, weight: Any, more: dict[str, Any]) -> dict[str, Any]:
    """The arguments beyond the data for `fit` of a part: weights unless it declines them, and what is for it alone."""
    if weight is None or not takes_weights(part) or declines(part, "fit", "sample_weight"):
        return dict(more)
    return {"sample_weight": weight, **more}


def addressed(owner: str, names: Sequence[str], given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Arguments like `part__argument`, by part."""
    sorted_out: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in given.items():
        part, mark, argument = key.partition("__")
        if not mark or part not in sorted_out:
            raise ParameterTypeError(
                f"{owner}.fit: which part is {key!r} for? Write part__argument, with one of the parts "
                f"{', '.join(names)}"
            )
        sorted_out[part][argument] = value
    return sorted_out


def fitted_and_transformed(
    part: Any, X: Any, y: Any, weight: Any, more: dict[str, Any], scale: float | None = None
) -> tuple[Any, Any]:
    """A fitted copy of a transformer, and what it makes of `X`, times `scale`."""
    fresh, arguments = cloned(part), with_weights(part, weight, more)
    if hasattr(fresh, "fit_transform"):
        result = fresh.fit_transform(X, y, **arguments)
    else:
        result = fresh.fit(X, y, **arguments).transform(X)
    return fresh, result if scale is None else result * scale


def is_transformer(part: Any) -> bool:
    """Whether it can stand before the end of a pipeline."""
    return (hasattr(part, "fit") or hasattr(part, "fit_transform")) and hasattr(part, "transform")


def names_for(parts: Sequence[Any]) -> list[str]:
    """A name for each part: its class in lower case, numbered where one class comes twice."""
    plain = [part if isinstance(part, str) else type(part).__name__.lower() for part in parts]
    repeated, seen = Counter(plain), Counter[str]()
    names = []
    for name in plain:
        seen[name] += 1
        names.append(f"{name}-{seen[name]}" if repeated[name] > 1 else name)
    return names


def traits_of_parts(parts: Iterable[Any]) -> list[Traits]:
    """The traits of the estimators among the parts of a union."""
    return [traits_of(part) for part in parts if part is not None and not isinstance(part, str)]


def names_out(part: Any, names: Array | None) -> Array:
    """The columns that a fitted part gives for columns called `names`."""
    if not hasattr(part, "get_feature_names_out"):
        raise AttributeError(f"{type(part).__name__} does not provide get_feature_names_out")
    result: Array = part.get_feature_names_out(names)
    return result


def is_fitted_part(part: Any) -> bool:
    """Whether it is an estimator, or a placeholder for none."""
    if part is None or isinstance(part, str):
        return part in PASS
    return hasattr(part, "get_params") and (traits_of(part).stateless or is_fitted(part))
