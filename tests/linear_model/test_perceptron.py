"""The perceptron in its forms, and the pocket algorithm."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import Perceptron as TheirPerceptron

from learnable.core import ConvergenceWarning, DataError, ParameterError
from learnable.linear_model import Perceptron, Pocket, signed_distance
from learnable.theory import separable

CORNERS = np.array(list(product([0.0, 1.0], repeat=2)))
GATES = {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "nand": [1, 1, 1, 0], "nor": [1, 0, 0, 0]}
FORMS = list(product(["online", "batch"], ["signs", "zero-one"]))


def blobs(seed=0, gap=2.0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2)) + np.where(np.arange(n)[:, None] % 2, gap, -gap)
    return X, np.arange(n) % 2


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize(("mode", "labels"), FORMS)
def test_gates_are_learned(gate, mode, labels):
    model = Perceptron(mode=mode, labels=labels, tol=None, max_iter=200).fit(CORNERS, GATES[gate])
    assert_array_equal(model.predict(CORNERS), GATES[gate])
    assert model.mistakes_[-1] == 0


def test_not_is_learned_from_one_column():
    assert_array_equal(Perceptron(tol=None, max_iter=50).fit([[0.0], [1.0]], [1, 0]).predict([[0.0], [1.0]]), [1, 0])


@pytest.mark.parametrize(("mode", "labels"), FORMS)
def test_exclusive_or_is_never_learned(mode, labels):
    model = Perceptron(mode=mode, labels=labels, tol=None, max_iter=300).fit(CORNERS, [0, 1, 1, 0])
    assert model.mistakes_.min() >= 1 and model.score(CORNERS, [0, 1, 1, 0]) < 1


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_mistakes_are_at_most_those_of_the_theorem(seed):
    """(R / margin)^2 for any separating plane through the origin of rows with a one appended."""
    X, y = blobs(seed, gap=1.5)
    model = Perceptron(tol=None, max_iter=200, random_state=seed).fit(X, y)
    rows, sign = np.column_stack([X, np.ones(len(X))]), np.where(y == 1, 1, -1)
    plane = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
    margin, reach = (sign * (rows @ plane)).min(), np.linalg.norm(rows, axis=1).max()
    assert margin > 0 and model.mistakes_.sum() <= (reach / margin) ** 2
    assert (model.predict(X) == y).all()


def test_the_update_rule_by_hand():
    """Signs: both rows of a start at zero are wrong. Zero and one: the row of class 1 on the plane is right."""
    X, y = np.array([[2.0], [-1.0]]), [1, 0]
    signs = Perceptron(shuffle=False, max_iter=1, tol=None).fit(X, y)
    assert_allclose([signs.coef_[0, 0], signs.intercept_[0]], [2.0, 1.0])  # then -2 + 1 < 0 is right
    zero_one = Perceptron(shuffle=False, max_iter=1, tol=None, labels="zero-one").fit(X, y)
    assert_allclose([zero_one.coef_[0, 0], zero_one.intercept_[0]], [1.0, -1.0])
    together = Perceptron(mode="batch", max_iter=1, tol=None).fit(X, y)
    assert_allclose([together.coef_[0, 0], together.intercept_[0]], [3.0, 0.0])


def test_a_rate_only_scales_the_weights():
    """E-015: from a start at zero, all rates take the same turns."""
    X, y = blobs(1, gap=0.8)
    one, other = (Perceptron(eta0=eta, tol=None, max_iter=5).fit(X, y) for eta in (1.0, 2.0))
    assert_allclose(2 * one.coef_, other.coef_)
    assert_array_equal(one.mistakes_, other.mistakes_)


def test_epochs_in_a_fixed_order_are_those_of_scikit_learn():
    X, y = blobs(2, gap=0.3)
    for penalty in (None, "l2"):
        options = {"shuffle": False, "max_iter": 4, "tol": None, "penalty": penalty}
        ours, theirs = Perceptron(**options).fit(X, y), TheirPerceptron(**options).fit(X, y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-12)


def test_a_batch_counts_copies():
    X, y = blobs(3, gap=0.3)
    count = np.random.default_rng(3).integers(0, 4, len(y))
    options = {"mode": "batch", "max_iter": 20, "tol": None}
    weighted = Perceptron(**options).fit(X, y, sample_weight=count)
    copied = Perceptron(**options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9)


def test_the_certificate_says_whether_the_classes_are_separated():
    X, y = blobs(4)
    model = Perceptron().fit(X, y)
    assert model.certificate_.kind == "mistakes" and model.certificate_.holds
    assert Perceptron().fit(*blobs(5, gap=0.1)).certificate_.kind == "gain per epoch"


def test_a_batch_with_a_penalty_is_refused():
    with pytest.raises(ParameterError, match='mode="batch" has neither a penalty nor early_stopping'):
        Perceptron(mode="batch", penalty="l2").fit(CORNERS, GATES["and"])


def test_the_pocket_keeps_the_best_plane():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 2))
    y = np.where(X @ [1.0, -1.0] + 0.5 * rng.normal(size=60) > 0, 1, 0)
    model = Pocket(max_iter=300, random_state=0).fit(X, y)
    history = model.trace_["objective"]
    assert (np.diff(history) <= 0).all() and history[-1] == model.error_[0]
    assert_allclose(1 - model.score(X, y), model.error_[0], atol=1e-12)
    assert model.error_[0] <= model.trace_["now"].min()
    online = Perceptron(max_iter=10, tol=None, random_state=0).fit(X, y)
    assert model.score(X, y) >= online.score(X, y)


def test_the_pocket_can_start_from_a_regression():
    X, y = blobs(7, gap=0.4, n=60)
    plain = Pocket(max_iter=1, random_state=0).fit(X, y)
    started = Pocket(max_iter=1, start="least_squares", random_state=0).fit(X, y)
    assert started.error_[0] <= plain.error_[0]
    rows = np.column_stack([X, np.ones(len(X))])
    signs = np.where(y == 1, 1.0, -1.0)
    fitted = np.linalg.lstsq(rows, signs, rcond=None)[0]
    assert started.error_[0] <= np.mean(signs * (rows @ fitted) <= 0)


def test_the_pocket_of_separable_classes_is_empty_of_errors():
    X, y = blobs(8)
    model = Pocket(random_state=0).fit(X, y)
    assert model.error_[0] == 0 and model.certificate_.holds and model.trace_.stopped == "converged"
    three = np.column_stack([np.repeat([0.0, 5.0, 0.0], 10), np.repeat([0.0, 0.0, 5.0], 10)])
    labels = np.repeat(["a", "b", "c"], 10)
    assert (Pocket(random_state=0).fit(three, labels).predict(three) == labels).all()


def test_an_early_end_of_the_perceptron_is_reported():
    with pytest.warns(ConvergenceWarning):
        Perceptron(max_iter=2).fit(*blobs(9, gap=0.1))


def test_signed_distances_are_those_to_the_foot_of_the_perpendicular():
    """CLS-01: |x - foot| with the sign of the side; the plane x w = a has b = -a."""
    rng = np.random.default_rng(0)
    X, w, b = rng.normal(size=(20, 3)), np.array([2.0, -1.0, 0.5]), 0.7
    found = signed_distance(X, w, b)
    foot = X - np.outer(found, w) / np.linalg.norm(w)
    assert_allclose(foot @ w + b, 0, atol=1e-12)
    assert_allclose(np.linalg.norm(X - foot, axis=1), np.abs(found))
    assert_array_equal(found > 0, X @ w + b > 0)
    assert_allclose(signed_distance(X, w * 1e200, b * 1e200), found)
    assert_allclose(signed_distance(sparse.csr_array(X), w, b), found)


@pytest.mark.parametrize(("coef", "words"), [([1.0], "1 weights, but X has 2"), ([0.0, 0.0], "not all zero")])
def test_a_hyperplane_needs_a_normal(coef, words):
    with pytest.raises(DataError, match=words):
        signed_distance([[1.0, 2.0]], coef)


def test_a_normal_is_finite():
    with pytest.raises(ParameterError, match=r"signed_distance: coef must be finite .* got \[nan, 1\.0\]"):
        signed_distance([[1.0, 2.0]], [np.nan, 1.0])


@pytest.mark.parametrize("gap", [4.0, 0.1])
def test_the_perceptron_ends_without_mistakes_if_and_only_if_a_linear_programme_finds_a_hyperplane(gap):
    X, y = blobs(6, gap=gap)
    model = Perceptron(tol=None, max_iter=300).fit(X, y)
    assert (model.mistakes_[-1] == 0) == separable(X, np.where(y == np.unique(y)[1], 1, -1))


def test_passes_go_on_while_a_plane_that_separates_is_not_found():
    model = Perceptron(mode="batch").fit(CORNERS, GATES["and"])
    assert_array_equal(model.predict(CORNERS), GATES["and"])
    assert model.certificate_.kind == "mistakes" and model.certificate_.holds
    with pytest.warns(ConvergenceWarning, match="the iteration limit"):
        never = Perceptron(mode="batch", max_iter=30).fit(CORNERS, [0, 1, 1, 0])
    assert never.trace_.stopped == "limit" and not never.certificate_.holds
