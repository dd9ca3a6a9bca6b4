"""Multinomial naive Bayes, for counts such as words in texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, estimator, learned, param
from ..engines.generative.missing_counts import CountTotals, condition_on_observed
from ..engines.generative.missing_mle import maximum_likelihood_probabilities
from ._count_base import FrequencyNB, in_products, log_or_zero, products
from ._count_checks import dirichlet_excess, refuse_negative


@estimator
class MultinomialNB(FrequencyNB):
    """Multinomial naive Bayes: counts such as word counts, with a multinomial distribution per class.

    P(k | x) = pi_k prod_j theta_kj^x_j / sum over classes,   theta_kj = (N_kj + alpha) / sum_l (N_kl + alpha)

    N_kj is the total of column j in class k. `dirichlet_prior` a gives the maximum a posteriori estimate under a
    Dirichlet prior instead: alpha = a - 1. One pass over a dense or sparse table. Missing counts (NaN) are
    marginalised: the observed counts of a row have probabilities theta_kj renormalised over its observed columns, and
    theta is the maximum likelihood estimate by Newton's method. [McCallum and Nigam, 1998]

    >>> X = [[2, 1, 0], [3, 0, 0], [0, 1, 3], [0, 0, 2]]
    >>> MultinomialNB().fit(X, ["sports", "sports", "news", "news"]).predict([[1, 1, 0]])
    array(['sports'], dtype='<U6')
    """

    dirichlet_prior: float | Array | None = param(None, "parameters of a Dirichlet prior, instead of alpha", at_least=1)
    feature_log_prob_: Array = learned("log probability of each feature given a class", shape="classes features")

    title = "multinomial naive Bayes"
    reference = "McCallum and Nigam, A comparison of event models for naive Bayes text classification, 1998"

    def _estimate(self, summary: CountTotals, dtype: Any) -> float | None:
        self._keep(summary)
        self.feature_count_ = summary.totals
        alpha = dirichlet_excess(self.alpha, self.dirichlet_prior)
        probabilities, left = maximum_likelihood_probabilities(
            summary.totals + self._smoothing(alpha), summary.patterns, summary.seen
        )
        self.feature_log_prob_ = log_or_zero(probabilities).astype(dtype, copy=False)
        return left if len(summary.patterns) else None

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        refuse_negative(type(self).__name__, X)
        logs = self.feature_log_prob_.astype(np.float64)
        filled, off = condition_on_observed(X, np.exp(logs))
        return products(filled, in_products(logs)) - off + self.class_log_prior_
