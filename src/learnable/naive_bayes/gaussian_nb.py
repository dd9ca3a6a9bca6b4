"""Naive Bayes with a normal distribution in every column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import ClassMoments
from ..engines.generative.posterior import checked_priors, shares
from ._naive_bayes_base import Summed, kept


@estimator
class GaussianNB(Summed):
    """Classes whose columns are independent and normal, each with its own mean and variance.

    P(k | x) = pi_k prod_j N(x_j; theta_kj, var_kj) / sum over classes of the same

    Means and variances (over the weight, not one less) come from one pass over the data; `var_smoothing` times the
    largest variance of a column is added to all. Missing values are left out of the estimates and of the product,
    which is the exact marginal. Equal variances in all classes give a linear boundary, others curves. [Zhang, 2004]

    >>> model = GaussianNB().fit([[-3.0], [-1.0], [1.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[-0.5], [float("nan")]]), model.var_.round(6)
    (array(['low', 'high'], dtype='<U4'), array([[1.],
           [1.]]))
    """

    priors: Array | None = param(None, "probabilities of the classes; None: their shares of the rows", at_least=0)
    var_smoothing: float = param(
        1e-9, "share of the largest variance added to all", at_least=0, tune=(1e-9, 1e-6, 1e-3, 0.1)
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    class_count_: Array = learned("weight of the rows of each class", shape="classes")
    class_prior_: Array = learned("probability of each class", shape="classes")
    epsilon_: float = learned("what was added to the variances")
    theta_: Array = learned("mean of each column in each class", shape="classes features")
    var_: Array = learned("variance of each column in each class", shape="classes features")
    summary_: dict[str, Any] = learned("sums that partial_fit, merge and unlearn go on from")

    missing = "native"
    reference = "Zhang, The optimality of naive Bayes, FLAIRS, 2004"

    def _summary(self, data: Data) -> ClassMoments:
        return ClassMoments.of(data.X, data.y, len(self.classes_), data.weight)

    def _remembered(self) -> ClassMoments:
        return ClassMoments(**self.summary_)

    def _learn(self, summary: ClassMoments, dtype: Any) -> None:
        owner, classes = type(self).__name__, len(self.classes_)
        self.summary_, self.class_count_ = kept(summary), summary.weight
        given = self.priors is not None
        self.class_prior_ = checked_priors(owner, self.priors, classes) if given else shares(owner, summary.weight)
        present, mean, scatter = summary.pooled()
        overall = scatter / np.where(present > 0, present, 1.0)
        self.epsilon_ = float(self.var_smoothing * overall.max())
        seen = summary.present > 0  # a class without any value in a column says nothing about it
        theta = np.where(seen, summary.mean, mean)
        variance = np.where(seen, summary.scatter / np.where(seen, summary.present, 1.0), overall) + self.epsilon_
        self.theta_ = theta.astype(dtype, copy=False)
        self.var_ = np.maximum(variance, _least_variance(theta, overall, dtype)).astype(dtype, copy=False)

    def _rounding(self, before: ClassMoments, rest: ClassMoments) -> float:
        noise = np.finfo(np.float64).eps * before.scatter / np.where(rest.present > 0, rest.present, np.inf)
        return float((noise / self.var_).max())

    def _joint(self, X: Matrix) -> Array:
        variance = self.var_.astype(np.float64)
        norms = 0.5 * np.log(2 * np.pi * variance)
        tables = self.theta_.astype(np.float64), 1 / np.sqrt(variance), self._log_prior() - norms.sum(axis=1)
        joint = kernels.gaussian_scores(X, *tables)
        gaps = np.isnan(joint[:, 0])
        if gaps.any():
            joint = kernels.gaussian_scores(X, *tables, True)
            joint[gaps] += np.isnan(X[gaps]) @ norms.T
        return joint


def _least_variance(mean: Array, overall: Array, dtype: Any) -> Array:
    """The square of the rounding of the values: what a variance of zero cannot be told from; 1 where all are zero."""
    size = np.maximum(np.abs(mean).max(axis=0), np.sqrt(overall))
    least = (size * np.finfo(np.float64).eps) ** 2
    return np.where(least >= np.finfo(dtype).tiny, least, np.where(size > 0, np.finfo(dtype).tiny, 1.0))
