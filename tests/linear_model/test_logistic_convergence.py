"""What logistic regression says of its end: separable or not, done or not."""

import warnings

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_digits

from learnable import LogisticRegression
from learnable.core.errors import ConvergenceWarning


def classes(count, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(250, 4))
    return X, (X @ rng.normal(size=(4, count)) + rng.gumbel(size=(250, count))).argmax(axis=1)


def test_a_row_far_off_does_not_make_classes_separable():
    X, y = classes(2)
    far = np.zeros((1, X.shape[1]))
    far[0, 0] = 1e7 * np.sign(LogisticRegression(C=np.inf).fit(X, y).coef_[0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(C=np.inf).fit(np.vstack([X, far]), np.append(y, np.unique(y)[1]))
    assert "separate" not in model.certificate_.sentence


def test_one_class_without_convergence_is_reported_for_all():
    X, y = classes(4)
    X[y == 0, 0] += 50.0
    model = LogisticRegression(strategy="ovr", max_iter=5, C=1e8, tol=1e-8)
    with pytest.warns(ConvergenceWarning, match="the iteration limit"):
        model.fit(X, y)
    assert model.n_iter_[0] == 5 and model.trace_.stopped == "limit" and not model.certificate_.holds
    assert model.certificate_.sentence.endswith("that of the row gradients, in the fit of each class.")


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_several_hundred_weights_converge_within_the_default_max_iter(C):
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(C=C).fit(X, y)
    assert model.trace_.stopped == "converged" and model.n_iter_[0] <= 100
    probability = softmax(model.decision_function(X), axis=1)
    gradient = C * (probability - np.eye(10)[y]).T @ X + model.coef_
    assert np.abs(gradient).max() < 1e-7 * C * np.abs(X).sum(axis=0).max()
