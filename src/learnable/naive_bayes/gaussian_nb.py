"""Gaussian naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Traits, estimator, learned, param
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import ClassMoments
from ..engines.generative.posterior import checked_priors, class_frequencies
from ._exact_gaussian import ExactGaussian
from ._naive_bayes_base import as_arrays


@estimator
class GaussianNB(ExactGaussian):
    """Gaussian naive Bayes: independent normal features per class, each with its own mean and variance.

    P(k | x) = pi_k prod_j N(x_j; theta_kj, var_kj) / sum over classes of the same

    Means and variances (divided by n, not n - 1) are computed in one pass over the data; `var_smoothing` times the
    largest variance of a column is added to all. Missing values are left out of the estimates and of the product,
    which is exact marginalisation. Equal variances in all classes give a linear decision boundary. [Zhang, 2004]

    >>> model = GaussianNB().fit([[-3.0], [-1.0], [1.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.predict([[-0.5], [float("nan")]]), model.var_.round(6)
    (array(['low', 'high'], dtype='<U4'), array([[1.],
           [1.]]))
    """

    priors: Array | None = param(None, "prior probabilities of the classes; None: class frequencies", at_least=0)
    var_smoothing: float = param(
        1e-9,
        "fraction of the largest variance that is added to all variances",
        at_least=0,
        tune=(1e-9, 1e-6, 1e-3, 0.1),
    )
    classes_: Array = learned("class labels, sorted", shape="classes")
    class_count_: Array = learned("weighted number of rows of each class", shape="classes")
    class_prior_: Array = learned("prior probability of each class", shape="classes")
    epsilon_: float = learned("value added to the variances")
    theta_: Array = learned("mean of each column in each class", shape="classes features")
    var_: Array = learned("variance of each column in each class", shape="classes features")
    summary_: dict[str, Any] = learned("sufficient statistics, updated by partial_fit, merge and unlearn")

    traits = Traits(missing="native")
    title = "Gaussian naive Bayes"
    reference = "Zhang, The optimality of naive Bayes, FLAIRS, 2004"

    def _statistics(self, data: Data) -> ClassMoments:
        return ClassMoments.of(data.X, data.y, len(self.classes_), data.weight)

    def _stored_statistics(self) -> ClassMoments:
        return ClassMoments(**self.summary_)

    def _estimate(self, summary: ClassMoments, dtype: Any) -> None:
        owner, classes = type(self).__name__, len(self.classes_)
        self.summary_, self.class_count_ = as_arrays(summary), summary.weight
        given = self.priors is not None
        self.class_prior_ = (
            checked_priors(owner, self.priors, classes) if given else class_frequencies(owner, summary.weight)
        )
        present, mean, scatter = summary.pooled()
        overall = scatter / np.where(present > 0, present, 1.0)
        self.epsilon_ = float(self.var_smoothing * overall.max())
        seen = summary.present > 0  # a class without values in a column gets the overall estimate
        theta = np.where(seen, summary.mean, mean)
        variance = np.where(seen, summary.scatter / np.where(seen, summary.present, 1.0), overall) + self.epsilon_
        self.theta_ = theta.astype(dtype, copy=False)
        self.var_ = np.maximum(variance, _least_variance(theta, overall, dtype)).astype(dtype, copy=False)

    def _rounding(self, before: ClassMoments, rest: ClassMoments) -> float:
        noise = np.finfo(np.float64).eps * before.scatter / np.where(rest.present > 0, rest.present, np.inf)
        return float((noise / self.var_).max())

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        variance = self.var_.astype(np.float64)
        norms = 0.5 * np.log(2 * np.pi * variance)
        tables = self.theta_.astype(np.float64), 1 / np.sqrt(variance), self._class_log_prior() - norms.sum(axis=1)
        joint = kernels.gaussian_scores(X, *tables)
        missing_rows = np.isnan(joint[:, 0])
        if missing_rows.any():
            joint = kernels.gaussian_scores(X, *tables, True)
            joint[missing_rows] += np.isnan(X[missing_rows]) @ norms.T
        return joint


def _least_variance(mean: Array, overall: Array, dtype: Any) -> Array:
    """The squared rounding error of the values, the smallest meaningful variance; 1 for columns of zeros."""
    size = np.maximum(np.abs(mean).max(axis=0), np.sqrt(overall))
    least = (size * np.finfo(np.float64).eps) ** 2
    return np.where(least >= np.finfo(dtype).tiny, least, np.where(size > 0, np.finfo(dtype).tiny, 1.0))
