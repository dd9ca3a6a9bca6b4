"""EASE."""

from __future__ import annotations

import numpy as np

from ..core import Array, Trace, estimator, learned, param
from ..engines.algebra.interruptible_lapack import interruptibly
from ._ratings import RatingTable
from ._recommender_base import Explanation, Recommender


@estimator
class EASE(Recommender):
    """EASE: each item's column as a linear combination of the columns of all other items, in closed form.

    minimise over B, diagonal of B = 0    |R - R B|^2  +  reg |B|^2

    With P = (R'R + reg I)^(-1) the solution is B = -P / diagonal of P off the diagonal. Scores are R B: they rank
    items, and are not ratings. Memory grows with the square of the number of items. [Steck, 2019]

    >>> X = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["d", 3], ["d", 4], ["e", 3]]
    >>> EASE(reg=0.5).fit(X).recommend(["c"], 1).items
    array([[2]], dtype=object)
    """

    reg: float = param(500.0, "regularisation strength", kw_only=False, above=0, tune=(50.0, 200.0, 500.0))
    weights_: Array = learned("item-item weight matrix B", shape="items items")

    title = "ease"
    reference = "Steck, Embarrassingly shallow autoencoders for sparse data, WWW 2019"

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        R = table.matrix
        gram = (R.T @ R).toarray()
        np.fill_diagonal(gram, gram.diagonal() + self.reg)
        inverse = interruptibly(np.linalg.inv, gram)
        self.weights_ = -inverse / inverse.diagonal()
        np.fill_diagonal(self.weights_, 0.0)
        trace.exact("the closed form of the penalised least-squares problem")

    def _scores(self, user: Array) -> Array:
        return np.asarray(self.ratings_[user] @ self.weights_)

    def _predict_codes(self, user: Array, item: Array) -> Array:
        found = np.zeros(len(user))
        both = (user >= 0) & (item >= 0)
        users, row = np.unique(user[both], return_inverse=True)
        if len(users):
            found[both] = self._scores(users)[row, item[both]]
        return found

    def _item_similarity(self, items: Array) -> Array:
        return self.weights_[items]

    def _explain(self, user: int, item: int) -> Explanation:
        row = self.ratings_[[user]]
        names = [f"item {name}" for name in self.items_[row.indices].tolist()]
        return Explanation(names, row.data * self.weights_[row.indices, item])
