"""The decision function of linear classifiers that have a hyperplane for each class, or one for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Classifier, Matrix
from . import matrix_products
from .sparse_coefficients import dense


class LinearDecision(Classifier):
    """Base class of classifiers with `coef_` (planes, features) and `intercept_` (planes,)."""

    coef_: Matrix
    intercept_: Array

    def decision_function(self, X: Any) -> Array:
        """The score of each class for each row; with two classes, that of the second."""
        return self._scores(self._read(X))

    def _scores(self, X: Matrix) -> Array:
        coef = dense(self.coef_)
        if len(coef) == 1:
            return matrix_products.scores(X, coef[0], self.intercept_[0])
        return matrix_products.scores(X, coef, self.intercept_)

    def _classify(self, X: Matrix) -> Array:
        scores = self._scores(X)
        return (scores > 0).astype(np.int64) if scores.ndim == 1 else np.asarray(scores.argmax(axis=1))
