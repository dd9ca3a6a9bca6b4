"""Networks on torch: the same values, gradients, steps and epochs as on the kernels and the tape."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable import ParameterError
from learnable.engines.networks.dense_plan import OPTIMISERS
from learnable.engines.networks.torch_plan import TorchPlan
from learnable.neural_network import Dense, GaussianNoise, NetworkClassifier
from tests.engines.test_layer_plans import LOSSES, close, networks, problem
from tests.engines.test_sequence_plans import networks_of_sequences

INSTALLED = find_spec("torch") is not None


def on_torch(plan):
    return TorchPlan(plan.steps, plan.loss, plan.optimiser, plan.seed)


def test_torch_is_optional():
    """Where it is not installed, the error says what to install; where it is, the network is trained on it."""
    model = NetworkClassifier(
        [Dense(3, "tanh"), GaussianNoise(0.01)], executor="torch", max_iter=2, schedule="cosine", random_state=0
    )
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    if not INSTALLED:
        with pytest.raises(ParameterError, match=r"install learnable\[torch\]"):
            model.fit(X, y)
        return
    taped = NetworkClassifier(model.layers, executor="tape", max_iter=2, schedule="cosine", random_state=0).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).weights_, taped.weights_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), taped.predict_proba(X), rtol=1e-4)


if INSTALLED:

    @settings(max_examples=40, deadline=None)
    @given(networks(), st.sampled_from(sorted(LOSSES)), st.integers(0, 99), st.booleans())
    def test_torch_agrees_on_values_and_gradients(network, loss, seed, training):
        layers, shape, outputs = network
        (native, _), weights, X, y, weight = problem(layers, shape, outputs, loss, seed, smoothing=0.1)
        plan, order = on_torch(native), np.array([3, 0, 5, 6, 1])
        for depth in range(1, native.depth + 1):
            close(plan.scores(X, weights, depth), native.scores(X, weights, depth))
        close(plan.predictions(X, weights), native.predictions(X, weights))
        arguments = (X, y, weight, order, weights, 3, training)
        (value, gradient), (expected, by_kernels) = plan.gradient(*arguments), native.gradient(*arguments)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
        close(gradient, by_kernels, 1e-7)

    @settings(max_examples=20, deadline=None)
    @given(networks_of_sequences(), st.integers(0, 99))
    def test_torch_skips_missing_steps(network, seed):
        layers, shape = network
        (native, _), weights, X, y, _ = problem(layers, shape, 2, "softmax", seed, masked=True)
        there = np.random.default_rng(seed).random((7, shape[0])) < 0.7
        X = np.where(there[..., None], X.reshape(7, shape[0], -1), np.nan).reshape(7, -1)
        plan, rows = on_torch(native), np.arange(7)
        close(plan.predictions(X, weights), native.predictions(X, weights))
        close(plan.gradient(X, y, None, rows, weights)[1], native.gradient(X, y, None, rows, weights)[1], 1e-7)

    @settings(max_examples=15, deadline=None)
    @given(networks(), st.integers(0, 99), st.sampled_from(OPTIMISERS))
    def test_torch_agrees_after_three_epochs(network, seed, optimiser):
        layers, shape, outputs = network
        (native, _), start, X, y, weight = problem(
            layers, shape, outputs, "squared", seed, rows=9, name=optimiser, epsilon=1e-3, l2=0.02, decay=0.05, clip=0.5
        )
        results = []
        for plan in (native, on_torch(native)):
            weights, slots = start.copy(), np.zeros((plan.optimiser.slots, plan.size))
            records = np.zeros(9), np.zeros(9)
            for epoch in range(3):
                rows, at = np.roll(np.arange(9), epoch), slice(3 * epoch, 3 * epoch + 3)
                recorded = [one[at] for one in records]
                assert plan.train(X, y, weight, rows, 4, 3 * epoch, np.full(3, 0.02), weights, slots, *recorded) == 3
            results.append((weights, slots, *records))
        for ours, expected in zip(*results, strict=True):
            close(ours, expected, 2e-6)
