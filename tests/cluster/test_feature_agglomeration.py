"""Agglomeration of columns, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.cluster as peer

from learnable.cluster import FeatureAgglomeration
from learnable.core import DataError, ParameterError


@pytest.mark.parametrize("linkage", ["ward", "complete", "average", "single"])
def test_columns_are_merged_as_in_scikit_learn(linkage):
    X = np.random.default_rng(0).standard_normal((30, 12))
    X[:, 6:] = X[:, :6] + 0.1 * X[:, 6:]
    ours, theirs = (make(5, linkage=linkage).fit(X) for make in (FeatureAgglomeration, peer.FeatureAgglomeration))
    assert ours.labels_.tolist() == theirs.labels_.tolist()
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)))
    largest = FeatureAgglomeration(5, linkage=linkage, pooling_func="max").fit(X)
    np.testing.assert_allclose(
        largest.transform(X), peer.FeatureAgglomeration(5, linkage=linkage, pooling_func=np.max).fit(X).transform(X)
    )


def test_one_column_is_not_merged():
    with pytest.raises(DataError, match="a minimum of 2 is required"):
        FeatureAgglomeration().fit([[1.0], [2.0]])
    with pytest.raises(ParameterError, match="above the number of columns"):
        FeatureAgglomeration(3).fit([[1.0, 2.0], [2.0, 1.0]])
