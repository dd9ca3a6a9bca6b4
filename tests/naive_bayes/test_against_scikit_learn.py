"""Every parameter that scikit-learn's naive Bayes classifiers have, on drawn data, with and without weights."""

import numpy as np
import pytest
import sklearn.naive_bayes as theirs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

import learnable


@st.composite
def counts(draw):
    seed = draw(st.integers(0, 10_000))
    rows, columns, classes = draw(st.integers(6, 60)), draw(st.integers(1, 8)), draw(st.integers(2, 4))
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    X = rng.poisson(rng.gamma(1.0, 2.0, (classes, columns))[y]).astype(float)
    weight = rng.random(rows) + 0.1 if draw(st.booleans()) else None
    return X, np.array(["a", "b", "c", "d"])[y], weight


ALPHAS = st.sampled_from([0.01, 0.5, 1.0, 3.0])


def agree(name, problem, parameters, tolerance=1e-9):
    X, y, weight = problem
    ours = getattr(learnable, name)(**parameters).fit(X, y, sample_weight=weight)
    other = getattr(theirs, name)(**parameters).fit(X, y, sample_weight=weight)
    for method in ("predict_joint_log_proba", "predict_proba", "predict_log_proba"):
        np.testing.assert_allclose(
            getattr(ours, method)(X), getattr(other, method)(X), rtol=tolerance, atol=tolerance, err_msg=method
        )
    return ours, other


@settings(max_examples=30, deadline=None)
@given(counts(), ALPHAS, st.booleans())
def test_multinomial(problem, alpha, fit_prior):
    ours, other = agree("MultinomialNB", problem, {"alpha": alpha, "fit_prior": fit_prior})
    np.testing.assert_allclose(ours.feature_count_, other.feature_count_, rtol=1e-12)
    np.testing.assert_allclose(ours.feature_log_prob_, other.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(ours.class_log_prior_, other.class_log_prior_, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(counts(), ALPHAS, st.booleans())
def test_complement(problem, alpha, norm):
    assume(problem[0].shape[1] > 1)  # all weights of one column are zero, and scikit-learn divides by their sum
    ours, other = agree("ComplementNB", problem, {"alpha": alpha, "norm": norm})
    np.testing.assert_allclose(ours.feature_log_prob_, other.feature_log_prob_, rtol=1e-11)


@settings(max_examples=30, deadline=None)
@given(counts(), ALPHAS, st.sampled_from([0.0, 1.0, 2.5]))
def test_bernoulli(problem, alpha, binarize):
    ours, other = agree("BernoulliNB", problem, {"alpha": alpha, "binarize": binarize})
    np.testing.assert_allclose(ours.feature_count_, other.feature_count_, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(counts(), ALPHAS, st.sampled_from([None, 30]))
def test_categorical(problem, alpha, least):
    ours, other = agree("CategoricalNB", problem, {"alpha": alpha, "min_categories": least})
    for table, their_table in zip(ours.category_count_, other.category_count_, strict=True):
        np.testing.assert_allclose(table, their_table, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(counts(), st.sampled_from([1e-9, 1e-3]), st.booleans())
def test_gaussian(problem, smoothing, given_priors):
    X, y, weight = problem
    X = X + np.random.default_rng(0).normal(size=X.shape)
    priors = np.full(len(np.unique(y)), 1 / len(np.unique(y))) if given_priors else None
    # scikit-learn adds a share of the variance of the rows without their weights: only its size shows the difference
    tolerance = 1e-9 if weight is None else 20 * smoothing * X.var(axis=0).max() / np.min(X.var(axis=0)) + 1e-9
    ours = learnable.GaussianNB(priors=priors, var_smoothing=smoothing).fit(X, y, sample_weight=weight)
    other = theirs.GaussianNB(priors=priors, var_smoothing=smoothing).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.theta_, other.theta_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.var_ - ours.epsilon_, other.var_ - other.epsilon_, rtol=1e-7, atol=1e-9)
    if weight is None:
        np.testing.assert_allclose(ours.predict_log_proba(X), other.predict_log_proba(X), rtol=1e-6, atol=1e-6)
        assert ours.epsilon_ == pytest.approx(other.epsilon_)
    np.testing.assert_allclose(ours.class_prior_, other.class_prior_, rtol=1e-9, atol=tolerance)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_sparse_rows_give_the_dense_model(name):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, (200, 30)).astype(float), rng.integers(0, 3, 200)
    dense = getattr(learnable, name)().fit(X, y)
    for store in (sparse.csr_array, sparse.csc_array, sparse.coo_array):
        thin = getattr(learnable, name)().fit(store(X), y)
        np.testing.assert_array_equal(thin.feature_count_, dense.feature_count_)
        np.testing.assert_allclose(thin.predict_proba(store(X)), dense.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB", "CategoricalNB"])
def test_smoothing_kept_off_zero_is_reported(name):
    X, y = np.array([[1.0, 0.0], [0.0, 2.0]]), [0, 1]
    with pytest.warns(UserWarning, match="alpha near zero"):
        model = getattr(learnable, name)(alpha=0.0, force_alpha=False).fit(X, y)
    assert np.isfinite(model.predict_joint_log_proba(X)).all()


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB"])
def test_parts_with_classes_named_first_agree_with_scikit_learn(name):
    rng = np.random.default_rng(3)
    X, y = rng.poisson(2.0, (90, 4)).astype(float), rng.integers(0, 3, 90)
    X[:, 0] += y
    ours, other = getattr(learnable, name)(), getattr(theirs, name)()
    for rows in (slice(0, 30), slice(30, 60), slice(60, 90)):
        ours.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        other.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-6, atol=1e-9)
