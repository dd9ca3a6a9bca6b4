"""Codes without labels, features of networks, and weights that move to other tasks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from learnable import FrozenEstimator, KNeighborsClassifier, LogisticRegression, ParameterError
from learnable.engines.networks.contrastive_plan import Augmentation, ContrastivePlan
from learnable.engines.networks.dense_plan import OptimiserSettings, OutputLoss
from learnable.engines.networks.layer_plan import planned_steps
from learnable.neural_network import (
    ContrastiveEncoder,
    Conv,
    Dense,
    Flatten,
    MaxPool,
    NetworkClassifier,
    NetworkFeatures,
    label_efficiency,
    linear_probe,
)

X, y = load_digits(return_X_y=True)
X = X / 16
LAYERS = [Conv(8, 3, "relu", padding="same"), MaxPool(2), Flatten(), Dense(32, "relu")]
QUICK = {"learning_rate_init": 0.005, "schedule": "cosine", "max_iter": 12, "random_state": 0}


@pytest.fixture(scope="module")
def encoder():
    return ContrastiveEncoder(64, [Dense(128, "relu")], max_iter=40, random_state=0).fit(X[:1200])


def test_gradients_of_the_contrastive_loss_are_those_of_differences():
    steps = tuple(planned_steps("Net", [Dense(4, "tanh"), Dense(3)], (5,)))
    for kind, strength in (("noise", 0.5), ("corrupt", 0.3)):
        plan = ContrastivePlan(
            steps, OutputLoss("squared"), OptimiserSettings(), 1, Augmentation(kind, strength, (5,)), 0.5
        )
        draws = np.random.default_rng(0)
        rows, weights = draws.normal(size=(7, 5)), plan.initial("glorot_normal", 0, np.float64)
        y, weight, order = np.zeros((7, 3)), draws.uniform(1, 2, 7), np.arange(7)
        _, gradient = plan.gradient(rows, y, weight, order, weights)
        for k in range(len(weights)):
            step = 1e-6 * np.eye(len(weights))[k]
            high, low = (plan.gradient(rows, y, weight, order, weights + s * step)[0] for s in (1, -1))
            assert (high - low) / 2e-6 == pytest.approx(gradient[k], rel=1e-5, abs=1e-8)


def test_the_contrastive_loss_by_its_formula():
    """Without augmentation both copies are the row itself."""
    steps = tuple(planned_steps("Net", [Dense(2)], (2,)))
    plan = ContrastivePlan(steps, OutputLoss("squared"), OptimiserSettings(), 0, Augmentation("noise", 0.0, (2,)), 0.5)
    rows = np.array([[1.0, 0.0], [0.0, 2.0]])
    weights = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    value, _ = plan.gradient(rows, np.zeros((2, 2)), None, np.arange(2), weights)
    assert value == pytest.approx(-np.log(np.exp(2) / (np.exp(2) + 2)), rel=1e-9)


def test_shifts_move_images_by_whole_pixels():
    image = np.zeros((40, 5, 5))
    image[:, 2, 2] = 1
    moved = Augmentation("shift", 1, (5, 5, 1)).changed(image.reshape(40, 25), np.random.default_rng(0))
    rows, columns = np.argwhere(moved.reshape(40, 5, 5))[:, 1:].T
    assert set(rows) == {1, 2, 3} == set(columns) and moved.sum() == 40


def test_codes_without_labels_are_worth_labels(encoder):
    found = label_efficiency(encoder, X[:1200], y[:1200], X[1200:], y[1200:], (2, 10), random_state=0)
    assert found["codes"][1] >= found["columns"][1] - 0.02 and found["codes"][0] < found["codes"][1]
    assert linear_probe(encoder, X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.9


def test_wrong_labels_do_not_change_codes(encoder):
    """40 % of the labels are wrong: codes have the same bits, and a probe on right ones the same accuracy."""
    wrong = y[:1200].copy()
    changed = np.random.default_rng(0).random(1200) < 0.4
    wrong[changed] = (wrong[changed] + 1) % 10
    again = ContrastiveEncoder(64, [Dense(128, "relu")], max_iter=40, random_state=0).fit(X[:1200], wrong)
    np.testing.assert_array_equal(again.transform(X), encoder.transform(X))


def test_features_of_a_network_serve_other_models():
    network = NetworkClassifier(LAYERS, (8, 8, 1), **QUICK).fit(X[:1200], y[:1200])
    features = NetworkFeatures(FrozenEstimator(network)).fit(X)
    np.testing.assert_array_equal(features.transform(X[:7]), network.activations(X[:7], -1))
    values = features.transform(X)
    for model in (KNeighborsClassifier(5), LogisticRegression()):
        assert model.fit(values[:1200], y[:1200]).score(values[1200:], y[1200:]) > 0.91
    inside = NetworkFeatures(NetworkClassifier(LAYERS, (8, 8, 1), **QUICK), layer=0).fit(X[:1200], y[:1200])
    assert inside.transform(X[:3]).shape == (3, 512) and len(inside.get_feature_names_out()) == 512
    with pytest.raises(ParameterError, match=r"pass y to fit it, or a fitted one as FrozenEstimator"):
        NetworkFeatures(NetworkClassifier(LAYERS)).fit(X)


def test_weights_move_to_a_task_with_few_rows():
    """Learned on clean digits, and used for pale and noisy ones, four of a class: frozen layers keep every bit."""
    rng = np.random.default_rng(0)
    source = NetworkClassifier(LAYERS, (8, 8, 1), **QUICK).fit(X[:900], y[:900])
    pale, labels = np.clip(0.6 * X[900:] + 0.1 + 0.15 * rng.normal(size=X[900:].shape), 0, 1), y[900:]
    few = np.concatenate([rng.permutation(np.flatnonzero(labels == one))[:4] for one in range(10)])
    rest = np.setdiff1d(np.arange(len(labels)), few)
    settings = QUICK | {"max_iter": 40}
    moved = NetworkClassifier(LAYERS, (8, 8, 1), start=FrozenEstimator(source), freeze=[0], **settings)
    moved.fit(pale[few], labels[few])
    fresh = NetworkClassifier(LAYERS, (8, 8, 1), **settings).fit(pale[few], labels[few])
    assert moved.score(pale[rest], labels[rest]) > fresh.score(pale[rest], labels[rest]) + 0.1
    for name, array in moved.layer_weights(0)[0].items():
        np.testing.assert_array_equal(array, source.layer_weights(0)[0][name])
    assert not np.array_equal(moved.layer_weights(3)[0]["weights"], source.layer_weights(3)[0]["weights"])
    with pytest.raises(ParameterError, match="the first layer differs from that of start"):
        NetworkClassifier([Dense(3)], start=FrozenEstimator(source)).fit(pale[few], labels[few])
    with pytest.raises(ParameterError, match="start is not fitted"):
        NetworkClassifier(LAYERS, (8, 8, 1), start=NetworkClassifier(LAYERS)).fit(pale[few], labels[few])


def test_augmentations_that_do_not_fit_are_named():
    with pytest.raises(ParameterError, match="needs images; set input_shape"):
        ContrastiveEncoder(2, augment="shift", strength=1).fit(X[:50])
    with pytest.raises(ParameterError, match="strength must be at most 1"):
        ContrastiveEncoder(2, strength=2.0).fit(X[:50])
    with pytest.raises(ParameterError, match="early_stopping needs targets"):
        ContrastiveEncoder(2, early_stopping=True).fit(X[:50])
