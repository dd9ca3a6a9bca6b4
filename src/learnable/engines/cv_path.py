"""Cross-validation along a parameter path: many values of one parameter on all folds together.

An estimator that can do so names the parameters in `validation_paths` and has a method

    _validation_path(parameter, values, data, parts) -> FoldPaths | None

For each (train, test) pair of `parts` it returns a function of row indices: the predictions for these rows of the
models with each of the values, fitted to the training rows. None requests the plain loop.

A pipeline exposes the path of its last step: it names that step in `_last_step`, as (name, step), and has a method

    _fit_prefix(X, y, weight) -> FittedPrefix

which fits all steps but the last, once for all candidates that differ in the last step alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.roles.estimator import cloned
from ..core.validate.features import Array

MethodOutputs = dict[str, Array]
"""Method -> what it returns, such as {"predict": array}; names with an underscore at the end are attributes."""
FoldPaths = list[Callable[[Array], list[MethodOutputs]]]


@dataclass(frozen=True, slots=True)
class FittedPrefix:
    """The training rows transformed by all steps but the last, and the transformation of other rows."""

    X: Any
    y: Any
    weight: Any
    transform: Callable[[Any], Any]


def has_path(estimator: Any, parameter: str) -> bool:
    """Whether the estimator, or the last of its steps, has a path for this parameter."""
    name, mark, inner = parameter.partition("__")
    if not mark:
        return _is_ours(estimator) and parameter in getattr(estimator, "validation_paths", ())
    last, step = last_step(estimator)
    return name == last and has_path(step, inner)


def last_step(estimator: Any) -> tuple[str, Any]:
    """Name and estimator at the end of a sequence of steps; an empty name for everything else."""
    found: tuple[str, Any] = getattr(estimator, "_last_step", ("", None)) if _is_ours(estimator) else ("", None)
    return found


def _is_ours(estimator: Any) -> bool:
    """Whether its class is one of this package: a subclass outside may fit and predict differently."""
    return type(estimator).__module__.partition(".")[0] == "learnable"


def predictions(found: Array, shape: tuple[int, ...]) -> list[MethodOutputs]:
    """Outputs of a regressor from predictions (values, rows, targets); `shape` is that of a target of one row."""
    return [{"predict": at if shape else at[:, 0]} for at in found]


def with_fixed_outputs(estimator: Any, outputs: MethodOutputs) -> Any:
    """A copy of `estimator` whose methods return these outputs for any input."""
    model = cloned(estimator)
    for name, value in outputs.items():
        model.__dict__[name] = value if name.endswith("_") else _constant(name, value)
    return model


def _constant(name: str, value: Array) -> Callable[[Any], Array]:
    def fixed(X: Any) -> Array:
        return value

    fixed.__name__ = name
    return fixed
