import numpy as np
import pandas
import pytest
import sklearn.feature_selection as theirs
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse, stats

import learnable
from learnable import feature_selection as ours


def table(seed=0, n=80, p=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.lognormal(size=p) + rng.normal(size=p)
    y = X @ rng.normal(size=p) * 0.3 + rng.normal(size=n)
    return X, y, np.digitize(y, np.quantile(y, [0.3, 0.6]))


CASES = {
    "f_classif": lambda module, X, y, c: module.f_classif(X, c),
    "f_regression": lambda module, X, y, c: module.f_regression(X, y),
    "f_regression uncentred": lambda module, X, y, c: module.f_regression(X, y, center=False),
    "r_regression": lambda module, X, y, c: module.r_regression(X, y),
    "r_regression uncentred": lambda module, X, y, c: module.r_regression(X, y, center=False),
    "chi2": lambda module, X, y, c: module.chi2(abs(X), c),
}


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 10_000), n=st.integers(8, 60), p=st.integers(1, 8))
def test_scores_equal_those_of_scikit_learn(name, seed, n, p):
    X, y, c = table(seed, n, p)
    X = np.round(X, 1)
    assume((np.ptp(X, axis=0) > 0).all())  # of constant columns scikit-learn scores the rounding errors
    for matrix in (X, sparse.csr_array(X), sparse.csc_matrix(X)):
        mine, their = CASES[name](ours, matrix, y, c), CASES[name](theirs, matrix, y, c)
        np.testing.assert_allclose(mine, without_rounding(their), rtol=1e-7, atol=1e-9)


def without_rounding(found):
    """Scores and p-values; a score that is minus a rounding error is zero, and its p-value one, not NaN."""
    values = np.array(found)
    if values.ndim == 2:
        tiny = (values[0] < 0) & (values[0] > -1e-9)
        values[:, tiny] = [[0.0], [1.0]]
    return values


def test_the_analysis_of_variance_is_that_of_scipy():
    X, _, c = table()
    groups = [X[c == k] for k in range(3)]
    np.testing.assert_allclose(ours.f_oneway(*groups), stats.f_oneway(*groups), rtol=1e-10)
    np.testing.assert_allclose(ours.f_oneway(*groups), theirs.f_oneway(*groups), rtol=1e-10)


def test_constant_columns():
    X, y, c = table()
    X[:, 1] = 3.0
    with pytest.warns(UserWarning, match="constant"):
        assert np.isnan(ours.f_classif(X, c)[0][1])
    assert ours.r_regression(X, y)[1] == 0 and np.isnan(ours.r_regression(X, y, force_finite=False)[1])
    for stored in (X, sparse.csr_array(X)):
        F, p = ours.f_regression(stored, y)
        assert F[1] == 0 and p[1] == 1
    F, p = ours.f_regression(y[:, None], 2 * y)
    assert F[0] > 1e15 and p[0] < 1e-100


@pytest.mark.parametrize("name", ["f_classif", "f_regression", "r_regression", "chi2"])
def test_weights_are_copies(name):
    X, y, c = table()
    X, target = (np.abs(X), c) if name == "chi2" else (X, c if name == "f_classif" else y)
    count = np.random.default_rng(1).integers(0, 4, len(X))
    rows = np.repeat(np.arange(len(X)), count)
    score = getattr(ours, name)
    np.testing.assert_allclose(score(X, target, sample_weight=count), score(X[rows], target[rows]), rtol=1e-9)


def test_a_class_without_weight_is_not_a_class():
    X, _, c = table()
    weight = (c > 0).astype(float)
    for score, matrix in ((ours.f_classif, X), (ours.chi2, np.abs(X))):
        np.testing.assert_allclose(score(matrix, c, sample_weight=weight), score(matrix[c > 0], c[c > 0]), rtol=1e-9)


SELECTORS = {
    "SelectKBest": {"k": 3},
    "SelectPercentile": {"percentile": 40},
    "SelectFpr": {"alpha": 0.1},
    "SelectFdr": {"alpha": 0.1},
    "SelectFwe": {"alpha": 0.1},
}


@pytest.mark.parametrize("name", SELECTORS)
@given(seed=st.integers(0, 1000))
def test_the_same_columns_as_scikit_learn(name, seed):
    X, y, c = table(seed, p=8)
    for target, score in ((c, "f_classif"), (y, "f_regression")):
        mine = getattr(ours, name)(getattr(ours, score), **SELECTORS[name]).fit(X, target)
        their = getattr(theirs, name)(getattr(theirs, score), **SELECTORS[name]).fit(X, target)
        np.testing.assert_array_equal(mine.get_support(), their.get_support())
        np.testing.assert_array_equal(mine.get_support(indices=True), their.get_support(indices=True))


def test_equal_scores_are_cut_as_in_scikit_learn():
    scores = np.array([1.0, 3.0, 3.0, 2.0, 3.0, np.nan, 1.0])
    X = np.ones((3, 7))
    for name, option in (("SelectKBest", "k"), ("SelectPercentile", "percentile")):
        for value in (0, 1, 2, 3, 5, 7, 30, 50, 100):
            if option == "k" and value > 7:
                continue
            mine = getattr(ours, name)(lambda X, y: scores, **{option: value}).fit(X, [0, 1, 0])
            their = getattr(theirs, name)(lambda X, y: scores, **{option: value}).fit(X, [0, 1, 0])
            np.testing.assert_array_equal(mine.get_support(), their.get_support(), f"{name} {value}")


@pytest.mark.parametrize(
    ("mode", "value"), [("percentile", 40), ("k_best", 3), ("k_best", "all"), ("fpr", 0.1), ("fdr", 0.1), ("fwe", 0.1)]
)
def test_the_generic_selector_is_any_of_them(mode, value):
    X, _, c = table(p=8)
    mine = ours.GenericUnivariateSelect(mode=mode, param=value).fit(X, c)
    their = theirs.GenericUnivariateSelect(mode=mode, param=value).fit(X, c)
    np.testing.assert_array_equal(mine.get_support(), their.get_support())


def test_a_filter_bounds_the_false_discovery_rate():
    rng = np.random.default_rng(0)
    false = []
    for _ in range(60):
        X = rng.normal(size=(60, 60))
        y = X[:, :10].sum(axis=1) + rng.normal(size=60)
        kept = ours.SelectFdr(ours.f_regression, alpha=0.2).fit(X, y).get_support(indices=True)
        false.append(np.mean(kept >= 10) if len(kept) else 0.0)
    assert np.mean(false) <= 0.2


def test_names_inverse_and_sparse_columns():
    X, _, c = table(p=4)
    frame = pandas.DataFrame(X, columns=list("abcd"))
    model = ours.SelectKBest(k=2).fit(frame, c)
    kept = model.get_support()
    assert list(model.get_feature_names_out()) == [name for name, keep in zip("abcd", kept, strict=True) if keep]
    back = model.inverse_transform(model.transform(frame))
    np.testing.assert_array_equal(back, X * kept)
    thin = ours.SelectKBest(k=2).fit(sparse.csr_array(X), c)
    assert sparse.issparse(thin.transform(sparse.csr_array(X)))
    np.testing.assert_array_equal(thin.inverse_transform(thin.transform(sparse.csr_array(X))).toarray(), X * kept)


def test_words_of_refusal():
    X, y, c = table()
    with pytest.raises(ValueError, match="chi2: Input X must be non-negative"):
        ours.chi2(X, c)
    with pytest.raises(ValueError, match="f_classif: Unknown label type: continuous"):
        ours.f_classif(X, y)
    with pytest.raises(ValueError, match="p-values are needed"):
        ours.SelectFpr(ours.r_regression).fit(X, y)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        ours.SelectKBest(lambda X, y: np.ones(X.shape[1]), k=1).fit(X, y, sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match="one score for each of the 6 columns"):
        ours.SelectKBest(lambda X, y: np.ones(2), k=1).fit(X, y)
    with pytest.warns(UserWarning, match="chose no column"):
        assert ours.SelectFwe(alpha=0.0).fit_transform(X, c).shape == (80, 0)


def test_files_hold_score_functions_by_name_and_no_other(tmp_path):
    X, _, c = table()
    model = ours.SelectKBest(ours.chi2, k=2).fit(np.abs(X), c)
    learnable.save(model, tmp_path / "m")
    assert learnable.load(tmp_path / "m").score_func is ours.chi2
    with pytest.raises(TypeError, match="holds data, never code"):
        learnable.save(ours.SelectKBest(print), tmp_path / "m")


def test_variance_filter_equals_scikit_learn_and_ignores_missing_values():
    X, _, _ = table()
    X[:, 2], X[3, 0] = 7.0, np.nan
    for threshold in (0.0, 0.5, 2.0):
        mine, their = ours.VarianceThreshold(threshold).fit(X), theirs.VarianceThreshold(threshold).fit(X)
        np.testing.assert_array_equal(mine.get_support(), their.get_support())
        np.testing.assert_allclose(mine.variances_, their.variances_, rtol=1e-9)
    thin = sparse.csr_array(np.nan_to_num(np.where(np.abs(X) < 1, 0, X)))
    np.testing.assert_allclose(
        ours.VarianceThreshold().fit(thin).variances_, theirs.VarianceThreshold().fit(thin).variances_, rtol=1e-9
    )
    with pytest.raises(ValueError, match="no column varies by more than"):
        ours.VarianceThreshold().fit(np.ones((3, 2)))


def test_the_pixels_at_the_rim_of_pictures_go():
    rng = np.random.default_rng(0)
    pictures = np.zeros((50, 8, 8))
    pictures[:, 2:6, 2:6] = rng.integers(0, 16, (50, 4, 4))
    kept = ours.VarianceThreshold(threshold=1.0).fit(pictures.reshape(50, 64)).get_support().reshape(8, 8)
    assert kept[2:6, 2:6].all() and kept.sum() == 16


def test_one_class_has_nothing_to_be_compared_with():
    with pytest.raises(ValueError, match="f_classif: at least two classes are needed to compare; got 1"):
        ours.f_classif(np.arange(8.0).reshape(4, 2), [1, 1, 1, 1])


@pytest.mark.parametrize(
    ("score", "remedy"),
    [("f_classif", "f_regression"), ("chi2", "f_regression"), ("mutual_info_classif", "mutual_info_regression")],
)
def test_scores_for_classes_name_those_for_numbers(score, remedy):
    X, y, _ = table()
    with pytest.raises(learnable.DataError, match=f"{score}: Unknown label type: continuous.*use {remedy}, or bin y"):
        ours.SelectKBest(getattr(ours, score), k=2).fit(abs(X), y)
