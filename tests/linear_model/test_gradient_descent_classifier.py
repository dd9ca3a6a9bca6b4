"""Classification by gradient descent: hand-written loops, optima of other solvers, every loss and every batch size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import learnable
from learnable import GradientDescentClassifier, LinearSVC, LogisticRegression, metrics
from learnable.datasets import load_iris
from learnable.parts import losses

ROWS = np.random.default_rng(0)


def two_classes(n=80):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=n) > 0.3, "yes", "no")


def three_classes():
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[:, [1, 2]] + 0.5 * np.random.default_rng(2).normal(size=(150, 2)), y


def test_batch_steps_of_logistic_regression_are_those_of_the_formula():
    """CLS-06: w <- w - rate X'(p - y) / n and b <- b - rate mean(p - y), on labels 0, 1 or, the same, -1, 1."""
    X, y = two_classes()
    model = GradientDescentClassifier(penalty=None, learning_rate=0.5, max_iter=30, tol=None, keep_path=True).fit(X, y)
    code, sign = y == "yes", np.where(y == "yes", 1.0, -1.0)
    one, other = (np.zeros(3), 0.0), (np.zeros(3), 0.0)
    for step in range(30):
        np.testing.assert_allclose(model.coef_path_[step, 0], one[0], atol=1e-12)
        off = 1 / (1 + np.exp(-X @ one[0] - one[1])) - code
        one = one[0] - 0.5 * X.T @ off / len(y), one[1] - 0.5 * off.mean()
        off = -sign / (1 + np.exp(sign * (X @ other[0] + other[1])))
        other = other[0] - 0.5 * X.T @ off / len(y), other[1] - 0.5 * off.mean()
    for w, b in (one, other):
        np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
        assert model.intercept_[0] == pytest.approx(b)
    assert model.trace_.rows[-1]["error_rate"] == pytest.approx(1 - model.score(X, y))


def test_batch_steps_of_softmax_regression_move_all_classes_together():
    """CLS-12: W <- W - rate (P - Y)'X / n for all classes at once, from the probabilities before the step."""
    X, y = three_classes()
    model = GradientDescentClassifier(penalty=None, learning_rate=0.3, max_iter=20, tol=None).fit(X, y)
    W, b, hot = np.zeros((3, 2)), np.zeros(3), np.eye(3)[y]
    for _ in range(20):
        scores = np.exp(X @ W.T + b)
        off = scores / scores.sum(axis=1, keepdims=True) - hot
        W, b = W - 0.3 * off.T @ X / len(y), b - 0.3 * off.mean(axis=0)
    np.testing.assert_allclose(model.coef_, W, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-9, atol=1e-14)
    scores = np.exp(X @ W.T + b)
    np.testing.assert_allclose(model.predict_proba(X), scores / scores.sum(axis=1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("batch", [1, 16])
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_small_batches_come_close_to_the_optimum(batch, make):
    X, y = make()
    exact = LogisticRegression(C=1 / (0.02 * len(y)), tol=1e-10, max_iter=1000).fit(X, y)
    options = {"penalty": "l2", "alpha": 0.02, "schedule": "invscaling", "tol": None, "max_iter": 200}
    model = GradientDescentClassifier(batch_size=batch, learning_rate=1.0, random_state=0, **options).fit(X, y)
    assert np.abs(model.predict_proba(X) - exact.predict_proba(X)).max() < 0.05


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", None])
def test_the_optimum_is_that_of_logistic_regression(make, penalty):
    X, y = make()
    weight = np.random.default_rng(3).integers(1, 4, len(y)).astype(float)
    model = GradientDescentClassifier(penalty=penalty, alpha=0.02, l1_ratio=0.4, max_iter=20_000, tol=1e-8)
    model.fit(X, y, sample_weight=weight)
    ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.4, None: 0.0}[penalty]
    C = np.inf if penalty is None else 1 / (0.02 * weight.sum())
    exact = LogisticRegression(C=C, l1_ratio=ratio, tol=1e-10, max_iter=1000).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=1e-5)
    assert model.certificate_.holds


def objective(loss, penalty, X, y, shape):
    def value(theta):
        W = theta[: -shape[0]].reshape(shape)
        z = X @ W.T + theta[-shape[0] :]
        return loss.value(y, z if shape[0] > 1 else z[:, 0]).mean() + penalty / 2 * (W**2).sum()

    return value


@pytest.mark.parametrize("loss", ["log_loss", "squared_hinge", "modified_huber", "binomial_deviance", "squared_error"])
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_every_smooth_loss_reaches_its_minimum(loss, make):
    """FRM-04: binomial deviance and the other losses of the margin, two classes or one versus rest, and L2."""
    X, y = make()
    names, code = np.unique(y, return_inverse=True)
    part = {"log_loss": losses.Logistic(), "squared_hinge": losses.SquaredHinge()}
    part |= {"modified_huber": losses.ModifiedHuber(), "binomial_deviance": losses.BinomialDeviance()}
    part |= {"squared_error": losses.Squared()}
    several = losses.Multinomial() if loss == "log_loss" else losses.OneVersusRest(part[loss])
    target = code if len(names) > 2 or loss == "log_loss" else 2 * code - 1
    shape = (1 if len(names) == 2 else 3, X.shape[1])
    value = objective(part[loss] if shape[0] == 1 else several, 0.1, X, target, shape)
    least = minimize(value, np.zeros(shape[0] * (shape[1] + 1)), method="BFGS", options={"gtol": 1e-7}).fun
    model = GradientDescentClassifier(loss=loss, penalty="l2", alpha=0.1, max_iter=5000).fit(X, y)
    found = value(np.append(model.coef_.ravel(), model.intercept_))
    assert found == pytest.approx(least, abs=1e-8) and model.trace_["objective"][-1] == pytest.approx(found)
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("loss", ["hinge", "perceptron", "exponential"])
def test_losses_without_bounded_curvature_need_a_rate(loss):
    X, y = two_classes()
    with pytest.raises(learnable.ParameterError, match="needs a loss of bounded curvature"):
        GradientDescentClassifier(loss=loss).fit(X, y)
    options = {
        "penalty": None,
        "learning_rate": 0.1,
        "schedule": "invscaling",
        "max_iter": 3000,
        "tol": None,
        "init_scale": 0.1,
    }
    model = GradientDescentClassifier(loss=loss, random_state=0, **options).fit(X, y)
    assert model.score(X, y) > 0.7
    if loss == "hinge":
        machine = LinearSVC(loss="hinge", C=1e3 / len(y), max_iter=100_000).fit(X, y)
        sign = np.where(y == "yes", 1, -1)
        slack = [np.maximum(0, 1 - sign * one.decision_function(X)).mean() for one in (model, machine)]
        assert slack[0] == pytest.approx(slack[1], rel=0.02)


CORNERS = np.array([[0.0, 2.0], [-1.5, -1.0], [1.5, -1.0]])


@pytest.mark.parametrize("loss", ["prototype_hinge", "prototype_logistic"])
@pytest.mark.parametrize("points", [None, CORNERS], ids=["unit vectors", "triangle"])
def test_prototype_losses_are_minimised_and_decoded_by_the_nearest(loss, points):
    """FRM-04, LOS-21, LOS-22: training by the losses of prototypes, with costs of the classes."""
    X, y = three_classes()
    cost = {0: 1.0, 1: 2.0, 2: 1.0}
    options = {"learning_rate": 0.3, "schedule": "invscaling", "tol": None} if loss == "prototype_hinge" else {}
    model = GradientDescentClassifier(
        loss=loss,
        prototypes=points,
        class_weight=cost,
        penalty="l2",
        alpha=0.05,
        max_iter=4000,
        keep_path=True,
        **options,
    ).fit(X, y)
    corners = np.eye(3) if points is None else points
    outputs = X @ model.coef_path_[-1].T + model.intercept_path_[-1]
    np.testing.assert_array_equal(model.predict(X), metrics.nearest_prototype(outputs, corners))
    weight = np.array([1.0, 2.0, 1.0])[y]
    metric = metrics.prototype_hinge_loss if loss == "prototype_hinge" else metrics.prototype_logistic_loss

    def value(theta):
        W = theta[: -corners.shape[1]].reshape(-1, 2)
        z = X @ W.T + theta[-corners.shape[1] :]
        return metric(y, z, corners, sample_weight=weight) + 0.025 * (W**2).sum()

    theta = np.append(model.coef_path_[-1].ravel(), model.intercept_path_[-1])
    least = minimize(value, theta, method="Powell", options={"maxiter": 20_000, "xtol": 1e-7, "ftol": 1e-12}).fun
    assert value(theta) == pytest.approx(least, rel=1e-6 if loss == "prototype_logistic" else 0.01)
    assert model.trace_["objective"][-1] == pytest.approx(value(theta)) and model.score(X, y) > 0.7


@pytest.mark.parametrize("points", [CORNERS, np.eye(4), np.array([[1.0], [2.0], [5.0]])], ids=["2", "4", "1"])
def test_gradients_of_prototype_losses_agree_with_differences(points):
    rng = np.random.default_rng(4)
    z, y = rng.normal(size=(30, points.shape[1])), rng.integers(0, len(points), 30)
    for loss in (losses.PrototypeHinge(points), losses.PrototypeLogistic(points)):
        gradient = loss.gradient(y, z)
        for d in range(points.shape[1]):
            step = np.zeros(points.shape[1])
            step[d] = 1e-6
            difference = (loss.value(y, z + step) - loss.value(y, z - step)) / 2e-6
            np.testing.assert_allclose(gradient[:, d], difference, atol=1e-6)
        code = loss.predict(z)
        np.testing.assert_array_equal(code, ((z[:, None] - points) ** 2).sum(axis=2).argmin(axis=1))
    with pytest.raises(learnable.DataError, match="indices of prototypes"):
        losses.PrototypeHinge(points).check(np.array([len(points)]))


def test_two_classes_and_one_coordinate():
    X, y = two_classes()
    line = GradientDescentClassifier(loss="prototype_logistic", prototypes=[[-1.0], [1.0]], penalty=None).fit(X, y)
    pair = GradientDescentClassifier(loss="prototype_logistic").fit(X, y)
    assert line.coef_.shape == pair.coef_.shape == (1, 3) and line.score(X, y) > 0.7
    # D is z or -z, so that the loss is the logistic one, and the scores of the points differ by 2z
    plain = GradientDescentClassifier(penalty=None).fit(X, y)
    np.testing.assert_allclose(line.coef_, 2 * plain.coef_, rtol=1e-3)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([[0.0, 1.0]], "a row for each of 3 classes"),
        ([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]], "two classes have the same point"),
        ([[0.0, np.nan], [0.0, 1.0], [1.0, 1.0]], "must be finite"),
    ],
)
def test_wrong_prototypes_are_refused(points, words):
    with pytest.raises(learnable.ParameterError, match=words):
        GradientDescentClassifier(loss="prototype_logistic", prototypes=points).fit(*three_classes())
    assert not hasattr(GradientDescentClassifier(loss="hinge"), "predict_proba")
