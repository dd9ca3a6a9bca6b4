"""Selection of the number of principal components."""

from __future__ import annotations

import math

import numpy as np

from ..core import Array

ZERO_VARIANCE = 1e-15  # variance that is treated as zero


def likeliest_dimension(variances: Array, rows: float) -> int:
    """The number of components with the largest evidence, by Laplace's approximation. [Minka, 2000]

    >>> likeliest_dimension(np.array([10.0, 5.0, 0.011, 0.01, 0.009]), 100)
    2
    """
    evidence = [_log_evidence(variances, rank, rows) for rank in range(1, len(variances))]
    return 1 + int(np.argmax(evidence)) if evidence else 1


def _log_evidence(variances: Array, rank: int, rows: float) -> float:
    """The log evidence of `rank` components, up to a constant."""
    p = len(variances)
    if variances[rank - 1] < ZERO_VARIANCE:
        return -math.inf
    sizes = (p - np.arange(1, rank + 1) + 1) / 2
    frames = -rank * math.log(2.0) + sum(map(math.lgamma, sizes)) - math.log(math.pi) * float(sizes.sum())
    noise = max(ZERO_VARIANCE, float(variances[rank:].sum()) / (p - rank))
    fit = -0.5 * rows * (float(np.log(variances[:rank]).sum()) + math.log(noise) * (p - rank))
    free = p * rank - rank * (rank + 1) / 2
    model_variances = np.append(variances[:rank], np.full(p - rank, noise))
    pairs = [(i, j) for i in range(rank) for j in range(i + 1, p)]
    first, second = np.array(pairs).T
    with np.errstate(divide="ignore", invalid="ignore"):  # equal variances have no unique eigenvectors
        curvatures = np.log(
            (variances[first] - variances[second]) * (1 / model_variances[second] - 1 / model_variances[first])
        )
    curvature = float(curvatures.sum()) + len(pairs) * math.log(rows)
    found = frames + fit + math.log(2 * math.pi) * (free + rank) / 2 - curvature / 2 - rank * math.log(rows) / 2
    return found if not math.isnan(found) else -math.inf
