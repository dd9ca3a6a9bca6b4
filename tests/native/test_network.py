"""Dense networks: kernels against naive NumPy, on any number of threads, for odd sizes."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, special

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.networks.dense_plan import (
    ACTIVATIONS,
    LOSSES,
    OPTIMISERS,
    DensePlan,
    OptimiserSettings,
    OutputLoss,
    PlannedDense,
)

NOTHING = np.empty(0)
ELU, LEAK = 0.7, 0.1
SELU = 1.0507009873554805, 1.6732632423543772


def activated(name, z):
    """The activation function as its formula has it."""
    known = {
        "identity": lambda: z,
        "logistic": lambda: special.expit(z),
        "tanh": lambda: np.tanh(z),
        "relu": lambda: np.maximum(z, 0),
        "leaky_relu": lambda: np.where(z > 0, z, LEAK * z),
        "elu": lambda: np.where(z > 0, z, ELU * np.expm1(np.minimum(z, 0))),
        "selu": lambda: SELU[0] * np.where(z > 0, z, SELU[1] * np.expm1(np.minimum(z, 0))),
        "gelu": lambda: z * special.ndtr(z),
        "silu": lambda: z * special.expit(z),
        "mish": lambda: z * np.tanh(np.logaddexp(0, z)),
        "softplus": lambda: np.logaddexp(0, z),
    }
    return known[name]()


def loss_of(name, parameter, y, z):
    """The loss of each row, summed over outputs."""
    if name == "softmax":
        return special.logsumexp(z, axis=1) - z[np.arange(len(z)), y[:, 0].astype(int)]
    r = z - y
    values = {
        "logistic": lambda: np.logaddexp(0, z) - y * z,
        "squared": lambda: r**2 / 2,
        "poisson": lambda: np.exp(z) - y * z + special.xlogy(y, y) - y,
        "absolute": lambda: np.abs(r),
        "huber": lambda: special.huber(parameter, r),
        "quantile": lambda: np.maximum((1 - parameter) * r, -parameter * r),
        "log_cosh": lambda: np.log(np.cosh(r)),
        "hinge": lambda: np.maximum(1 - y * z, 0),
        "squared_hinge": lambda: np.maximum(1 - y * z, 0) ** 2,
    }
    return values[name]().sum(axis=1)


def network(widths, activation="tanh", loss="squared", parameter=0.3, **more):
    kinds = [activation] * (len(widths) - 2) + ["identity"]
    alpha = {"leaky_relu": LEAK, "elu": ELU}.get(activation, 0.0)
    layers = tuple(PlannedDense(i, o, k, alpha) for (i, o), k in zip(itertools.pairwise(widths), kinds, strict=True))
    return DensePlan(layers, OutputLoss(loss, parameter), **more)


def target(loss, rng, n, outputs):
    if loss == "softmax":
        return rng.integers(0, outputs, (n, 1)).astype(float)
    if loss == "logistic":
        return rng.integers(0, 2, (n, outputs)).astype(float)
    if loss in ("hinge", "squared_hinge"):
        return rng.choice([-1.0, 1.0], (n, outputs))
    return rng.poisson(2.0, (n, outputs)).astype(float)


def scores_of(plan, X, weights):
    a = X
    for layer, W, b in zip(plan.layers, *plan.split(weights), strict=True):
        a = activated(layer.activation, a @ W + b)
    return a


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_the_formulas(activation, dtype):
    rng = np.random.default_rng(0)
    plan = network([7, 17, 1, 5], activation)
    weights = rng.normal(0, 0.7, plan.size).astype(dtype)
    X = rng.normal(0, 3, (53, 7)).astype(dtype)
    tolerance = 1e-13 if dtype == np.float64 else 2e-5
    for depth in (1, 2, 3):
        expected = X.astype(float)
        for layer, W, b in list(zip(plan.layers, *plan.split(weights.astype(float)), strict=True))[:depth]:
            expected = activated(layer.activation, expected @ W + b)
        assert_allclose(plan.scores(X, weights, depth), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_of_extreme_scores_are_finite(activation):
    plan = network([1, 1, 1], activation)
    for dtype, largest in ((np.float64, 1e300), (np.float32, 1e30)):
        weights = np.array([1, 0, 1, 0], dtype)
        X = np.array([-largest, -1e4, -100, -1, -1e-20, 0, 1e-20, 1, 100, 1e4, largest], dtype)[:, None]
        found = plan.scores(X, weights, 1)[:, 0].astype(float)
        expected = activated(activation, X[:, 0].astype(float))
        assert_allclose(found, expected, rtol=1e-5, atol=1e-30 if dtype == np.float64 else 1e-25)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("activation", ["tanh", "mish"])
def test_gradients_are_those_of_differences(loss, activation):
    rng = np.random.default_rng(1)
    plan = network([3, 5, 4, 2], activation, loss)
    weights, X = rng.normal(0, 0.6, plan.size), rng.normal(size=(29, 3))
    y, weight = target(loss, rng, 29, 2), rng.uniform(0.1, 2, 29)
    rows = rng.integers(0, 29, 40)

    def objective(w):
        return np.average(loss_of(loss, 0.3, y[rows], scores_of(plan, X[rows], w)), weights=weight[rows])

    value, gradient = plan.gradient(X, y, weight, rows, weights)
    assert_allclose(value, objective(weights), rtol=1e-12)
    step = 1e-6 * np.eye(plan.size)
    differences = [(objective(weights + e) - objective(weights - e)) / 2e-6 for e in step]
    assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_derivatives_of_activations_are_those_of_differences(activation):
    rng = np.random.default_rng(2)
    plan = network([2, 3, 1], activation)
    weights, X, y = rng.normal(0, 1.0, plan.size), rng.normal(size=(31, 2)), rng.normal(size=(31, 1))
    _, gradient = plan.gradient(X, y, None, np.arange(31), weights)
    differences = []
    for e in 1e-6 * np.eye(plan.size):
        high, low = (0.5 * ((scores_of(plan, X, weights + s * e) - y) ** 2).mean() for s in (1, -1))
        differences.append((high - low) / 2e-6)
    assert_allclose(gradient, differences, rtol=2e-6, atol=1e-8)


def reference_step(settings, t, rate, w, g, slots):
    """A step of an optimiser by its formula; `t` counts from 1."""
    name, b1, b2, eps = settings.name, settings.first, settings.second, settings.epsilon
    if name == "sgd":
        return w - rate * g, slots
    if name in ("momentum", "nesterov"):
        v = b1 * slots[0] - rate * g
        return w + (b1 * v - rate * g if name == "nesterov" else v), np.array([v])
    if name in ("adam", "adamw"):
        m, v = b1 * slots[0] + (1 - b1) * g, b2 * slots[1] + (1 - b2) * g**2
        corrected = rate * np.sqrt(1 - b2**t) / (1 - b1**t)
        return w * (1 - rate * settings.decay) - corrected * m / (np.sqrt(v) + eps), np.array([m, v])
    if name == "adadelta":
        v = b2 * slots[0] + (1 - b2) * g**2
        move = np.sqrt(slots[1] + eps) / np.sqrt(v + eps) * g
        return w - rate * move, np.array([v, b2 * slots[1] + (1 - b2) * move**2])
    v = slots[0] + g**2 if name == "adagrad" else b2 * slots[0] + (1 - b2) * g**2
    return w - rate * g / (np.sqrt(v) + eps), np.array([v])


@pytest.mark.parametrize("name", OPTIMISERS)
def test_steps_of_optimisers_are_those_of_the_formulas(name):
    rng = np.random.default_rng(3)
    settings = OptimiserSettings(name, 0.8, 0.95, 1e-6)
    plan = network([5, 4, 3], optimiser=settings)
    weights, slots = rng.normal(size=plan.size), np.zeros((settings.slots, plan.size))
    expected, kept = weights.copy(), slots.copy()
    for step in range(4):
        gradient, rate = rng.normal(size=plan.size), 0.1 / (step + 1)
        kernels.optimiser_step(plan.for_kernel()[1], step, rate, gradient, weights, slots)
        expected, kept = reference_step(settings, step + 1, rate, expected, gradient, kept)
        assert_allclose(weights, expected, rtol=1e-12)
        assert_allclose(slots, kept.reshape(slots.shape), rtol=1e-12)


@pytest.mark.parametrize("name", OPTIMISERS)
@pytest.mark.parametrize("clip", [0.0, 0.05])
def test_training_is_gradients_and_steps(name, clip):
    rng = np.random.default_rng(4)
    settings = OptimiserSettings(name, 0.9, 0.99, 1e-7, l1=0.03, l2=0.2, decay=0.1 * (name == "adamw"), clip=clip)
    plan = network([9, 50, 3], "relu", "softmax", optimiser=settings)
    X, y, weight = rng.normal(size=(70, 9)), target("softmax", rng, 70, 3), rng.uniform(0.5, 2, 70)
    weights, slots = rng.normal(0, 0.3, plan.size), np.zeros((settings.slots, plan.size))
    expected, kept = weights.copy(), slots.copy()
    order, rates = rng.permutation(70), np.array([0.1, 0.05, 0.02])
    objective, norm = np.zeros(3), np.zeros(3)
    done = kernels.dense_train(X, y, weight, order, 30, 0, rates, *plan.for_kernel(), weights, slots, objective, norm)
    assert done == 3
    intercept_free = plan.penalised(np.ones(plan.size))
    for step in range(3):
        rows = order[30 * step : 30 * step + 30]
        loss, gradient = plan.gradient(X, y, weight, rows, expected)
        penalised, total = expected * intercept_free, weight[rows].sum()
        loss += 0.1 * (penalised**2).sum() / total + 0.03 * np.abs(penalised).sum() / total
        gradient = gradient + (0.2 * penalised + 0.03 * np.sign(penalised)) / total
        assert_allclose([objective[step], norm[step]], [loss, (gradient**2).sum()], rtol=1e-11)
        if clip and np.linalg.norm(gradient) > clip:
            gradient *= clip / np.linalg.norm(gradient)
        after, kept = reference_step(settings, step + 1, rates[step], expected, gradient, kept)
        if name == "adamw":  # intercepts have no weight decay
            after = after + (1 - intercept_free) * expected * rates[step] * settings.decay
        expected = after
    assert_allclose(weights, expected, rtol=1e-9, atol=1e-12)
    assert_allclose(slots, kept.reshape(slots.shape), rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("widths", [[1, 1], [7, 1, 1], [100, 97, 48, 10], [30, 16, 8, 33, 2]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bits_do_not_depend_on_threads(widths, dtype):
    rng = np.random.default_rng(5)
    plan = network(widths, "silu", "squared", optimiser=OptimiserSettings(l2=0.1, clip=5.0))
    X, y = rng.normal(size=(2000, widths[0])).astype(dtype), rng.normal(size=(2000, widths[-1]))
    order, start = rng.permutation(2000)[:1999], rng.normal(0, 0.2, plan.size).astype(dtype)
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            weights, slots = start.copy(), np.zeros((2, plan.size), dtype)
            objective, norm = np.zeros(2), np.zeros(2)
            kernels.dense_train(
                X, y, NOTHING, order, 1024, 0, np.full(2, 0.01), *plan.for_kernel(), weights, slots, objective, norm
            )
            value, gradient = plan.gradient(X, y, None, order, start)
            bits = (weights, slots, objective, norm, gradient, plan.scores(X, weights))
            seen.add((value, *(part.tobytes() for part in bits)))
    assert len(seen) == 1


def test_sparse_and_dense_rows_have_the_same_bits():
    rng = np.random.default_rng(6)
    plan = network([20, 9, 4], "elu", "softmax")
    X = rng.normal(size=(40, 20)) * (rng.random((40, 20)) < 0.2)
    y, weights = target("softmax", rng, 40, 4), rng.normal(size=plan.size)
    for precision in (np.float64, np.float32):
        rows = X.astype(precision)
        dense, stored = (
            plan.gradient(part, y, None, np.arange(40), weights) for part in (rows, sparse.csr_array(rows))
        )
        assert dense[0] == stored[0]
        assert_array_equal(dense[1], stored[1])
        assert_array_equal(plan.scores(rows, weights), plan.scores(sparse.csr_array(rows), weights))


def scrambled(key):
    key = (key + 0x9E3779B97F4A7C15) % 2**64
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) % 2**64
    return key ^ (key >> 31)


def test_dropout_is_drawn_by_index():
    """One linear unit after dropped ones: the value of the loss shows which of them are left."""
    plan = DensePlan((PlannedDense(1, 6, "identity", 0.0, 0.4), PlannedDense(6, 1)), OutputLoss("absolute"), seed=11)
    weights = np.array([0.0] * 6 + [1.0] * 6 + [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 0.0])
    for step, row in itertools.product(range(3), range(4)):
        key = scrambled((scrambled((scrambled(11) + step) % 2**64) + 0) % 2**64)
        kept = [scrambled((key + (row << 32) + j) % 2**64) >> 32 >= int(0.4 * 2**32) for j in range(6)]
        expected = sum(2.0**j for j in range(6) if kept[j]) / 0.6
        single = np.eye(4)[row]
        value, _ = plan.gradient(np.zeros((4, 1)), np.zeros((4, 1)), single, np.arange(4), weights, step)
        assert_allclose(value, expected, rtol=1e-12)


def test_a_loss_that_is_not_finite_stops_before_its_step():
    plan = network([1, 1], loss="squared", optimiser=OptimiserSettings("sgd"))
    X, y = np.array([[1.0], [1.0], [1e200], [1.0]]), np.zeros((4, 1))
    weights, slots, objective, norm = np.array([1.0, 0.0]), np.zeros((0, 2)), np.zeros(4), np.zeros(4)
    done = kernels.dense_train(
        X, y, NOTHING, np.arange(4), 1, 0, np.full(4, 0.1), *plan.for_kernel(), weights, slots, objective, norm
    )
    assert done == 2 and np.isinf(objective[2])
    assert_allclose(weights, [0.82, -0.18], rtol=1e-12)


def test_what_does_not_fit_is_refused():
    plan = network([3, 4, 2])
    X, weights = np.zeros((5, 3)), np.zeros(plan.size)
    y, rows = np.zeros((5, 2)), np.arange(5)
    with pytest.raises(ValueError, match="column for each input"):
        plan.scores(np.zeros((5, 4)), weights)
    with pytest.raises(ValueError, match="fit the layers"):
        plan.scores(X, weights[1:])
    with pytest.raises(ValueError, match="row out of range"):
        plan.gradient(X, y, None, rows + 1, weights)
    with pytest.raises(ValueError, match="y needs an entry"):
        plan.gradient(X, y[:, :1].copy(), None, rows, weights)
    with pytest.raises(ValueError, match="not a class"):
        network([3, 4, 2], loss="softmax").gradient(X, np.full((5, 1), 2.0), None, rows, weights)
