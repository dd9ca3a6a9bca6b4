"""Slope One."""

from __future__ import annotations

import numpy as np

from ..core import Array, Trace, estimator, learned
from ._ratings import RatingTable
from ._recommender_base import Explanation, Recommender


@estimator
class SlopeOne(Recommender):
    """Slope One: a rating of another item plus the mean difference of the two items, averaged over the user's items.

    prediction = sum of n_ij (r_j + d_ij) / sum of n_ij,    d_ij = mean of r_i - r_j over the n_ij users who rated both

    Weighted by how many users the difference rests on. Memory grows with the square of the number of items. [Lemire and
    Maclachlan, 2005]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1]]
    >>> SlopeOne().fit(X, [1.0, 1.5, 2.0, 3.5, 2.0]).predict([["c", 2]])
    array([3.])
    """

    differences_: Array = learned("sum of the differences of each pair of items", shape="items items")
    counts_: Array = learned("number of users who rated both", shape="items items")

    title = "slope one"
    reference = "Lemire and Maclachlan, Slope one predictors for online rating-based collaborative filtering, SDM 2005"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        R = table.matrix
        seen = R.copy()
        seen.data = np.ones_like(seen.data)
        sums = (R.T @ seen).toarray()  # of the ratings of i by users who rated j too
        self.differences_, self.counts_ = sums - sums.T, (seen.T @ seen).toarray()
        np.fill_diagonal(self.counts_, 0.0)
        trace.exact("mean differences of all pairs of items")

    def _predict_codes(self, user: Array, item: Array) -> Array:
        found = np.full(len(user), self.mean_)
        for u in np.unique(user[user >= 0]):
            at = np.flatnonzero((user == u) & (item >= 0))
            row = self.ratings_[[u]]
            rated, value = row.indices, row.data
            counts = self.counts_[np.ix_(item[at], rated)]
            sums = self.differences_[np.ix_(item[at], rated)].sum(axis=1) + counts @ value
            total = counts.sum(axis=1)
            found[at] = np.where(total > 0, sums / np.where(total > 0, total, 1.0), value.mean())
        return found

    def _explain(self, user: int, item: int) -> Explanation:
        row = self.ratings_[[user]]
        counts = self.counts_[item, row.indices]
        total = counts.sum()
        if not total:
            return super()._explain(user, item)
        values = (self.differences_[item, row.indices] + counts * row.data) / total
        return Explanation([f"item {name}" for name in self.items_[row.indices].tolist()], values)
