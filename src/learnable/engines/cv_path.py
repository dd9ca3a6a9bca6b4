"""Cross-validation along a parameter path: many values of one parameter on all folds together.

An estimator that can do so names the parameters in `validation_paths` and has a method

    _validation_path(parameter, values, data, parts) -> FoldPaths | None

For each (train, test) pair of `parts` it returns a function of row indices: the predictions for these rows of the
models with each of the values, fitted to the training rows. Those of a regressor may have a column for each target,
also where the target is flat. None requests the plain loop.

A pipeline exposes the path of its last step: it names that step in `_last_step`, as (name, step), and has a method

    _fit_prefix(X, y, weight) -> FittedPrefix

which fits all steps but the last, once for all candidates that differ in the last step alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
