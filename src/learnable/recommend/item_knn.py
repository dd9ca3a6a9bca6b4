"""Ratings predicted by similar items."""

from __future__ import annotations

from typing import Literal

from ..core import estimator, param
from ._neighbourhood_base import Measure, NeighbourhoodRecommender


@estimator
class ItemKNN(NeighbourhoodRecommender):
    """Item-based collaborative filtering: a weighted mean of the user's ratings of the most similar items.

    prediction = b + sum of sim(i, j) (r_j - b_j) / sum of |sim(i, j)|, over the k nearest items j that the user rated

    with b the mean of the item, a baseline or nothing. Adjusted cosine subtracts the mean of each user before items are
    compared. "Because you rated": `explain` lists the items and what each adds. [Sarwar et al., 2001]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1]]
    >>> ItemKNN(similarity="cosine", centre="none").fit(X, [1.0, 1.0, 5.0, 5.0, 4.0]).predict([["c", 2]])
    array([4.])
    """

    similarity: Measure = param("adjusted_cosine", "similarity of two items, by the users who rated both")
    centre: Literal["mean", "baseline", "none"] = param(
        "baseline", "what ratings are compared with: the mean of the item, a baseline, or nothing"
    )

    by_user = False
    title = "item-based collaborative filtering"
    reference = "Sarwar, Karypis, Konstan and Riedl, Item-based collaborative filtering recommendation algorithms, 2001"
