"""Histogram-based gradient boosting for classification."""

from __future__ import annotations

from typing import Any, Literal

from ..core import estimator, param
from ._boosting.boosting_classifier import BoostedTreesClassifier
from ._boosting.hist_gradient_boosting_params import HistGradientBoostingParams
from ._boosting.histogram_boosting import HistogramBoostingBase


@estimator
class HistGradientBoostingClassifier(HistGradientBoostingParams, HistogramBoostingBase, BoostedTreesClassifier):
    """Histogram gradient boosting classifier: small trees over binned columns, each fitted to the gradients so far.

    minimise over the next tree    sum_i (g_i v_i + h_i v_i^2 / 2)  +  l2_regularization sum_leaves v^2 / 2

    where v_i is the value of the leaf of row i, g = p - y and h = p (1 - p) for the probability p of the second of two
    classes by the scores so far; then f <- f + learning_rate v. Each of more classes has its own trees. Columns are
    binned once, into at most 255 bins; missing values have a bin of their own and go to the side of the larger gain;
    categories are split in the order of their gradients. Integer weights count rows.
    [Friedman, 2001; Ke et al., 2017]

    >>> import numpy as np
    >>> X = np.arange(200.0)[:, None]
    >>> model = HistGradientBoostingClassifier().fit(X, np.where(X[:, 0] < 70, "small", "large"))
    >>> model.predict([[20.0], [180.0]])
    array(['small', 'large'], dtype='<U5')
    """

    loss: Literal["log_loss"] = param("log_loss", "loss function", kw_only=False)
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weight of each class; balanced for equal total weights"
    )

    title = "histogram gradient boosting classifier"
    reference = "Ke et al., LightGBM: a highly efficient gradient boosting decision tree, NeurIPS 2017"
