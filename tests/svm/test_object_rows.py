"""Kernels that are functions compare anything: lists of texts and of sets, as in scikit-learn and beyond it."""

import numpy as np
import pandas
import polars
import pytest
import sklearn.svm

import learnable
from learnable import (
    SVC,
    SVR,
    KernelKMeans,
    KernelLogisticRegression,
    KernelPCA,
    KernelPerceptron,
    KernelRidge,
    NuSVC,
    NuSVR,
    OneClassSVM,
)

WORDS = ["spam", "maps", "eggs", "gegs", "spams", "egg"]
LABELS = [0, 0, 1, 1, 0, 1]


def common(left, right):
    return float(len(set(left) & set(right)))


def tables(left, right):
    return np.array([[common(a, b) for b in right] for a in left])


GRAM = tables(WORDS, WORDS)


@pytest.mark.parametrize("things", [WORDS, [set(word) for word in WORDS]], ids=["texts", "sets"])
@pytest.mark.parametrize("cls", [SVC, NuSVC, SVR, NuSVR, OneClassSVM])
def test_models_of_objects_are_those_of_their_kernel_matrix(cls, things):
    model = cls(kernel=tables).fit(things, LABELS)
    known = cls(kernel="precomputed").fit(GRAM, LABELS)
    np.testing.assert_allclose(model.predict(things[:2]), known.predict(GRAM[:2]))
    np.testing.assert_allclose(model.dual_coef_, known.dual_coef_)


@pytest.mark.parametrize("kind", [pandas.Series, polars.Series])
def test_series_of_texts_are_lists_of_them(kind):
    model = SVC(kernel=tables).fit(kind(WORDS), LABELS)
    np.testing.assert_array_equal(model.predict(kind(WORDS)), SVC(kernel=tables).fit(WORDS, LABELS).predict(WORDS))


@pytest.mark.parametrize("cls", [KernelRidge, KernelLogisticRegression, KernelPerceptron])
def test_functions_of_two_rows_do_so_too(cls):
    model, known = cls(kernel=common).fit(WORDS, LABELS), cls(kernel="precomputed").fit(GRAM, LABELS)
    np.testing.assert_allclose(model.predict(WORDS), known.predict(GRAM))


@pytest.mark.parametrize("things", [WORDS, [frozenset(word) for word in WORDS]], ids=["texts", "sets"])
def test_components_and_clusters_of_objects_are_those_of_their_kernel_matrix(things):
    """KER-09: the kernel trick with a similarity of texts, in kernel PCA and kernel k-means."""
    new = [things[4], things[1], type(things[0])("ham")]
    across = tables(new, things)
    ours, known = KernelPCA(2, kernel=common).fit(things), KernelPCA(2, kernel="precomputed").fit(GRAM)
    np.testing.assert_allclose(ours.eigenvalues_, known.eigenvalues_)
    np.testing.assert_allclose(ours.transform(new), known.transform(across), atol=1e-12)
    model = KernelKMeans(2, kernel=common, random_state=0).fit(things)
    assert model.labels_.tolist() in ([0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0])
    by_matrix = KernelKMeans(2, kernel="precomputed", random_state=0).fit(GRAM)
    assert model.inertia_ == pytest.approx(by_matrix.inertia_)
    np.testing.assert_array_equal(model.predict(new), [model.labels_[4], model.labels_[1], model.labels_[0]])
    lengths = np.array([common(item, item) for item in new])
    scores = lengths[:, None] - 2 * across @ model.shares_ + model.squares_
    np.testing.assert_allclose(model.transform(new) ** 2, scores, atol=1e-12)


def test_pre_images_of_objects_are_refused():
    with pytest.raises(learnable.ParameterError, match="fit_inverse_transform needs rows of numbers"):
        KernelPCA(2, kernel=common, fit_inverse_transform=True).fit(WORDS)


def test_scikit_learn_agrees():
    theirs = sklearn.svm.SVR(kernel=tables).fit(np.array(WORDS), LABELS).predict(np.array(WORDS))
    np.testing.assert_allclose(SVR(kernel=tables).fit(np.array(WORDS), LABELS).predict(WORDS), theirs, atol=2e-3)


def test_a_kernel_function_is_called_for_many_rows_at_once():
    calls = []

    def product(left, right):
        calls.append(len(left))
        return left @ right.T

    X = np.random.default_rng(0).normal(size=(300, 3))
    SVC(kernel=product).fit(X, X[:, 0] > 0).predict(X)
    assert calls == [300, 300]
