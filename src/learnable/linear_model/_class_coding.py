"""Class indicators as regression targets, for classifiers by the sign or the largest of their scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, declaring, learned
from ..core.roles.classifier import Classifier
from ..engines import matrix_products
from ..engines.minimise.linear_fit import LinearFit
from ._closed_form import stored
from ._decision_function import decision, predicted_codes
from ._logistic.logistic_fit import with_class_weights
from ._logistic.logistic_objective import refuse_one_class


def coded(code: Array, classes: int, low: float = -1.0, high: float = 1.0) -> Array:
    """A column per class, `high` where a row is of it and `low` elsewhere; of two classes, the column of the second.

    Indicators of several labels, a column each, stay where they are.

    >>> coded(np.array([0, 1, 2]), 3).tolist()
    [[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]
    """
    if code.ndim == 2:
        return np.where(code == 1, high, low)
    if classes == 2:
        return np.where(code == 1, high, low)[:, None]
    return np.where(code[:, None] == np.arange(classes), high, low)


def data_with_class_weights(model: Any, data: Data, whole: bool = False) -> Data:
    """The rows with positive weight, or all if `whole`, weighted by `class_weight`; a single class is refused."""
    data = with_class_weights(model, data)
    if data.y.ndim == 1:
        refuse_one_class(type(model).__name__, model.classes_, data.y, data.weight)
    return data if whole else matrix_products.counted(data)


def keep_classes(model: Any, fit: LinearFit, data: Data, trace: Any, shift: float = 0.0) -> None:
    """Set coefficients, a row per class or one for two, and certify them; intercepts are shifted by `shift`."""
    model.coef_, model.intercept_ = stored(model, fit, data, trace, shift)


@declaring
class CodedClassifier(Classifier):
    """Base class of classifiers that regress indicators of -1 and 1, also for multilabel targets."""

    classes_: Array = learned("class labels, sorted; the columns of y where rows have several labels", shape="classes")
    coef_: Array = learned("coefficients, a row per class or label; a vector for two classes", shape="rows? features")
    intercept_: Array = learned("intercept of each class or target", shape="rows")
    multilabel_: bool = learned("whether rows have any number of labels")

    traits = Traits(multi_label=True)

    def _keep(self, fit: LinearFit, data: Data, trace: Trace) -> None:
        """Set what was learned; those of two classes are a vector, as in scikit-learn."""
        keep_classes(self, fit, data, trace)
        self.coef_ = self.coef_[0] if len(self.coef_) == 1 else self.coef_
        self.multilabel_ = data.y.ndim == 2

    def decision_function(self, X: Any) -> Array:
        """Score of the second of two classes, or the scores of all classes or labels, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return predicted_codes(decision(self, X), self.multilabel_)
