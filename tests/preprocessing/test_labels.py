"""Targets as codes and indicators, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.preprocessing as theirs
from scipy import sparse

from learnable import preprocessing as ours

TARGETS = [["b", "a", "c", "b"], [1, 6, 4, 6], [True, False, True], ["yes", "no", "yes"], [3.0, 1.0, 2.0], ["x", "x"]]


@pytest.mark.parametrize("y", TARGETS, ids=str)
@pytest.mark.parametrize("options", [{}, {"neg_label": -1, "pos_label": 2}, {"sparse_output": True}], ids=str)
def test_labels_are_coded_as_in_scikit_learn(y, options):
    mine, other = ours.LabelEncoder(), theirs.LabelEncoder()
    np.testing.assert_array_equal(mine.fit_transform(y), other.fit_transform(y))
    np.testing.assert_array_equal(mine.inverse_transform([0, 0]), other.inverse_transform([0, 0]))
    mine, other = ours.LabelBinarizer(**options), theirs.LabelBinarizer(**options)
    flags, expected = mine.fit_transform(y), other.fit_transform(y)
    assert (flags != expected).sum() == 0 and flags.shape == expected.shape
    np.testing.assert_array_equal(mine.inverse_transform(flags), other.inverse_transform(expected))
    assert mine.y_type_ == other.y_type_


@pytest.mark.parametrize("classes", [["a", "b", "c"], ["c", "a", "b"], ["a", "b"], ["a"]])
@pytest.mark.parametrize("y", [["b", "a", "c", "b"], ["b", "a"]])
def test_classes_in_any_order(y, classes):
    mine, other = ours.label_binarize(y, classes=classes), theirs.label_binarize(y, classes=classes)
    np.testing.assert_array_equal(mine, other)


def test_tables_of_flags_stay_what_they_are():
    flags = np.array([[0, 1, 1], [1, 0, 0]])
    for table in (flags, sparse.csr_matrix(flags)):
        mine, other = ours.LabelBinarizer(), theirs.LabelBinarizer()
        np.testing.assert_array_equal(mine.fit_transform(table), other.fit_transform(table))
        assert mine.y_type_ == other.y_type_ and mine.sparse_input_ == other.sparse_input_
    with pytest.raises(ValueError, match="fit saw one label per row"):
        ours.LabelBinarizer().fit(["a", "b"]).transform(flags)


@pytest.mark.parametrize(
    "y", [[{"a", "b"}, {"b"}, set()], [(1, 2), (3,), ()], [["x"], ["y", "x"]]], ids=["sets", "tuples", "lists"]
)
@pytest.mark.parametrize("sparse_output", [True, False])
def test_sets_of_labels(y, sparse_output):
    mine, other = (kind.MultiLabelBinarizer(sparse_output=sparse_output) for kind in (ours, theirs))
    flags, expected = mine.fit_transform(y), other.fit_transform(y)
    assert (flags != expected).sum() == 0
    np.testing.assert_array_equal(mine.classes_, other.classes_)
    back, expected_back = mine.inverse_transform(flags), other.inverse_transform(expected)
    assert list(map(set, back)) == list(map(set, expected_back))
    with pytest.warns(UserWarning, match="unknown class"):
        mine.transform([["never seen"]])


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: ours.LabelEncoder().fit(["a"]).transform(["b"]), "unseen labels: 'b' in row 0"),
        (lambda: ours.LabelEncoder().fit(["a"]).inverse_transform([1]), "unseen labels"),
        (lambda: ours.LabelEncoder().fit([["a", "b"]]), "one column of labels"),
        (lambda: ours.LabelBinarizer().fit([0.5, 1.5]), "holds fractions"),
        (lambda: ours.LabelBinarizer(neg_label=2).fit([1]), "is not below"),
        (lambda: ours.LabelBinarizer(neg_label=-1, sparse_output=True).fit([1]), "sparse result"),
        (lambda: ours.LabelBinarizer().fit([[1, 2], [3, 1]]), "not zeros and ones"),
        (lambda: ours.MultiLabelBinarizer(classes=[1, 1]).fit([[1]]), "more than once"),
    ],
)
def test_misuse_is_named(action, words):
    with pytest.raises(ValueError, match=words):
        action()
