"""Base class of neighbourhood recommenders: ratings by similar users, or of similar items."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Matrix, Trace, declaring, learned, param
from ..core.runtime.native import kernels
from ._ratings import RatingTable, parts
from ._recommender_base import Explanation, Recommender
from .baseline_only import fit_biases, known

Measure = Literal["pearson", "cosine", "adjusted_cosine", "corated_cosine", "jaccard"]
BLOCK = 2**22  # similarities in memory at a time


@declaring
class NeighbourhoodRecommender(Recommender):
    """Base class of recommenders that predict by weighted ratings of neighbours.

    Rows are users or items, columns the others. Similarities are computed when they are needed.
    """

    k: int = param(40, "maximum number of neighbours", kw_only=False, at_least=1, tune=(20, 30, 50))
    similarity: Measure = param("pearson", "similarity of two rows, by their common ratings")
    centre: Literal["mean", "baseline", "none"] = param(
        "mean", "what ratings are compared with: the mean of the row, a baseline, or nothing"
    )
    shrinkage: float = param(0.0, "similarities of n shared ratings are multiplied by n / (n + shrinkage)", at_least=0)
    min_support: int = param(1, "minimum number of shared ratings of neighbours", at_least=1)
    min_similarity: float = param(0.0, "minimum similarity of a neighbour", between=(-1, 1))
    row_means_: Array = learned("mean rating of each user, or item")
    user_biases_: Array = learned("bias of each user in the baseline", shape="users")
    item_biases_: Array = learned("bias of each item in the baseline", shape="items")

    by_user = True

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        self.user_biases_, self.item_biases_ = fit_biases(table, 15.0, 10.0)
        R = self._rows_of_ratings()
        counts = np.maximum(np.diff(R.indptr), 1)
        self.row_means_ = np.asarray(R.sum(axis=1)).ravel() / counts
        trace.exact("the ratings are kept; similarities are computed when they are needed")

    def _unsound(self) -> str:
        sound = self.row_means_.shape == (self.users_ if self.by_user else self.items_).shape
        return super()._unsound() or ("" if sound else "row_means_ must hold a mean for each row")

    def _rows_of_ratings(self) -> Matrix:
        return self.ratings_ if self.by_user else self.ratings_.T.tocsr()

    def _oriented(self, user: Array, item: Array) -> tuple[Array, Array]:
        return (user, item) if self.by_user else (item, user)

    def _expected(self, row: Array, column: Array) -> Array:
        """What a rating is compared with."""
        if self.centre == "none":
            return np.zeros(len(row))
        if self.centre == "mean":
            return np.where(row >= 0, self.row_means_[row], self.mean_)
        user, item = (row, column) if self.by_user else (column, row)
        return self.mean_ + known(self.user_biases_, user) + known(self.item_biases_, item)

    def _compared(self) -> tuple[Matrix, str]:
        """Ratings as they enter similarities, and the kernel's name of the similarity."""
        R = self._rows_of_ratings()
        if self.similarity != "adjusted_cosine":
            return R, self.similarity
        C = R.tocsc(copy=True)  # less the mean of the column: of the user, where items are compared
        means = np.asarray(C.sum(axis=0)).ravel() / np.maximum(np.diff(C.indptr), 1)
        C.data = C.data - np.repeat(means, np.diff(C.indptr))
        return C.tocsr(), "corated_cosine"

    def similarities(self, rows: Array) -> Array:
        """Similarities of some users (or items), by position, to all; zero to themselves."""
        R, kind = self._compared()
        found = np.zeros((len(rows), R.shape[0]))
        which = np.asarray(rows, dtype=np.int64)
        kernels.corated_similarity(
            *parts(R), *parts(R.T.tocsr()), which, kind, float(self.shrinkage), float(self.min_support), found
        )
        return found

    def _predict_codes(self, user: Array, item: Array) -> Array:
        row, column = self._oriented(user, item)
        expected = self._expected(row, column)
        both = np.flatnonzero((row >= 0) & (column >= 0))
        if not len(both):
            return self._fallback(expected, row, column)
        product, size = np.zeros(len(row)), np.zeros(len(row))
        residual = self._residual_columns()
        rows = np.unique(row[both])
        each = max(BLOCK // max(self._rows_of_ratings().shape[0], 1), 1)
        for begin in range(0, len(rows), each):
            part = rows[begin : begin + each]
            chosen = both[(row[both] >= part[0]) & (row[both] <= part[-1])]
            sums = np.zeros((len(chosen), 3))
            kernels.neighbour_sums(
                self.similarities(part), *residual, np.searchsorted(part, row[chosen]).astype(np.int64),
                column[chosen].astype(np.int64), self.k, float(self.min_similarity), sums,
            )  # fmt: skip
            product[chosen], size[chosen] = sums[:, 0], sums[:, 1]
        found = expected + np.divide(product, size, out=np.zeros(len(row)), where=size > 0)
        alone = size == 0
        found[alone] = self._fallback(expected[alone], row[alone], column[alone])
        return found

    def _scores(self, user: Array) -> Array:
        """Predictions; for centre="none" sums of similarity times rating, so that items of neighbours come first."""
        if self.centre != "none":
            return super()._scores(user)
        count = len(self.items_)
        pairs = np.repeat(user, count), np.tile(np.arange(count), len(user))
        row, column = self._oriented(*pairs)
        rows, position = np.unique(row, return_inverse=True)
        sums = np.zeros((len(row), 3))
        kernels.neighbour_sums(
            self.similarities(rows), *self._residual_columns(), position.astype(np.int64), column.astype(np.int64),
            self.k, float(self.min_similarity), sums,
        )  # fmt: skip
        return sums[:, 0].reshape(len(user), count)

    def _fallback(self, expected: Array, row: Array, column: Array) -> Array:
        """Predictions without neighbours: what a rating would be compared with, or the baseline."""
        if self.centre == "mean":
            return expected
        user, item = (row, column) if self.by_user else (column, row)
        return self.mean_ + known(self.user_biases_, user) + known(self.item_biases_, item)

    def _residual_columns(self) -> tuple[Array, Array, Array]:
        """Ratings by column, less what they are compared with."""
        C = self._rows_of_ratings().tocsc()
        column = np.repeat(np.arange(C.shape[1]), np.diff(C.indptr))
        start, index, value = parts(C)
        return start, index, value - self._expected(np.asarray(C.indices), column)

    def _item_similarity(self, items: Array) -> Array:
        return super()._item_similarity(items) if self.by_user else self.similarities(items)

    def _explain(self, user: int, item: int) -> Explanation:
        """What the rating is compared with, and the part of each neighbour."""
        row, column = self._oriented(np.array([user]), np.array([item]))
        similarity = self.similarities(row)[0]
        start, index, value = self._residual_columns()
        entries = slice(start[column[0]], start[column[0] + 1])
        weight, neighbours, residual = similarity[index[entries]], index[entries], value[entries]
        used = np.flatnonzero((weight != 0) & (weight > self.min_similarity))
        used = used[np.argsort(-weight[used], kind="stable")][: self.k]
        names = (self.users_ if self.by_user else self.items_)[neighbours[used]]
        size = np.abs(weight[used]).sum() or 1.0
        first = float(self._predict_codes(np.array([user]), np.array([item]))[0]) if not len(used) else 0.0
        expected = float(self._expected(row, column)[0]) if len(used) else first
        kind = "user" if self.by_user else "item"
        terms = ["expected rating", *[f"{kind} {name}" for name in names.tolist()]]
        return Explanation(terms, np.concatenate([[expected], weight[used] * residual[used] / size]))
