"""What networks say of themselves: tables, and reports on their training."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from learnable import ConvergenceWarning, ParameterError, Ridge
from learnable.neural_network import (
    Conv,
    Dense,
    Flatten,
    MLPClassifier,
    NetworkClassifier,
    NetworkRegressor,
    training_report,
)

draws = np.random.default_rng(0)
X = draws.normal(size=(200, 4))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
QUICK = {"max_iter": 15, "schedule": "cosine", "random_state": 0}


def test_sound_training_has_no_findings():
    model = NetworkClassifier([Dense(32, "relu")], learning_rate_init=0.02, **(QUICK | {"max_iter": 40})).fit(X, y)
    report = training_report(model, X, y)
    assert report.findings == [] and str(report).endswith("nothing was found")
    assert report.loss == pytest.approx(-np.log(model.predict_proba(X)[np.arange(200), y]).mean(), rel=1e-4)
    share = y.mean()
    assert report.constant_loss == pytest.approx(-share * np.log(share) - (1 - share) * np.log(1 - share))
    assert [one.weights for one in report.layers] == [160, 0, 33]


def test_the_gradient_of_a_layer_is_that_of_its_formula():
    model = NetworkRegressor([], precision="float64", **QUICK).fit(X, X[:, 0])
    residual = model.predict(X) - X[:, 0]
    expected = np.linalg.norm([*(X.T @ residual / 200), residual.mean()])
    assert training_report(model, X, X[:, 0]).layers[0].gradient == pytest.approx(expected, rel=1e-9)


def test_dead_units_are_counted():
    model = NetworkClassifier([Dense(10, "relu"), Dense(4, "tanh")], **QUICK).fit(X, y)
    first = model.layer_weights(0)[0]
    first["weights"][:, :6] = 0
    first["intercepts"][:6] = -1
    report = training_report(model, X, y)
    assert report.layers[1].dead == pytest.approx(0.6, abs=0.11)
    assert any("are zero for every row" in one for one in report.findings)


@pytest.mark.parametrize(
    ("layers", "rows", "words"),
    [
        ([Dense(20, "logistic")] * 14, X, "gradients vanish: that of layer 1"),
        ([Dense(20, "logistic")] * 8, X, "no better than a constant"),
        ([Dense(20, "tanh")], 1e3 * X, "at the ends of their range"),
        ([Dense(20, "relu")], 1e3 * X, "the loss of the initial weights"),
        ([Dense(20, "relu")], X * [1, 1, 1, 1e4], "the standard deviations of the columns lie between"),
    ],
)
def test_what_is_wrong_is_said(layers, rows, words):
    model = NetworkClassifier(layers, **(QUICK | {"max_iter": 2})).fit(rows, y)
    assert any(words in one for one in training_report(model, rows, y).findings)


def test_updates_that_are_too_large_are_found():
    model = NetworkClassifier([Dense(20, "relu")], learning_rate_init=3.0, **(QUICK | {"max_iter": 1})).fit(X, y)
    report = training_report(model, X, y)
    assert max(one.update for one in report.layers) > 0.1
    assert any("lower the learning rate" in one for one in report.findings)


def test_perceptrons_have_reports_too():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MLPClassifier((8,), max_iter=5, random_state=0).fit(X, y)
    report = training_report(model, X, y)
    assert [one.name for one in report.layers] == ["layer 1 (Dense)", "layer 2 (Dense)"]
    with pytest.raises(ParameterError, match="model must be a neural network; got Ridge"):
        training_report(Ridge(), X, y)


def test_a_fitted_network_prints_its_layers():
    """A convolution of 3 x 3 has 9 x 2 + 2 parameters, and a dense layer on the same image many more."""
    model = NetworkClassifier([Conv(2, 3, "relu"), Flatten()], (2, 2, 1), **QUICK)
    assert str(model) == repr(model)
    with pytest.raises(ParameterError, match="does not fit into 2"):
        model.fit(X, y)
    model = NetworkClassifier([Conv(2, 2, "relu"), Flatten()], (2, 2, 1), **QUICK).fit(X, y)
    lines = str(model).splitlines()
    assert lines[0] == "NetworkClassifier" and lines[3].split()[-3:] == ["10", "18", "2"]
