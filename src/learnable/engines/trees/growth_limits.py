"""Stopping rules of trees, and parameters of trees resolved to numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core.errors import ParameterError
from ...core.numeric import EXACT, MAX_INT64, is_fraction
from ...core.validate.features import Array

MaxFeatures = int | float | Literal["sqrt", "log2"] | None


@dataclass(frozen=True)
class TreeLimits:
    """Stopping rules of the growth of a tree; None and zero are no limit.

    `min_weight_leaf` is a sum of weights, in boosting of Hessians. Builders of multiway and oblique trees count samples
    by weight.
    """

    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0

    @classmethod
    def of(cls, model: Any, rows: int, weight: float, unit: float) -> TreeLimits:
        """The limits that the parameters of an estimator set, for a number of rows of a total weight.

        `unit` is the gain of an impurity of one, per weight.
        """
        owner = type(model).__name__
        return cls(
            model.max_depth,
            model.max_leaf_nodes,
            max(resolve_row_count(model.min_samples_split, rows, f"{owner}: min_samples_split"), 2),
            resolve_row_count(model.min_samples_leaf, rows, f"{owner}: min_samples_leaf"),
            model.min_weight_fraction_leaf * weight,
            model.min_impurity_decrease * unit * weight,
        )


NO_LIMITS = TreeLimits()


def resolve_row_count(requested: int | float, n: int, what: str) -> int:
    """A number of rows, given as a number or as a fraction of `n`; `what` names the parameter in messages."""
    if isinstance(requested, int) or not is_fraction(requested):
        return min(int(requested), MAX_INT64 // 2)  # as compiled code doubles it
    if requested > 1:
        raise ParameterError(f"{what} must be an integer or a fraction of at most 1.0; got {requested!r}")
    return int(np.ceil(requested * n))


def resolve_max_features(requested: MaxFeatures, columns: int, owner: str) -> int:
    """A number of columns of at least one, given as a number, a fraction or a rule."""
    if requested is None:
        return columns
    if isinstance(requested, str):
        return max(1, int(np.sqrt(columns) if requested == "sqrt" else np.log2(columns)))
    if is_fraction(requested):
        if requested > 1:
            raise ParameterError(
                f"{owner}: max_features must be an integer or a fraction of at most 1.0; got {requested!r}"
            )
        return max(1, int(requested * columns))
    return min(int(requested), columns)


def resolve_monotonic_cst(requested: Array | None, columns: int, outputs: int, owner: str) -> list[int]:
    """The monotonic constraint of each column: 1, -1 or 0; empty without constraints."""
    if requested is None:
        return []
    constraint = np.asarray(requested)
    if constraint.shape != (columns,):
        raise ParameterError(
            f"{owner}: monotonic_cst has shape {constraint.shape} but the input data X has {columns} features; it must "
            "hold -1, 0 or 1 for each column"
        )
    if not np.isin(constraint, (-1, 0, 1)).all():
        raise ParameterError(f"{owner}: monotonic_cst must hold -1, 0 or 1 for each column; got {constraint.tolist()}")
    if outputs > 1:
        raise ParameterError(f"{owner}: monotonic_cst is defined for one target; y has several")
    return [int(value) for value in constraint]


def check_draw_count(number: int, what: str) -> int:
    """A number of draws that floats can count exactly; `what` names the parameter in messages."""
    if number > EXACT:
        raise ParameterError(f"{what} must be at most {EXACT}; got {number}")
    return number


def is_count_or_fraction(requested: object) -> bool:
    """Whether a value is an integer, or a fraction of at most one."""
    return not is_fraction(requested) or requested <= 1
