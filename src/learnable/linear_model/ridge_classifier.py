"""Ridge classifier."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Data, Trace, estimator, param
from ._class_coding import CodedClassifier, coded, data_with_class_weights
from ._gram_on_blocks import FitsClassMoments
from .ridge import RidgeBase


@estimator
class RidgeClassifier(FitsClassMoments, RidgeBase, CodedClassifier):
    """Ridge classifier: ridge regression of class indicators of -1 and 1.

    minimise over w, b    sum_i s_i (t_i - x_i w - b)^2  +  alpha |w|^2,    t_i = 1 for rows of the class, -1 for others

    One exact solve serves all classes, so it is quick for many of them; scores are not probabilities. For two classes
    it points along Fisher's direction. With a target of zeros and ones in several columns, every label is decided on
    its own. [Hoerl and Kennard, 1970]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> RidgeClassifier().fit(X, y).predict([[0.5], [2.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class; "balanced": inversely proportional to class frequencies; None: one'
    )

    title = "ridge classifier"

    def _fit(self, data: Data, trace: Trace) -> None:
        data = data_with_class_weights(self, data)
        fit = self._solve(data, coded(data.y, len(self.classes_)))
        self._keep(fit, data, trace)
