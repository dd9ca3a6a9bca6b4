"""Densities turned into classifiers by Bayes' rule."""

import numpy as np
import pandas
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

import learnable
from learnable.density import GaussianDensity
from learnable.naive_bayes import GenerativeClassifier


def draw(seed=0, rows=150):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1, 2] * 5, rng.integers(0, 3, rows - 15)])
    return rng.normal(size=(rows, 2)) @ [[1.0, 0.5], [0.0, 0.7]] + 1.5 * np.array([[0, 0], [1, 1], [-1, 2]])[y], y


def test_gaussians_give_the_quadratic_discriminant():
    """FRM-08."""
    X, y = draw()
    ours = GenerativeClassifier(GaussianDensity(shrinkage=0.0)).fit(X, y)
    peer = learnable.QuadraticDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("density", [KernelDensity(bandwidth=0.5), GaussianMixture(2, random_state=0)])
def test_any_density_will_do(density):
    X, y = draw()
    model = GenerativeClassifier(density).fit(X, y)
    logs = []
    for k in range(3):
        copy = type(density)(**density.get_params()).fit(X[y == k])
        logs.append(np.log((y == k).mean()) + copy.score_samples(X))
    joint = np.exp(np.column_stack(logs))
    np.testing.assert_allclose(model.predict_proba(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-8)
    assert not hasattr(density, "means_") and not hasattr(density, "tree_")
    rows, labels = model.sample(40, random_state=0)
    assert rows.shape == (40, 2) and set(labels) <= {0, 1, 2}


def test_new_rows_of_a_class():
    X, y = draw(rows=400)
    model = GenerativeClassifier().fit(X, np.array(["a", "b", "c"])[y])
    rows, labels = model.sample(4000, label="b", random_state=0)
    assert set(labels) == {"b"}
    np.testing.assert_allclose(rows.mean(axis=0), X[y == 1].mean(axis=0), atol=0.08)
    np.testing.assert_allclose(np.cov(rows.T), np.cov(X[y == 1].T), atol=0.12)
    again, _ = model.sample(4000, label="b", random_state=0)
    np.testing.assert_array_equal(rows, again)


@pytest.mark.parametrize("count", [-2, 0, 2.5, "2"])
@pytest.mark.parametrize("label", [None, 1])
def test_new_rows_are_a_whole_number_of_them(count, label):
    X, y = draw(rows=60)
    with pytest.raises(learnable.ParameterError, match="n_samples of sample must be a whole number of at least 1"):
        GenerativeClassifier().fit(X, y).sample(count, label=label)


def test_weights_and_priors():
    X, y = draw()
    count = np.random.default_rng(0).integers(1, 4, len(y))
    copies = np.repeat(np.arange(len(y)), count)
    weighted, copied = (
        GenerativeClassifier().fit(X, y, sample_weight=count),
        GenerativeClassifier().fit(X[copies], y[copies]),
    )
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), rtol=1e-9)
    sure = GenerativeClassifier(priors=[0.0, 0.0, 1.0]).fit(X, y)
    np.testing.assert_array_equal(sure.predict_proba(X[:3]), [[0, 0, 1]] * 3)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        GenerativeClassifier(GaussianMixture()).fit(X, y, sample_weight=count)
    with pytest.raises(ValueError, match="fit and score_samples"):
        GenerativeClassifier(learnable.Ridge()).fit(X, y)


def test_the_gaussian_density():
    X, _ = draw()
    weight = np.random.default_rng(0).random(len(X))
    model = GaussianDensity(shrinkage=0.0).fit(X, sample_weight=weight)
    peer = multivariate_normal(np.average(X, axis=0, weights=weight), np.cov(X.T, aweights=weight, bias=True))
    np.testing.assert_allclose(model.score_samples(X), peer.logpdf(X), rtol=1e-10)
    assert model.score(X) == pytest.approx(peer.logpdf(X).sum())


def test_new_rows_of_a_model_of_named_columns():
    X, y = draw(rows=60)
    named = GenerativeClassifier().fit(pandas.DataFrame(X, columns=["a", "b"]), y)
    plain = GenerativeClassifier().fit(X, y)
    np.testing.assert_array_equal(named.sample(3, random_state=0)[0], plain.sample(3, random_state=0)[0])
