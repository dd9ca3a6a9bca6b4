"""Naive Bayes of counts, as of words in a text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, estimator, learned, param
from ..engines.generative.missing_counts import GappyTotals, conditioned
from ..engines.generative.missing_mle import likeliest_shares
from ._count_base import Frequencies, in_products, log_or_zero, products
from ._count_checks import dirichlet_excess, refuse_negative


@estimator
class MultinomialNB(Frequencies):
    """Classes that draw words independently, each class with its own frequencies.

    P(k | x) = pi_k prod_j theta_kj^x_j / sum over classes,   theta_kj = (N_kj + alpha) / sum_l (N_kl + alpha)

    N_kj is the total of column j in class k. `dirichlet_prior` a gives the maximum of the posterior of a Dirichlet
    prior instead, which is alpha = a - 1. One pass over a dense or sparse table. Missing counts (NaN) are summed over
    all values they may have: what is seen of a row counts with the shares theta_kj over their sum over the columns that
    are seen, and theta is the most likely one given all that is seen, by Newton's method. [McCallum and Nigam, 1998]

    >>> X = [[2, 1, 0], [3, 0, 0], [0, 1, 3], [0, 0, 2]]
    >>> MultinomialNB().fit(X, ["sports", "sports", "news", "news"]).predict([[1, 1, 0]])
    array(['sports'], dtype='<U6')
    """

    dirichlet_prior: float | Array | None = param(None, "parameters of a Dirichlet prior, instead of alpha", at_least=1)
    feature_log_prob_: Array = learned("logarithm of the share of each column in a class", shape="classes features")

    reference = "McCallum and Nigam, A comparison of event models for naive Bayes text classification, 1998"

    def _learn(self, summary: GappyTotals, dtype: Any) -> float | None:
        self._keep(summary)
        self.feature_count_ = summary.totals
        alpha = dirichlet_excess(self.alpha, self.dirichlet_prior)
        shares, left = likeliest_shares(summary.totals + self._smoothing(alpha), summary.gaps, summary.seen)
        self.feature_log_prob_ = log_or_zero(shares).astype(dtype, copy=False)
        return left if len(summary.gaps) else None

    def _joint(self, X: Matrix) -> Array:
        refuse_negative(type(self).__name__, X)
        logs = self.feature_log_prob_.astype(np.float64)
        filled, off = conditioned(X, np.exp(logs))
        return products(filled, in_products(logs)) - off + self.class_log_prior_
