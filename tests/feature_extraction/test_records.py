"""Records as rows, as scikit-learn writes them."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.feature_extraction as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable import feature_extraction as ours

VALUES = st.one_of(
    st.integers(-5, 5), st.floats(-9, 9), st.text(max_size=3), st.lists(st.text(max_size=2), max_size=3), st.booleans()
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=2), VALUES, max_size=5), min_size=1, max_size=5)
PLAIN = st.lists(
    st.dictionaries(st.text(max_size=3), st.one_of(st.integers(-3, 3), st.text(max_size=3)), max_size=5),
    min_size=1,
    max_size=5,
)


@settings(max_examples=80, deadline=None)
@given(RECORDS, RECORDS, st.booleans(), st.booleans())
def test_rows_are_those_of_scikit_learn(records, more, sort, sparse):
    mine, other = (kind(sort=sort, sparse=sparse) for kind in (ours.DictVectorizer, theirs.DictVectorizer))
    for name in ("fit_transform", "transform"):
        X, Y = (getattr(model, name)(records if name.startswith("fit") else more) for model in (mine, other))
        as_array = (lambda M: M.toarray()) if sparse else np.asarray
        np.testing.assert_array_equal(as_array(X), as_array(Y))
        assert not X.shape[1] or mine.inverse_transform(X) == other.inverse_transform(Y)
    assert mine.feature_names_ == other.feature_names_ and mine.vocabulary_ == other.vocabulary_


@settings(max_examples=80, deadline=None)
@given(PLAIN, st.integers(1, 9), st.booleans())
def test_hashes_are_those_of_scikit_learn(records, n_features, alternate):
    options = {"n_features": n_features, "alternate_sign": alternate}
    X = ours.FeatureHasher(**options).transform(records)
    Y = theirs.FeatureHasher(**options).transform(records)
    np.testing.assert_array_equal(X.toarray(), Y.toarray())
    assert X.indices.tolist() == Y.indices.tolist() and X.indptr.tolist() == Y.indptr.tolist()
    names = [list(record) for record in records]
    pairs = [[(name, 2) for name in record] for record in records]
    for kind, rows in (("string", names), ("pair", pairs)):
        X, Y = (m.FeatureHasher(input_type=kind, **options).transform(rows) for m in (ours, theirs))
        np.testing.assert_array_equal(X.toarray(), Y.toarray())


def test_columns_can_be_restricted_and_named():
    rows = ours.DictVectorizer(sparse=False)
    rows.fit([{"a": 1, "b": "x"}, {"b": "y", "c": 2.0}])
    assert rows.get_feature_names_out().tolist() == ["a", "b=x", "b=y", "c"]
    rows.restrict([True, False, False, True])
    np.testing.assert_array_equal(rows.transform([{"a": 1, "b": "x", "c": 5}]), [[1, 5]])
    frame = rows.set_output(transform="pandas").transform([{"a": 4}])
    assert frame.columns.tolist() == ["a", "c"] and frame["a"].tolist() == [4]


def test_what_cannot_be_used_is_refused_in_words():
    with pytest.raises(TypeError, match="only strings"):
        ours.DictVectorizer().fit([{"a": [1, 2]}])
    with pytest.raises(TypeError, match="a number, a text or a list of texts"):
        ours.DictVectorizer().fit([{"a": {"b": 1}}])
    with pytest.raises(learnable.DataError, match="empty"):
        ours.DictVectorizer().fit([])
    with pytest.raises(learnable.NotFittedError):
        ours.DictVectorizer().transform([{"a": 1}])
    with pytest.raises(TypeError, match="feature names must be strings"):
        ours.FeatureHasher().transform([{1: 2}])
    with pytest.raises(learnable.DataError, match="letter by letter"):
        ours.FeatureHasher(input_type="string").transform(["abc"])
    with pytest.raises(learnable.DataError, match="empty sequence"):
        ours.FeatureHasher().transform([])
