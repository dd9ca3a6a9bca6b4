"""What naive Bayes classifiers of counts have in common: smoothing, and the probabilities of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, ParameterError, learned
from ..core.errors import warn
from ..core.native import kernels
from ..core.params import declaring
from ..engines.posterior import checked_priors, shares
from .summed import Summed

LEAST_ALPHA = 1e-10
LOG_ZERO = -1e200  # stands for log 0 in products, where 0 times it must be 0; the sum becomes -inf again
BELOW = LOG_ZERO / 1e10


@declaring
class Counting(Summed):
    """A naive Bayes classifier of counts, whose zero counts are smoothed by `alpha` made-up observations."""

    class_count_: Array = learned("weight of the rows of each class", shape="classes")
    class_log_prior_: Array = learned("logarithm of the probability of each class", shape="classes")

    def _log_prior(self) -> Array:
        return self.class_log_prior_

    def _learn_classes(self, weight: Array, class_prior: Any, fit_prior: bool) -> None:
        owner, classes = type(self).__name__, len(weight)
        self.class_count_ = weight
        if class_prior is not None:
            prior = checked_priors(owner, class_prior, classes, "class_prior", normalise=True)
        else:
            prior = shares(owner, weight) if fit_prior else np.full(classes, 1 / classes)
        self.class_log_prior_ = log_or_zero(prior)

    def _checked_alpha(self, alpha: Any, force_alpha: bool) -> Array:
        """The smoothing as a number or one per column, kept off zero unless zero is forced."""
        values = np.asarray(alpha, dtype=np.float64)
        if values.ndim > 1 or (values.ndim == 1 and len(values) != self.n_features_in_):
            raise ParameterError(
                f"{type(self).__name__}: alpha should be a number or have one entry per column (`n_features`). "
                f"Got {values.size} elements instead of {self.n_features_in_}."
            )
        if values.min() < LEAST_ALPHA and not force_alpha:
            warn(
                f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                UserWarning,
            )
            values = np.maximum(values, LEAST_ALPHA)
        return values


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
