"""The perceptron and logistic regression in the space of a kernel: optima and certificates checked from scratch."""

import warnings
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

import learnable
from learnable.core.errors import ConvergenceWarning, DataError
from learnable.engines.kernel_machines import kernel_estimator
from learnable.kernel_machine import KernelLogisticRegression, KernelPerceptron
from learnable.kernel_ridge import KernelRidge
from learnable.kernels import Gaussian, empirical_features, gram


def rings(rows=80, seed=0):
    draws = np.random.default_rng(seed)
    angle, inner = draws.uniform(0, 2 * np.pi, rows), np.arange(rows) % 2
    radius = np.where(inner, 1.0, 3.0) + 0.1 * draws.normal(size=rows)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.array(["out", "in"])[inner]


def naive_perceptron(K, y, passes):
    """The textbook loop for two classes, y = 1 or -1."""
    alpha = np.zeros(len(y))
    for _ in range(passes):
        mistakes = 0
        for i in range(len(y)):
            if y[i] * (K[i] @ (alpha * y)) <= 0:
                alpha[i] += 1
                mistakes += 1
        if mistakes == 0:
            break
    return alpha


def test_the_perceptron_is_the_textbook_loop():
    X, y = rings()
    model = KernelPerceptron(gamma=0.5).fit(X, y)
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    alpha = naive_perceptron(gram(X, Gaussian(0.5)), sign, 100)
    assert_allclose(model.dual_coef_[:, 0], 2 * alpha * sign)  # a mistake lifts one class and lowers the other
    assert_array_equal(model.support_, np.flatnonzero(alpha))
    assert model.certificate_.holds and model.score(X, y) == 1


def test_mistakes_stay_below_their_bound():  # Novikoff: (longest image / margin)^2
    X, y = rings()
    model = KernelPerceptron(gamma=0.5).fit(X, y)
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    K = gram(X, Gaussian(0.5))
    coef = model.dual_coef_[:, 0]
    margin = (sign * (K @ coef)).min() / np.sqrt(coef @ K @ coef)
    assert model.mistakes_.sum() <= K.diagonal().max() / margin**2


def test_classes_that_overlap_never_end_and_it_says_so():
    X = np.array([[0.0], [0.0], [1.0]])
    with pytest.warns(ConvergenceWarning, match="iteration limit"):
        model = KernelPerceptron(max_iter=7).fit(X, [0, 1, 1])
    assert model.n_iter_ == 7 and not model.certificate_.holds


def test_three_classes_learn_from_mistakes():
    draws = np.random.default_rng(1)
    centres = np.array([[0.0, 4.0], [4.0, 0.0], [-4.0, -4.0]])
    y = np.arange(90) % 3
    X = centres[y] + draws.normal(size=(90, 2)) * 0.5
    model = KernelPerceptron().fit(X, y)
    assert model.score(X, y) == 1 and model.decision_function(X).shape == (90, 3)


def cost(coef, K, sign, weight, alpha):
    scores = K @ coef
    return weight @ np.logaddexp(0, -sign * scores) + alpha / 2 * coef @ scores


@given(st.integers(0, 50), st.sampled_from([1e-3, 0.1, 10.0]))
def test_no_other_function_is_better(seed, alpha):
    draws = np.random.default_rng(seed)
    X, y = draws.normal(size=(15, 2)), draws.integers(0, 2, 15)
    y[:2] = 0, 1
    weight = draws.integers(0, 3, 15).astype(float)
    weight[:2] = 1
    model = KernelLogisticRegression(alpha=alpha, gamma=0.5, tol=1e-10, fit_intercept=False).fit(X, y, weight)
    K, sign, coef = gram(X, Gaussian(0.5)), np.where(y == 1, 1.0, -1.0), model.dual_coef_[:, 0]
    gradient = weight * -sign / (1 + np.exp(sign * (K @ coef))) + alpha * coef
    assert np.abs(gradient).max() <= 1e-4 * max(1.0, np.abs(alpha * coef).max())
    best = minimize(cost, coef, args=(K, sign, weight, alpha), method="BFGS").fun
    assert cost(coef, K, sign, weight, alpha) <= best + 1e-7
    assert model.certificate_.holds


def test_the_certificate_is_the_duality_gap():
    X, y = rings()
    model = KernelLogisticRegression(alpha=0.1, gamma=0.5, fit_intercept=False).fit(X, y)
    K, sign = gram(X, Gaussian(0.5)), np.where(y == "out", 1.0, -1.0)
    proba = 1 / (1 + np.exp(sign * (K @ model.dual_coef_[:, 0])))
    residual = sign * proba
    entropy = -(proba * np.log(proba) + (1 - proba) * np.log(1 - proba)).sum()
    gap = cost(model.dual_coef_[:, 0], K, sign, np.ones(80), 0.1) - (entropy - residual @ K @ residual / 0.2)
    assert_allclose(gap / (80 * np.log(2)), model.certificate_.value, atol=1e-12)


@pytest.mark.parametrize("constant", [True, False])
def test_it_is_logistic_regression_on_the_images(constant):
    X, y = rings()
    model = KernelLogisticRegression(alpha=0.5, gamma=0.5, fit_intercept=constant).fit(X[:50], y[:50])
    Z = empirical_features(gram(X[:50], Gaussian(0.5)))
    plain = LogisticRegression(C=2.0, fit_intercept=constant, tol=1e-10, max_iter=10_000).fit(Z, y[:50])
    assert_allclose(model.predict_proba(X[:50]), plain.predict_proba(Z), atol=1e-5)
    assert_allclose(model.intercept_, plain.intercept_, atol=1e-4)
    assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@settings(max_examples=20)
@given(st.integers(0, 50), st.sampled_from([1e-3, 0.1, 10.0]))
def test_the_duality_gap_with_an_intercept_from_scratch(seed, alpha):
    """The dual requires that the residuals of both classes sum to the same: then coefficients sum to zero."""
    draws = np.random.default_rng(seed)
    X, y = draws.normal(size=(20, 2)), np.arange(20) % 7 == 0
    weight = draws.integers(1, 4, 20).astype(float)
    model = KernelLogisticRegression(alpha=alpha, gamma=0.5).fit(X, y, weight)
    K, sign, coef = gram(X, Gaussian(0.5)), np.where(y, 1.0, -1.0), model.dual_coef_[:, 0]
    scores = K @ coef + model.intercept_[0]
    proba = 1 / (1 + np.exp(sign * scores))
    residual = weight * sign * proba
    assert abs(residual.sum()) <= 1e-9 * weight.sum() and abs(coef.sum()) <= 1e-5 * np.abs(coef).sum()
    primal = weight @ np.logaddexp(0, -sign * scores) + alpha / 2 * coef @ K @ coef
    dual = -weight @ (proba * np.log(proba) + (1 - proba) * np.log1p(-proba)) - residual @ K @ residual / (2 * alpha)
    assert -1e-9 <= primal - dual <= 2e-8 * weight.sum() and model.certificate_.holds
    best = minimize(
        lambda w: weight @ np.logaddexp(0, -sign * (K @ w[:-1] + w[-1])) + alpha / 2 * w[:-1] @ K @ w[:-1],
        np.append(coef, model.intercept_),
        method="BFGS",
    ).fun
    assert primal <= best + 1e-6


def test_a_flat_kernel_leaves_the_constant_alone():
    y = np.array([0] * 30 + [1] * 10)
    model = KernelLogisticRegression(alpha=1e6).fit(np.arange(40.0)[:, None], y)
    assert_allclose(model.predict_proba([[3.0]]), [[0.75, 0.25]], atol=1e-3)


def test_classes_without_weight():
    X, y = rings()
    with pytest.raises(DataError, match="only one class"):
        KernelLogisticRegression().fit(X, y, (y == "in").astype(float))
    three = np.arange(80) % 3
    model = KernelLogisticRegression(gamma=0.5).fit(X, three, (three != 1).astype(float))
    without = KernelLogisticRegression(gamma=0.5).fit(X[three != 1], three[three != 1])
    assert_allclose(model.predict_proba(X)[:, 1], 0, atol=1e-12)
    assert_allclose(model.predict_proba(X)[:, [0, 2]], without.predict_proba(X), atol=1e-6)


def test_the_mean_of_weights_on_the_way():
    X, y = rings(40, 3)
    y[::5] = np.where(y[::5] == "in", "out", "in")  # rows that contradict the others
    sign = np.where(y == "out", 1.0, -1.0)
    K, alpha, total = gram(X, Gaussian(0.5)), np.zeros(40), np.zeros(40)
    for _ in range(4):
        for i in range(40):
            alpha[i] += sign[i] * (K[i] @ (alpha * sign)) <= 0
            total += alpha
    with pytest.warns(ConvergenceWarning):
        model = KernelPerceptron(gamma=0.5, average=True, max_iter=4).fit(X, y)
    assert_allclose(model.dual_coef_[:, 0], 2 * total * sign / 160)


def test_several_classes_are_one_against_the_rest():
    draws = np.random.default_rng(2)
    X, y = draws.normal(size=(60, 2)), draws.integers(0, 3, 60)
    model = KernelLogisticRegression(alpha=0.5, gamma=0.5).fit(X, y)
    each = [KernelLogisticRegression(alpha=0.5, gamma=0.5).fit(X, y == k).predict_proba(X)[:, 1] for k in range(3)]
    assert_allclose(model.predict_proba(X), np.column_stack(each) / np.sum(each, axis=0)[:, None], rtol=1e-6)


@pytest.mark.parametrize("cls", [KernelPerceptron, KernelLogisticRegression])
def test_kernels_that_are_given_and_targets_that_say_nothing(cls):
    X, y = rings()
    by_matrix = cls(kernel="precomputed").fit(gram(X, Gaussian(0.5)), y)
    assert_array_equal(by_matrix.predict(gram(X, Gaussian(0.5))), cls(kernel=Gaussian(0.5)).fit(X, y).predict(X))
    with pytest.raises(DataError, match="only one class"):
        cls().fit(X, np.zeros(80))
    with pytest.raises(ValueError, match="square"):
        cls(kernel="precomputed").fit(X, y)


def test_an_indefinite_kernel_counts_through_its_positive_eigenvalues():
    X, y = rings()
    model = KernelLogisticRegression(kernel="sigmoid").fit(X, y)
    K = np.tanh(model.gamma_ * X @ X.T + 1)
    values, vectors = np.linalg.eigh(K)
    assert values[0] < -0.1 and model.certificate_.holds
    part = (vectors * np.maximum(values, 0)) @ vectors.T
    same = KernelLogisticRegression(kernel="precomputed").fit(part, y)
    assert_allclose(model.decision_function(X), same.decision_function(part), atol=1e-6)


def test_a_negligible_penalty_gives_a_solution_that_claims_nothing():
    X, y = rings()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KernelLogisticRegression(alpha=1e-300).fit(X, y)
    assert model.score(X, y) == 1 and not model.certificate_.holds


class Counted(Gaussian):
    """A Gaussian kernel that records for how many pairs of rows it was called at once."""

    pairs: ClassVar[list[int]] = []

    def __call__(self, X, Y=None):
        self.pairs.append(X.shape[0] * (X if Y is None else Y).shape[0])
        return super().__call__(X, Y)


@pytest.mark.parametrize("storage", [np.asarray, np.float32, csr_array])
@pytest.mark.parametrize(
    "model", [KernelRidge, KernelLogisticRegression, KernelPerceptron, learnable.KernelPCA, learnable.KernelKMeans]
)
def test_new_rows_are_compared_in_parts_with_the_same_bits(model, storage, monkeypatch):
    X, y = rings()
    new = storage(rings(1000, seed=1)[0])
    fitted = model(kernel=Counted(0.3)).fit(storage(X), (y == "in").astype(int))
    output = fitted.transform if model is learnable.KernelPCA else fitted.predict
    whole = output(new)
    monkeypatch.setattr(kernel_estimator, "ENTRIES_AT_ONCE", 7 * len(X) + 3)
    Counted.pairs.clear()
    assert_array_equal(output(new), whole)
    assert max(Counted.pairs) == 7 * len(X)
