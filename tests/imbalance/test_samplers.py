import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse

import learnable
from learnable.imbalance import SMOTE, SMOTENC, NearDuplicateUnderSampler, RandomOverSampler, RandomUnderSampler


def uneven(counts=(100, 30, 10), p=3, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    order = rng.permutation(len(y))
    return rng.normal(size=(len(y), p))[order] + y[order, None], y[order]


def counts(y):
    return np.bincount(np.asarray(y)).tolist()


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("auto", [10, 10, 10]),
        ("not minority", [10, 10, 10]),
        ("majority", [10, 30, 10]),
        ("not majority", [100, 10, 10]),
        ("all", [10, 10, 10]),
        ({0: 50, 1: 20}, [50, 20, 10]),
        (lambda y: {0: int((y == 1).sum())}, [30, 30, 10]),
    ],
)
def test_fewer_rows_by_strategy(strategy, expected):
    X, y = uneven()
    sampler = RandomUnderSampler(sampling_strategy=strategy, random_state=0)
    new, labels = sampler.fit_resample(X, y)
    assert counts(labels) == expected
    np.testing.assert_array_equal(new, X[sampler.sample_indices_])
    np.testing.assert_array_equal(labels, y[sampler.sample_indices_])
    assert len(set(sampler.sample_indices_.tolist())) == len(labels)


@pytest.mark.parametrize("cls", [RandomOverSampler, SMOTE])
@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("auto", [100, 100, 100]),
        ("not majority", [100, 100, 100]),
        ("minority", [100, 30, 100]),
        ("not minority", [100, 100, 10]),
        ("all", [100, 100, 100]),
        ({1: 40, 2: 60}, [100, 40, 60]),
    ],
)
def test_more_rows_by_strategy(cls, strategy, expected):
    X, y = uneven()
    new, labels = cls(sampling_strategy=strategy, random_state=0).fit_resample(X, y)
    assert counts(labels) == expected
    np.testing.assert_array_equal(new[: len(X)], X)


def test_ratios():
    X, y = uneven((90, 10))
    assert counts(RandomUnderSampler(sampling_strategy=0.5).fit_resample(X, y)[1]) == [20, 10]
    for cls in (RandomOverSampler, SMOTE):
        assert counts(cls(sampling_strategy=0.5).fit_resample(X, y)[1]) == [90, 45]


@pytest.mark.parametrize(
    ("cls", "strategy", "words"),
    [
        (RandomUnderSampler, "minority", "cannot be used with under-sampling"),
        (RandomOverSampler, "majority", "cannot be used with over-sampling"),
        (RandomUnderSampler, {0: 1000}, "more rows than it has"),
        (RandomOverSampler, {0: 5}, "fewer rows than it has"),
        (RandomOverSampler, {7: 5}, "not present in the data"),
        (RandomOverSampler, 0.5, "only when the type of target is binary"),
        (RandomOverSampler, 1.5, "at most 1"),
        (RandomOverSampler, [0], "cannot be a list"),
        (NearDuplicateUnderSampler, {0: 5}, "cannot be a dictionary"),
        (SMOTE, "most", "sampling_strategy must be"),
    ],
)
def test_strategies_that_cannot_be(cls, strategy, words):
    X, y = uneven()
    with pytest.raises(ValueError, match=words):
        cls(sampling_strategy=strategy).fit_resample(X, y)


def test_made_rows_lie_between_neighbours():
    X, y = uneven((60, 12), p=2)
    new, labels = SMOTE(k_neighbors=3, random_state=1).fit_resample(X, y)
    rare, made = X[y == 1], new[len(X) :]
    assert (labels[len(X) :] == 1).all()
    distance = np.linalg.norm(rare[:, None] - rare, axis=2)
    near = np.argsort(distance, axis=1)[:, 1:4]
    for row in made:
        on_a_way = False
        for i in range(len(rare)):
            for j in near[i]:
                way = rare[j] - rare[i]
                u = (row - rare[i]) @ way / (way @ way)
                on_a_way |= 0 <= u <= 1 and np.allclose(rare[i] + u * way, row)
        assert on_a_way


def test_draws_follow_the_recipe_and_the_seed():
    """The stream is NumPy's: pairs by whole numbers below n k, then the shares, as imbalanced-learn draws them."""
    X, y = uneven((50, 9), p=4)
    rare = X[y == 1]
    distance = ((rare[:, None] - rare) ** 2).sum(axis=2)
    near = np.argsort(distance, axis=1)[:, 1:6]
    rng = np.random.RandomState(42)
    chosen, share = rng.randint(0, near.size, 41), rng.uniform(size=41)
    start, place = np.divmod(chosen, 5)
    expected = rare[start] + share[:, None] * (rare[near[start, place]] - rare[start])
    new, _ = SMOTE(random_state=42).fit_resample(X, y)
    np.testing.assert_allclose(new[59:], expected, rtol=1e-12)


def test_missing_values_in_synthetic_rows_are_those_of_the_nearer_parent():
    X, y = uneven((200, 40), p=5)
    X[::3, 2] = np.nan
    new, _ = SMOTE(random_state=0).fit_resample(X, y)
    made = new[len(X) :]
    share = np.isnan(X[y == 1][:, 2]).mean()
    assert abs(np.isnan(made[:, 2]).mean() - share) < 0.15
    assert not np.isnan(np.delete(made, 2, axis=1)).any()


def test_too_few_neighbours_are_refused_by_class():
    X, y = uneven((20, 4))
    with pytest.raises(ValueError, match="k_neighbors = 5 and class 1 has 4"):
        SMOTE().fit_resample(X, y)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_units_do_not_matter(scale):
    X, y = uneven((30, 8))
    plain, _ = SMOTE(random_state=0).fit_resample(X, y)
    scaled, _ = SMOTE(random_state=0).fit_resample(X * scale, y)
    np.testing.assert_allclose(scaled / scale, plain, rtol=1e-9)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("p", [4, 40])
def test_sparse_rows_are_made_as_dense_ones(form, p):
    X, y = uneven((60, 20, 9), p=p)
    X[np.random.default_rng(1).random(X.shape) < 0.7] = 0.0
    dense, labels = SMOTE(random_state=0).fit_resample(X, y)
    thin, same = SMOTE(random_state=0).fit_resample(sparse.csr_array(X).asformat(form), y)
    assert sparse.issparse(thin) and thin.format == ("csr" if form == "coo" else form)
    np.testing.assert_array_equal(thin.toarray(), dense)
    np.testing.assert_array_equal(same, labels)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_sparse_rows_may_be_of_any_size_and_have_missing_values(scale):
    X, y = uneven((30, 8))
    plain, _ = SMOTE(random_state=0).fit_resample(X, y)
    np.testing.assert_allclose(
        SMOTE(random_state=0).fit_resample(sparse.csr_array(X * scale), y)[0].toarray() / scale, plain, rtol=1e-9
    )
    X[3, 1] = np.nan
    holed, _ = SMOTE(random_state=0).fit_resample(sparse.csr_array(X), y)
    np.testing.assert_array_equal(holed.toarray(), SMOTE(random_state=0).fit_resample(X, y)[0])


def test_wide_sparse_rows_are_never_written_out(monkeypatch):
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 1_000_000), density=1e-5, format="csr", rng=rng)
    y = np.repeat([0, 1], [200, 300])
    plain = sparse.csr_array.toarray

    def written_out(table):
        assert table.shape[1] < 1_000_000, "the table was written out"
        return plain(table)

    monkeypatch.setattr(sparse.csr_array, "toarray", written_out)
    more, labels = SMOTE(random_state=0).fit_resample(X, y)
    assert more.shape == (600, 1_000_000) and counts(labels) == [300, 300] and more.nnz < 2 * X.nnz


def test_sparse_columns_of_codes_and_whole_numbers():
    X, y = uneven((30, 8))
    X = np.column_stack([np.round(X * 10), np.arange(38) % 3])
    dense, _ = SMOTENC([3], random_state=0).fit_resample(X, y)
    thin, _ = SMOTENC([3], random_state=0).fit_resample(sparse.csc_array(X), y)
    np.testing.assert_array_equal(thin.toarray(), dense)
    whole, _ = SMOTE(random_state=0).fit_resample(sparse.csr_array(X.astype(int)), y)
    np.testing.assert_array_equal(whole.toarray(), SMOTE(random_state=0).fit_resample(X.astype(int), y)[0])


def test_whole_numbers_stay_whole():
    X, y = uneven((30, 8))
    new, _ = SMOTE(random_state=0).fit_resample(np.round(X * 10).astype(int), y)
    assert new.dtype.kind == "i"
    frame = pandas.DataFrame({"a": np.round(X[:, 0] * 10).astype(int), "b": X[:, 1]})
    for table in (frame, polars.from_pandas(frame)):
        more, _ = SMOTE(random_state=0).fit_resample(table, y)
        assert list(more.dtypes) == list(table.dtypes) and len(more) == 60


def test_anything_can_be_drawn():
    frame = pandas.DataFrame(
        {"text": list("abcdef"), "number": [1.0, None, 3, 4, 5, 6], "when": pandas.Timestamp.now()}
    )
    y = pandas.Series(["x", "y", "y", "y", "y", "y"], name="target")
    for table, target in (
        (frame, y),
        (polars.from_pandas(frame), polars.from_pandas(y)),
        (frame.to_numpy(), y.tolist()),
    ):
        small, labels = RandomUnderSampler(random_state=0).fit_resample(table, target)
        assert len(small) == len(labels) == 2 and type(small) is type(table)
        large, labels = RandomOverSampler(random_state=0).fit_resample(table, target)
        assert len(large) == len(labels) == 10 and type(large) is type(table)
    thin, labels = RandomOverSampler().fit_resample(sparse.csr_array(np.eye(6)), y)
    assert sparse.issparse(thin) and thin.shape == (10, 6)


def test_blurred_copies_have_the_width_of_a_kernel_estimate():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 2)) * [1, 5], np.arange(3000) % 30 == 0
    plain = RandomOverSampler(random_state=0)
    plain.fit(X, y)
    new, labels = RandomOverSampler(shrinkage=1.0, random_state=0).fit_resample(X, y)
    noise = new[3000:] - X[plain.sample_indices_[3000:]]
    expected = (4 / (4 * 100)) ** (1 / 6) * X[y].std(axis=0, ddof=1)
    np.testing.assert_allclose(noise.std(axis=0), expected, rtol=0.05)
    assert labels.sum() == 2900
    with pytest.raises(ValueError, match="shrinkage does not apply"):
        RandomOverSampler(shrinkage=1.0).fit_resample([["a"], ["b"], ["b"]], [0, 1, 1])


def test_near_duplicates_go_and_leave_a_stand_in():
    rng = np.random.default_rng(0)
    centres = 100 * rng.normal(size=(40, 3))
    common = np.repeat(centres, 10, axis=0) + 1e-3 * rng.normal(size=(400, 3))
    rare = 100 * rng.normal(size=(20, 3))
    X, y = np.vstack([common, rare]), np.repeat([0, 1], [400, 20])
    sampler = NearDuplicateUnderSampler(threshold=0.01)
    new, labels = sampler.fit_resample(X, y)
    assert counts(labels) == [40, 20]
    np.testing.assert_array_equal(sampler.sample_indices_[:40], np.arange(0, 400, 10))
    spread = X.std(axis=0)
    gone = np.setdiff1d(np.arange(400), sampler.sample_indices_)
    nearest = np.sqrt(((((X[gone][:, None] - new[:40]) / spread) ** 2).mean(axis=2)).min(axis=1))
    assert nearest.max() <= 0.01
    assert counts(NearDuplicateUnderSampler(threshold=0.0).fit_resample(np.vstack([X, X]), np.tile(y, 2))[1]) == [
        400,
        40,
    ]
    assert counts(NearDuplicateUnderSampler(threshold=0.01, sampling_strategy=[1]).fit_resample(X, y)[1]) == [400, 20]


def test_categories_are_those_of_most_neighbours():
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(
        {
            "size": np.concatenate([rng.normal(0, 1, 60), rng.normal(5, 1, 10), rng.normal(20, 1, 10)]),
            "kind": ["a"] * 60 + ["b"] * 10 + ["c"] * 10,
            "flag": [True, False] * 40,
        }
    )
    y = np.repeat([0, 1], [60, 20])
    for chosen in ("auto", ["kind", "flag"], [1, 2], [False, True, True]):
        sampler = SMOTENC(chosen, random_state=0, k_neighbors=3)
        new, labels = sampler.fit_resample(X, y)
        assert sampler.categorical_features_.tolist() == [1, 2] and counts(labels) == [60, 60]
        made = new.iloc[80:]
        assert list(new.dtypes) == list(X.dtypes)
        assert ((made["kind"] == "c") == (made["size"] > 12)).all() and set(made["kind"]) == {"b", "c"}
    more, _ = SMOTENC(["kind", "flag"], random_state=0, k_neighbors=3).fit_resample(polars.from_pandas(X), y)
    assert more["kind"].to_list() == new["kind"].tolist()


def test_categories_that_differ_are_a_median_deviation_apart():
    numbers = np.array([[0.0], [1.0], [1.2], [3.0], [9.0], [9.0], [9.0], [9.0], [9.0]])
    kinds = np.array(["a", "b", "a", "b", "c", "c", "c", "c", "c"])
    X = np.column_stack([numbers.astype(object), kinds.astype(object)])
    y = np.repeat([1, 0], [4, 5])
    sampler = SMOTENC([1], k_neighbors=1, random_state=0).fit(X, y)
    assert sampler.median_std_[1] == pytest.approx(np.std(numbers[:4]))
    # row 0 ("a") prefers the other "a" at 1.2 to the nearer "b" at 1: 1.2 < sqrt(1 + 1.09^2)
    new, _ = SMOTENC([1], k_neighbors=1, random_state=0, sampling_strategy={1: 200}).fit_resample(
        np.vstack([X, np.repeat(X[-1:], 300, axis=0)]), np.append(y, np.zeros(300, dtype=int))
    )
    made = new[309:]
    from_first = made[(made[:, 0].astype(float) < 1.0) & (made[:, 1] == "a")]
    assert len(from_first) > 20 and from_first[:, 0].astype(float).max() < 1.0


def test_tables_that_smotenc_cannot_use():
    X, y = uneven((20, 8))
    with pytest.raises(ValueError, match="only with numeric features"):
        SMOTENC("auto").fit_resample(X, y)
    with pytest.raises(ValueError, match="only with categorical features"):
        SMOTENC([0, 1, 2]).fit_resample(X, y)
    with pytest.raises(ValueError, match="no such column"):
        SMOTENC(["colour"]).fit_resample(X, y)
    mixed = X.astype(object)
    mixed[0, 0] = "tall"
    with pytest.raises(ValueError, match="column 0 holds something that is not a number"):
        SMOTENC([1]).fit_resample(mixed, y)


def test_seeds():
    X, y = uneven()
    for cls in (RandomUnderSampler, RandomOverSampler, SMOTE):
        first, again, other = (cls(random_state=seed).fit_resample(X, y)[0] for seed in (0, 0, 1))
        assert first.tobytes() == again.tobytes() != other.tobytes()


def test_samplers_are_saved_with_what_they_found(tmp_path):
    X, y = uneven()
    sampler = RandomUnderSampler(random_state=0).fit(X, y)
    learnable.save(sampler, tmp_path / "sampler")
    again = learnable.load(tmp_path / "sampler")
    assert again.sampling_strategy_ == {0: 10, 1: 10} and (again.sample_indices_ == sampler.sample_indices_).all()


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string()),
    ],
    ids=str,
)
def test_new_rows_have_the_types_of_an_arrow_table(kind):
    words = pyarrow.array(["x", "y"] * 30).cast(kind)
    table = pyarrow.table({"a": np.arange(60.0), "c": words, "n": pyarrow.array(range(60), pyarrow.int16())})
    target = pyarrow.array(["rare"] * 12 + ["common"] * 48)
    more, labels = SMOTENC(categorical_features=[1], random_state=0).fit_resample(table, target)
    assert more.schema == table.schema and more.num_rows == 96 and sorted(labels.tolist()).count("rare") == 48
