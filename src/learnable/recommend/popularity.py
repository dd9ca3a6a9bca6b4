"""The most popular items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Trace, Traits, estimator, learned, param
from ._ratings import RatingTable
from ._recommender_base import Recommender


@estimator
class Popularity(Recommender):
    """Popularity baseline: every user gets the items that most users chose, or that are rated best.

    score = number of ratings of the item,  or  (sum of ratings + damping m) / (number + damping), m the mean of all

    The baseline that a personal recommendation has to beat. [Cremonesi, Koren and Turrin, 2010]

    >>> X = [["a", 1], ["b", 1], ["b", 2], ["c", 3], ["d", 1], ["d", 3]]
    >>> Popularity().fit(X).recommend(["c"], 2).items.tolist()
    [[1, 2]]
    """

    by: Literal["count", "mean"] = param(
        "count", "score of an item: number of ratings, or damped mean rating", kw_only=False
    )
    damping: float = param(
        5.0, "damping: number of ratings of the overall mean added to those of each item", at_least=0
    )
    item_scores_: Array = learned("score of each item", shape="items")

    traits = Traits(baseline=True, parametric=True)
    title = "popularity baseline"
    reference = "Cremonesi, Koren and Turrin, Performance of recommender algorithms on top-n tasks, RecSys 2010"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        count = np.bincount(table.item, minlength=len(self.items_)).astype(float)
        total = np.bincount(table.item, table.matrix.data, len(self.items_))
        damped = (total + self.damping * self.mean_) / (count + self.damping)
        self.item_scores_ = count if self.by == "count" else damped
        trace.exact("counts and means of the ratings of each item")

    def _predict_codes(self, user: Array, item: Array) -> Array:
        unknown = 0.0 if self.by == "count" else self.mean_
        return np.where(item >= 0, self.item_scores_[item], unknown)
