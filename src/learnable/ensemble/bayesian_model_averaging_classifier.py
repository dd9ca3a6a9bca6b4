"""Bayesian model averaging of classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator
from ._voting.model_averaging_base import ModelAveragingBase
from ._voting.voting_base import VotingClassifierBase


@estimator
class BayesianModelAveragingClassifier(ModelAveragingBase, VotingClassifierBase):
    """Bayesian model averaging classifier: class probabilities averaged by the posterior probability of each model.

    p(y | x) = sum_j P(M_j | data) p_j(y | x),    P(M_j | data) proportional to P(M_j) exp(-BIC_j / 2)

    BIC_j = k_j log n - 2 log L_j with the likelihood L_j of the training classes. The posterior is over the given
    models and concentrates on one of them as the data grow.
    [Hoeting, Madigan, Raftery and Volinsky, 1999]

    >>> from learnable import DecisionTreeClassifier
    >>> models = [("stump", DecisionTreeClassifier(max_depth=1)), ("deep", DecisionTreeClassifier())]
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 5, ["a", "a", "b", "b"] * 5
    >>> BayesianModelAveragingClassifier(models).fit(X, y).probability_
    array([0.5, 0.5])
    """

    title = "Bayesian model averaging classifier"
    reference = "Hoeting, Madigan, Raftery and Volinsky, Bayesian model averaging, Statistical Science 14, 1999"

    def _log_likelihood(self, model: Any, X: Any, target: Array, weight: Array) -> float:
        self._check_probabilities("choose another, or calibrate it (CalibratedClassifierCV)")
        proba = np.asarray(model.predict_proba(X))[np.arange(len(target)), target]
        return float(weight @ np.log(np.maximum(proba, np.finfo(np.float64).tiny)))

    def predict_proba(self, X: Any) -> Array:
        """Class probabilities averaged over the models."""
        self._require_fit()
        proba = np.stack([np.asarray(model.predict_proba(X)) for model in self.estimators_])
        return np.asarray(np.tensordot(self.probability_, proba, axes=1))

    def _classify(self, X: Any) -> Array:
        return np.asarray(self.predict_proba(X).argmax(axis=1))
