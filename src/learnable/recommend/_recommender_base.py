"""Base class of recommenders: regression on two columns of ids, and the best items for each user."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Table, Trace, Traits, declaring, learned
from ..core.declare.params import check
from ..core.errors import not_fitted
from ..core.runtime.native import kernels
from ._ratings import RatingTable, as_rated_pairs, codes, pairs_of

BLOCK = 2**19  # scores in memory at a time


class Recommendations(NamedTuple):
    """The best items for each user, a row each, with their scores; None and NaN where there are not enough."""

    items: Array
    scores: Array


class Explanation(NamedTuple):
    """A prediction as a sum: what each term is, and how much it adds."""

    terms: list[str]
    values: Array

    @property
    def prediction(self) -> float:
        """The sum of the terms."""
        return float(np.sum(self.values))


@declaring
class Recommender(Regressor):
    """Base class of recommenders.

    X has two columns, the user and the item of each rating, and y the ratings; a sparse matrix of users and items does
    for both. Ids are numbers or texts, and stay what they are. A user or an item without ratings has a prediction too:
    what is known of the other one.
    """

    users_: Any = learned("ids of the users, sorted", shape="users")
    items_: Any = learned("ids of the items, sorted", shape="items")
    ratings_: Matrix = learned("ratings by user and item, sparse", shape="users items", matrix=True)
    mean_: float = learned("mean of the ratings")

    traits = Traits(takes="ratings", weights=False, parametric=False, double_target=True)

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]  # some have no use for weights
        """Learn from the users and items of `X` and their ratings `y`; without `y`, from what users have chosen."""
        return self._fit_ratings(X, y, None)

    def _fit_ratings(self, X: Any, y: Any, sample_weight: Any) -> Self:
        check(self)
        pairs, ratings = as_rated_pairs(type(self).__name__, X, y)
        return self._fit_checked(pairs, ratings, sample_weight)

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        return pairs_of(type(self).__name__, X)

    def _enter_to_learn(self, X: Any, sample_weight: Any) -> tuple[Matrix, list[str] | None]:
        return self._enter(X)

    def _fit(self, data: Data, trace: Trace) -> None:
        table = RatingTable.of(data.X, data.y, data.weight)
        self.users_, self.items_, self.ratings_, self.mean_ = table.users, table.items, table.matrix, table.mean
        self._fit_table(table, trace)

    @abstractmethod
    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        """Learn from ratings by code."""

    def _predict(self, X: Table) -> Array:
        user, item = codes(X, 0, self.users_), codes(X, 1, self.items_)
        return self._predict_codes(user, item)

    @abstractmethod
    def _predict_codes(self, user: Array, item: Array) -> Array:
        """Predictions for users and items by code; -1 for those without ratings."""

    def _scores(self, user: Array) -> Array:
        """The scores of all items for some users, by which items are ranked."""
        count = len(self.items_)
        items = np.tile(np.arange(count), len(user))
        return self._predict_codes(np.repeat(user, count), items).reshape(len(user), count)

    def _codes_of(self, ids: Any, known: Array, what: str) -> Array:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        given = np.atleast_1d(np.asarray(ids, dtype=known.dtype if known.dtype.kind == "O" else None))
        if given.ndim != 1:
            raise DataError(
                f"{type(self).__name__}: the {what}s must be a list of ids; got an array of {given.ndim} axes"
            )
        position = {value: index for index, value in enumerate(known.tolist())}
        found = np.array([position.get(value, -1) for value in given.tolist()], dtype=np.int64)
        if (found < 0).any():
            value = given[np.argmax(found < 0)]
            raise DataError(f"{type(self).__name__}: the {what} {value!r} has no ratings in the training data")
        return found

    def recommend(self, users: Any = None, n: int = 10, *, exclude_seen: bool = True) -> Recommendations:
        """The `n` items with the highest scores for each of the users (None: all), without those that they rated."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        chosen = np.arange(len(self.users_)) if users is None else self._codes_of(users, self.users_, "user")
        n = min(self._count(n, "recommend"), len(self.items_))
        items = np.empty((len(chosen), n), dtype=object)
        scores = np.empty((len(chosen), n))
        each = max(BLOCK // len(self.items_), 1)
        for begin in range(0, len(chosen), each):
            part = chosen[begin : begin + each]
            block = self._scores(part).astype(np.float64, copy=False)
            if exclude_seen:
                seen = self.ratings_[part]
                block[np.repeat(np.arange(len(part)), np.diff(seen.indptr)), seen.indices] = -np.inf
            best = best_columns(block, n)
            values = np.take_along_axis(block, best, axis=1)
            items[begin : begin + each] = self.items_[best]
            items[begin : begin + each][~np.isfinite(values)] = None
            scores[begin : begin + each] = np.where(np.isfinite(values), values, np.nan)
        return Recommendations(items, scores)

    def _count(self, n: Any, where: str) -> int:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise DataError(f"{type(self).__name__}: n of {where} must be a whole number of at least 1; got {n!r:.40}")
        return int(n)

    def similar_items(self, items: Any, n: int = 10) -> Recommendations:
        """The `n` items most similar to each of the items given, without itself."""
        chosen = self._codes_of(items, self.items_, "item")
        similarity = np.array(self._item_similarity(chosen), dtype=np.float64)
        similarity[np.arange(len(chosen)), chosen] = -np.inf
        n = min(self._count(n, "similar_items"), len(self.items_) - 1)
        best = best_columns(similarity, n)
        return Recommendations(self.items_[best].astype(object), np.take_along_axis(similarity, best, axis=1))

    def _item_similarity(self, items: Array) -> Array:
        """Similarity of some items to all; cosine of the ratings unless a class has its own."""
        R = self.ratings_.tocsc()
        size = np.sqrt(np.asarray(R.multiply(R).sum(axis=0)).ravel())
        product = (R[:, items].T @ R).toarray()
        norm = np.outer(size[items], size)
        return np.asarray(np.divide(product, norm, out=np.zeros_like(product), where=norm > 0))

    def explain(self, user: Any, item: Any) -> Explanation:
        """The prediction for a user and an item as a sum of terms."""
        code_user = int(self._codes_of([user], self.users_, "user")[0])
        code_item = int(self._codes_of([item], self.items_, "item")[0])
        return self._explain(code_user, code_item)

    def _explain(self, user: int, item: int) -> Explanation:
        value = self._predict_codes(np.array([user]), np.array([item]))
        return Explanation(["mean of the ratings", "the model"], np.array([self.mean_, float(value[0]) - self.mean_]))

    def _unsound(self) -> str:
        shape = (len(self.users_), len(self.items_))
        sound = getattr(self.ratings_, "format", "") == "csr" and self.ratings_.shape == shape
        if not sound:
            return "ratings_ must be sparse (csr), with a row for each user and a column for each item"
        wrong = [name for name in ("users_", "items_") if not _are_ids(getattr(self, name))]
        return f"{wrong[0]} must hold different numbers or texts in order" if wrong else ""


class WeightedRecommender(Recommender):
    """A recommender for which a weight of 3 counts a rating as three copies."""

    traits = Traits(weights=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the users and items of `X` and their ratings `y`; a weight of 3 is three copies of a rating."""
        return self._fit_ratings(X, y, sample_weight)


def _are_ids(ids: Any) -> bool:
    """Whether ids are numbers or texts in order."""
    if not isinstance(ids, np.ndarray) or ids.ndim != 1 or ids.dtype.kind not in "iufbOU":
        return False
    texts = ids.dtype.kind != "O" or all(isinstance(value, str) for value in ids.tolist())
    return texts and bool((ids[1:] > ids[:-1]).all())


def best_columns(scores: Array, n: int) -> Array:
    """The columns of the `n` largest entries of each row, largest first; of equal ones the first."""
    best = np.empty((len(scores), n), dtype=np.int64)
    kernels.best_columns(np.ascontiguousarray(scores, dtype=np.float64), best)
    return best
