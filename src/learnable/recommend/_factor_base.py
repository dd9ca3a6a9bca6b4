"""Base class of recommenders by factors: a vector for each user and item, and their inner products."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, declaring, learned
from ..core.errors import not_fitted
from ..core.runtime.context import give_way
from ..core.runtime.native import kernels
from ..engines.columns.categories import factorised
from ._ratings import RatingTable, as_rated_pairs, pairs_of, parts
from ._recommender_base import Explanation, Recommender
from .baseline_only import known

NONE = np.empty(0)


@declaring
class FactorRecommender(Recommender):
    """Base class of recommenders whose scores are inner products of factors, beside biases."""

    user_factors_: Array = learned("factors of each user", shape="users factors")
    item_factors_: Array = learned("factors of each item", shape="items factors")
    user_biases_: Array = learned("bias of each user", shape="users")
    item_biases_: Array = learned("bias of each item", shape="items")

    has_mean = True

    def _predict_codes(self, user: Array, item: Array) -> Array:
        P, Q = self._user_vectors(), self.item_factors_
        found = known(self.user_biases_, user) + known(self.item_biases_, item)
        both = np.flatnonzero((user >= 0) & (item >= 0))
        for begin in range(0, len(both), 65536):
            give_way()
            part = both[begin : begin + 65536]
            found[part] += np.einsum("ij,ij->i", P[user[part]], Q[item[part]])
        return found + (self.mean_ if self.has_mean else 0.0)

    def _user_vectors(self) -> Array:
        """What a user's vector is in products with factors of items."""
        return self.user_factors_

    def _scores(self, user: Array) -> Array:
        found: Array = self._user_vectors()[user] @ self.item_factors_.T
        for bias in (self.item_biases_, self.user_biases_[user][:, None] + (self.mean_ if self.has_mean else 0.0)):
            if bias.any():
                found += bias
        return found

    def _item_similarity(self, items: Array) -> Array:
        """Cosine of the factors."""
        Q = self.item_factors_
        length = np.linalg.norm(Q, axis=1)
        unit = Q / np.where(length > 0, length, 1.0)[:, None]
        return np.asarray(unit[items] @ unit.T)

    def _explain(self, user: int, item: int) -> Explanation:
        product = self._user_vectors()[user] * self.item_factors_[item]
        first = [self.mean_] if self.has_mean else []
        values = np.array([*first, self.user_biases_[user], self.item_biases_[item], *product])
        names = ["mean of the ratings"] if self.has_mean else []
        return Explanation([*names, "the user", "the item", *[f"factor {k}" for k in range(len(product))]], values)

    def map_2d(self) -> tuple[Array, Array]:
        """Users and items in the plane of the two main directions of the factors of the items."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if not np.isfinite(self.item_factors_).all():
            raise DataError(f"{type(self).__name__}: item_factors_ holds NaN or infinity; fit the recommender again")
        V = np.linalg.svd(self.item_factors_, full_matrices=False)[2][:2]
        return self._user_vectors() @ V.T, self.item_factors_ @ V.T

    def fold_in(self, X: Any, y: Any = None) -> Self:
        """Take in new ratings: users among them get factors for the items as they are, then new items for the users.

        No other factors change. New users and items are added; a rating that is there already is replaced.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        owner = type(self).__name__
        pairs, ratings = as_rated_pairs(owner, X, y)
        table, _ = pairs_of(owner, pairs)
        value = self._validator.target(ratings, table.shape[0], np.float64, False)
        before = self.__dict__.copy()
        try:
            self._take_in(Data(table, value, None, None))
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in new ratings: a first fit, and later what `fold_in` does."""
        return self.fold_in(X, y) if self.__sklearn_is_fitted__() else self.fit(X, y)

    def _take_in(self, data: Data) -> None:
        new = RatingTable.of(data.X, data.y, None)
        user, self.users_, old_users = _joined(self.users_, new.users, "users")
        item, self.items_, old_items = _joined(self.items_, new.items, "items")
        self.ratings_ = _merged(
            self.ratings_, old_users, old_items, new, user, item, (len(self.users_), len(self.items_))
        )
        for name in ("user_factors_", "user_biases_"):
            self.__dict__[name] = _spread(getattr(self, name), old_users, len(self.users_))
        for name in ("item_factors_", "item_biases_", "implicit_factors_"):
            if name in self.__dict__:
                self.__dict__[name] = _spread(getattr(self, name), old_items, len(self.items_))
        self._solve_users(np.unique(user))
        fresh = np.setdiff1d(np.unique(item), old_items)
        if len(fresh):
            self._solve_items(fresh)

    def _solve_users(self, users: Array) -> None:
        """Factors of some users for those of the items."""
        raise DataError(f"{type(self).__name__} does not support fold-in of new ratings; fit it again")

    def _solve_items(self, items: Array) -> None:
        """Factors of some items for those of the users."""


def _joined(old: Array, new: Array, what: str) -> tuple[Array, Array, Array]:
    """All ids, with the positions of the new and the old ones among them."""
    if (old.dtype.kind == "O") != (new.dtype.kind == "O") and len(new):
        raise DataError(f"fold_in: {what} are {old.dtype} in the fit and {new.dtype} now; use ids of the same type")
    both = np.concatenate([old, new])
    ids, code = factorised(both, what)
    return code[len(old) :], ids, code[: len(old)]


def _spread(values: Array, position: Array, count: int) -> Array:
    out = np.zeros((count, *values.shape[1:]))
    out[position] = values
    return out


def _merged(
    old: Matrix, rows: Array, columns: Array, new: RatingTable, user: Array, item: Array, shape: tuple[int, int]
) -> Matrix:
    """The ratings of both, the new ones where there are two."""
    from scipy.sparse import csr_array

    entries = old.tocoo()
    row = np.concatenate([rows[entries.row], user[new.user]]) if len(user) else rows[entries.row]
    column = np.concatenate([columns[entries.col], item[new.item]])
    value = np.concatenate([entries.data, new.matrix.data])
    key = row.astype(np.int64) * shape[1] + column
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    order = last[np.argsort(key[last])]
    start = np.concatenate([[0], np.cumsum(np.bincount(row[order], minlength=shape[0]))]).astype(np.int32)
    return csr_array((value[order], column[order].astype(np.int32), start), shape=shape)


def solve_factors(R: Matrix, V: Array, value: Array, weight: Array, base: Array, per_entry: float = 0.0) -> Array:
    """Factors of the rows of R for those of its columns: the regularised normal equations of each row."""
    start, index, _ = parts(R)
    U = np.zeros((R.shape[0], V.shape[1]))
    V = np.ascontiguousarray(V)
    kernels.solve_rows(start, index, np.ascontiguousarray(value), weight, base, per_entry, V, "cholesky", 1, U)
    return U
