"""Kernels that are functions compare anything: lists of texts and of sets, as in scikit-learn and beyond it."""

import numpy as np
import pandas
import polars
import pytest
import sklearn.svm

from learnable import SVC, SVR, KernelLogisticRegression, KernelPerceptron, KernelRidge, NuSVC, NuSVR, OneClassSVM

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
