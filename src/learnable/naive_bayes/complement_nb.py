"""Complement naive Bayes, for imbalanced classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Matrix, estimator, learned, param
from ..engines.generative.missing_counts import CountTotals, condition_on_observed
from ..engines.generative.missing_mle import maximum_likelihood_probabilities
from ._count_base import FrequencyNB, in_products, log_or_zero, products
from ._count_checks import refuse_negative


@estimator
class ComplementNB(FrequencyNB):
    """Complement naive Bayes for counts: estimates by the complement of each class, for imbalanced classes.

    choose the class k of largest  sum_j x_j w_kj,   w_kj = -log((N_j - N_kj + alpha) / sum_l (N_l - N_kl + alpha))

    N_j is the total of column j, N_kj that of class k. The complement of a class has more rows, so estimates are more
    stable than those of MultinomialNB for imbalanced classes. With `norm` the weights of a class sum to one.
    `fit_prior` and `class_prior` only matter for a single class. Missing counts (NaN) are summed over all values they
    may have, as in MultinomialNB. [Rennie et al., 2003]

    >>> X = [[2, 1, 0], [3, 0, 0], [0, 1, 3], [0, 0, 2]]
    >>> ComplementNB().fit(X, ["sports", "sports", "news", "news"]).predict([[1, 1, 0]])
    array(['sports'], dtype='<U6')
    """

    norm: bool = param(False, "whether the weights of each class are normalised to sum one")
    feature_all_: Array = learned("weighted total of each column", shape="features")
    feature_log_prob_: Array = learned("weight of each column for each class", shape="classes features")
    divisors_: Array = learned("divisor of the log probabilities that gives the weights", shape="classes")

    title = "complement naive Bayes"
    reference = "Rennie, Shih, Teevan and Karger, Tackling the poor assumptions of naive Bayes, ICML, 2003"

    def _estimate(self, summary: CountTotals, dtype: Any) -> float | None:
        self._keep(summary)
        self.feature_count_ = summary.totals
        self.feature_all_ = summary.totals.sum(axis=0)
        others = self.feature_all_ - self.feature_count_ + self._smoothing(self.alpha)
        probabilities, left = maximum_likelihood_probabilities(
            others, summary.patterns, summary.seen.sum(axis=0) - summary.seen
        )
        logs = in_products(log_or_zero(probabilities))
        sums = logs.sum(axis=1, keepdims=True) if self.norm else np.full((len(logs), 1), -1.0)
        weights = np.divide(logs, sums, out=np.zeros_like(logs), where=sums != 0)
        self.feature_log_prob_ = np.clip(weights, None, np.finfo(dtype).max / 2).astype(dtype, copy=False)
        self.divisors_ = sums[:, 0]
        return left if len(summary.patterns) else None

    def _class_log_prior(self) -> Array:
        return np.full(len(self.classes_), -np.log(len(self.classes_)))

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        refuse_negative(type(self).__name__, X)
        weights = self.feature_log_prob_.astype(np.float64)
        filled, off = condition_on_observed(X, np.exp(weights * self.divisors_[:, None]))
        product = products(filled, weights) - off / np.where(self.divisors_ != 0, self.divisors_, 1.0)
        return product + self.class_log_prior_ if len(self.classes_) == 1 else product
