"""Column transformers: every way to name columns, any container, scikit-learn's results."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sklearn.compose
import sklearn.feature_extraction.text
import sklearn.preprocessing
from scipy import sparse

import learnable
from learnable import (
    ColumnTransformer,
    MinMaxScaler,
    OneHotEncoder,
    Ridge,
    StandardScaler,
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
    make_pipeline,
)
from learnable.core import DataError

RNG = np.random.default_rng(0)
TABLE = pandas.DataFrame(
    {
        "age": RNG.integers(20, 60, 50).astype(float),
        "town": RNG.choice(["Bonn", "Oslo", "Rome"], 50),
        "income": RNG.lognormal(10, 1, 50),
        "member": RNG.choice(["yes", "no"], 50),
    }
)
FRAMES = {"pandas": lambda table: table, "polars": polars.from_pandas, "pyarrow": pyarrow.Table.from_pandas}


def mixed(**options):
    return ColumnTransformer(
        [("number", StandardScaler(), ["age", "income"]), ("code", OneHotEncoder(), ["town"])], **options
    )


def theirs(**options):
    parts = [
        ("number", sklearn.preprocessing.StandardScaler(), ["age", "income"]),
        ("code", sklearn.preprocessing.OneHotEncoder(), ["town"]),
    ]
    return sklearn.compose.ColumnTransformer(parts, **options)


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("options", [{}, {"remainder": "passthrough"}, {"verbose_feature_names_out": False}], ids=str)
def test_every_frame_gives_scikit_learns_result(library, options):
    expected, other = theirs(**options).fit_transform(TABLE), theirs(**options).fit(TABLE)
    transformer = mixed(**options)
    result = transformer.fit_transform(FRAMES[library](TABLE))
    numbers = result[:, :5].astype(float)
    np.testing.assert_allclose(numbers, np.asarray(expected)[:, :5].astype(float), rtol=1e-12, atol=1e-12)
    assert list(result[:, 5:].ravel()) == list(np.asarray(expected)[:, 5:].ravel())
    assert list(transformer.get_feature_names_out()) == list(other.get_feature_names_out())


MATRIX = RNG.standard_normal((30, 4))


@pytest.mark.parametrize(
    "columns",
    [[0, 2], slice(0, 2), slice(1, None), [True, False, True, False], [-1], np.array([3, 1]), lambda table: [1]],
    ids=["list", "range", "open range", "mask", "last", "array", "rule"],
)
def test_columns_by_index_mask_range_and_rule(columns):
    mine = ColumnTransformer([("a", StandardScaler(), columns)], remainder=MinMaxScaler())
    other = sklearn.compose.ColumnTransformer(
        [("a", sklearn.preprocessing.StandardScaler(), columns)],
        remainder=sklearn.preprocessing.MinMaxScaler(),
    )
    np.testing.assert_allclose(mine.fit_transform(MATRIX), other.fit_transform(MATRIX), rtol=1e-12, atol=1e-12)


def test_columns_between_two_names():
    part = ColumnTransformer([("a", "passthrough", slice("town", "member"))]).fit(TABLE)
    assert list(part.get_feature_names_out()) == ["a__town", "a__income", "a__member"]


def test_named_columns_are_found_in_any_order_and_others_ignored():
    transformer = mixed().fit(TABLE)
    shuffled = TABLE[["member", "income", "town", "age"]].assign(extra=1)
    np.testing.assert_array_equal(transformer.transform(shuffled), transformer.transform(TABLE))
    with pytest.raises(learnable.DataError, match=r"columns are missing: .'income'."):
        transformer.transform(TABLE.drop(columns="income"))


@pytest.mark.parametrize(
    ("columns", "table", "words"),
    [
        (["hight"], TABLE, "not a column of the dataframe: 'hight'; it has 'age', 'town'"),
        (["age"], MATRIX, "'age' is the name of a column, but the table has no column names"),
        ([7], MATRIX, "column 7 is out of range for a table of 4"),
        ([True, False], MATRIX, "a mask of 2 columns does not fit a table of 4"),
    ],
)
def test_columns_that_are_not_there_are_named(columns, table, words):
    with pytest.raises(ValueError, match=words):
        ColumnTransformer([("a", StandardScaler(), columns)]).fit(table)


def test_selectors_choose_by_name_and_kind_in_every_library():
    for frame in FRAMES.values():
        assert make_column_selector(dtype_include="number")(frame(TABLE)) == ["age", "income"]
        assert make_column_selector("o", dtype_exclude="number")(frame(TABLE)) == ["town"]
    with pytest.raises(learnable.DataError, match="needs a data frame"):
        make_column_selector()(MATRIX)


def test_a_column_transformer_with_selectors_goes_through_a_file(tmp_path):
    numbers, rest = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    model = make_pipeline(make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), rest)), Ridge()).fit(
        TABLE, TABLE["income"]
    )
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(TABLE), model.predict(TABLE))
    assert again[0].transformers[0][2] == numbers


def test_frames_come_out_as_frames_with_names_and_index():
    table = TABLE.set_index(np.arange(100, 150))
    coded = ColumnTransformer([("n", StandardScaler(), ["age"]), ("c", OneHotEncoder(sparse_output=False), ["town"])])
    frame = coded.set_output(transform="pandas").fit_transform(table)
    assert list(frame.columns) == ["n__age", "c__town_Bonn", "c__town_Oslo", "c__town_Rome"]
    assert (frame.index == table.index).all()
    as_polars = coded.set_output(transform="polars").fit_transform(polars.from_pandas(TABLE))
    assert isinstance(as_polars, polars.DataFrame) and as_polars.columns == list(frame.columns)


def test_sparse_tables_and_sparse_results():
    table = sparse.csr_array(np.where(np.abs(MATRIX) < 1, 0, MATRIX))
    mine = ColumnTransformer([("a", learnable.MaxAbsScaler(), [0, 1])], sparse_threshold=1.0)
    assert mine.fit_transform(table).format == "csr" and mine.sparse_output_
    many = pandas.DataFrame({"c": np.arange(50).astype(str)})
    assert sparse.issparse(ColumnTransformer([("c", OneHotEncoder(), ["c"])]).fit_transform(many))


def test_weights_reach_the_parts():
    weight = RNG.integers(0, 3, 50).astype(float)
    copies = np.repeat(np.arange(50), weight.astype(int))
    part = ColumnTransformer([("n", StandardScaler(), ["age", "income"])])
    weighted = part.fit(TABLE, sample_weight=weight).transform(TABLE)
    np.testing.assert_allclose(weighted, part.fit(TABLE.iloc[copies]).transform(TABLE), rtol=1e-10)


def test_a_target_is_transformed_and_back():
    y = np.exp(MATRIX @ [1.0, 0.5, 0.0, -1.0])
    by_functions = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp).fit(MATRIX, y)
    np.testing.assert_allclose(by_functions.predict(MATRIX), np.exp(Ridge().fit(MATRIX, np.log(y)).predict(MATRIX)))
    by_scaler = TransformedTargetRegressor(Ridge(), transformer=StandardScaler()).fit(MATRIX, y)
    other = sklearn.compose.TransformedTargetRegressor(
        sklearn.linear_model.Ridge(), transformer=sklearn.preprocessing.StandardScaler()
    ).fit(MATRIX, y)
    np.testing.assert_allclose(by_scaler.predict(MATRIX), other.predict(MATRIX), rtol=1e-9)
    with pytest.raises(ValueError, match="but not both"):
        TransformedTargetRegressor(transformer=StandardScaler(), func=np.log, inverse_func=np.exp).fit(MATRIX, y)
    with pytest.raises(ValueError, match="'inverse_func' must be given too"):
        TransformedTargetRegressor(func=np.log).fit(MATRIX, y)
    with (
        np.errstate(all="ignore"),
        pytest.raises(DataError, match=r"func makes \[nan\] of the target \[-1.0\]"),
    ):
        TransformedTargetRegressor(func=np.log, inverse_func=np.exp).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, -1.0])
    with pytest.raises(DataError, match="TransformedTargetRegressor"):
        TransformedTargetRegressor(Ridge()).fit(MATRIX, y[:-1])
    with pytest.warns(UserWarning, match="there and back"):
        TransformedTargetRegressor(func=np.log, inverse_func=np.expm1).fit(MATRIX, y)


@pytest.mark.parametrize("column", ["town", 1])
@pytest.mark.parametrize("library", FRAMES)
def test_a_single_column_reaches_readers_of_texts_by_itself(library, column, tmp_path):
    table = FRAMES[library](TABLE)
    mine = ColumnTransformer([("words", learnable.CountVectorizer(), column), ("age", StandardScaler(), ["age"])])
    other = sklearn.compose.ColumnTransformer(
        [
            ("words", sklearn.feature_extraction.text.CountVectorizer(), column),
            ("age", sklearn.preprocessing.StandardScaler(), ["age"]),
        ]
    )
    np.testing.assert_allclose(mine.fit_transform(table), other.fit_transform(TABLE), rtol=1e-12, atol=1e-12)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    learnable.save(mine, tmp_path / "model")
    again = learnable.load(tmp_path / "model").transform(FRAMES[library](TABLE[["income", "town", "age", "member"]]))
    np.testing.assert_array_equal(again, mine.transform(table))


def test_a_single_column_of_an_array_is_an_array_of_one_dimension():
    seen = []
    look = learnable.FunctionTransformer(lambda column: seen.append(column.shape) or column.reshape(-1, 1))
    numbers = TABLE[["age", "income"]].to_numpy()
    result = ColumnTransformer([("a", look, 1), ("b", "passthrough", 0)]).fit_transform(numbers)
    np.testing.assert_array_equal(result, numbers[:, [1, 0]])
    assert set(seen) == {(50,)}
    with pytest.raises(DataError, match="StandardScaler: X must have 2 dimensions"):
        ColumnTransformer([("a", StandardScaler(), 1)]).fit(numbers)
