"""Naive Bayes of columns that are there or not."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import ClassTotals, like
from ._count_base import Counting, in_products, log_or_zero, products
from ._count_checks import refuse_other_than_binary


@estimator
class BernoulliNB(Counting):
    """Classes whose columns are independent coins, each class with its own chances; absent features count too.

    P(k | x) = pi_k prod_j theta_kj^x_j (1 - theta_kj)^(1 - x_j) / sum,   theta_kj = (N_kj + alpha) / (N_k + 2 alpha)

    N_kj rows of the N_k of class k have feature j. `beta_prior` (a, b) gives the maximum of the posterior of a beta
    prior instead: (N_kj + a - 1) / (N_k + a + b - 2). Missing values (NaN) are left out of counts and products, which
    is the exact marginal. [Maron, 1961; McCallum and Nigam, 1998]

    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> BernoulliNB().fit(X, ["sports", "sports", "news", "news"]).predict_proba([[1, 1, 0]])
    array([[0.1, 0.9]])
    """

    binarize: float | None = param(
        0.0, "a feature is there if its value is above; None: values are 0 and 1", at_least=0
    )
    beta_prior: Array | None = param(None, "two parameters of a beta prior, instead of alpha", at_least=1)
    feature_count_: Array = learned("weight of the rows of each class that have a feature", shape="classes columns")
    feature_log_prob_: Array = learned("logarithm of the chance of each feature in a class", shape="classes features")

    sparse = True
    storage = "csr"
    missing = "native"
    meaning = ("binarize",)
    reference = "Maron, Automatic indexing: an experimental inquiry, Journal of the ACM, 1961"

    def _summary(self, data: Data) -> ClassTotals:
        if self.binarize is None:
            refuse_other_than_binary(type(self).__name__, data.X)
        return ClassTotals.of(data.X, data.y, len(self.classes_), data.weight, self.binarize)

    def _remembered(self) -> ClassTotals:
        return ClassTotals(**self.summary_)

    def _learn(self, summary: ClassTotals, dtype: Any) -> None:
        self._keep(summary)
        self.feature_count_ = summary.totals
        self.feature_log_prob_ = self._log_chances(summary.totals, summary.present).astype(dtype, copy=False)

    def _log_chances(self, there: Array, present: Array) -> Array:
        """Logarithms of the smoothed chances that a feature of a class is there; 1/2 where nothing is known."""
        more, less = self._made_up()
        total = present + more + less
        known = total > 0
        return log_or_zero(np.where(known, (there + more) / np.where(known, total, 1.0), 0.5))

    def _made_up(self) -> tuple[Array, Array]:
        """Made-up rows with and without a feature."""
        if self.beta_prior is None:
            alpha = self._smoothing(self.alpha)
            return alpha, alpha
        values = np.asarray(self.beta_prior, dtype=np.float64)
        if values.shape != (2,):
            raise ParameterError(f"BernoulliNB: beta_prior must be two numbers; got an array of shape {values.shape}")
        return values[0] - 1.0, values[1] - 1.0

    def _joint(self, X: Matrix) -> Array:
        there = self.feature_log_prob_.astype(np.float64)
        absent = log_or_zero(np.maximum(-np.expm1(there), 0.0))
        there, absent = in_products(there), in_products(absent)
        values = X if isinstance(X, np.ndarray) else X.data
        gaps = np.isnan(values) if kernels.first_non_finite(values) >= 0 else None
        if self.binarize is not None:
            values = (values > self.binarize).astype(np.float64)
        else:
            refuse_other_than_binary(type(self).__name__, X)
            values = values if gaps is None else np.where(gaps, 0.0, values)
        joint = products(like(X, values), there - absent, absent.sum(axis=1))
        if gaps is not None:
            joint -= products(like(X, gaps.astype(np.float64)), absent)
        return joint + self.class_log_prior_
