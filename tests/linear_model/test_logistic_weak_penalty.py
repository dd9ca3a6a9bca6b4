"""Several classes with an absolute penalty that hardly weighs, on fewer rows than columns: the optimum is far away."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.datasets import make_classification

from learnable import LogisticRegression
from learnable.engines.minimise.logistic import l1_softmax


def informative():
    return make_classification(
        40, 80, n_informative=4, n_redundant=0, n_classes=4, random_state=4, flip_y=0.2
    )  # few columns say anything


def uninformative():
    rng = np.random.default_rng(0)
    return rng.normal(size=(40, 80)), rng.integers(0, 3, 40)


def objective(X, y, coef, constant, C, l1_ratio):
    """C times the summed loss, plus the penalty, from the definition."""
    loss = -log_softmax(X @ coef.T + constant, axis=1)[np.arange(len(y)), y].sum()
    return C * loss + l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) / 2 * np.square(coef).sum()


def least(X, y, C, l1_ratio):
    """The least objective that L-BFGS-B finds, with a coefficient as the difference of two that are not negative."""
    classes, (n, p) = y.max() + 1, X.shape
    hot = np.eye(classes)[y]

    def parts(flat):
        up, down = flat[classes:].reshape(2, classes, p)
        return up - down, flat[:classes]

    def smooth(flat):
        coef, constant = parts(flat)
        z = X @ coef.T + constant
        apart = C * (softmax(z, axis=1) - hot)
        by_coef = apart.T @ X + (1 - l1_ratio) * coef
        value = C * -log_softmax(z, axis=1)[np.arange(n), y].sum() + (1 - l1_ratio) / 2 * np.square(coef).sum()
        value += l1_ratio * flat[classes:].sum()
        return value, np.concatenate([apart.sum(axis=0), (by_coef + l1_ratio).ravel(), (l1_ratio - by_coef).ravel()])

    bounds = [(None, None)] * classes + [(0, None)] * (2 * classes * p)
    options = {"maxiter": 20_000, "maxfun": 40_000, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-9}
    found = minimize(smooth, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return objective(X, y, *parts(found.x), C, l1_ratio)


@pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("C", [1e3, 1e4])
@pytest.mark.parametrize("data", [informative, uninformative])
def test_the_objective_is_the_least(data, C, l1_ratio):
    X, y = data()
    model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y)
    ours, theirs = objective(X, y, model.coef_, model.intercept_, C, l1_ratio), least(X, y, C, l1_ratio)
    assert theirs * (1 - 1e-3) < ours < theirs * (1 + 1e-9)
    assert model.certificate_.holds and model.trace_.stopped == "converged"


@pytest.mark.parametrize("l1_ratio", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("C", [1e6, 1e8])
@pytest.mark.parametrize("data", [informative, uninformative])
def test_the_conditions_hold_for_a_negligible_penalty(data, C, l1_ratio):
    X, y = data()
    model = LogisticRegression(C=C, l1_ratio=l1_ratio, max_iter=500).fit(X, y)
    apart = softmax(X @ model.coef_.T + model.intercept_, axis=1) - np.eye(y.max() + 1)[y]
    gradient = C * apart.T @ X + (1 - l1_ratio) * model.coef_
    zero = model.coef_ == 0
    assert np.abs(gradient[zero]).max() < l1_ratio + 1e-3
    assert np.abs(gradient[~zero] + l1_ratio * np.sign(model.coef_[~zero])).max() < 1e-3
    assert model.certificate_.holds and model.trace_.stopped == "converged"


@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
@pytest.mark.parametrize(
    ("shape", "seed", "odd", "C"),
    [
        ({"n_samples": 300, "n_features": 12, "n_informative": 6, "n_classes": 4}, 1, 0.0, 100.0),
        ({"n_samples": 150, "n_features": 30, "n_informative": 8, "n_redundant": 3, "n_classes": 3}, 3, 0.0, 1e3),
        ({"n_samples": 60, "n_features": 100, "n_informative": 8, "n_redundant": 3, "n_classes": 3}, 5, 4.0, 1e3),
    ],
)
def test_dependent_or_badly_scaled_columns_need_few_steps(shape, seed, odd, C, l1_ratio):
    X, y = make_classification(random_state=seed, **shape)
    X = X * 10.0 ** np.random.default_rng(seed).uniform(-odd, odd, X.shape[1])
    model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y)
    assert model.n_iter_[0] <= 40
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    apart = softmax(X @ model.coef_.T + model.intercept_, axis=1) - np.eye(y.max() + 1)[y]
    gradient = C * apart.T @ X + (1 - l1_ratio) * model.coef_
    away = np.where(model.coef_ != 0, np.abs(gradient + l1_ratio * np.sign(model.coef_)), np.abs(gradient) - l1_ratio)
    assert (away <= 1e-6 * (l1_ratio + C * np.abs(X).sum(axis=0))).all()


def test_models_solved_too_roughly_to_move_are_solved_exactly(monkeypatch):
    monkeypatch.setattr(l1_softmax, "MODEL_GAP", 1e9)
    X, y = informative()
    model = LogisticRegression(C=100.0, l1_ratio=0.5).fit(X, y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
