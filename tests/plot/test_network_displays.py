"""Pictures of networks: each draws what the model holds."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_digits

from learnable import DataError, ParameterError, plot
from learnable.neural_network import Conv, Dense, Flatten, MaxPool, MLPClassifier, NetworkClassifier

X, y = load_digits(return_X_y=True)
X = X[:400] / 16
y = y[:400]


@pytest.fixture(scope="module")
def cnn():
    layers = [Conv(6, 3, "relu", padding="same"), MaxPool(2), Flatten()]
    return NetworkClassifier(
        layers, (8, 8, 1), learning_rate_init=0.01, schedule="cosine", max_iter=5, early_stopping=True, random_state=0
    ).fit(X, y)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_training_curves_mark_the_best_epoch(cnn):
    display = plot.TrainingDisplay.from_estimator(cnn)
    assert display.best_epoch == int(np.argmax(cnn.validation_scores_)) + 1
    np.testing.assert_array_equal(display.loss_line_.get_ydata(), cnn.loss_curve_)
    np.testing.assert_array_equal(display.score_line_.get_ydata(), cnn.validation_scores_)
    plain = plot.TrainingDisplay(np.array([2.0, 1.0]), None).plot()
    assert plain.best_epoch == 2


def test_network_diagrams_draw_units_and_weights(cnn):
    model = MLPClassifier((3,), activation="tanh", solver="lbfgs", random_state=0, max_iter=500)
    display = plot.NetworkDisplay.from_estimator(model.fit(X[:, 20:22], y > 4))
    assert display.widths == [2, 3, 1] and len(display.ax_.lines) == 9
    network = NetworkClassifier([Dense(20, "relu")], max_iter=1, schedule="cosine").fit(X, y)
    wide = plot.NetworkDisplay.from_estimator(network)
    assert wide.widths == [64, 20, 10] and "64 units" in [text.get_text() for text in wide.ax_.texts]
    with pytest.raises(DataError, match="draws networks of dense layers"):
        plot.NetworkDisplay.from_estimator(cnn)


def test_activation_functions_are_drawn_with_derivatives():
    display = plot.ActivationDisplay.from_names(["relu", "tanh"], limit=2.0)
    assert [len(ax.lines) for ax in display.axes_] == [4, 4]
    np.testing.assert_array_equal(display.axes_[0].lines[2].get_ydata(), np.maximum(display.points, 0))
    with pytest.raises(ParameterError, match="got 'sine'"):
        plot.ActivationDisplay.from_names(["sine"])


def test_filters_and_feature_maps_are_images(cnn):
    filters = plot.FilterDisplay.from_estimator(cnn, 0)
    np.testing.assert_array_equal(filters.images[2], cnn.layer_weights(0)[0]["weights"][:, :, 0, 2])
    assert sum(bool(ax.images) for ax in filters.axes_) == 6
    maps = plot.FeatureMapDisplay.from_estimator(cnn, X[0], 0)
    np.testing.assert_array_equal(maps.maps[3], cnn.activations(X[:1], 0)[0, :, :, 3])
    np.testing.assert_array_equal(maps.image, X[0].reshape(8, 8))
    with pytest.raises(DataError, match="layer 2 has no maps"):
        plot.FeatureMapDisplay.from_estimator(cnn, X[0], 2)
    with pytest.raises(DataError, match="layer 1 has no weights"):
        plot.FilterDisplay.from_estimator(cnn, 1)
    dense = NetworkClassifier([Dense(5, "relu")], max_iter=1, schedule="cosine", random_state=0).fit(X, y)
    units = plot.FilterDisplay.from_estimator(dense, 0)
    np.testing.assert_array_equal(units.images[1].ravel(), dense.layer_weights(0)[0]["weights"][:, 1])
    with pytest.raises(DataError, match="64 weights are not an image of 3 by 4"):
        plot.FilterDisplay.from_estimator(dense, 0, shape=(3, 4))


def test_saliency_and_gradients_are_drawn(cnn):
    display = plot.SaliencyDisplay.from_estimator(cnn, X[0])
    assert display.saliency.shape == (8, 8) and display.saliency.min() >= 0 < display.saliency.max()
    flow = plot.GradientFlowDisplay.from_estimator(cnn, X, y)
    assert flow.names == ["layer 1 (Conv)", "layer 4 (Dense)"] and min(flow.gradients) > 0
    np.testing.assert_array_equal(flow.ax_.lines[0].get_ydata(), flow.gradients)
