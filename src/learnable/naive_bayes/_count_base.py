"""What naive Bayes classifiers of counts have in common: smoothing, and the probabilities of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, learned, param
from ..core.declare.params import declaring
from ..core.errors import warn
from ..core.runtime.native import kernels
from ..engines.generative.class_statistics import Summary
from ..engines.generative.missing_counts import GappyTotals
from ..engines.generative.posterior import checked_priors, shares
from ._count_checks import refuse_negative
from ._naive_bayes_base import Summed, kept

LEAST_ALPHA = 1e-10
LOG_ZERO = -1e200  # stands for log 0 in products, where 0 times it must be 0; the sum becomes -inf again
BELOW = LOG_ZERO / 1e10


@declaring
class Counting(Summed):
    """A naive Bayes classifier of counts, whose zero counts are smoothed by `alpha` made-up observations."""

    alpha: float | Array = param(
        1.0, "made-up observations, also one per column: 0 none, 1 Laplace", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    force_alpha: bool = param(True, "whether alpha may be as small as zero")
    fit_prior: bool = param(True, "whether classes have the shares of their rows, else all alike")
    class_prior: Array | None = param(None, "probabilities of the classes", at_least=0)
    classes_: Array = learned("the classes, sorted", shape="classes")
    class_count_: Array = learned("weight of the rows of each class", shape="classes")
    class_log_prior_: Array = learned("logarithm of the probability of each class", shape="classes")
    summary_: dict[str, Any] = learned("sums that partial_fit, merge and unlearn go on from")

    rough = True

    def _log_prior(self) -> Array:
        return self.class_log_prior_

    def _keep(self, summary: Summary) -> None:
        """Remember the sums, and set what they say of the classes."""
        self.summary_ = kept(summary)
        owner, classes = type(self).__name__, len(summary.weight)
        self.class_count_ = summary.weight
        if self.class_prior is not None:
            prior = checked_priors(owner, self.class_prior, classes, "class_prior", normalise=True)
        else:
            prior = shares(owner, summary.weight) if self.fit_prior else np.full(classes, 1 / classes)
        self.class_log_prior_ = log_or_zero(prior)

    def _smoothing(self, alpha: Any) -> Array:
        """`alpha` as a number or one per column, kept off zero unless zero is forced."""
        values = np.asarray(alpha, dtype=np.float64)
        if values.ndim > 1 or (values.ndim == 1 and len(values) != self.n_features_in_):
            raise ParameterError(
                f"{type(self).__name__}: alpha should be a number or have one entry per column (`n_features`). "
                f"Got {values.size} elements instead of {self.n_features_in_}."
            )
        if values.min() < LEAST_ALPHA and not self.force_alpha:
            warn(
                f"An alpha near zero gives logarithms of zero: it is raised to {LEAST_ALPHA:.1e}; force_alpha=True "
                "keeps it",
                UserWarning,
            )
            values = np.maximum(values, LEAST_ALPHA)
        return values


@declaring
class Frequencies(Counting):
    """One whose columns are counts of the same kind of thing, as of words."""

    feature_count_: Array = learned("weighted total of each column in each class", shape="classes columns")

    sparse = True
    storage = "csr"
    missing = "native"
    positive_columns = True

    def _summary(self, data: Data) -> GappyTotals:
        refuse_negative(type(self).__name__, data.X)
        return GappyTotals.of(data.X, data.y, len(self.classes_), data.weight)

    def _remembered(self) -> GappyTotals:
        return GappyTotals(**self.summary_)


def log_or_zero(values: Array) -> Array:
    """Logarithms, -inf for zero without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def in_products(logs: Array) -> Array:
    """Logarithms for products with counts: a number that stands for log 0, as 0 log 0 must be 0."""
    return np.where(np.isneginf(logs), LOG_ZERO, logs)


def products(X: Matrix, logs: Array, constant: Array | None = None) -> Array:
    """X logs' + constant in double precision; -inf where log 0 took part."""
    scores: Array = kernels.matvec(X, logs.T, constant)
    return np.where(scores < BELOW, -np.inf, scores)
