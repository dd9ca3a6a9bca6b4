"""How often it happened beside how likely it was said to be."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array
from ..core.errors import DataError, ParameterError
from ..core.validate.sparse_input import checks_sparse
from ..metrics._threshold_sweep import scored


@checks_sparse
def calibration_curve(
    y_true: Any,
    y_prob: Any,
    *,
    pos_label: Any = None,
    n_bins: int = 5,
    strategy: Literal["uniform", "quantile"] = "uniform",
    sample_weight: Any = None,
) -> tuple[Array, Array]:
    """Calibration curve: the fraction of positives and the mean predicted probability, in bins of the probability.

    share_b = sum of weights of positives / sum of weights,    mean_b = weighted mean of p,    over the rows of bin b

    Bins are of equal width ("uniform") or hold equally many rows ("quantile"); empty ones are left out.

    >>> said = [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0]
    >>> share, mean = calibration_curve([0, 0, 0, 0, 1, 1, 1, 1, 1], said, n_bins=3)
    >>> share.tolist(), mean.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.2, 0.525, 0.85])
    """
    data = scored("calibration_curve", y_true, y_prob, pos_label, sample_weight)
    return binned("calibration_curve", data.positive, data.scores, data.weight, n_bins, strategy)[:2]


def binned(
    owner: str, positive: Array, probability: Array, weight: Array | None, bins: int, strategy: str
) -> tuple[Array, Array, Array]:
    """Share of positives, mean probability and weight of each bin that is not empty."""
    if probability.min() < 0 or probability.max() > 1:
        raise DataError(f"{owner}: y_prob has values outside [0, 1]; give probabilities")
    if strategy not in ("uniform", "quantile"):
        raise ParameterError(f"{owner}: strategy is 'quantile' or 'uniform'; got {strategy!r}")
    if bins < 1:
        raise ParameterError(f"{owner}: n_bins must be at least 1; got {bins!r}")
    edges = np.linspace(0, 1, bins + 1)
    if strategy == "quantile":
        edges = np.percentile(probability, edges * 100)
    place = np.searchsorted(edges[1:-1], probability)
    share = np.ones(len(positive)) if weight is None else weight
    total = np.bincount(place, weights=share, minlength=bins)
    kept = total > 0
    true, mean = (np.bincount(place, weights=share * part, minlength=bins) for part in (positive, probability))
    return true[kept] / total[kept], mean[kept] / total[kept], total[kept]
