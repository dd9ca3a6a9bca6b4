"""Base classes of naive Bayes for counts: additive smoothing and class priors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Traits, learned, param
from ..core.declare.params import declaring
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import ClassStatistics
from ..engines.generative.missing_counts import CountTotals
from ..engines.generative.posterior import checked_priors, class_frequencies
from ._count_checks import refuse_negative
from ._naive_bayes_base import SufficientStatisticsClassifier, as_arrays

MIN_ALPHA = 1e-10
LOG_ZERO = -1e200  # stands for log 0 in products, where 0 times it must be 0; the sum becomes -inf again
BELOW = LOG_ZERO / 1e10


@declaring
class CountNB(SufficientStatisticsClassifier):
    """Base class of naive Bayes classifiers of counts, with additive smoothing by `alpha`."""

    alpha: float | Array = param(
        1.0,
        "additive smoothing parameter (pseudo-count), also one per column: 0 none, 1 Laplace",
        at_least=0,
        tune=(0.01, 0.1, 1.0),
    )
    force_alpha: bool = param(True, "whether alpha may be below 1e-10, also zero")
    fit_prior: bool = param(True, "whether class priors are the class frequencies, otherwise uniform")
    class_prior: Array | None = param(None, "prior probabilities of the classes", at_least=0)
    classes_: Array = learned("class labels, sorted", shape="classes")
    class_count_: Array = learned("weighted number of rows of each class", shape="classes")
    class_log_prior_: Array = learned("log prior probability of each class", shape="classes")
    summary_: dict[str, Any] = learned("sufficient statistics, updated by partial_fit, merge and unlearn")

    traits = Traits(poor_score=True)

    def _class_log_prior(self) -> Array:
        return self.class_log_prior_

    def _keep(self, summary: ClassStatistics) -> None:
        """Store the sufficient statistics and the class priors."""
        self.summary_ = as_arrays(summary)
        owner, classes = type(self).__name__, len(summary.weight)
        self.class_count_ = summary.weight
        if self.class_prior is not None:
            prior = checked_priors(owner, self.class_prior, classes, "class_prior", normalise=True)
        else:
            prior = class_frequencies(owner, summary.weight) if self.fit_prior else np.full(classes, 1 / classes)
        self.class_log_prior_ = log_or_zero(prior)

    def _smoothing(self, alpha: Any) -> Array:
        """`alpha` as a number or one per column, at least 1e-10 unless force_alpha is set."""
        values = np.asarray(alpha, dtype=np.float64)
        if values.ndim > 1 or (values.ndim == 1 and len(values) != self.n_features_in_):
            raise ParameterError(
                f"{type(self).__name__}: alpha should be a number or have one entry per column (`n_features`). "
                f"Got {values.size} elements instead of {self.n_features_in_}."
            )
        if values.min() < MIN_ALPHA and not self.force_alpha:
            warn(
                f"An alpha near zero gives logarithms of zero: it is raised to {MIN_ALPHA:.1e}; force_alpha=True "
                "keeps it",
                UserWarning,
            )
            values = np.maximum(values, MIN_ALPHA)
        return values


@declaring
class FrequencyNB(CountNB):
    """Base class of naive Bayes classifiers whose columns are counts of one kind of event, such as words."""

    feature_count_: Array = learned("weighted total of each column in each class", shape="classes columns")

    traits = Traits(sparse=True, storage="csr", missing="native", positive_columns=True)

    def _statistics(self, data: Data) -> CountTotals:
        refuse_negative(type(self).__name__, data.X)
        return CountTotals.of(data.X, data.y, len(self.classes_), data.weight)

    def _stored_statistics(self) -> CountTotals:
        sums = dict(self.summary_)
        if "gaps" in sums:  # the name of the patterns in model files of version 0.1
            sums["patterns"] = sums.pop("gaps")
        return CountTotals(**sums)


def log_or_zero(values: Array) -> Array:
    """Logarithms, -inf for zero without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def in_products(logs: Array) -> Array:
    """Logarithms for products with counts: a finite number replaces log 0, as 0 log 0 must be 0."""
    return np.where(np.isneginf(logs), LOG_ZERO, logs)


def products(X: Matrix, logs: Array, offset: Array | None = None) -> Array:
    """X logs' + offset in double precision; -inf where log 0 is a factor."""
    scores: Array = kernels.matvec(X, logs.T, offset)
    return np.where(scores < BELOW, -np.inf, scores)
