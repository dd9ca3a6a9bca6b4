"""A metric at every threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked
from ._validate import column, same_length, scores_column, weights


@checked()
def metric_at_thresholds(
    y_true: Rows,
    y_score: Rows,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Rows | None = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[Array, Array]:
    """Any metric of labels, with rows called 1 whose score is at least the threshold; thresholds fall.

    It calls the metric once for each distinct score; `operating_points` knows the usual ones for all at once.

    >>> from learnable.metrics import accuracy_score
    >>> [part.tolist() for part in metric_at_thresholds([0, 1, 1], [0.1, 0.4, 0.8], accuracy_score)]
    [[0.6666666666666666, 1.0, 0.6666666666666666], [0.8, 0.4, 0.1]]
    """
    owner = "metric_at_thresholds"
    truth, scores = column(owner, y_true, "y_true"), scores_column(owner, y_score)
    same_length(owner, y_true=truth, y_score=scores)
    weight = weights(owner, sample_weight, len(truth))
    options = dict(metric_params or {})
    if weight is not None:
        kept = weight > 0
        truth, scores, options["sample_weight"] = truth[kept], scores[kept], weight[kept]
    thresholds = np.unique(scores)[::-1]
    values = [metric_func(truth, (scores >= threshold).astype(np.int32), **options) for threshold in thresholds]
    return np.asarray(values), thresholds
