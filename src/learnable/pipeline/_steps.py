"""What pipelines, unions and column transformers do with the estimators inside them."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import ParameterTypeError, Traits, fitted_estimator
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_fitted
from ..core.sklearn_api.metadata import requested_metadata, requests_for
from ..core.sklearn_api.routing import declines
from ..core.validate.columns import labels_or_none
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


def may_take_weights(part: Any) -> bool:
    """Whether `fit` of an estimator accepts weights, or any arguments."""
    arguments = inspect.signature(part.fit).parameters.values()
    return takes_weights(part) or any(argument.kind is argument.VAR_KEYWORD for argument in arguments)


def with_weights(
    part: Any, weight: Any, more: dict[str, Any], method: str = "fit", takes: Callable[[Any], bool] = takes_weights
) -> dict[str, Any]:
    """The arguments beyond the data for `fit` of a part: weights unless it declines them, and what is for it alone.

    Where metadata routing is enabled, the part is given what it requests.
    """
    if routing_is_enabled():
        return requested_metadata(part, method, {"sample_weight": weight, **more})
    if weight is None or not takes(part) or declines(part, "fit", "sample_weight"):
        return dict(more)
    return {"sample_weight": weight, **more}


def addressed(
    owner: str, names: Sequence[str], given: dict[str, Any], shared: bool = False
) -> dict[str, dict[str, Any]]:
    """Arguments like `part__argument`, by part; where metadata routing is enabled, every part may request each.

    Others go to every part if they are `shared`, and are refused if not.
    """
    if routing_is_enabled():
        return dict.fromkeys(names, given)
    sorted_out: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in given.items():
        part, mark, argument = key.partition("__")
        if shared and not mark:
            sorted_out = {name: {**more, key: value} for name, more in sorted_out.items()}
            continue
        if not mark or part not in sorted_out:
            raise ParameterTypeError(
                f"{owner}.fit: which part is {key!r} for? Write part__argument, with one of the parts "
                f"{', '.join(names)}"
            )
        sorted_out[part][argument] = value
    return sorted_out


def fitted(part: Any, X: Any, y: Any, weight: Any, more: dict[str, Any]) -> Any:
    """A transformer after its fit."""
    return fitted_estimator(part, X, y, **with_weights(part, weight, more))


def fitted_and_transformed(
    part: Any, X: Any, y: Any, weight: Any, more: dict[str, Any], scale: float | None = None
) -> tuple[Any, Any]:
    """A transformer after its fit, and what it makes of `X`, times `scale`."""
    if hasattr(part, "fit_transform"):
        result = part.fit_transform(X, y, **with_weights(part, weight, more, "fit_transform"))
    else:
        part.fit(X, y, **with_weights(part, weight, more))
        given = {"sample_weight": weight, **more} if routing_is_enabled() else {}
        result = part.transform(X, **requested_metadata(part, "transform", given))
    return part, result if scale is None else result * scale


def is_transformer(part: Any) -> bool:
    """Whether it can stand before the end of a pipeline."""
    return (hasattr(part, "fit") or hasattr(part, "fit_transform")) and hasattr(part, "transform")


def check_sequence(owner: str, steps: Sequence[tuple[str, Any]]) -> None:
    """Raise an error unless every step but the last can change the rows, and the last one can be fitted."""
    for name, step in steps[:-1]:
        if step not in PASS and not is_transformer(step) and not hasattr(step, "fit_resample"):
            raise ParameterTypeError(
                f"{owner}: step {name!r} is {step!r:.60}; a step before the last must transform or resample, or be "
                "'passthrough'"
            )
    name, final = steps[-1]
    if final not in PASS and not hasattr(final, "fit"):
        raise ParameterTypeError(
            f"{owner}: the last step, {name!r}, is {final!r:.60}, which has no fit; give an estimator or 'passthrough'"
        )


def names_given(step: Any, arguments: Sequence[str]) -> set[str]:
    """The names under which the arguments of `fit` of a step are given to the pipeline."""
    requests = (requests_for(step, "fit") if routing_is_enabled() else None) or {}
    aliases = {argument: requests.get(argument) for argument in arguments}
    return {alias if isinstance(alias, str) else argument for argument, alias in aliases.items()}


def carried(step: Any, value: Any) -> Any:
    """An array, or each of a tuple of them, transformed by a fitted step."""
    return tuple(map(step.transform, value)) if isinstance(value, tuple) else step.transform(value)


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


def names_out(part: Any, names: Array | None, result: Any = None) -> Array:
    """The columns that a fitted part gives for columns called `names`; a frame that it gave has their names."""
    labels = None if result is None else labels_or_none(result)
    if labels is not None:
        return np.array(labels, dtype=object)
    if not hasattr(part, "get_feature_names_out"):
        raise AttributeError(f"{type(part).__name__} does not provide get_feature_names_out")
    found: Array = part.get_feature_names_out(names)
    return found


@contextmanager
def announced(owner: Any, verb: str, name: str, position: int, count: int, title: str = "") -> Iterator[None]:
    """Print how long the work on one component took, if `owner` is verbose."""
    started = time.perf_counter()
    yield
    if owner.verbose:
        head = f"[{title or type(owner).__name__}] "
        tail = f" ({verb}{position} of {count}) Processing {name}, total={time.perf_counter() - started:5.1f}s"
        print(f"{head}{'.' * max(1, 70 - len(head) - len(tail))}{tail}")


def is_fitted_part(part: Any) -> bool:
    """Whether it is an estimator, or a placeholder for none."""
    if part is None or isinstance(part, str):
        return part in PASS
    return hasattr(part, "get_params") and (traits_of(part).stateless or is_fitted(part))


def flaw_of_steps(steps: list[Any]) -> str:
    """What is wrong with the fitted steps of a pipeline that come from a file; empty if nothing is."""
    pairs = [entry for entry in steps if isinstance(entry, tuple) and len(entry) == 2]
    sound = [isinstance(name, str) and is_fitted_part(step) for name, step in pairs]
    good = len(pairs) == len(steps) > 0 and all(sound)
    if not good:
        return "steps_ must hold one or more pairs of a name and a fitted step"
    before = [step for _, step in pairs[:-1] if step is not None and not isinstance(step, str)]
    acts = all(hasattr(step, "transform") or hasattr(step, "fit_resample") for step in before)
    return "" if acts else "every step of steps_ but the last must transform or resample"
