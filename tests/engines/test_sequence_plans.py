"""Networks over sequences: missing steps, and classes at every step, on the compiled kernels and on the tape."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.engines.networks.dense_plan import OutputLoss
from learnable.engines.networks.layer_plan import LayerPlan, planned_steps
from learnable.engines.networks.tape_plan import TapePlan
from learnable.parts.layers import (
    GRU,
    LSTM,
    RNN,
    Activation,
    Conv,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GlobalPool,
    Residual,
)
from tests.engines.test_layer_plans import close, problem, sequences


@st.composite
def networks_of_sequences(draw):
    """Layers that keep the steps of rows, or pool them, and the shape of a row."""
    codes, steps = draw(st.booleans()), draw(st.integers(1, 6))
    layers = [Embedding(5, draw(st.integers(1, 4)))] if codes else []
    others = st.sampled_from([Dropout(0.3), Activation("tanh"), Residual([Activation("silu")])])
    layers += draw(st.lists(st.one_of(sequences(), others), max_size=3))
    layers.append(draw(st.sampled_from([GlobalPool(), GlobalPool("max"), Flatten(), RNN(3), GRU(9), LSTM(4)])))
    return [*layers, Dense(2)], (steps,) if codes else (steps, draw(st.integers(1, 3)))


@settings(max_examples=40)
@given(networks_of_sequences(), st.integers(0, 99), st.booleans())
def test_missing_steps_are_skipped(network, seed, training):
    """Kernels and tape agree, and what follows a last step that is missing changes nothing."""
    layers, shape = network
    (native, tape), weights, X, y, weight = problem(layers, shape, 2, "softmax", seed, masked=True)
    there = np.random.default_rng(seed).random((7, shape[0])) < 0.7
    X = np.where(there[..., None], X.reshape(7, shape[0], -1), np.nan).reshape(7, -1)
    for depth in range(1, native.depth + 1):
        close(native.scores(X, weights, depth), tape.scores(X, weights, depth))
    arguments = (X, y, weight, np.array([3, 0, 5, 6, 1]), weights, 3, training)
    (value, gradient), (expected, by_tape) = native.gradient(*arguments), tape.gradient(*arguments)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
    close(gradient, by_tape, 1e-7)
    if not any(isinstance(layer, Flatten) for layer in layers):
        longer = np.hstack([X, np.full((7, 2 * X.shape[1] // shape[0]), np.nan)])
        steps = tuple(planned_steps("test", layers, (shape[0] + 2, *shape[1:]), (), True))
        padded = LayerPlan(steps, native.loss, native.optimiser, 11)
        close(padded.predictions(longer, weights), native.predictions(X, weights), 1e-12)
        full = np.flatnonzero(there.all(axis=1))
        unmasked = LayerPlan(tuple(planned_steps("test", layers, shape)), native.loss, native.optimiser, 11)
        if len(full):
            close(unmasked.predictions(X[full], weights), native.predictions(X[full], weights), 1e-12)


def test_classes_at_every_step_agree():
    """Softmax at each step of a sequence: a row has the mean of the losses, and a step without target has none."""
    steps = tuple(planned_steps("test", [Embedding(4, 3), LSTM(5, sequences=True), Conv(4, 1)], (6,), (), True))
    native, tape = (kind(steps, OutputLoss("softmax", 6.0, 0.1)) for kind in (LayerPlan, TapePlan))
    draws = np.random.default_rng(0)
    weights = native.initial("glorot_normal", 0, np.float64)
    X, y = (draws.integers(0, 4, size=(7, 6)).astype(float) for _ in range(2))
    X[2, 4:] = y[2, 4:] = np.nan
    rows = np.arange(7)
    (value, gradient), (expected, by_tape) = (plan.gradient(X, y, None, rows, weights) for plan in (native, tape))
    assert value == pytest.approx(expected, rel=1e-12)
    close(gradient, by_tape, 1e-10)
    probabilities = native.predictions(X, weights)
    close(probabilities, tape.predictions(X, weights), 1e-12)
    close(probabilities.reshape(7, 6, 4).sum(2), np.ones((7, 6)), 1e-12)
    plain = LayerPlan(steps, OutputLoss("softmax", 6.0)).gradient(X, y, None, rows, weights)[0]
    known = np.where(np.isnan(y), 0, y).astype(int)[..., None]
    chosen = np.where(np.isnan(y), 1.0, np.take_along_axis(probabilities.reshape(7, 6, 4), known, 2)[..., 0])
    assert plain == pytest.approx(-np.log(chosen).mean(), rel=1e-12)
