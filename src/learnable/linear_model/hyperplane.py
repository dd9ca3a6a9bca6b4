"""Signed distances from a hyperplane."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import checked, limits, only_numbers
from ..core.validate.features import FeatureValidator
from ..engines import matrix_products


@checked(coef=limits(accepts=only_numbers, says="made of numbers"))
def signed_distance(X: Any, coef: Array, intercept: float = 0.0) -> Array:
    """Signed distance of each row of X from the hyperplane x w + b = 0: positive on the side of w.

    (x w + b) / |w|;    from the hyperplane x w = a, with b = -a

    With `coef_[0]` and `intercept_[0]` of a linear classifier of two classes it is the distance from the decision
    boundary.

    >>> signed_distance([[0.0, 0.0], [3.0, 4.0]], coef=[3.0, 4.0], intercept=-5.0).tolist()
    [-1.0, 4.0]
    """
    rows, _ = FeatureValidator("signed_distance", sparse=True, storage="csr").matrix(X)
    w = np.ravel(np.asarray(coef, dtype=np.float64))
    if len(w) != rows.shape[1]:
        raise DataError(f"signed_distance: coef has {len(w)} weights, but X has {rows.shape[1]} columns")
    largest = float(np.abs(w).max(initial=0.0))
    if not (0 < largest < np.inf):
        raise DataError("signed_distance: coef must hold finite weights that are not all zero")
    direction = w / largest
    length = float(np.linalg.norm(direction))
    scores = matrix_products.precise_scores(rows, direction / length, float(intercept) / largest / length)
    return np.asarray(scores)
