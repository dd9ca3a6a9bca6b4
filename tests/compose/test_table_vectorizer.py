"""Tables of all kinds as matrices: what is chosen, what it becomes, unknown values, missing values, leaks."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sklearn.model_selection
import sklearn.preprocessing

import learnable
from learnable import KNeighborsRegressor, LinearRegression, Ridge, TableVectorizer, make_pipeline, make_union
from learnable.preprocessing import DateParts, MinMaxScaler, StandardScaler, TargetEncoder

RNG = np.random.default_rng(0)
N = 200
TEXTS = np.array(["the weather is fine today", "a rather long sentence about nothing", "rain falls in the north again"])
TABLE = pandas.DataFrame(
    {
        "size": np.where(RNG.random(N) < 0.1, np.nan, RNG.standard_normal(N) * 7 + 3),
        "count": RNG.integers(0, 9, N),
        "price": RNG.uniform(1, 9, N).round(2).astype(str),
        "colour": RNG.choice(np.array(["red", "blue", None], dtype=object), N),
        "street": [f"street {k % 90}" for k in range(N)],
        "born": pandas.to_datetime("2020-01-01") + pandas.to_timedelta(RNG.integers(0, 900, N), unit="D"),
        "seen": [str(datetime.date(2021, 1, 1) + datetime.timedelta(days=int(k))) for k in RNG.integers(0, 99, N)],
        "note": [f"{TEXTS[k % 3]} {k}" for k in range(N)],
        "flag": RNG.random(N) < 0.5,
        "empty": np.full(N, np.nan),
    }
)
KINDS = ["number", "number", "number", "few", "many", "date", "date", "text", "few", "nothing"]
Y = TABLE["count"] + (TABLE["colour"] == "red") * 5.0 + RNG.standard_normal(N) * 0.1


@pytest.mark.parametrize("frame", [lambda t: t, polars.from_pandas], ids=["pandas", "polars"])
def test_kinds_are_found_and_everything_becomes_numbers(frame):
    vectorizer = TableVectorizer().fit(frame(TABLE), Y)
    assert list(vectorizer.kinds_.values()) == KINDS
    matrix = vectorizer.transform(frame(TABLE))
    names = vectorizer.get_feature_names_out()
    assert np.isfinite(matrix).all() and matrix.shape == (N, len(names)) and len(set(names)) == len(names)
    shown = vectorizer.table().splitlines()
    assert len(shown) == 11 and "many" in shown[5] and "mean" not in shown[0]
    assert {"born_year", "seen_weekday", "size", "colour_red", "street"} <= set(names)


@pytest.mark.parametrize("kind", [float, int])
def test_whole_numbers_are_amounts_if_they_are_many(kind):
    """Prices are whole numbers too: the mean of a street is one column, not one for each price."""
    cost = RNG.permutation(10 * N)[:N].astype(kind)
    vectorizer = TableVectorizer(random_state=0)
    assert vectorizer.fit_transform(TABLE[["street"]], cost).shape == (N, 1)
    assert vectorizer.transform(TABLE[["street"]]).shape == (N, 1)
    assert vectorizer.fit_transform(TABLE[["street"]], cost % 3).shape == (N, 3), "classes"
    many = np.arange(N) % 25
    assert vectorizer.fit_transform(TABLE[["street"]], many.astype(kind)).shape == (N, 25 if kind is int else 1)


def test_parts_of_dates_have_the_scale_of_numbers():
    """Else a day of the year would outweigh all else in distances and penalties."""
    matrix = TableVectorizer().fit_transform(TABLE[["size", "born"]])
    assert matrix.shape[1] > 4 and np.allclose(matrix.mean(axis=0), 0, atol=1e-9)
    assert np.allclose(matrix.std(axis=0), np.where(matrix.std(axis=0) < 1e-9, 0, 1))


def test_unknown_and_missing_values_and_other_rows_are_safe():
    vectorizer = TableVectorizer().fit(TABLE, Y)
    strange = TABLE.assign(colour="mauve", street="nowhere", born=pandas.NaT, note=None, size=np.nan, seen="2030-02-02")
    matrix = vectorizer.transform(strange)
    assert np.isfinite(matrix).all()
    place = list(vectorizer.get_feature_names_out()).index("street")
    scaler = vectorizer.encoders_[vectorizer.parts_.index([list(TABLE).index("street")])][-1]
    np.testing.assert_allclose(matrix[:, place], (Y.mean() - scaler.mean_[0]) / scaler.scale_[0])


def test_neighbouring_numbers_share_an_encoder_and_keep_their_positions():
    table = TABLE[["size", "count", "empty", "price", "colour", "born", "flag"]].assign(last=range(N))
    vectorizer = TableVectorizer().fit(table)
    assert vectorizer.parts_ == [[0, 1, 3], [4], [5], [6], [7]] and len(vectorizer.encoders_) == 5
    names, matrix = list(vectorizer.get_feature_names_out()), vectorizer.transform(table)
    for name in ("size", "count", "price", "last"):
        alone = TableVectorizer().fit_transform(table[[name]])
        np.testing.assert_allclose(matrix[:, names.index(name)], alone[:, 0], rtol=1e-12, atol=1e-12)
    assert [line.split()[2] for line in vectorizer.table().splitlines()[1:5]] == ["1", "1", "0", "1"]


def test_choices_can_be_overridden():
    choices = {"count": "few", "size": MinMaxScaler(), "note": "drop", "street": "few", "price": "number"}
    vectorizer = TableVectorizer(choices).fit(TABLE)
    assert [vectorizer.kinds_[name] for name in choices] == ["few", "own", "drop", "few", "number"]
    assert sum(name.startswith("street_") for name in vectorizer.get_feature_names_out()) == 90
    with pytest.raises(ValueError, match="columns names 'height'"):
        TableVectorizer({"height": "number"}).fit(TABLE)
    with pytest.raises(ValueError, match='many="target" needs a target'):
        TableVectorizer(many="target").fit(TABLE)
    assert TableVectorizer(few=100).fit(TABLE).kinds_["street"] == "few"


def test_a_sparse_result_is_the_same():
    dense = TableVectorizer().fit_transform(TABLE)
    np.testing.assert_allclose(TableVectorizer(sparse_output=True).fit_transform(TABLE).toarray(), dense)


def test_a_pipeline_learns_from_a_table_as_it_is():
    model = make_pipeline(TableVectorizer(), Ridge(alpha=0.1)).fit(TABLE[:150], Y[:150])
    assert model.score(TABLE[150:], Y[150:]) > 0.95


def test_many_categories_do_not_leak_the_target():
    table = pandas.DataFrame({"name": [f"n{k}" for k in range(300)]})
    y = RNG.standard_normal(300)
    honest = TableVectorizer().fit_transform(table, y)
    assert np.ptp(honest[:, 0]) < 1e-12, "a name that occurs once is uninformative"
    model = make_pipeline(TableVectorizer(), LinearRegression()).fit(table, y)
    assert model.score(table, y) < 0.5


def noise_and_names() -> tuple[pandas.DataFrame, np.ndarray]:
    """150 names at random in 300 rows, and a target that has nothing to do with them."""
    rng = np.random.default_rng(0)
    return pandas.DataFrame({"name": [f"n{k}" for k in rng.integers(0, 150, 300)]}), rng.standard_normal(300)


@pytest.mark.parametrize(
    "encoder",
    [
        make_pipeline(TargetEncoder(random_state=0), StandardScaler()),
        make_union(TargetEncoder(random_state=0)),
        sklearn.preprocessing.TargetEncoder(cv=sklearn.model_selection.KFold(5)),
    ],
    ids=["pipeline", "union", "scikit-learn"],
)
def test_encoders_of_ones_own_do_not_leak_the_target(encoder):
    table, y = noise_and_names()
    vectorizer = TableVectorizer({"name": encoder})
    honest = vectorizer.fit_transform(table, y)
    assert abs(np.corrcoef(honest[:, 0], y)[0, 1]) < 0.2
    expected = TableVectorizer({"name": encoder}).fit(table, y).transform(table)
    np.testing.assert_allclose(vectorizer.transform(table), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "seed",
    [lambda: 7, lambda: 2**40, lambda: np.random.RandomState(7), lambda: np.random.default_rng(7)],
    ids=["number", "large number", "RandomState", "Generator"],
)
def test_the_same_seed_gives_the_same_bits(seed):
    table, y = noise_and_names()
    first, second = (TableVectorizer(random_state=seed()).fit_transform(table, y) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (TableVectorizer(random_state=8).fit_transform(table, y) != first).any()


def test_a_row_is_in_the_same_fold_in_every_column():
    table, y = noise_and_names()
    twice = TableVectorizer(random_state=0).fit_transform(table.assign(again=table["name"]), y)
    np.testing.assert_array_equal(twice[:, 0], twice[:, 1])


def test_without_a_seed_the_global_stream_draws():
    table, y = noise_and_names()
    drawn = []
    for seed in (0, 0, 1):
        np.random.seed(seed)  # noqa: NPY002  the very stream under test
        drawn.append(TableVectorizer().fit_transform(table, y))
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()


def test_it_goes_through_a_file(tmp_path):
    vectorizer = TableVectorizer().fit(TABLE, Y)
    learnable.save(vectorizer, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").transform(TABLE), vectorizer.transform(TABLE))


def test_thousands_of_columns_go_through_a_file(tmp_path):
    X = pandas.DataFrame(np.random.default_rng(0).normal(size=(8, 3000))).rename(columns=str)
    model = TableVectorizer().fit(X)
    learnable.save(model, tmp_path / "wide")
    np.testing.assert_array_equal(learnable.load(tmp_path / "wide").transform(X), model.transform(X))


def test_dates_of_any_kind_have_the_same_parts():
    moments = pandas.date_range("2019-12-30 05:00", periods=50, freq="37h")
    expected = np.column_stack([moments.year, moments.month, moments.day, moments.day_of_week, moments.hour])
    parts = ["year", "month", "day", "weekday", "hour"]
    for column in (
        moments.to_numpy(),
        moments.to_pydatetime().astype(object),
        np.array([str(moment) for moment in moments], dtype=object),
    ):
        np.testing.assert_array_equal(DateParts(parts=parts).fit_transform(column[:, None]), expected)
    days = DateParts(parts=["days"]).fit_transform(moments.to_numpy()[:, None]).ravel()
    np.testing.assert_allclose(np.diff(days), 37 / 24)
    with pytest.raises(ValueError, match="column 0 holds 'soon' in row 0, which is not a date"):
        DateParts().fit([["soon"]])


PEOPLE = [f"user {k}" for k in RNG.integers(0, 150, N)]


@pytest.mark.parametrize(
    ("many", "width", "words"),
    [
        ("auto", 8, "hashed into 8 columns"),
        ("hash", 8, "hashed into 8 columns"),
        ("rare", 30, "an indicator for each frequent value"),
        ("target", 1, "mean target of its rows"),
        ("ordinal", 1, "coded as one number"),
    ],
)
def test_very_many_categories(many, width, words):
    table = pandas.DataFrame({"who": [None, *PEOPLE[1:]], "size": TABLE["size"]})
    vectorizer = TableVectorizer(very_many=50, n_hashed=8, many=many)
    matrix = vectorizer.fit_transform(table, Y)
    assert vectorizer.kinds_ == {"who": "very many", "size": "number"} and matrix.shape == (N, width + 1)
    assert words in vectorizer.table().splitlines()[1]
    names = vectorizer.get_feature_names_out()
    assert len(set(names)) == len(names) == width + 1
    other = vectorizer.transform(table.assign(who="a new person"))
    assert np.isfinite(other).all() and (other[0] == other[1])[:-1].all()


def test_hashed_categories_do_not_hang_on_the_rows_seen():
    first, second = (TableVectorizer({"who": "very many"}).fit(pandas.DataFrame({"who": rows})) for rows in
                     (PEOPLE[:50], PEOPLE[50:]))  # fmt: skip
    table = pandas.DataFrame({"who": ["user 1", "user 2", "user 1"]})
    np.testing.assert_array_equal(first.transform(table), second.transform(table))
    assert np.abs(first.transform(table)).sum() == 3


def test_durations_are_numbers_of_days():
    days = [1.0, 2.5, None, 4.0]
    pandas_frame = pandas.DataFrame({"stay": pandas.to_timedelta(days, unit="D")})
    polars_frame = polars.DataFrame({"stay": [None if d is None else datetime.timedelta(days=d) for d in days]})
    for frame in (pandas_frame, polars_frame):
        model = TableVectorizer().fit(frame)
        assert model.kinds_ == {"stay": "number"}
        filled = np.array([1.0, 2.5, 2.5, 4.0])
        np.testing.assert_allclose(model.transform(frame)[:, 0], (filled - filled.mean()) / filled.std())


@pytest.mark.parametrize("frame", [lambda table: table, polars.from_pandas], ids=["pandas", "polars"])
def test_named_columns_are_found_by_name_in_any_order_and_among_others(frame):
    part = TABLE[["size", "count", "street"]]
    vectorizer = TableVectorizer().fit(frame(part))
    expected = vectorizer.transform(frame(part))
    np.testing.assert_array_equal(vectorizer.transform(frame(part[["street", "size", "count"]])), expected)
    np.testing.assert_array_equal(vectorizer.transform(frame(part.assign(more=1.0))), expected)
    with pytest.raises(ValueError, match="count"):
        vectorizer.transform(frame(part[["street", "size"]]))


def _objects(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return pandas.DataFrame({"column": column})


MANY = {
    "decimals": ([Decimal(i) / 4 for i in range(60)], "number", 1),
    "codes of two types": ([i if i % 2 else f"x{i}" for i in range(60)], "many", 1),
    "numbers, later texts": ([*range(2100), *map(str, "abcd")], "very many", 32),
    "times of day": ([datetime.time(i % 24, i) for i in range(60)], "many", 1),
    "few of two types": ([1, "one"] * 30, "few", 2),
}


@pytest.mark.parametrize("values", MANY)
def test_objects_of_any_type_are_counted(values):
    entries, kind, width = MANY[values]
    table = _objects(entries)
    vectorizer = TableVectorizer().fit(table)
    assert vectorizer.kinds_ == {"column": kind}
    assert vectorizer.transform(table).shape == (len(entries), width)


RATINGS = pandas.DataFrame({"rating": pandas.Categorical([1, 3, None, 2, 3, 1], categories=[1, 2, 3, 4])})


@pytest.mark.parametrize(
    "column",
    [
        RATINGS["rating"],
        pandas.Series(pandas.Categorical([1.5, 2.5, None])),
        pandas.Series(pandas.Categorical(["1", "2", "3"])),
        polars.Series(["1", "2", "1"], dtype=polars.Categorical),
        polars.Series(["1", "2", "1"], dtype=polars.Enum(["1", "2"])),
        pyarrow.array([7, 8, 7]).dictionary_encode(),
    ],
    ids=["whole", "fractions", "texts", "polars", "enum", "arrow"],
)
@pytest.mark.parametrize("arrow", [True, False], ids=["pyarrow", "without"])
def test_what_a_frame_calls_categories_are_categories(monkeypatch, column, arrow):
    table = column.to_frame("c") if hasattr(column, "to_frame") else pyarrow.table({"c": column})
    if not arrow:
        monkeypatch.setattr(learnable.core.validate.mixed_table, "find_spec", lambda name: None)
    assert TableVectorizer().fit(table).kinds_ == {"c": "few"}
    assert TableVectorizer(few=2, very_many=2).fit(table).kinds_["c"] in ("few", "very many")
    assert TableVectorizer({"c": "number"}).fit_transform(table).shape[1] == 1


def test_numbers_that_are_categories_keep_their_names_and_are_found_again_as_numbers():
    vectorizer = TableVectorizer().fit(RATINGS)
    assert list(vectorizer.get_feature_names_out()) == ["rating_1", "rating_2", "rating_3", "rating_nan"]
    expected = vectorizer.transform(RATINGS)
    np.testing.assert_array_equal(expected.sum(axis=1), 1)
    for other in (RATINGS.astype("float64"), RATINGS.astype(object), RATINGS.astype("Int64")):
        np.testing.assert_array_equal(vectorizer.transform(other), expected)


@pytest.mark.parametrize("codes", [["00501", "10001", "07030"], ["9007199254740993", "9007199254740992", "1"]])
@pytest.mark.parametrize("given", ["frame", "array"])
def test_codes_that_look_like_numbers_are_categories(codes, given):
    table = pandas.DataFrame({"code": codes}, dtype=object)
    X = table if given == "frame" else table.to_numpy()
    vectorizer = TableVectorizer().fit(X)
    assert list(vectorizer.kinds_.values()) == ["few"] and vectorizer.transform(X).shape == (3, 3)
    assert TableVectorizer().fit(table.assign(code=["0", "0.5", "10"])).kinds_ == {"code": "number"}


def test_categories_learned_as_texts_are_found_again_as_numbers():
    texts = pandas.DataFrame({"ward": pandas.Categorical(["1", "2", "10", None])})
    for vectorizer in (TableVectorizer(), TableVectorizer(many="ordinal", few=2), TableVectorizer(many="hash", few=2)):
        expected = vectorizer.fit(texts).transform(texts)
        for wards in ([1, 2, 10, None], pandas.array([1, 2, 10, None]), pandas.Categorical([1, 2, 10, None])):
            np.testing.assert_array_equal(vectorizer.transform(pandas.DataFrame({"ward": wards})), expected)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_many_categories_have_the_scale_of_numbers_whatever_the_unit_of_the_target(unit):
    rng = np.random.default_rng(0)
    indices = rng.integers(0, 60, 600)
    table = pandas.DataFrame({"size": rng.normal(size=600), "town": [f"town {place}" for place in indices]})
    y = unit * (rng.normal(size=60)[indices] + table["size"].to_numpy())
    for target in (y, None):
        first = TableVectorizer(random_state=0).fit_transform(table, target)
        np.testing.assert_allclose(first.std(axis=0), 1.0)
    found = make_pipeline(TableVectorizer(random_state=0), KNeighborsRegressor(10)).fit(table[:500], y[:500])
    assert found.score(table[500:], y[500:]) > 0.8


@pytest.mark.parametrize("classes", [2, 3, 0])
def test_categories_of_one_row_each_do_not_leak_its_target(classes):
    """Means of other folds do: they are higher where the target is low, and scaling made that the whole column."""
    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"ticket": [f"t{row}" for row in range(57)]})
    y = rng.normal(size=57) if classes == 0 else rng.integers(0, classes, 57)
    np.testing.assert_allclose(TableVectorizer(random_state=0).fit_transform(table, y), 0.0, atol=1e-12)


def test_texts_become_terms_or_few_columns():
    """More terms and runs of characters than columns of words; their truncated SVD has as many columns as requested."""
    notes = TABLE[["note"]]
    terms = TableVectorizer(text="ngrams", sparse_output=True).fit(notes)
    weights = terms.transform(notes)
    assert weights.shape[1] == len(terms.get_feature_names_out()) > 400 and weights.nnz < 0.3 * np.prod(weights.shape)
    few = TableVectorizer(text="svd", n_components=5, random_state=0)
    encoded = few.fit_transform(notes)
    np.testing.assert_allclose(few.transform(notes), encoded, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(encoded, axis=1), 1)
    left = np.linalg.svd(weights.toarray(), full_matrices=False)
    best = left[0][:, :5] * left[1][:5]
    best /= np.linalg.norm(best, axis=1, keepdims=True)
    np.testing.assert_allclose(encoded @ encoded.T, best @ best.T, atol=0.05)


def test_texts_of_few_terms_have_fewer_columns():
    notes = pandas.DataFrame({"note": [f"a b c {'d' * (k % 2)}" for k in range(9)]})
    matrix = TableVectorizer({"note": "text"}, text="svd", n_components=50, random_state=0).fit_transform(notes)
    assert 1 <= matrix.shape[1] <= 9 and np.isfinite(matrix).all()
