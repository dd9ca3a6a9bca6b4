"""Which sets of points a class of functions can label in every way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.features import FeatureValidator

Separates = Callable[[Array, Array], bool]
MAX_POINTS = 16


@checked()
def separable(points: Rows, labels: Rows) -> bool:
    """Linear separability: whether s_i (w x_i + b) >= 1 for some w, b.

    Decided by a linear programme on centred and scaled columns and rows, so the result is a proof up to its tolerance.

    >>> separable([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    False
    """
    from scipy.optimize import linprog

    rows, _ = FeatureValidator("separable").matrix(points)
    values = FeatureValidator("separable").any_target(labels, len(rows))
    kinds = set(values.tolist())
    if len(kinds) > 2:
        raise DataError(f"separable: labels must have two distinct values, such as -1 and 1; they have {len(kinds)}")
    signs = np.where(values == values[0], 1.0, -1.0)
    lifted = np.column_stack([_standing_alike(rows), np.ones(len(rows))])
    lifted /= np.abs(lifted).max(axis=1, keepdims=True)  # the side of a point does not depend on how far away it is
    result = linprog(
        np.zeros(lifted.shape[1]), A_ub=-signs[:, None] * lifted, b_ub=-np.ones(len(rows)), bounds=(None, None)
    )
    return bool(result.status == 0)


def _standing_alike(rows: Array) -> Array:
    """Columns around 0 whose middle entries are about 1, which half-spaces separate just as well."""
    centred = rows - np.median(rows, axis=0)
    size = np.abs(centred)
    reach = [np.quantile(column[column > 0], 0.5, method="lower") if column.any() else 1.0 for column in size.T]
    return np.asarray(centred / reach)


@checked()
def labelling_out_of_reach(points: Rows, separates: Separates = separable) -> Array | None:
    """A labelling by -1 and 1 that no function of the class gives, or None if the points are shattered.

    >>> labelling_out_of_reach([[0.0], [1.0], [2.0]]).tolist()
    [1.0, -1.0, 1.0]
    """
    rows, _ = FeatureValidator("labelling_out_of_reach").matrix(points)
    if len(rows) > MAX_POINTS:
        raise ParameterError(
            f"labelling_out_of_reach: {len(rows)} points have 2^{len(rows)} labellings; use at most {MAX_POINTS}"
        )
    for labels in product((1.0, -1.0), repeat=len(rows)):
        if not separates(rows, np.array(labels)):
            return np.array(labels)
    return None


@checked()
def shatters(points: Rows, separates: Separates = separable) -> bool:
    """Whether a class of functions gives the points every one of their 2^m labellings.

    `separates(points, labels)` says whether the class has a function with these labels (-1 and 1); by default the class
    is that of half-spaces, the perceptron's. In p dimensions it shatters some p + 1 points and no p + 2, so its VC
    dimension is p + 1. [Vapnik and Chervonenkis, 1971]

    >>> shatters([[0, 0], [1, 0], [0, 1]]), shatters([[0, 0], [1, 0], [0, 1], [1, 1]])
    (True, False)
    """
    return labelling_out_of_reach(points, separates) is None
