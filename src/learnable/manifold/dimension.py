"""The intrinsic dimension of rows."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..neighbors import NearestNeighbors
from ._faithfulness import QUANTILE


class IntrinsicDimension(NamedTuple):
    """An estimate of the dimension of the manifold on which rows lie, with an interval of 95 %."""

    dimension: float
    interval: tuple[float, float]
    method: str


@checked(n_neighbors=limits(at_least=2))
def intrinsic_dimension(
    X: Rows, *, method: Literal["mle", "two_nn", "pca"] = "mle", n_neighbors: int = 20, metric: Any = "euclidean"
) -> IntrinsicDimension:
    """The dimension of the manifold near which rows lie, from distances to near neighbours.

    mle:      1 / d = mean over i, j < k    log(r_k(i) / r_j(i))
    two_nn:   1 / d = mean over i           log(r_2(i) / r_1(i))

    "mle" is the maximum likelihood estimate for a locally constant density; "two_nn" needs only two neighbours; "pca"
    counts, per row, the eigenvalues of the covariance of its neighbours that explain 95 % of their variance. Copies
    of a row count as one; the interval takes rows for independent. [Levina and Bickel, 2004; MacKay and Ghahramani,
    2005; Facco et al., 2017]

    >>> line = np.arange(50.0)[:, None] * [1.0, 2.0, 3.0]
    >>> intrinsic_dimension(line, method="pca", n_neighbors=5).dimension
    1.0
    """
    table, _ = FeatureValidator("intrinsic_dimension").matrix(X)
    rows = np.unique(table, axis=0)
    k = 2 if method == "two_nn" else n_neighbors
    if len(rows) <= k:
        raise DataError(
            f"intrinsic_dimension: {k} neighbours are required (n_neighbors) of {len(rows)} distinct rows; pass more "
            "rows or use fewer neighbours"
        )
    distances, near = NearestNeighbors(n_neighbors=k, metric=metric).fit(rows).kneighbors()
    if method == "pca":
        return _local_pca(rows, near)
    inverse = (
        np.log(distances[:, -1:] / distances[:, :-1]).mean(axis=1)
        if method == "mle"
        else np.log(distances[:, 1] / distances[:, 0])
    )
    return _of_inverse(inverse, method)


def _of_inverse(inverse: Array, method: str) -> IntrinsicDimension:
    """The dimension from its inverse at each row, with the interval of a mean."""
    mean = float(inverse.mean())
    if mean <= 0:
        raise DataError("intrinsic_dimension: all neighbours of the rows are equally distant; use more neighbours")
    reach = QUANTILE * float(inverse.std(ddof=1)) / np.sqrt(len(inverse))
    high = 1 / (mean - reach) if mean > reach else np.inf
    return IntrinsicDimension(1 / mean, (1 / (mean + reach), high), method)


def _local_pca(rows: Array, near: Array) -> IntrinsicDimension:
    around = rows[near] - rows[near].mean(axis=1, keepdims=True)
    squares = np.linalg.svd(around, compute_uv=False) ** 2
    explained = np.cumsum(squares, axis=1) / squares.sum(axis=1, keepdims=True)
    count = (explained < 0.95).sum(axis=1) + 1.0
    mean, reach = float(count.mean()), QUANTILE * float(count.std(ddof=1)) / np.sqrt(len(count))
    return IntrinsicDimension(mean, (mean - reach, mean + reach), "pca")
