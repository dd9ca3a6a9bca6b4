"""Recommendation by content."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Matrix, Trace, estimator, learned, param
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ._ratings import RatingTable
from ._recommender_base import Explanation, Recommender


@estimator
class ContentRecommender(Recommender):
    """Content-based recommendation: items whose features resemble those that the user rated above average.

    score = cosine(profile of the user, features of the item),    profile = sum of (r - mean of the user) x_item

    Features are any table with a row for each item, such as tf-idf of descriptions, given to `fit` with their ids; so
    items without ratings can be recommended. [Pazzani and Billsus, 2007]

    >>> X, y = [["ann", "alien"], ["ann", "notting hill"]], [5.0, 1.0]
    >>> features = [[1, 0], [0, 1], [1, 0.2], [0.1, 1]]
    >>> names = ["alien", "notting hill", "aliens", "love actually"]
    >>> ContentRecommender().fit(X, y, item_features=features, item_ids=names).recommend(["ann"], 1).items
    array([['aliens']], dtype=object)
    """

    centre: bool = param(True, "whether the mean of the user is subtracted from ratings", kw_only=False)
    features_: Matrix = learned("features of each item, of length one", shape="items content", matrix=True)

    title = "content-based recommendation"
    reference = "Pazzani and Billsus, Content-based recommendation systems, 2007"

    def fit(  # type: ignore[override]  # items have features
        self, X: Any, y: Any = None, *, item_features: Any = None, item_ids: Any = None
    ) -> Self:
        """Learn profiles of users from ratings; `item_features` has a row for each of `item_ids`.

        Without features an item is described by itself alone, and nothing can be recommended for its content.
        """
        self.__dict__["_content"] = (item_features, item_ids)
        try:
            return self._fit_ratings(X, y, None)
        finally:
            self.__dict__.pop("_content", None)

    def _fit_table(self, table: RatingTable, trace: Trace) -> None:
        from scipy.sparse import csr_array, eye_array

        given, ids = self.__dict__.get("_content", (None, None))
        if given is None:
            self.features_ = csr_array(eye_array(len(self.items_)))
        else:
            features, _ = FeatureValidator("ContentRecommender", sparse=True, storage="csr").matrix(given)
            self._describe(csr_array(features), ids)
        trace.exact("profiles are sums of the features of rated items")

    def _describe(self, features: Matrix, ids: Any) -> None:
        """Items in the order of their features, rated or not."""
        from scipy.sparse import csr_array, diags_array

        names = np.asarray(self.items_ if ids is None else ids)
        if names.ndim != 1 or len(names) != features.shape[0] or len(set(names.tolist())) != len(names):
            raise DataError(
                f"ContentRecommender: item_ids must name each of the {features.shape[0]} rows of item_features once"
            )
        names = names.astype(self.items_.dtype) if self.items_.dtype.kind in "OUS" else names
        position = {value: index for index, value in enumerate(names.tolist())}
        lost = [value for value in self.items_.tolist() if value not in position]
        if lost:
            raise DataError(f"ContentRecommender: the item {lost[0]!r} has ratings but no row in item_features")
        where = np.array([position[value] for value in self.items_.tolist()])
        R = self.ratings_.tocoo()
        order = np.argsort(names, kind="stable")
        rank = np.empty(len(names), dtype=np.int64)
        rank[order] = np.arange(len(names))
        shape = (len(self.users_), len(names))
        self.ratings_ = csr_array((R.data, (R.row, rank[where[R.col]])), shape=shape)
        self.items_ = names[order]
        length = np.sqrt(np.asarray(features.multiply(features).sum(axis=1)).ravel())
        self.features_ = csr_array(diags_array(1 / np.where(length > 0, length, 1.0)) @ features)[order]

    def _profiles(self, user: Array) -> Matrix:
        R = self.ratings_[user].copy()
        if self.centre and is_sparse(R):
            counts = np.diff(R.indptr)
            means = np.asarray(R.sum(axis=1)).ravel() / np.maximum(counts, 1)
            constant = np.asarray(
                [len(set(R.data[a:b].tolist())) < 2 for a, b in zip(R.indptr, R.indptr[1:], strict=False)]
            )
            R.data = R.data - np.repeat(np.where(constant, 0.0, means), counts)
        return R @ self.features_

    def _scores(self, user: Array) -> Array:
        profile = self._profiles(user)
        length = np.sqrt(np.asarray(profile.multiply(profile).sum(axis=1)).ravel())
        product = (profile @ self.features_.T).toarray()
        return np.asarray(product / np.where(length > 0, length, 1.0)[:, None])

    def _predict_codes(self, user: Array, item: Array) -> Array:
        found = np.zeros(len(user))
        both = (user >= 0) & (item >= 0)
        users, row = np.unique(user[both], return_inverse=True)
        if len(users):
            found[both] = self._scores(users)[row, item[both]]
        return found

    def _item_similarity(self, items: Array) -> Array:
        return np.asarray((self.features_[items] @ self.features_.T).toarray())

    def _explain(self, user: int, item: int) -> Explanation:
        value = self._scores(np.array([user]))[0, item]
        return Explanation(["similarity of the item and the profile"], np.array([value]))
