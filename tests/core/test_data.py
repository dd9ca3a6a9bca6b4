"""Validation of features: any table in, a checked matrix with names out, and helpful errors."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse

import learnable
from learnable.core import DataError
from learnable.core.validate.features import FeatureValidator

NUMBERS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
COLUMNS = {"age": NUMBERS[:, 0], "height": NUMBERS[:, 1]}
VALIDATOR = FeatureValidator("Toy", sparse=True)


def swapped(X):
    return X.astype(X.dtype.newbyteorder(">"))


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def misaligned(X):
    buffer = bytearray(X.nbytes + 1)
    view = np.frombuffer(buffer, dtype=X.dtype, count=X.size, offset=1).reshape(X.shape)
    view[...] = X
    return view


PLAIN = {
    "list": lambda X: X.tolist(),
    "tuple of tuples": lambda X: tuple(map(tuple, X.tolist())),
    "list of arrays": list,
    "F order": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": read_only,
    "swapped bytes": swapped,
    "misaligned": misaligned,
    "int": lambda X: X.astype(int),
    "uint8": lambda X: X.astype(np.uint8),
    "float16": lambda X: X.astype(np.float16),
    "long double": lambda X: X.astype(np.longdouble),
    "object": lambda X: X.astype(object),
    "matrix": lambda X: X.view(np.matrix),
    "masked, nothing hidden": np.ma.array,
}
FRAMES = {
    "pandas": lambda: pandas.DataFrame(COLUMNS),
    "pandas nullable": lambda: pandas.DataFrame(COLUMNS).astype({"age": "Int64", "height": "Float64"}),
    "pandas arrow": lambda: pandas.DataFrame(COLUMNS).astype("double[pyarrow]"),
    "pandas mixed": lambda: pandas.DataFrame(COLUMNS).astype({"age": "int8"}),
    "pandas object": lambda: pandas.DataFrame(COLUMNS).astype(object),
    "pandas sparse": lambda: pandas.DataFrame(COLUMNS).astype(pandas.SparseDtype(float, 0.0)),
    "polars": lambda: polars.DataFrame(COLUMNS),
    "polars mixed": lambda: polars.DataFrame(COLUMNS).with_columns(polars.col("age").cast(polars.Int32)),
    "polars decimal": lambda: polars.DataFrame(COLUMNS).with_columns(polars.col("age").cast(polars.Decimal(10, 2))),
    "polars long integers": lambda: polars.DataFrame(COLUMNS).cast(polars.Int128),
    "polars objects": lambda: polars.DataFrame([polars.Series(k, list(v), polars.Object) for k, v in COLUMNS.items()]),
    "pyarrow": lambda: pyarrow.table(COLUMNS),
    "pyarrow record batch": lambda: pyarrow.record_batch(COLUMNS),
    "pyarrow mixed": lambda: pyarrow.table({"age": [1, 3, 5], "height": COLUMNS["height"]}),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_tables_become_the_same_matrix(kind):
    matrix, names = VALIDATOR.matrix(PLAIN[kind](NUMBERS))
    assert names is None
    assert type(matrix) is np.ndarray and matrix.dtype == np.float64 and matrix.dtype.isnative
    assert matrix.flags.aligned and (matrix.flags.c_contiguous or matrix.flags.f_contiguous)
    np.testing.assert_array_equal(matrix, NUMBERS)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_keep_their_names(kind):
    matrix, names = VALIDATOR.matrix(FRAMES[kind]())
    assert names == ["age", "height"]
    assert matrix.dtype == np.float64
    np.testing.assert_array_equal(matrix, NUMBERS)


@pytest.mark.parametrize("make", [np.array, np.asfortranarray, lambda X: read_only(X)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_is_copied_that_need_not_be(make, dtype):
    X = make(NUMBERS.astype(dtype))
    matrix, _ = VALIDATOR.matrix(X)
    assert np.shares_memory(matrix, X) and matrix.dtype == dtype


def test_float_frames_are_not_copied():
    frame = pandas.DataFrame(NUMBERS, columns=["a", "b"])
    assert np.shares_memory(VALIDATOR.matrix(frame)[0], frame.to_numpy())


def test_a_memory_map_is_read_in_place(tmp_path):
    X = np.memmap(tmp_path / "X", dtype=np.float64, shape=(3, 2), mode="w+")
    X[:] = NUMBERS
    matrix, _ = VALIDATOR.matrix(X)
    assert type(matrix) is np.ndarray and np.shares_memory(matrix, X)


@pytest.mark.parametrize("frame", [polars.DataFrame, pandas.DataFrame, pyarrow.table, pyarrow.record_batch])
def test_float32_frames_stay_float32(frame):
    matrix, _ = VALIDATOR.matrix(frame({"a": np.ones(3, np.float32), "b": np.zeros(3, np.float32)}))
    assert matrix.dtype == np.float32


def test_booleans_are_zeros_and_ones():
    assert VALIDATOR.matrix(polars.DataFrame({"a": [True, False]}))[0].tolist() == [[1.0], [0.0]]
    assert VALIDATOR.matrix([[True], [False]])[0].tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("storage", ["csr", "csc"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_matrices_come_in_the_requested_storage(format, storage, kind):
    X = np.array([[0, 1.5], [2, 0], [0, 0]])
    matrix, names = FeatureValidator("Toy", sparse=True, storage=storage).matrix(kind(X).asformat(format))
    assert matrix.format == storage and names is None and matrix.has_canonical_format
    np.testing.assert_array_equal(matrix.toarray(), X)


def test_a_sparse_matrix_in_order_is_not_copied_and_one_with_duplicates_is_left_alone():
    X = sparse.csc_array(NUMBERS)
    assert np.shares_memory(VALIDATOR.matrix(X)[0].data, X.data)
    twice = sparse.csc_array((np.ones(2), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert VALIDATOR.matrix(twice)[0].toarray().tolist() == [[2.0]]
    assert twice.nnz == 2


def test_sparse_integers_become_double_and_float32_stays():
    assert VALIDATOR.matrix(sparse.csr_array(NUMBERS.astype(int)))[0].dtype == np.float64
    assert VALIDATOR.matrix(sparse.csr_array(NUMBERS.astype(np.float32)))[0].dtype == np.float32


REFUSED = {
    "text": ("hello", "X must be a table of numbers; got str 'hello'"),
    "None": (None, "got NoneType"),
    "number": (3.0, "got float 3.0"),
    "one dimension": ([1.0, 2.0], r"2 dimensions, rows and columns; got 1. Reshape your data"),
    "Series": (pandas.Series([1.0, 2.0]), "Reshape your data"),
    "three dimensions": (np.zeros((2, 2, 2)), "got 3"),
    "no rows": (np.zeros((0, 2)), r"0 sample\(s\)"),
    "no columns": (np.zeros((2, 0)), r"0 feature\(s\)"),
    "frame without columns": (pandas.DataFrame(index=[0, 1]), r"0 feature\(s\)"),
    "frame without rows": (polars.DataFrame({"a": []}, schema={"a": polars.Float64}), r"0 sample\(s\)"),
    "ragged": ([[1, 2], [3, 4], [5]], "rows of X differ in length: row 0 has 2 entries, row 2 has 1"),
    "complex": (np.ones((2, 2), complex), "Complex data not supported"),
    "dates": (np.array([["2020-01-01"]], dtype="M8[D]"), r"X holds datetime64\[D\], not numbers .*column 0, row 0"),
    "texts": (np.array([["a", "b"]]), "column 0 holds 'a' in row 0, not a number"),
    "numbers as texts": (np.array([["1", "2"]]), "X holds text, not numbers"),
    "a text among numbers": ([[1, 2], [3, "b"]], "column 1 holds 'b' in row 1, not a number"),
    "text in objects": (np.array([[1, "u"], [2, 3]], object), "column 1 holds 'u' in row 0, not a number; encode"),
    "NaN": ([[1.0, 2.0], [np.nan, 3.0]], r"X contains NaN in column 0, row 1 \(1 bad value in all\); fill or drop"),
    "infinity": ([[1.0, np.inf], [np.nan, 3.0]], r"infinity in column 1, row 0 \(2 bad values in all\); clip"),
    "masked": (np.ma.array(NUMBERS, mask=NUMBERS == 4), "NaN in column 1, row 1"),
    "NaN, F order": (np.asfortranarray([[1.0, np.nan], [np.nan, 3.0]]), "NaN in column 0, row 1"),
    "sparse NaN": (sparse.coo_array(([1.0, np.nan], ([0, 2], [1, 0])), shape=(3, 2)), "NaN in column 0, row 2"),
    "sparse without rows": (sparse.csr_array((0, 2)), "minimum of 1 is required"),
    "sparse of one dimension": (sparse.coo_array([1.0, 2.0]), "2 dimensions, rows and columns; got 1"),
    "pandas complex": (pandas.DataFrame({"a": [1.0, 2j]}), "column 'a' is complex. Complex data not supported"),
    "sparse complex": (sparse.csr_array(np.eye(2) * 1j), "Complex data not supported"),
    "pandas missing": (pandas.DataFrame({"a": [1.0, None]}), "NaN in column 'a', row 1"),
    "pandas NA": (pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")}), "NaN in column 'a', row 1"),
    "polars null": (polars.DataFrame({"a": [1, 2], "b": [None, True]}), "NaN in column 'b', row 0"),
    "pyarrow null": (pyarrow.table({"a": [1, 2], "b": [3, None]}), "NaN in column 'b', row 1"),
    "pandas text": (pandas.DataFrame({"a": [1, 2], "b": [None, "x"]}), r"column 'b' holds .*\('x' in row 1\)"),
    "pandas mixed text": (pandas.DataFrame({"a": np.array([1, "u"], object)}), r"column 'a' holds .*\('u' in row 1\)"),
    "pandas category": (pandas.DataFrame({"a": pandas.Categorical(["x"])}), "column 'a' holds Categorical, not"),
    "pandas dates": (pandas.DataFrame({"a": pandas.to_datetime(["2020-01-01"])}), "column 'a' holds Datetime"),
    "polars text": (polars.DataFrame({"a": ["x", "y"]}), "column 'a' holds String, not numbers"),
    "polars lists": (polars.DataFrame({"a": [[1], [2]]}), "column 'a' holds List"),
    "beyond floats": ([[1, 2], [3, 10**400]], "column 1 holds a number beyond the range of floats in row 1; measure"),
    "many digits": (np.array([[10**9000, 1]], object), "column 0 holds a number beyond the range of floats in row 0"),
    "frame beyond floats": (pandas.DataFrame({"a": [1, 10**400]}), "column 'a' holds a number beyond .* in row 1"),
    "repeated names": (pandas.DataFrame(NUMBERS, columns=["a", "a"]), "two columns are called 'a'; rename one"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_used_is_refused_in_words(kind):
    table, message = REFUSED[kind]
    with pytest.raises(DataError, match=message) as caught:
        VALIDATOR.matrix(table)
    assert str(caught.value).startswith("Toy: ")


def test_an_object_that_is_not_a_number_is_a_type_error_as_in_scikit_learn():
    with pytest.raises(TypeError, match="Toy: argument must be a string or a real number"):
        VALIDATOR.matrix(np.array([[{"a": 1}]], dtype=object))


def test_sparse_data_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"Toy needs dense data, but X is a sparse matrix; use X.toarray\(\)"):
        FeatureValidator("Toy").matrix(sparse.csr_array(NUMBERS))


def test_native_missing_values_pass_and_infinities_do_not():
    validator = FeatureValidator("Toy", missing="native")
    assert np.isnan(validator.matrix([[np.nan, 1.0]])[0][0, 0])
    with pytest.raises(DataError, match="infinity in column 1, row 0"):
        validator.matrix([[np.nan, np.inf]])


def test_names_that_are_not_texts_do_not_count():
    assert VALIDATOR.matrix(pandas.DataFrame(NUMBERS))[1] is None


@pytest.mark.parametrize("read", [VALIDATOR.matrix, VALIDATOR.table])
def test_labels_of_which_only_some_are_texts_are_a_type_error_as_in_scikit_learn(read):
    with pytest.raises(TypeError, match=r"Toy: .* of types int and str, but must all be strings; .*astype"):
        read(pandas.DataFrame(NUMBERS, columns=["a", 1]))


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3], np.int8),
        np.array([1.0, 2.0, 3.0], ">f8"),
        np.arange(1.0, 7.0)[::2] / 2 + 0.5,
        np.array([1, 2, 3], object),
        pandas.Series([1, 2, 3], index=[5, 6, 7]),
        pandas.Series([1, 2, 3], dtype="Int64"),
        polars.Series([1, 2, 3]),
        pyarrow.array([1, 2, 3]),
        pyarrow.chunked_array([[1, 2], [3]]),
    ],
    ids=lambda y: type(y).__module__ + "." + type(y).__name__,
)
def test_targets_of_every_kind(y):
    target = VALIDATOR.target(y, 3, np.float64, False)
    assert type(target) is np.ndarray and target.dtype == np.float64 and target.tolist() == [1.0, 2.0, 3.0]


def test_a_target_takes_the_precision_of_the_matrix_without_a_copy_where_it_has_it():
    y = np.ones(3, np.float32)
    assert VALIDATOR.target(y, 3, np.float32, False) is y
    assert VALIDATOR.target(y, 3, np.float64, False).dtype == np.float64


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame, pyarrow.table, pyarrow.record_batch])
def test_several_targets_from_a_frame(frame):
    assert VALIDATOR.target(frame(COLUMNS), 3, np.float64, True).tolist() == NUMBERS.tolist()


def test_a_column_is_flattened_with_a_warning_where_one_target_is_allowed():
    from learnable.core import DataConversionWarning

    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        assert VALIDATOR.target([[1], [2], [3]], 3, float, False).shape == (3,)
    assert VALIDATOR.target([[1], [2], [3]], 3, float, True).shape == (3, 1)


REFUSED_TARGETS = {
    "None": (None, "Toy requires y to be passed, but the target y is None"),
    "short": ([1, 2], "X has 3 rows but y has 2"),
    "number": (3.0, "y should be a 1d array of 3 entries"),
    "table": (NUMBERS, r"y should be a 1d array of 3 entries; got shape \(3, 2\); wrap it in a MultiOutput"),
    "NaN": ([1, np.nan, 3], "Input y contains NaN in row 1; drop"),
    "null": (polars.Series([1, None, 3]), "Input y contains NaN in row 1"),
    "None inside": ([1, None, 3], "Input y contains NaN in row 1"),
    "infinity": ([1, 2, -np.inf], "Input y contains infinity in row 2; clip it, or drop the row"),
    "beyond floats": ([1, 2, 10**400], "Toy: y holds a number beyond the range of floats in row 2; measure"),
    "text": (["a", "b", "c"], "y holds 'a' in row 0, not a number: Unknown label type"),
    "some text": (np.array([1, "b", 3], object), "y holds 'b' in row 1"),
    "complex": (np.ones(3) * 1j, "Complex data not supported in y"),
    "dates": (np.array(["2020-01-01"] * 3, dtype="M8[D]"), "y holds .* in row 0, not a number"),
    "ragged": ([[1], [2, 3], [4]], "y cannot be read as an array"),
    "sparse": (sparse.csr_array(np.ones((3, 1))), "it is a sparse matrix"),
}


@pytest.mark.parametrize("kind", REFUSED_TARGETS)
def test_targets_that_cannot_be_used(kind):
    y, message = REFUSED_TARGETS[kind]
    with pytest.raises(DataError, match=message):
        VALIDATOR.target(y, 3, np.float64, False)


def test_a_target_too_large_for_float32_is_refused():
    with pytest.raises(DataError, match=r"Toy: y holds 1e\+300 in row 0, too much for float32; use another unit"):
        VALIDATOR.target([1e300, 1.0, 1.0], 3, np.float32, False)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.array([[1, 1], [1, 1], [1, np.nan]]), "NaN in row 2 of target 1; drop the rows"),
        (pandas.DataFrame({"a": [1, 1, 1], "b": [1, np.inf, 1]}), "infinity in row 1 of target 'b'; clip it"),
        (pyarrow.table({"a": [1, 1, 1], "b": [1, 1, None]}), "NaN in row 2 of target 'b'"),
        (np.array([[1, 1], [1, "u"], [1, 1]], object), "y holds 'u' in row 1, not a number"),
        (np.empty((3, 0)), r"Toy: y has no columns \(shape=\(3, 0\)\); give at least one target"),
    ],
)
def test_the_row_and_column_of_a_bad_target_among_several_are_named(table, message):
    with pytest.raises(DataError, match=message):
        VALIDATOR.target(table, 3, float, True)


@pytest.mark.parametrize(
    "weight", [[1, 2, 0], np.array([1, 2, 0], np.float32), pandas.Series([1, 2, 0]), polars.Series([1, 2, 0])]
)
def test_weights_of_every_kind(weight):
    assert VALIDATOR.weights(weight, 3).tolist() == [1.0, 2.0, 0.0]


def test_no_weights_and_one_weight():
    assert VALIDATOR.weights(None, 3) is None
    assert VALIDATOR.weights(2, 3).tolist() == [2.0, 2.0, 2.0]


REFUSED_WEIGHTS = {
    "negative": ([1, -2, 1], "Negative values in data passed to `sample_weight`: -2 in row 1"),
    "NaN": ([1, np.nan, 1], "sample_weight contains nan in row 1"),
    "zero": ([0, 0, 0], "sample_weight is zero for every row"),
    "short": ([1, 1], r"sample_weight has shape \(2,\), expected \(3,\)"),
    "table": ([[1], [1], [1]], "one weight for each row"),
    "text": (["a", "b", "c"], "sample_weight holds <U1, not numbers"),
    "text in objects": ([1, "b", None], "sample_weight holds something that is not a number"),
    "beyond floats": ([1, 10**400, 1], "sample_weight holds a number beyond the range of floats in row 1"),
}


@pytest.mark.parametrize("kind", REFUSED_WEIGHTS)
def test_weights_that_cannot_be_used(kind):
    weight, message = REFUSED_WEIGHTS[kind]
    with pytest.raises(DataError, match=message):
        VALIDATOR.weights(weight, 3)


class Stranger(np.ndarray):
    """An array whose columns, like those of a NumPy matrix, are tables of one column."""

    @classmethod
    def of(cls, values):
        return values.view(cls)

    def __getitem__(self, place):
        found = np.asarray(self)[place]
        return found[:, None].view(Stranger) if isinstance(place, tuple) and found.ndim == 1 else found


@pytest.mark.parametrize("make", [learnable.OneHotEncoder, learnable.OrdinalEncoder, learnable.TargetEncoder])
def test_columns_of_any_kind_come_as_matrices_and_masked_arrays_too(make):
    numbers, y = np.array([[1.0, 4.0], [2.0, 4.0], [1.0, 5.0], [2.0, 6.0]] * 5), np.arange(20.0)
    gone = np.zeros(numbers.shape, dtype=bool)
    gone[[0, 5], [1, 0]] = True
    holes = np.where(gone, np.nan, numbers)
    results = [make().fit(table, y).transform(table) for table in (numbers, Stranger.of(numbers))]
    results += [make().fit(table, y).transform(table) for table in (holes, np.ma.masked_array(numbers, gone))]
    plain = [output.toarray() if hasattr(output, "toarray") else output for output in results]
    np.testing.assert_array_equal(plain[0], plain[1])
    np.testing.assert_array_equal(plain[2], plain[3])


def test_masked_words_are_missing():
    words = np.ma.masked_array(np.array([["a"], ["b"], ["a"]]), [[False], [True], [False]])
    categories = learnable.OneHotEncoder().fit(words).categories_[0]
    assert categories[0] == "a" and categories[1] != categories[1]


def test_small_floats_can_be_dates():
    assert np.isfinite(learnable.DateParts().fit_transform(np.ones((3, 1), dtype=np.float16))).all()
