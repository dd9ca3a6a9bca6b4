"""The shortcut through cross-validation: many values of one parameter and all folds evaluated together.

An estimator that can do so names the parameters in `validation_paths` and has a method

    _validation_path(parameter, values, data, parts) -> FoldPaths | None

For each (train, test) pair of `parts` it gives a function of row numbers: what the model with each of the values,
fitted to the training rows, answers for these rows. None means that the plain loop should be taken this time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.data import Array
from ..core.estimator import cloned

Answers = dict[str, Array]
"""Method -> what it returns, such as {"predict": array}; names with an underscore at the end are attributes."""
FoldPaths = list[Callable[[Array], list[Answers]]]


def offers(estimator: Any, parameter: str) -> bool:
    """Whether the estimator has a shortcut for this parameter."""
    return parameter in getattr(estimator, "validation_paths", ())


def predictions(found: Array, shape: tuple[int, ...]) -> list[Answers]:
    """Answers of a regressor from predictions (values, rows, targets); `shape` is that of a target of one row."""
    return [{"predict": at if shape else at[:, 0]} for at in found]


def answering(estimator: Any, answers: Answers) -> Any:
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
