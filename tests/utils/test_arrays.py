"""Validation of arrays agrees with scikit-learn: the same array, or an error of the same kind."""

from typing import Any

import numpy as np
import pandas
import polars
import pytest
import sklearn.utils
import sklearn.utils.multiclass
from scipy import sparse

import learnable.utils
import learnable.utils.multiclass
from learnable import DataError
from learnable.utils import check_array, check_X_y, column_or_1d
from learnable.utils.multiclass import type_of_target, unique_labels

DENSE = np.array([[1.0, 2.0], [3.0, -4.0]])
TABLES: list[Any] = [
    DENSE, DENSE.astype(np.float32), DENSE.astype(int), DENSE.tolist(), DENSE > 0, np.asfortranarray(DENSE),
    np.array([[1, "2"], [3, 4]], dtype=object), pandas.DataFrame(DENSE), pandas.DataFrame(DENSE.astype(int)),
    polars.DataFrame({"a": [1, 2], "b": [0.5, 3]}),
    np.array([[1.0, np.nan]]), np.array([[1.0, np.inf]]), np.array([[1, None]], dtype=object), np.ones(3),
    np.ones((0, 2)), np.ones((2, 0)), np.ones((2, 2, 2)), 3.0, [["a", "b"]], [[1], [1, 2]], DENSE + 1j,
    sparse.csr_matrix(DENSE), sparse.coo_matrix(DENSE.astype(int)), pandas.Series([1.0, 2.0]),
]  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {}, {"accept_sparse": True}, {"accept_sparse": ["csc", "csr"]}, {"accept_sparse": "csc"}, {"dtype": np.float64},
    {"dtype": [np.float64, np.float32]}, {"dtype": None}, {"ensure_2d": False}, {"allow_nd": True}, {"order": "F"},
    {"ensure_all_finite": False}, {"ensure_all_finite": "allow-nan"}, {"ensure_min_samples": 3},
    {"ensure_min_features": 3}, {"ensure_non_negative": True}, {"copy": True},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_check_array_agrees_with_scikit_learn(options: dict[str, Any]) -> None:
    for table in TABLES:
        compare(table, options)


def compare(table: Any, options: dict[str, Any]) -> None:
    try:
        theirs = sklearn.utils.check_array(table, **options)
    except (TypeError, ValueError) as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else ValueError, match="check_array"):
            check_array(table, **options)
        return
    ours = check_array(table, **options)
    assert ours.dtype == theirs.dtype and sparse.issparse(ours) == sparse.issparse(theirs)
    if sparse.issparse(theirs):
        assert ours.format == theirs.format
        ours, theirs = ours.toarray(), theirs.toarray()
    np.testing.assert_array_equal(ours, theirs)
    assert not options.get("copy") or not np.may_share_memory(ours, np.asarray(table))


def test_messages_name_the_estimator_and_the_input() -> None:
    with pytest.raises(DataError, match="Input Z contains NaN \\(Mine\\)"):
        check_array([[np.nan]], estimator="Mine", input_name="Z")
    with pytest.raises(DataError, match="Mine: X has 2 rows but y has 3"):
        check_X_y(DENSE, [1, 2, 3], estimator="Mine")
    with pytest.raises(DataError, match="Mine requires y"):
        check_X_y(DENSE, None, estimator="Mine")
    with pytest.raises(DataError, match=r"Mine: y should be a 1d array"):
        check_X_y(DENSE, DENSE, estimator="Mine")
    assert check_X_y(DENSE, DENSE, multi_output=True)[1].shape == (2, 2)
    assert check_X_y(DENSE, [1, 2], y_numeric=True)[1].dtype == np.float64
    with pytest.raises(DataError, match="its shape is"):
        column_or_1d(DENSE)
    with pytest.warns(UserWarning, match="column-vector"):
        assert column_or_1d([[1], [2]], warn=True).tolist() == [1, 2]


TARGETS: list[Any] = [
    [0, 1, 1], [1.0, 2.0], [1.0, 2.0, 3.0], [0.5, 1.0], ["a", "b"], ["a", "b", "c"], [[0, 1], [1, 1]], [[0, 1], [2, 1]],
    [[0.5, 1.0], [2.0, 1.0]], np.array([[1], [2], [3]]), np.array([True, False]), np.array(["x", "y"], dtype=object),
    [], [[]], np.ones((2, 2, 2)), np.array([object()]), sparse.csr_matrix([[0, 1], [1, 1]]), [[1, 0]], "text", 3, None,
    [1], pandas.Series([1, 2, 3]), [[1.0, 0.0]], [-1, 1],
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(TARGETS)))
def test_targets_are_named_as_theirs(place: int) -> None:
    y = TARGETS[place]
    try:
        theirs = sklearn.utils.multiclass.type_of_target(y)
    except (TypeError, ValueError):
        with pytest.raises(DataError):
            type_of_target(y)
        return
    assert type_of_target(y) == theirs
    assert learnable.utils.multiclass.is_multilabel(y) == sklearn.utils.multiclass.is_multilabel(y)
    if theirs == "unknown":
        with pytest.raises(DataError, match="Unknown label type for z"):
            type_of_target(y, "z", raise_unknown=True)
    if theirs in ("binary", "multiclass", "multilabel-indicator"):
        np.testing.assert_array_equal(unique_labels(y), sklearn.utils.multiclass.unique_labels(y))
    else:
        with pytest.raises(DataError, match="unique_labels"):
            unique_labels(y)


def test_labels_of_several_targets() -> None:
    assert unique_labels([3, 1], [1, 7]).tolist() == [1, 3, 7]
    with pytest.raises(DataError, match="Input y contains NaN"):
        type_of_target([np.nan, 1.5])
    for wrong in ([], [["a"], [1]], [[[0, 1], [1, 1]], [[0, 1, 1], [1, 1, 0]]]):
        with pytest.raises(DataError, match="unique_labels"):
            unique_labels(*wrong)


def test_all_estimators_by_kind() -> None:
    every = dict(learnable.utils.all_estimators())
    assert {"Ridge", "StandardScaler", "LogisticRegression", "Pipeline"} <= set(every)
    chosen = dict(learnable.utils.all_estimators(["classifier", "regressor"]))
    assert {cls.traits.task for cls in chosen.values()} == {"classification", "regression"}
    with pytest.raises(ValueError, match=r"type_filter must be .classifier"):
        learnable.utils.all_estimators("nonsense")  # type: ignore[arg-type]  # on purpose


def test_small_helpers() -> None:
    assert learnable.utils.as_float_array([[1, 2]]).dtype == np.float64
    learnable.utils.check_consistent_length([1, 2], None, np.ones((2, 3)))
    with pytest.raises(DataError, match="the same number of rows"):
        learnable.utils.check_consistent_length([1, 2], [1])
    with pytest.raises(DataError, match="contains NaN"):
        learnable.utils.assert_all_finite([np.nan])
    learnable.utils.assert_all_finite([np.nan], allow_nan=True)
