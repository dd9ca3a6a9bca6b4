"""Logistic regression on the examples of a course."""

import numpy as np
import pytest

from learnable import (
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    Pocket,
    StratifiedShuffleSplit,
    cross_val_score,
)
from learnable.datasets import load_digits, load_iris
from learnable.feature_extraction.image import intensity_symmetry
from learnable.pipeline import make_pipeline
from learnable.preprocessing import PolynomialFeatures
from tests import references


def test_products_of_columns_solve_the_exclusive_or():
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]
    assert LogisticRegression(C=100.0).fit(X, y).score(X, y) < 1
    model = make_pipeline(PolynomialFeatures(2, interaction_only=True), LogisticRegression(C=100.0)).fit(X, y)
    assert model.score(X, y) == 1


def test_one_score_three_models():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    signal = X @ [1.0, -2.0, 0.5]
    y = signal + rng.normal(size=200) > 0
    pocket = Pocket(max_iter=100, random_state=0).fit(X, y)
    approve = LeastSquaresClassifier().fit(X, y)
    amount = LinearRegression().fit(X, signal)
    logistic = LogisticRegression().fit(X, y)
    for model in (pocket, approve, amount, logistic):
        w = np.ravel(model.coef_)
        assert w @ [1.0, -2.0, 0.5] / np.linalg.norm(w) / np.linalg.norm([1.0, -2.0, 0.5]) > 0.98
    score = X @ logistic.coef_[0] + logistic.intercept_[0]
    assert logistic.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-score)))
    assert (approve.predict(X) == (approve.decision_function(X) > 0)).all()


@pytest.mark.parametrize(("pair", "least"), [((0, 1), 1.0), ((1, 2), 0.93)])
def test_half_the_probability_is_where_the_score_is_zero(pair, least):
    iris = load_iris()
    rows = np.isin(iris.target, pair)
    X, y = iris.data[rows][:, 2:], iris.target[rows]
    model = LogisticRegression(C=10.0).fit(X, y)
    assert model.score(X, y) >= least
    (a, c), b = model.coef_[0], model.intercept_[0]
    along = np.linspace(1, 6, 5)
    border = np.column_stack([along, -(b + a * along) / c])
    assert model.predict_proba(border) == pytest.approx(0.5)


def test_balanced_weights_find_a_rare_class():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 10))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=3000) > 3.6).astype(int)
    assert y.mean() < 0.05
    plain = LogisticRegression(l1_ratio=1.0, C=0.1).fit(X, y)
    balanced = LogisticRegression(l1_ratio=1.0, C=0.1, class_weight="balanced").fit(X, y)
    found = [np.mean(model.predict(X)[y == 1]) for model in (plain, balanced)]
    assert found[1] > found[0] + 0.2
    assert set(np.flatnonzero(plain.coef_[0])) >= {0, 1}


def test_digits_one_against_the_rest():
    digits = load_digits()
    X, y = digits.data / 16, digits.target
    model = LogisticRegression(strategy="ovr", C=0.1).fit(X, y)
    assert model.coef_.reshape(10, 8, 8).shape == (10, 8, 8)
    assert model.score(X, y) > 0.95
    assert model.coef_.reshape(10, 8, 8)[0, 3:5, 3:5].mean() < 0  # a zero has no ink in the middle


def test_coefficient_images_of_handwritten_digits():
    """APP-06: MNIST one versus rest; a coefficient image is negative where ink speaks against its digit."""
    images, digits = references.handwritten_digits()
    X = images.reshape(len(images), -1) / 255
    train = np.random.default_rng(0).random(len(X)) < 0.35
    model = LogisticRegression(strategy="ovr", C=1.0).fit(X[train], digits[train])
    assert model.score(X[~train], digits[~train]) > 0.75
    pictures = model.coef_.reshape(10, 28, 28)
    assert pictures[0, 12:16, 12:16].mean() < -0.1 < 0.1 < pictures[1, 12:16, 13:16].mean()
    assert (np.abs(model.coef_[:, (X[train] == 0).all(axis=0)]) < 1e-6).all()  # the margin of the images says nothing
    alone = LogisticRegression(C=1.0).fit(X[train], digits[train] == 7)
    np.testing.assert_allclose(model.coef_[7], alone.coef_[0], atol=1e-4)


def test_ones_and_fives_by_intensity_and_symmetry():
    """APP-20: the pocket is never worse than the perceptron whose turns it takes; logistic regression is as good."""
    digits = load_digits()
    rows = np.isin(digits.target, (1, 5))
    X, y = intensity_symmetry(digits.images[rows], flip="vertical"), digits.target[rows]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    pocket = Pocket(max_iter=300, random_state=0).fit(X, y)
    assert pocket.score(X, y) > 0.86 and LogisticRegression().fit(X, y).score(X, y) > 0.86
    assert (pocket.trace_["objective"] <= pocket.trace_["now"]).all()
    wandering = Perceptron(tol=None, max_iter=30, random_state=0).fit(X, y)
    assert wandering.mistakes_.min() > 0 and wandering.score(X, y) <= pocket.score(X, y)


def test_fraud_detection_needs_an_intermediate_penalty():
    """APP-04: learned from few payments, balanced accuracy is best neither at the strongest nor the weakest penalty."""
    X, y, _ = references.card_payments()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    splits = StratifiedShuffleSplit(8, train_size=150, random_state=0)
    reached = [
        cross_val_score(
            LogisticRegression(l1_ratio=1.0, C=C, class_weight="balanced"), X, y, scoring="balanced_accuracy", cv=splits
        ).mean()
        for C in (0.02, 0.5, 100.0)
    ]
    assert reached[1] > reached[0] + 0.01 and reached[1] > reached[2] + 0.01


def patients(n):
    """Age, gender, blood sugar, HDL, LDL, mass and height of simulated patients, and the probability of an attack."""
    rng = np.random.default_rng(2)
    gender = rng.integers(0, 2, n)
    height = 1.63 + 0.13 * gender + 0.07 * rng.normal(size=n)
    table = np.column_stack(
        [
            rng.uniform(25, 85, n),
            gender,
            rng.gamma(30, 3.6, n),
            rng.normal(58 - 8 * gender, 13, n),
            rng.normal(130, 32, n),
            height**2 * (26 + 4 * rng.normal(size=n)),
            height,
        ]
    )
    log_odds = table @ [0.06, 0.7, 0.012, -0.03, 0.014, 0.025, -2.0] - 5.5
    return table, 1 / (1 + np.exp(-log_odds)), rng


def test_probabilities_are_recovered_from_outcomes():
    """APP-22: only 0 and 1 are observed, and yet the probabilities of seven columns of patients are found."""
    X, probability, rng = patients(20_000)
    happened = rng.random(20_000) < probability
    model = LogisticRegression(C=np.inf, max_iter=1000).fit(X, happened)
    assert np.abs(model.predict_proba(X)[:, 1] - probability).max() < 0.06
    truth = np.array([0.06, 0.7, 0.012, -0.03, 0.014, 0.025, -2.0])
    table = model.summary().table
    errors = np.asarray(table["coef"], dtype=float)[1:] - truth
    assert (np.abs(errors) < 4 * np.asarray(table["std_err"], dtype=float)[1:]).all()
    new, truth_of_new, _ = patients(50)
    assert np.corrcoef(model.predict_proba(new)[:, 1], truth_of_new)[0, 1] > 0.99
