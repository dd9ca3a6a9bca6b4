"""Ratings predicted by similar users."""

from __future__ import annotations

from ..core import estimator
from ._neighbourhood_base import NeighbourhoodRecommender


@estimator
class UserKNN(NeighbourhoodRecommender):
    """User-based collaborative filtering: ratings of the nearest users who rated the item, relative to their means.

    prediction = mean of the user + sum of sim(u, v) (r_v - mean of v) / sum of |sim(u, v)|, over the k nearest v

    Similarities are Pearson's correlation over the items that both rated (or cosine, Jaccard); 0/0, as for one shared
    item, counts as no similarity. Without a neighbour the prediction is the mean of the user. [Resnick et al., 1994]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["b", 3]]
    >>> UserKNN().fit(X, [1.0, 3.0, 2.0, 4.0, 6.0]).predict([["a", 3]])
    array([4.])
    """

    title = "user-based collaborative filtering"
    reference = "Resnick, Iacovou, Suchak, Bergstrom and Riedl, GroupLens, CSCW 1994"
