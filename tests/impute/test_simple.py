"""Missing values filled with statistics and marked by flags, against scikit-learn's; weights as copies."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.impute as theirs
from scipy import sparse

from learnable import DataError
from learnable import impute as ours

RNG = np.random.default_rng(0)
WITH_MISSING = np.where(RNG.random((60, 4)) < 0.2, np.nan, RNG.integers(0, 6, (60, 4)).astype(float))
EMPTY = np.column_stack([WITH_MISSING, np.full(60, np.nan)])
STRATEGIES = ["mean", "median", "most_frequent", "constant", np.max]


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["mean", "median", "most_frequent", "constant", "max"])
@pytest.mark.parametrize("options", [{}, {"add_indicator": True}, {"fill_value": 7}], ids=str)
@pytest.mark.parametrize("wrap", [np.asarray, sparse.csc_matrix])
def test_missing_values_are_imputed_as_in_scikit_learn(strategy, options, wrap):
    if strategy is np.max and wrap is not np.asarray:
        options = {**options, "strategy": "mean"}  # scikit-learn gives the function no zeros that are not stored
    both = {"strategy": strategy, **options}
    mine, other = (
        ours.SimpleImputer(**both).fit(wrap(WITH_MISSING)),
        theirs.SimpleImputer(**both).fit(wrap(WITH_MISSING)),
    )
    np.testing.assert_allclose(
        dense(mine.transform(wrap(WITH_MISSING))), dense(other.transform(wrap(WITH_MISSING))), rtol=1e-12
    )
    np.testing.assert_allclose(mine.statistics_.astype(float), other.statistics_.astype(float), rtol=1e-12)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    if "add_indicator" in options and wrap is np.asarray:
        back = mine.inverse_transform(mine.transform(WITH_MISSING))
        np.testing.assert_array_equal(back, WITH_MISSING)


@pytest.mark.parametrize("strategy", ["mean", "median", "most_frequent", "constant"])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.filterwarnings("ignore:Skipping features")
def test_columns_without_entries(strategy, keep):
    both = {"strategy": strategy, "keep_empty_features": keep, "add_indicator": True}
    mine, other = ours.SimpleImputer(**both).fit(EMPTY), theirs.SimpleImputer(**both).fit(EMPTY)
    np.testing.assert_allclose(mine.transform(EMPTY), other.transform(EMPTY), rtol=1e-12)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())


@pytest.mark.parametrize("strategy", STRATEGIES, ids=["mean", "median", "most_frequent", "constant", "max"])
def test_weights_are_copies(strategy):
    counts = RNG.integers(0, 4, len(WITH_MISSING))
    weighted = ours.SimpleImputer(strategy=strategy).fit(WITH_MISSING, sample_weight=counts)
    copied = ours.SimpleImputer(strategy=strategy).fit(np.repeat(WITH_MISSING, counts, axis=0))
    np.testing.assert_allclose(weighted.statistics_.astype(float), copied.statistics_.astype(float), rtol=1e-12)


TEXT = pandas.DataFrame({"colour": ["red", None, "blue", "red"], "size": [1.0, np.nan, 2.0, 2.0]}).astype(
    {"colour": object}
)


@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
def test_text_is_filled(strategy):
    filled = ours.SimpleImputer(strategy=strategy).fit_transform(TEXT)
    assert filled[1, 0] == {"most_frequent": "red", "constant": "missing_value"}[strategy]
    assert filled[0].tolist() == ["red", 1.0]
    if strategy == "most_frequent":
        assert filled[1, 1] == 2.0


@pytest.mark.parametrize("mark", [-1, 0])
def test_any_value_can_stand_for_missing(mark):
    table = np.nan_to_num(WITH_MISSING, nan=mark) if mark else np.nan_to_num(WITH_MISSING)
    mine, other = ours.SimpleImputer(missing_values=mark), theirs.SimpleImputer(missing_values=mark)
    np.testing.assert_allclose(mine.fit_transform(table), other.fit_transform(table), rtol=1e-12)
    with pytest.raises(DataError, match=f"missing_values is {mark}"):
        mine.fit(WITH_MISSING)


@pytest.mark.parametrize("options", [{}, {"features": "all"}, {"sparse": True}, {"missing_values": 3}], ids=str)
@pytest.mark.parametrize("wrap", [np.asarray, sparse.csc_matrix])
def test_flags_are_those_of_scikit_learn(options, wrap):
    table = wrap(np.nan_to_num(WITH_MISSING, nan=3.0) if "missing_values" in options else WITH_MISSING)
    mine, other = ours.MissingIndicator(**options), theirs.MissingIndicator(**options)
    flags, expected = mine.fit_transform(table), other.fit_transform(table)
    np.testing.assert_array_equal(dense(flags), dense(expected))
    assert hasattr(flags, "toarray") == hasattr(expected, "toarray") and flags.dtype == expected.dtype
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    np.testing.assert_array_equal(mine.features_, other.features_)


def test_new_missing_values_are_an_error_unless_allowed():
    whole = np.column_stack([WITH_MISSING[:, 0], np.ones(60)])
    fresh = np.column_stack([WITH_MISSING[:, 0], WITH_MISSING[:, 1]])
    with pytest.raises(DataError, match=r"columns \[1\] have missing values now"):
        ours.MissingIndicator().fit(whole).transform(fresh)
    assert ours.MissingIndicator(error_on_new=False).fit(whole).transform(fresh).shape == (60, 1)


def test_text_for_numbers_and_means_of_text_are_refused():
    with pytest.raises(ValueError, match="fill_value='x' is text"):
        ours.SimpleImputer(strategy="constant", fill_value="x").fit(WITH_MISSING)
    with pytest.raises(ValueError, match="column 'colour' holds String, not numbers"):
        ours.SimpleImputer().fit(TEXT)
