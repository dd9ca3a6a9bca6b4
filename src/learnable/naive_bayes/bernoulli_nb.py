"""Naive Bayes for binary features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Traits, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import ClassTotals, like
from ._count_base import CountNB, in_products, log_or_zero, products
from ._count_checks import refuse_other_than_binary


@estimator
class BernoulliNB(CountNB):
    """Naive Bayes for binary features: independent Bernoulli variables per class; absent features are evidence too.

    P(k | x) = pi_k prod_j theta_kj^x_j (1 - theta_kj)^(1 - x_j) / sum,   theta_kj = (N_kj + alpha) / (N_k + 2 alpha)

    N_kj of the N_k rows of class k have feature j. `beta_prior` (a, b) gives the maximum a posteriori estimate under a
    beta prior instead: (N_kj + a - 1) / (N_k + a + b - 2). Missing values (NaN) are left out of counts and products:
    exact marginalisation. [Maron, 1961; McCallum and Nigam, 1998]

    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> BernoulliNB().fit(X, ["sports", "sports", "news", "news"]).predict_proba([[1, 1, 0]])
    array([[0.1, 0.9]])
    """

    binarize: float | None = param(
        0.0, "threshold above which a feature is present; None: values are 0 and 1", at_least=0
    )
    beta_prior: Array | None = param(None, "parameters (a, b) of a beta prior, instead of alpha", at_least=1)
    feature_count_: Array = learned("weighted number of rows of each class with each feature", shape="classes columns")
    feature_log_prob_: Array = learned("log probability of each feature given a class", shape="classes features")

    traits = Traits(sparse=True, storage="csr", missing="native")
    meaning = ("binarize",)
    title = "naive Bayes for binary features"
    reference = "Maron, Automatic indexing: an experimental inquiry, Journal of the ACM, 1961"

    def _statistics(self, data: Data) -> ClassTotals:
        if self.binarize is None:
            refuse_other_than_binary(type(self).__name__, data.X)
        return ClassTotals.of(data.X, data.y, len(self.classes_), data.weight, self.binarize)

    def _stored_statistics(self) -> ClassTotals:
        return ClassTotals(**self.summary_)

    def _estimate(self, summary: ClassTotals, dtype: Any) -> None:
        self._keep(summary)
        self.feature_count_ = summary.totals
        self.feature_log_prob_ = self._log_probabilities(summary.totals, summary.present).astype(dtype, copy=False)

    def _log_probabilities(self, there: Array, present: Array) -> Array:
        """Log smoothed probabilities of the features of a class; log 1/2 without observations."""
        more, less = self._pseudo_counts()
        total = present + more + less
        known = total > 0
        return log_or_zero(np.where(known, (there + more) / np.where(known, total, 1.0), 0.5))

    def _pseudo_counts(self) -> tuple[Array, Array]:
        """Pseudo-counts of presence and absence of a feature."""
        if self.beta_prior is None:
            alpha = self._smoothing(self.alpha)
            return alpha, alpha
        values = np.asarray(self.beta_prior, dtype=np.float64)
        if values.shape != (2,):
            raise ParameterError(f"BernoulliNB: beta_prior must be two numbers; got an array of shape {values.shape}")
        return values[0] - 1.0, values[1] - 1.0

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        there = self.feature_log_prob_.astype(np.float64)
        absent = log_or_zero(np.maximum(-np.expm1(there), 0.0))
        there, absent = in_products(there), in_products(absent)
        values = X if isinstance(X, np.ndarray) else X.data
        missing_mask = np.isnan(values) if kernels.first_non_finite(values) >= 0 else None
        if self.binarize is not None:
            values = (values > self.binarize).astype(np.float64)
        else:
            refuse_other_than_binary(type(self).__name__, X)
            values = values if missing_mask is None else np.where(missing_mask, 0.0, values)
        joint = products(like(X, values), there - absent, absent.sum(axis=1))
        if missing_mask is not None:
            joint -= products(like(X, missing_mask.astype(np.float64)), absent)
        return joint + self.class_log_prior_
