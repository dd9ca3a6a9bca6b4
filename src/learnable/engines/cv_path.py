"""The shortcut through cross-validation: many values of one parameter and all folds evaluated together.

An estimator that can do so names the parameters in `validation_paths` and has a method

    _validation_path(parameter, values, data, parts) -> FoldPaths | None

For each (train, test) pair of `parts` it gives a function of row numbers: what the model with each of the values,
fitted to the training rows, answers for these rows. None means that the plain loop should be taken this time.

A sequence of steps passes the shortcut of its last step on: it names that step in `_last_step`, as (name, step), and
has a method

    _ahead(X, y, weight) -> Ahead

which fits all steps but the last, once for all candidates that differ in the last step alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.roles.estimator import cloned
from ..core.validate.features import Array

Answers = dict[str, Array]
"""Method -> what it returns, such as {"predict": array}; names with an underscore at the end are attributes."""
FoldPaths = list[Callable[[Array], list[Answers]]]


@dataclass(frozen=True, slots=True)
class FittedPrefix:
    """Training rows as the last step of a sequence sees them, and the way there for other rows."""

    X: Any
    y: Any
    weight: Any
    transform: Callable[[Any], Any]


def offers(estimator: Any, parameter: str) -> bool:
    """Whether the estimator, or the last of its steps, has a shortcut for this parameter."""
    name, mark, inner = parameter.partition("__")
    if not mark:
        return _is_ours(estimator) and parameter in getattr(estimator, "validation_paths", ())
    last, step = last_step(estimator)
    return name == last and offers(step, inner)


def last_step(estimator: Any) -> tuple[str, Any]:
    """Name and estimator at the end of a sequence of steps; an empty name for everything else."""
    found: tuple[str, Any] = getattr(estimator, "_last_step", ("", None)) if _is_ours(estimator) else ("", None)
    return found


def _is_ours(estimator: Any) -> bool:
    """Whether its class is one of this package: one that somebody derived from it may fit and answer differently."""
    return type(estimator).__module__.partition(".")[0] == "learnable"


def predictions(found: Array, shape: tuple[int, ...]) -> list[Answers]:
    """Answers of a regressor from predictions (values, rows, targets); `shape` is that of a target of one row."""
    return [{"predict": at if shape else at[:, 0]} for at in found]


def with_fixed_outputs(estimator: Any, answers: Answers) -> Any:
    """A copy of `estimator` that gives these answers, whatever it is asked about."""
    model = cloned(estimator)
    for name, value in answers.items():
        model.__dict__[name] = value if name.endswith("_") else _constant(name, value)
    return model


def _constant(name: str, value: Array) -> Callable[[Any], Array]:
    def answer(X: Any) -> Array:
        return value

    answer.__name__ = name
    return answer
