import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import sklearn.model_selection as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import learnable
import learnable.model_selection as ours
from learnable.core import DataError, ParameterError

CASES = [
    ("KFold", {"n_splits": 3}),
    ("KFold", {"n_splits": 4, "shuffle": True, "random_state": 7}),
    ("StratifiedKFold", {"n_splits": 3}),
    ("StratifiedKFold", {"n_splits": 3, "shuffle": True, "random_state": 3}),
    ("GroupKFold", {"n_splits": 3}),
    ("GroupKFold", {"n_splits": 3, "shuffle": True, "random_state": 1}),
    ("StratifiedGroupKFold", {"n_splits": 3}),
    ("StratifiedGroupKFold", {"n_splits": 2, "shuffle": True, "random_state": 5}),
    ("RepeatedKFold", {"n_splits": 3, "n_repeats": 2, "random_state": 0}),
    ("RepeatedStratifiedKFold", {"n_splits": 2, "n_repeats": 3, "random_state": 0}),
    ("LeaveOneOut", {}),
    ("LeavePOut", {"p": 2}),
    ("LeaveOneGroupOut", {}),
    ("LeavePGroupsOut", {"n_groups": 2}),
    ("ShuffleSplit", {"n_splits": 4, "random_state": 0}),
    ("ShuffleSplit", {"n_splits": 2, "test_size": 0.3, "train_size": 5, "random_state": 2}),
    ("StratifiedShuffleSplit", {"n_splits": 4, "test_size": 0.4, "random_state": 0}),
    ("StratifiedShuffleSplit", {"n_splits": 2, "test_size": 8, "train_size": 9, "random_state": 4}),
    ("GroupShuffleSplit", {"n_splits": 3, "random_state": 0}),
    ("TimeSeriesSplit", {"n_splits": 3}),
    ("TimeSeriesSplit", {"n_splits": 2, "test_size": 3, "gap": 1, "max_train_size": 5}),
]


@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(20, 40))
def test_rows_are_those_of_scikit_learn(name, options, seed, n):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    groups = rng.permutation(np.arange(n) % 5)
    X = np.zeros((n, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        mine, other = getattr(ours, name)(**options), getattr(theirs, name)(**options)
        assert mine.get_n_splits(X, y, groups) == other.get_n_splits(X, y, groups)
        found, expected = list(mine.split(X, y, groups)), list(other.split(X, y, groups))
    assert len(found) == len(expected)
    for (train, test), (their_train, their_test) in zip(found, expected, strict=True):
        assert np.array_equal(train, their_train) and np.array_equal(test, their_test)


@pytest.mark.parametrize("labels", [["b", "a", "c"], [1.0, 0.0, 2.0], [True, False]])
def test_strata_of_any_kind_of_label(labels):
    y = np.array([labels[i % len(labels)] for i in range(24)])
    for options in ({}, {"shuffle": True, "random_state": 0}):
        found = ours.StratifiedKFold(3, **options).split(y, y)
        expected = theirs.StratifiedKFold(3, **options).split(y, y)
        assert all(np.array_equal(a[1], b[1]) for a, b in zip(found, expected, strict=True))


def test_predefined_folds():
    fold = [0, 1, -1, 1, 0]
    found, expected = ours.PredefinedSplit(fold), theirs.PredefinedSplit(fold)
    assert [t.tolist() for pair in found.split() for t in pair] == [
        t.tolist() for pair in expected.split() for t in pair
    ]
    assert found.get_n_splits() == 2


@given(seed=st.integers(0, 10**6), groups=st.integers(2, 12), share=st.sampled_from([0.2, 0.4, 0.5]))
@settings(max_examples=60, deadline=None)
def test_stratified_group_draws_split_no_group(seed, groups, share):
    rng = np.random.default_rng(seed)
    codes = rng.integers(groups, size=60)
    codes[:groups] = np.arange(groups)
    y = rng.integers(3, size=60)
    splitter = ours.StratifiedGroupShuffleSplit(3, test_size=share, random_state=seed)
    for train, test in splitter.split(y, y, codes):
        assert not set(codes[train]) & set(codes[test])
        assert sorted([*train, *test]) == list(range(60)) and len(test) and len(train)


def test_stratified_group_draws_keep_class_frequencies():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(100), 5)
    y = (rng.random(500) < 0.2).astype(int)
    shares = [
        (len(test) / 500, y[test].mean() - y.mean())
        for _, test in ours.StratifiedGroupShuffleSplit(20, test_size=0.3, random_state=0).split(y, y, groups)
    ]
    assert all(abs(share - 0.3) < 0.021 and abs(apart) < 0.025 for share, apart in shares)


def test_the_global_stream_is_used_without_a_seed():
    np.random.seed(5)  # noqa: NPY002  the very thing under test
    found = next(ours.ShuffleSplit(1).split(np.zeros(20)))[1]
    np.random.seed(5)  # noqa: NPY002  as above
    np.testing.assert_array_equal(found, next(theirs.ShuffleSplit(1).split(np.zeros(20)))[1])


REFUSED = [
    (lambda: ours.KFold(1), "KFold: n_splits must be at least 2"),
    (lambda: ours.KFold(2.5), "n_splits must be a whole number"),
    (lambda: ours.KFold(random_state=1), "set shuffle=True"),
    (lambda: ours.KFold(shuffle=3), "shuffle must be True or False"),
    (lambda: list(ours.KFold(5).split(np.zeros(3))), "n_samples=3"),
    (lambda: list(ours.StratifiedKFold(3).split(np.zeros(4), ["a", "a", "b", "b"])), "'a', has 2"),
    (lambda: list(ours.StratifiedKFold(2).split(np.zeros(3), [0.5, 1.5, 1.0])), "continuous"),
    (lambda: list(ours.GroupKFold(3).split(np.zeros(3), groups=[0, 1, 1])), "formed from 2 groups"),
    (lambda: list(ours.GroupKFold(2).split(np.zeros(3))), "groups is needed"),
    (lambda: list(ours.GroupKFold(2).split(np.zeros(2), groups=[1.0, np.nan])), "contains NaN in row 1"),
    (lambda: list(ours.KFold(2).split(np.zeros(3), [1, 2])), "X has 3 rows but y has 2"),
    (lambda: list(ours.StratifiedShuffleSplit(1).split(np.zeros(3), ["a", "a", "b"])), "['b']"),
    (lambda: ours.ShuffleSplit(test_size=1.5), "test_size=1.5"),
    (lambda: ours.train_test_split([1, 2, 3], test_size=5), "test_size=5"),
    (lambda: ours.train_test_split([1, 2, 3], test_size=0.9, train_size=0.9), "sum of test_size and train_size"),
    (lambda: ours.train_test_split([1], test_size=0.5), "to train on"),
    (lambda: ours.train_test_split(), "at least one table"),
    (lambda: ours.train_test_split([1, 2], shuffle=False, stratify=[0, 1]), "need shuffle=True"),
    (lambda: ours.train_test_split([1, 2, 3], [1, 2]), "the same number of rows"),
    (lambda: list(ours.TimeSeriesSplit(5).split(np.zeros(4))), "formed from 4 rows"),
    (lambda: list(ours.TimeSeriesSplit(2, test_size=3).split(np.zeros(6))), "Too many splits=2"),
    (lambda: list(ours.LeaveOneGroupOut().split(np.zeros(2), groups=[1, 1])), "fewer than 2 unique groups"),
    (lambda: list(ours.LeavePGroupsOut(2).split(np.zeros(2), groups=[1, 2])), "at least 3 unique groups"),
    (lambda: list(ours.LeavePOut(2).split(np.zeros(2))), "p=2"),
    (lambda: list(ours.LeaveOneOut().split(np.zeros(1))), "n_samples=1"),
    (lambda: ours.check_cv("five"), "'five'"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_refusals_name_the_culprit(call, words):
    with pytest.raises((DataError, ParameterError)) as caught:
        call()
    assert words in str(caught.value)


def test_a_class_that_some_folds_lack_is_warned_of():
    with pytest.warns(UserWarning, match="class 'b' has 2 rows for n_splits=3 folds"):
        list(ours.StratifiedKFold(3).split(np.zeros(5), ["a", "a", "a", "b", "b"]))
    with pytest.warns(UserWarning, match="ignored by KFold"):
        list(ours.KFold(2).split(np.zeros(4), groups=[1, 1, 2, 2]))


@given(
    n=st.integers(8, 60),
    seed=st.integers(0, 1000),
    test=st.sampled_from([None, 0.2, 0.5, 3]),
    train=st.sampled_from([None, 0.3, 4]),
    stratify=st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_one_split_is_that_of_scikit_learn(n, seed, test, train, stratify):
    X, y = np.arange(2 * n).reshape(n, 2), np.arange(n) % 3
    options = {"test_size": test, "train_size": train, "random_state": seed, "stratify": y if stratify else None}
    try:
        expected = theirs.train_test_split(X, y, **options)
    except ValueError:
        with pytest.raises(ValueError):
            ours.train_test_split(X, y, **options)
        return
    for mine, other in zip(ours.train_test_split(X, y, **options), expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_tables_stay_what_they_are():
    X = np.arange(40.0).reshape(20, 2)
    rows = ours.train_test_split(np.arange(20), random_state=0)[1]
    frame = pandas.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(20)])
    tables = {
        "pandas": frame,
        "series": frame["a"],
        "polars": polars.DataFrame(X, schema=["a", "b"]),
        "arrow": pyarrow.table({"a": X[:, 0], "b": X[:, 1]}),
        "csr": sparse.csr_array(X),
        "coo": sparse.coo_array(X),
        "polars series": polars.Series(X[:, 0]),
    }
    for name, table in tables.items():
        train, test = ours.train_test_split(table, random_state=0)
        kind = sparse.sparray if name == "coo" else type(table)
        assert isinstance(test, kind) and isinstance(train, kind), name
        values = test.toarray() if sparse.issparse(test) else np.asarray(test)
        np.testing.assert_array_equal(values, (X if values.ndim == 2 else X[:, 0])[rows], err_msg=name)
    assert list(ours.train_test_split(frame, random_state=0)[1].index) == [f"r{i}" for i in rows]


def test_groups_are_not_split():
    groups = np.repeat(np.arange(10), 4)
    for stratify in (None, np.tile([0, 1], 20)):
        train, test = ours.train_test_split(groups, groups=groups, stratify=stratify, test_size=0.3, random_state=0)
        assert not set(train) & set(test) and len(set(test)) == 3


def test_splitters_show_their_parameters():
    assert repr(ours.KFold(3, shuffle=True, random_state=1)) == "KFold(n_splits=3, shuffle=True, random_state=1)"


def test_whatever_is_given_becomes_a_splitter():
    y = np.array([0, 1] * 6)
    assert type(ours.check_cv(None, y, classifier=True)) is ours.StratifiedKFold
    assert type(ours.check_cv(3, y)) is ours.KFold and ours.check_cv(3).get_n_splits() == 3
    assert type(ours.check_cv(3, y / 3, classifier=True)) is ours.KFold
    pairs = [(np.arange(6), np.arange(6, 12))]
    assert next(ours.check_cv(pairs).split(y))[1].tolist() == list(range(6, 12))
    given = theirs.KFold(2)
    assert ours.check_cv(given) is given


def test_scikit_learn_takes_our_splitters():
    from sklearn.linear_model import Ridge

    X, y = np.arange(40.0).reshape(20, 2), np.arange(20.0) ** 2
    mine = theirs.cross_val_score(Ridge(), X, y, cv=ours.KFold(4, shuffle=True, random_state=0))
    other = theirs.cross_val_score(Ridge(), X, y, cv=theirs.KFold(4, shuffle=True, random_state=0))
    np.testing.assert_array_equal(mine, other)


SAVED = [
    *(getattr(ours, name)(**options) for name, options in CASES),
    ours.PredefinedSplit([0, 1, -1, 1]),
    ours.StratifiedGroupShuffleSplit(2, test_size=0.5, random_state=1),
]


@pytest.mark.parametrize("splitter", SAVED, ids=lambda splitter: type(splitter).__name__)
def test_files_hold_searches_with_any_splitter(splitter, tmp_path):
    search = learnable.GridSearchCV(learnable.Ridge(), {"alpha": [1.0]}, cv=splitter)
    learnable.save(search, tmp_path / "search.learn")
    again = learnable.load(tmp_path / "search.learn").cv
    assert type(again) is type(splitter) and repr(again) == repr(splitter)
