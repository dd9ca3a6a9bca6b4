"""Networks of layers: the compiled kernels and the tape agree on values, gradients, steps and epochs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.core.errors import ParameterError
from learnable.engines.networks.dense_plan import (
    NO_WEIGHT,
    OPTIMISERS,
    DensePlan,
    OptimiserSettings,
    OutputLoss,
    dense_layers,
)
from learnable.engines.networks.draws import LayerDraws
from learnable.engines.networks.layer_plan import LayerPlan, planned_steps
from learnable.engines.networks.tape_plan import TapePlan, has_kernels
from learnable.parts.initialisers import Initialiser, initial_weights, spread
from learnable.parts.layers import (
    GRU,
    LSTM,
    RNN,
    Activation,
    Attention,
    AveragePool,
    BatchNorm,
    Conv,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GlobalPool,
    LayerNorm,
    MaxPool,
    Residual,
)
from learnable.parts.layers.layer import ACTIVATIONS
from learnable.tape import check_gradient

smooth = st.sampled_from(["identity", "logistic", "tanh", "elu", "selu", "gelu", "silu", "mish", "softplus"])
LOSSES = {
    "softmax": 0.0, "logistic": 0.0, "squared": 0.0, "poisson": 0.0, "absolute": 0.0, "huber": 0.7, "quantile": 0.3,
    "log_cosh": 0.0, "hinge": 0.0, "squared_hinge": 0.0,
}  # fmt: skip


@st.composite
def networks(draw):
    """Layers, the shape of a row, and the number of outputs."""
    outputs = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["flat", "image", "sequence", "codes"]))
    if kind == "codes":
        shape, layers = (draw(st.integers(1, 6)),), [Embedding(5, draw(st.integers(1, 4)))]
    elif kind == "flat":
        shape, layers = (draw(st.integers(1, 20)),), []
    elif kind == "image":
        shape, layers = (draw(st.integers(3, 7)), draw(st.integers(3, 7)), draw(st.integers(1, 3))), []
    else:
        shape, layers = (draw(st.integers(3, 9)), draw(st.integers(1, 3))), []
    if kind != "flat":
        for _ in range(draw(st.integers(0, 2))):
            layers.append(draw(images() if kind == "image" else st.one_of(images(sequence=True), sequences())))
        ends = [Flatten(), GlobalPool(), GlobalPool("max")]
        layers.append(draw(st.sampled_from(ends if kind == "image" else [*ends, RNN(3), GRU(9), LSTM(4)])))
    for _ in range(draw(st.integers(0, 2))):
        layers.append(draw(columns()))
    return [*layers, Dense(outputs)], shape, outputs


def sequences():
    kinds = st.sampled_from([RNN, GRU, LSTM])
    return st.one_of(
        st.builds(lambda kind, units: kind(units, sequences=True), kinds, st.integers(1, 18)),
        st.builds(Attention, st.integers(1, 18)),
    )


def images(sequence=False):
    return st.one_of(
        st.builds(Conv, st.integers(1, 5), st.just(3), smooth, padding=st.just("same")),
        st.builds(Conv, st.integers(1, 5), st.just(1), smooth, stride=st.just(2), crop=st.just(True)),
        st.builds(Conv, st.integers(1, 18), st.just(1 if sequence else (1, 3)), smooth, padding=st.just(0)).filter(
            lambda layer: sequence or layer.kernel_size == (1, 3)
        ),
        st.just(BatchNorm()), st.just(LayerNorm()), st.just(Dropout(0.3)),
        st.just(MaxPool(3, 1, padding=1)), st.just(AveragePool(3, 2, padding=1, crop=True)),
        st.builds(lambda kind: Residual([LayerNorm(), Activation(kind)]), smooth),
    )  # fmt: skip


def columns():
    return st.one_of(
        st.builds(Dense, st.integers(1, 33), smooth), st.just(BatchNorm()), st.just(LayerNorm()), st.just(Dropout(0.4)),
        st.builds(Activation, smooth), st.builds(lambda kind: Residual([LayerNorm(), Activation(kind)]), smooth),
    )  # fmt: skip


def problem(layers, shape, outputs, loss, seed, rows=7, **settings):
    """A plan of both kinds, weights, rows and targets."""
    steps = tuple(planned_steps("test", layers, shape, (), settings.pop("masked", False)))
    loss = OutputLoss(loss, LOSSES[loss], settings.pop("smoothing", 0.0))
    plans = [kind(steps, loss, OptimiserSettings(**settings), 11) for kind in (LayerPlan, TapePlan)]
    draws = np.random.default_rng(seed)
    weights = plans[0].initial("glorot_normal", seed, np.float64)
    weights[: plans[0].size] += 0.1 * draws.normal(size=plans[0].size)
    X = draws.normal(size=(rows, int(np.prod(shape))))
    if isinstance(layers[0], Embedding):
        X = draws.integers(0, layers[0].codes, size=X.shape).astype(float)
    y = draws.integers(0, 2, size=(rows, outputs)).astype(float)
    if loss.name == "softmax":
        y = draws.integers(0, outputs, size=(rows, 1)).astype(float)
    if "hinge" in loss.name:
        y = 2 * y - 1
    return plans, weights, X, y, draws.uniform(0.5, 2, size=rows)


def close(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(b).max(initial=0))))


@settings(max_examples=40)
@given(networks(), st.sampled_from(sorted(LOSSES)), st.integers(0, 99), st.booleans())
def test_kernels_and_tape_agree_on_values_and_gradients(network, loss, seed, training):
    layers, shape, outputs = network
    (native, tape), weights, X, y, weight = problem(layers, shape, outputs, loss, seed, smoothing=0.1)
    for depth in range(1, native.depth + 1):
        close(native.scores(X, weights, depth), tape.scores(X, weights, depth))
    close(native.predictions(X, weights), tape.predictions(X, weights))
    order = np.array([3, 0, 5, 6, 1], dtype=np.int64)
    for row_weight in (None, weight):
        arguments = (X, y, row_weight, order, weights, 3, training)
        (value, gradient), (expected, by_tape) = native.gradient(*arguments), tape.gradient(*arguments)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
        close(gradient, by_tape, 1e-7)


@settings(max_examples=25)
@given(networks(), st.integers(0, 99), st.sampled_from(OPTIMISERS), st.booleans())
def test_kernels_and_tape_agree_after_three_epochs(network, seed, optimiser, clipped):
    layers, shape, outputs = network
    (native, tape), start, X, y, weight = problem(
        layers, shape, outputs, "squared", seed, rows=9, name=optimiser, epsilon=1e-3, l1=0.01, l2=0.02, decay=0.05,
        clip=0.5 if clipped else 0.0, shared=clipped,
    )  # fmt: skip
    results = []
    for plan in (native, tape):
        weights, slots = start.copy(), np.zeros((plan.optimiser.slots, plan.size))
        objective, norms = np.zeros(9), np.zeros(9)
        for epoch in range(3):
            rows, at = np.roll(np.arange(9, dtype=np.int64), epoch), slice(3 * epoch, 3 * epoch + 3)
            done = plan.train(
                X, y, weight, rows, 4, 3 * epoch, np.array([0.02, 0.01, 0.03]), weights, slots, objective[at], norms[at]
            )
            assert done == 3
        results.append((weights, slots, objective, norms))
    for ours, expected in zip(*results, strict=True):
        close(ours, expected, 2e-6)


@pytest.mark.parametrize(
    "layers",
    [
        [RNN(3, sequences=True), GRU(4), Dense(2)],
        [LSTM(3, sequences=True), Attention(3), GlobalPool(), Dense(2)],
        [Conv(4, 3, "tanh"), LSTM(2), Dense(2)],
    ],
    ids=["recurrent", "attention", "mixed"],
)
def test_layers_of_the_tape_have_right_gradients(layers):
    steps = tuple(planned_steps("test", layers, (5, 3)))
    plan = TapePlan(steps, OutputLoss("softmax"))
    assert has_kernels(plan)
    draws = np.random.default_rng(0)
    X, y, rows = draws.normal(size=(4, 15)), draws.integers(0, 2, size=(4, 1)).astype(float), np.arange(4)
    weights = plan.initial("glorot_uniform", 0, np.float64)
    value, gradient = plan.gradient(X, y, None, rows, weights)
    check = check_gradient(lambda w: plan.gradient(X, y, None, rows, np.asarray(w))[0], weights, gradient=gradient)
    assert check.largest_error < 1e-5 and value > 0


@pytest.mark.parametrize("kind", sorted(ACTIVATIONS))
def test_every_activation_agrees(kind):
    (native, tape), weights, X, y, _ = problem([Dense(5, kind), Dense(2)], (4,), 2, "squared", 1)
    rows = np.arange(7)
    close(native.gradient(X, y, None, rows, weights)[1], tape.gradient(X, y, None, rows, weights)[1])


def test_dense_layers_are_those_of_the_dense_plan():
    layers = [Dense(20, "relu"), Dropout(0.3), Dense(9, "gelu"), Dense(3)]
    (native, _), weights, X, y, weight = problem(layers, (6,), 3, "softmax", 2)
    dense = DensePlan(dense_layers([6, 20, 9, 3], ["relu", "gelu"]), OutputLoss("softmax"))
    np.testing.assert_array_equal(native.predictions(X, weights), dense.predictions(X, weights))
    rows = np.arange(7)
    close(native.gradient(X, y, weight, rows, weights)[1], dense.gradient(X, y, weight, rows, weights)[1], 1e-12)


def trained(layers, shape, dtype, threads, rows=200):
    (plan, _), weights, X, y, _ = problem(layers, shape, 3, "softmax", 5, rows=rows)
    weights, slots = weights.astype(dtype), np.zeros((2, plan.size), dtype)
    with learnable.threads(threads):
        plan.train(
            X.astype(dtype), y, NO_WEIGHT, np.arange(rows), 64, 0, np.full(-(-rows // 64), 0.01), weights, slots,
            np.zeros(-(-rows // 64)), np.zeros(-(-rows // 64)),
        )  # fmt: skip
        return weights, plan.predictions(X.astype(dtype), weights), plan


CONVOLUTIONS = [
    Conv(8, 3, "relu", padding="same"), BatchNorm(), MaxPool(2), Conv(12, 3, "relu"), Dropout(0.2), Flatten(),
    Dense(40, "relu"), Dense(3),
]  # fmt: skip


RECURRENT = [GRU(24, sequences=True), Attention(20), LSTM(33, sequences=True), RNN(17), Dense(3)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layers", [CONVOLUTIONS, RECURRENT], ids=["convolutions", "recurrent"])
def test_same_bits_on_any_number_of_threads(dtype, layers):
    shape = (12, 12, 1) if layers is CONVOLUTIONS else (24, 6)
    first = trained(layers, shape, dtype, 1)
    for threads in (2, 3, 8):
        again = trained(layers, shape, dtype, threads)
        np.testing.assert_array_equal(first[0], again[0])
        np.testing.assert_array_equal(first[1], again[1])


@pytest.mark.parametrize(
    ("layers", "shape"), [(CONVOLUTIONS, (12, 12, 1)), (RECURRENT, (24, 6))], ids=["convolutions", "recurrent"]
)
def test_a_row_has_the_same_bits_alone_and_in_any_batch(layers, shape):
    weights, _, plan = trained(layers, shape, np.float32, 2)
    X = np.random.default_rng(3).normal(size=(300, 144)).astype(np.float32)
    together = plan.predictions(X, weights)
    for row in (0, 7, 239, 240, 299):
        np.testing.assert_array_equal(plan.predictions(X[row : row + 1], weights)[0], together[row])


def test_convolutions_and_pools_by_loops():
    """Forward by six loops, without any executor of the library."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(2, 5, 6, 3))
    layers = [Conv(4, (3, 2), stride=(2, 2), padding=1, crop=True), MaxPool(2, 1), AveragePool((1, 2), 1), Flatten()]
    (native, tape), weights, *_ = problem(layers, (5, 6, 3), 4, "squared", 0)
    kernel, shift = native.arrays(weights)[0]["weights"], native.arrays(weights)[0]["intercepts"]
    image = np.pad(X, ((0, 0), (1, 1), (1, 1), (0, 0)))
    rows, columns = (5 + 2 - 3) // 2 + 1, (6 + 2 - 2) // 2 + 1
    made = np.zeros((2, rows, columns, 4))
    for n, i, j, k in np.ndindex(made.shape):
        made[n, i, j, k] = shift[k] + sum(
            image[n, 2 * i + a, 2 * j + b, c] * kernel[a, b, c, k] for a in range(3) for b in range(2) for c in range(3)
        )
    largest = np.array(
        [[made[:, i : i + 2, j : j + 2].max((1, 2)) for j in range(columns - 1)] for i in range(rows - 1)]
    )
    means = (largest[:, :-1] + largest[:, 1:]) / 2
    for plan in (native, tape):
        close(plan.scores(X.reshape(2, -1), weights, 1), made.reshape(2, -1), 1e-12)
        close(plan.scores(X.reshape(2, -1), weights, 3), means.transpose(2, 0, 1, 3).reshape(2, -1), 1e-12)


def test_dropout_keeps_the_mean_and_is_off_in_prediction():
    mask = LayerDraws(5, 2, 1, 400).kept(0.3, 50)
    assert set(np.unique(mask)) == {0.0, 1 / 0.7} and abs(mask.mean() - 1) < 0.02
    assert not np.array_equal(mask, LayerDraws(5, 3, 1, 400).kept(0.3, 50))
    plan = LayerPlan(tuple(planned_steps("test", [Dropout(0.5)], (4,))), OutputLoss("squared"))
    np.testing.assert_array_equal(plan.scores(np.ones((3, 4)), np.zeros(0)), np.ones((3, 4)))


@pytest.mark.parametrize("kind", Initialiser.__args__)
def test_initial_weights_have_their_spread(kind):
    """Glorot's bounds of a network of 10, 5 and 1 units are 0.6325 and 1."""
    assert spread("glorot_uniform", (10, 5)) == pytest.approx(0.6325, abs=5e-5)
    assert spread("glorot_uniform", (5, 1)) == 1
    drawn = initial_weights(kind, (3, 3, 20, 40), np.random.default_rng(0))
    if kind == "zeros":
        assert not drawn.any()
    elif kind == "orthogonal":
        flat = drawn.reshape(180, 40)
        np.testing.assert_allclose(flat.T @ flat, np.eye(40), atol=1e-12)
    elif kind.endswith("uniform"):
        bound = spread(kind, drawn.shape)
        assert np.abs(drawn).max() <= bound and drawn.std() == pytest.approx(bound / np.sqrt(3), rel=0.03)
    else:
        assert drawn.std() == pytest.approx(spread(kind, drawn.shape), rel=0.03) and abs(drawn.mean()) < 0.05


def test_frozen_layers_keep_weights_and_statistics():
    layers = [Dense(6, "tanh"), BatchNorm(), Dense(4, "relu"), Dense(2)]
    steps = tuple(planned_steps("test", layers, (5,), freeze=[0, 1]))
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(30, 5)), draws.normal(size=(30, 2))
    for kind in (LayerPlan, TapePlan):
        plan = kind(steps, OutputLoss("squared"), OptimiserSettings("adamw", decay=0.1))
        weights = plan.initial("he_normal", 1, np.float64)
        before, slots = weights.copy(), np.zeros((2, plan.size))
        plan.train(X, y, NO_WEIGHT, np.arange(30), 10, 0, np.full(3, 0.1), weights, slots, np.zeros(3), np.zeros(3))
        for number, (old, new) in enumerate(zip(plan.arrays(before), plan.arrays(weights), strict=True)):
            for name in old:
                assert np.array_equal(old[name], new[name]) == (plan.steps[number].number < 2), (number, name)


def test_sizes_of_convolutions():
    """The worked sizes of the course: (N - F + 2P) / S + 1 windows, F F C K + K parameters."""
    for size, padding, expected in ((5, 0, 28), (3, 1, 32), (5, 2, 32), (1, 0, 32)):
        assert Conv(6, size, padding=padding).output_shape((32, 32, 3)) == (expected, expected, 6)
    assert Conv(1, 5).parameters((32, 32, 3)) == 76 and Conv(10, 5).parameters((32, 32, 3)) == 760
    assert Conv(10, 5, padding="same").output_shape((32, 32, 3)) == (32, 32, 10)
    with pytest.raises(ParameterError, match=r"14.5 windows: not a whole number; no padding on both sides would fit"):
        Conv(1, 5, stride=2).output_shape((32, 32, 3))
    with pytest.raises(ParameterError, match=r"padding=1 would fit"):
        Conv(1, 3, stride=3).output_shape((31, 31, 1))
    assert Conv(1, 5, stride=2, padding=2).output_shape((33, 33, 1)) == (17, 17, 1)
    assert Conv(1, 5, stride=2, crop=True).output_shape((32, 32, 3)) == (14, 14, 1)
    assert Conv(2, 3).output_shape((20, 5)) == (18, 2)


@pytest.mark.parametrize(
    ("layers", "shape", "words"),
    [
        ([Dense(3), Conv(2)], (4, 4, 1), r"layer 1 of 2: Dense: rows must have the shape \(columns,\); put Flatten"),
        ([Conv(2, 9), Flatten()], (4, 4, 1), "a window of 9 does not fit into 4"),
        ([Conv(2)], (16,), "set input_shape"),
        ([Residual([Dense(3)])], (4,), r"must keep the shape \(4,\)"),
        ([LSTM(3)], (4,), r"\(steps, channels\)"),
        ([MaxPool(2)], (7, 7, 1), "not a whole number"),
        ([Conv(1, 4, padding="same")], (8, 8, 1), "needs an odd size"),
    ],
)
def test_layers_that_do_not_fit_are_named(layers, shape, words):
    with pytest.raises(ParameterError, match=words):
        planned_steps("Net", layers, shape)


@pytest.mark.parametrize(
    "make",
    [lambda: Dense(0), lambda: Dense(3, "sine"), lambda: Dropout(1.0), lambda: Conv(2, (3, 3, 3)),
     lambda: Residual([3]),
     lambda: GlobalPool("sum"), lambda: Conv(2, padding=-1), lambda: BatchNorm(2.0), lambda: LSTM(2.5)],
)  # fmt: skip
def test_settings_are_checked(make):
    with pytest.raises(ParameterError, match="must be"):
        make()
