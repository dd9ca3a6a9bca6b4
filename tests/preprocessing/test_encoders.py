"""Encoders of categories against scikit-learn, with missing, rare, unknown and dropped values; and their messages."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
import sklearn.preprocessing as theirs

import learnable
from learnable.preprocessing import OneHotEncoder, OrdinalEncoder

RNG = np.random.default_rng(0)
WORDS = pandas.DataFrame(
    {
        "colour": RNG.choice(["red", "green", "blue", "mauve"], 80, p=[0.4, 0.4, 0.15, 0.05]),
        "size": RNG.integers(0, 5, 80),
        "mark": RNG.choice(np.array(["a", "b", None], dtype=object), 80),
        "grade": RNG.choice([1.5, 2.5, np.nan], 80),
    }
)


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix)


HOT = [
    {},
    {"drop": "first"},
    {"drop": "if_binary"},
    {"drop": ["red", 3, "a", 1.5]},
    {"min_frequency": 10},
    {"min_frequency": 0.2, "drop": "first"},
    {"max_categories": 2},
    {"max_categories": 3, "min_frequency": 8},
    {"sparse_output": False, "dtype": np.float32},
    {"handle_unknown": "ignore"},
    {"handle_unknown": "infrequent_if_exist", "min_frequency": 10},
]


@pytest.mark.parametrize("options", HOT, ids=str)
def test_one_hot_is_that_of_scikit_learn(options):
    ours, other = OneHotEncoder(**options).fit(WORDS), theirs.OneHotEncoder(**options).fit(WORDS)
    np.testing.assert_array_equal(dense(ours.transform(WORDS)), dense(other.transform(WORDS)))
    assert list(ours.get_feature_names_out()) == list(other.get_feature_names_out())
    for our_values, their_values in zip(ours.categories_, other.categories_, strict=True):
        assert pandas.Series(our_values).equals(pandas.Series(their_values))
    back, expected = ours.inverse_transform(ours.transform(WORDS)), other.inverse_transform(other.transform(WORDS))
    assert pandas.DataFrame(back).equals(pandas.DataFrame(expected))


@pytest.mark.parametrize(
    "options", [{"handle_unknown": "ignore"}, {"handle_unknown": "infrequent_if_exist", "max_categories": 2}]
)
def test_unknown_values_become_zeros_or_rare(options):
    strange = WORDS.assign(colour="pink", size=99)
    ours, other = OneHotEncoder(**options).fit(WORDS), theirs.OneHotEncoder(**options).fit(WORDS)
    np.testing.assert_array_equal(dense(ours.transform(strange)), dense(other.transform(strange)))


def test_unknown_values_are_refused_by_column_row_and_value():
    strange = WORDS.copy()
    strange.loc[7, "colour"] = "pink"
    for encoder in (OneHotEncoder(), OrdinalEncoder()):
        with pytest.raises(learnable.DataError, match=r"column 'colour' has 'pink' in row 7.*Found unknown categories"):
            encoder.fit(WORDS).transform(strange)


def test_dummy_coding_of_a_die():
    """Six values become five indicators, the dropped one all zeros (worked number W-15)."""
    die = np.arange(1, 7)[:, None]
    for drop in ([6], "last"):
        encoder = OneHotEncoder(drop=drop, sparse_output=False)
        np.testing.assert_array_equal(encoder.fit_transform(die), np.eye(6)[:, :5])
        np.testing.assert_array_equal(encoder.inverse_transform(np.eye(6)[:, :5]), die)
    first = OneHotEncoder(drop="first", sparse_output=False).fit_transform(die)
    np.testing.assert_array_equal(first, np.eye(6)[:, 1:])
    status = OneHotEncoder(sparse_output=False).fit_transform([["single"], ["married"], ["divorced"]])
    assert status.shape == (3, 3) and (status.sum(axis=1) == 1).all()


def test_the_last_value_that_is_not_rare_is_dropped():
    column = np.array([["a"]] * 5 + [["b"]] * 5 + [["z"]])
    encoder = OneHotEncoder(drop="last", min_frequency=3, sparse_output=False, handle_unknown="infrequent_if_exist")
    coded = encoder.fit_transform(column)
    assert encoder.drop_idx_.tolist() == [1] and encoder.get_feature_names_out().tolist() == [
        "x0_a",
        "x0_infrequent_sklearn",
    ]
    np.testing.assert_array_equal(coded[[0, 5, 10]], [[1, 0], [0, 0], [0, 1]])


ORDINAL = [
    {},
    {"encoded_missing_value": -2},
    {"min_frequency": 10},
    {"max_categories": 2},
    {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    {"handle_unknown": "use_encoded_value", "unknown_value": np.nan},
    {"dtype": np.int64, "encoded_missing_value": -1},
]


@pytest.mark.parametrize("options", ORDINAL, ids=str)
def test_ordinal_is_that_of_scikit_learn(options):
    ours, other = OrdinalEncoder(**options).fit(WORDS), theirs.OrdinalEncoder(**options).fit(WORDS)
    np.testing.assert_array_equal(ours.transform(WORDS), other.transform(WORDS))
    if "unknown_value" in options:
        strange = WORDS.assign(colour="pink")
        np.testing.assert_array_equal(ours.transform(strange), other.transform(strange))


@pytest.mark.parametrize("options", [{}, {"categories": [["a", None, "b"]]}, {"encoded_missing_value": -2}], ids=str)
def test_none_in_a_list_is_a_value_with_a_code_of_its_own(options):
    table = [["a"], [None], ["b"]]
    expected = theirs.OrdinalEncoder(**options).fit_transform(table)
    encoder = OrdinalEncoder(**options)
    np.testing.assert_array_equal(encoder.fit_transform(table), expected)
    assert encoder.inverse_transform(expected).tolist() == table


@pytest.mark.parametrize("options", ORDINAL, ids=str)
def test_codes_go_back_to_their_values(options):
    """scikit-learn's own inverse confuses rare with missing values."""
    encoder = OrdinalEncoder(**options).fit(WORDS)
    expected = WORDS.astype(object)
    for name, rare in zip(WORDS, encoder.infrequent_categories_, strict=True):
        if rare is not None:
            expected.loc[WORDS[name].isin(rare), name] = "infrequent_sklearn"
    back = pandas.DataFrame(encoder.inverse_transform(encoder.transform(WORDS)), columns=WORDS.columns)
    pandas.testing.assert_frame_equal(back, expected, check_dtype=False)


@pytest.mark.parametrize(
    "frame", [polars.from_pandas, lambda table: table.astype({"colour": "category", "mark": "category"})]
)
def test_frames_of_other_kinds_give_the_same_codes(frame):
    expected = OrdinalEncoder().fit_transform(WORDS)
    np.testing.assert_array_equal(OrdinalEncoder().fit_transform(frame(WORDS)), expected)


def test_weights_count_in_frequencies():
    table = [["a"], ["b"], ["c"]]
    weighted = OneHotEncoder(min_frequency=2, sparse_output=False).fit(table, sample_weight=[2, 1, 1])
    copied = OneHotEncoder(min_frequency=2, sparse_output=False).fit([["a"], *table])
    np.testing.assert_array_equal(weighted.transform(table), copied.transform(table))
    assert OneHotEncoder().fit(table, sample_weight=[1, 0, 1]).categories_[0].tolist() == ["a", "c"]


def test_encoders_with_missing_values_go_through_files(tmp_path):
    encoder = OneHotEncoder(handle_unknown="ignore", max_categories=3).fit(WORDS)
    learnable.save(encoder, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    np.testing.assert_array_equal(dense(again.transform(WORDS)), dense(encoder.transform(WORDS)))


@pytest.mark.parametrize(
    ("encoder", "table", "words"),
    [
        (OrdinalEncoder(), [["a"], [1]], "mixes the types int and str"),
        (OneHotEncoder(categories=[["a"]]), [["a", "b"]], "1 lists for 2 columns"),
        (OrdinalEncoder(categories=[[2, 1]]), np.array([[1], [2]]), "must be given in order"),
        (OneHotEncoder(drop=["z"]), [["a"]], "drop names 'z' for column 0"),
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=0), [["a"]], "is the code of a category"),
        (OrdinalEncoder(encoded_missing_value=0), np.array([["a"], [np.nan]], dtype=object), "is the code of a categ"),
        (OrdinalEncoder(unknown_value=3), [["a"]], "is used only with"),
    ],
)
def test_misuse_is_named(encoder, table, words):
    with pytest.raises(ValueError, match=words):
        encoder.fit(table)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("step", "rows", "remedy"),
    [
        (learnable.OneHotEncoder(), [["a"], ["b"]], "choose sparse_output=False"),
        (learnable.KBinsDiscretizer(2), [[0.0], [1.0], [2.0]], "choose a dense encoding"),
    ],
)
def test_sparse_results_are_not_put_into_tables(library, step, rows, remedy):
    step = step.clone().set_output(transform=library).fit(rows)
    with pytest.raises(learnable.DataError, match=f"the result is sparse, and {library} .*; {remedy}, or set_output"):
        step.transform(rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.bool_, np.float64, "U3", object])
def test_names_of_indicators_are_written_in_the_precision_of_the_values(dtype):
    X = np.array([[0.1], [0.2], [1.0]]).astype(dtype)
    names = OneHotEncoder().fit(X).get_feature_names_out()
    np.testing.assert_array_equal(names, theirs.OneHotEncoder().fit(X).get_feature_names_out())
