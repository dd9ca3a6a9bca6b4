"""Least-squares classifier."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..core.roles.classifier import Classifier
from ..engines.minimise.least_squares.solve import least_squares
from ._class_coding import coded, data_with_class_weights, keep_classes
from ._decision_function import decision, predicted_codes
from ._gram_on_blocks import FitsClassMoments


@estimator
class LeastSquaresClassifier(FitsClassMoments, Classifier):
    """Least-squares classifier: linear regression of class indicators, and the class with the largest score.

    minimise over w, b    sum_i s_i (t_i - x_i w - b)^2  +  alpha |w|^2,    t_i = 1 for rows of the class

    Other rows have t = -1, or 0 with a threshold of one half; with an intercept both give the same classes, and for
    two classes of equal size the same as Fisher's discriminant. Rows far on the right side count as errors, so outliers
    that are classified correctly still move the decision boundary: prefer logistic regression. [Fisher, 1936]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> LeastSquaresClassifier().fit(X, y).decision_function([[1.5], [2.5]]).round(6)
    array([0. , 0.8])
    """

    alpha: float = param(
        0.0,
        "regularisation strength of a squared l2 penalty",
        at_least=0,
        tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0),
        simpler="larger",
    )
    coding: Literal["signs", "zero_one"] = param("signs", "class indicators: -1 and 1, or 0 and 1")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class; "balanced": inversely proportional to class frequencies; None: one'
    )
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Array = learned("coefficients, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("intercepts, less the threshold", shape="rows")

    traits = Traits(sparse=True, storage="csr")
    title = "least-squares classifier"
    reference = "Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics 7, 1936"

    def _fit(self, data: Data, trace: Trace) -> None:
        data = data_with_class_weights(self, data)
        low = -1.0 if self.coding == "signs" else 0.0
        y = coded(data.y, len(self.classes_), low)
        fit = least_squares(data.X, y, data.weight, self.fit_intercept, self.alpha)
        keep_classes(self, fit, data, trace, shift=-(1 + low) / 2)

    def decision_function(self, X: Any) -> Array:
        """Score of the second of two classes above its threshold, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return predicted_codes(decision(self, X))
