"""Bayesian model averaging of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator
from ._voting.model_averaging_base import ModelAveraging
from ._voting.voting_base import ClassPanel


@estimator
class BayesianModelAveragingClassifier(ModelAveraging, ClassPanel):
    """Classes by the mean of the probabilities of models, weighted by how probable each model is after the data.

    p(y | x) = sum_j P(M_j | data) p_j(y | x),    P(M_j | data) proportional to P(M_j) exp(-BIC_j / 2)

    BIC_j = k_j log n - 2 log L_j with the likelihood that a model gives to the classes it was fitted to. The
    probabilities hold among the models given, of which the data soon single out one.
    [Hoeting, Madigan, Raftery and Volinsky, 1999]

    >>> from learnable import DecisionTreeClassifier
    >>> models = [("stump", DecisionTreeClassifier(max_depth=1)), ("deep", DecisionTreeClassifier())]
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> BayesianModelAveragingClassifier(models).fit(X, y).probability_
    array([0.5, 0.5])
    """

    reference = "Hoeting, Madigan, Raftery and Volinsky, Bayesian model averaging, Statistical Science 14, 1999"

    def _log_likelihood(self, part: Any, X: Any, target: Array, weight: Array) -> float:
        self._check_probabilities("take another, or calibrate it (CalibratedClassifierCV)")
        shares = np.asarray(part.predict_proba(X))[np.arange(len(target)), target]
        return float(weight @ np.log(np.maximum(shares, np.finfo(np.float64).tiny)))

    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes, averaged over the models."""
        self._require_fit()
        shares = np.stack([np.asarray(part.predict_proba(X)) for part in self.estimators_])
        return np.asarray(np.tensordot(self.probability_, shares, axes=1))

    def _classify(self, X: Any) -> Array:
        return np.asarray(self.predict_proba(X).argmax(axis=1))
