"""Neural networks by hand: what the textbook derives, against what the layers compute."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

from learnable import ConvergenceWarning
from learnable.engines.networks.dense_plan import OptimiserSettings, OutputLoss
from learnable.engines.networks.layer_plan import LayerPlan, planned_steps
from learnable.linear_model import LogisticRegression
from learnable.neural_network import (
    LSTM,
    RNN,
    Conv,
    Dense,
    Embedding,
    Flatten,
    MaxPool,
    MLPClassifier,
    MLPRegressor,
    NetworkClassifier,
    NetworkRegressor,
    learning_rate_test,
    over_seeds,
    receptive_field,
    saliency,
    training_report,
    width_depth_sweep,
)
from learnable.pipeline import make_pipeline
from learnable.plot import ActivationDisplay
from learnable.preprocessing import StandardScaler
from learnable.tape import Tensor, check_gradient

draws = np.random.default_rng(0)
X = draws.normal(size=(120, 3))
y = X @ [1.0, -2.0, 0.5] + 0.1 * draws.normal(size=120)
ONE_STEP = {"precision": "float64", "batch_size": 120, "shuffle": False, "max_iter": 1, "random_state": 0}
QUICK = {"learning_rate_init": 0.02, "schedule": "cosine", "max_iter": 30, "batch_size": 16, "random_state": 0}


def logistic(z):
    return 1 / (1 + np.exp(-z))


def test_activations_have_the_derivatives_of_the_course():
    z = np.linspace(-3, 3, 401)
    display = ActivationDisplay.from_names(["identity", "logistic", "tanh", "relu", "softplus"], limit=3.0)
    expected = [np.ones(401), logistic(z) * (1 - logistic(z)), 1 - np.tanh(z) ** 2, z > 0, logistic(z)]
    for found, derivative in zip(display.derivatives, expected, strict=True):
        np.testing.assert_allclose(found, derivative, rtol=1e-12, atol=1e-12)
    scores = Tensor(np.array([0.3, -1.0, 2.0]))
    p = scores.softmax()
    jacobian = np.array([p.backward(np.eye(3)[k])[scores].value for k in range(3)])
    np.testing.assert_allclose(jacobian, np.diag(p.value) - np.outer(p.value, p.value), rtol=1e-12)
    assert len(ActivationDisplay.from_names().names) == 11


def test_outputs_are_chosen_by_the_task():
    settings = {"max_iter": 2, "schedule": "cosine"}
    kinds = [(X[:, 0] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])]
    found = [NetworkClassifier(**settings).fit(X, one).out_activation_ for one in kinds]
    assert found == ["logistic", "softmax"]
    assert NetworkRegressor(**settings).fit(X, y).out_activation_ == "identity"
    assert NetworkRegressor(loss="poisson", **settings).fit(X, np.abs(y)).out_activation_ == "exp"


def test_backpropagation_in_matrix_form():
    """dZ = (f - y) / n, dW = X' dZ, db = 1' dZ, dX = dZ W', and dZ = dA g'(Z) through an activation."""
    model = NetworkRegressor([Dense(4, "tanh")], **(ONE_STEP | {"max_iter": 3, "schedule": "cosine"})).fit(X, y)
    (first,), (second,) = model.layer_weights(0), model.layer_weights(1)
    W, b, V, c = first["weights"], first["intercepts"], second["weights"], second["intercepts"]
    A = np.tanh(X @ W + b)
    dZ2 = (A @ V + c - y[:, None]) / len(y)
    dZ1 = (dZ2 @ V.T) * (1 - A**2)
    expected = np.concatenate([(X.T @ dZ1).ravel(), dZ1.sum(0), (A.T @ dZ2).ravel(), dZ2.sum(0)])
    plan, weights = model._fitted_plan()
    np.testing.assert_allclose(plan.gradient(X, y[:, None], None, np.arange(120), weights)[1], expected, rtol=1e-10)


def test_the_update_of_a_relu_network_with_hinge_loss():
    """w_ji += rate y 1[1 - y z > 0] v_j 1[z_j > 0] x_i, for one row."""
    steps = tuple(planned_steps("Net", [Dense(5, "relu"), Dense(1)], (3,)))
    plan = LayerPlan(steps, OutputLoss("hinge"), OptimiserSettings("sgd"))
    x, label, rate = np.array([[0.5, -1.0, 2.0]]), 1.0, 0.1
    weights = plan.initial("normal", 3, np.float64)
    before = [own["weights"].copy() for own in plan.arrays(weights) if own]
    hidden = x[0] @ before[0]
    z = np.maximum(hidden, 0) @ before[1]
    assert 1 - label * z[0] > 0, "the row is inside the margin"
    plan.train(
        x, np.array([[label]]), np.empty(0), np.array([0]), 1, 0, np.array([rate]), weights, np.zeros((0, plan.size)),
        np.zeros(1), np.zeros(1),
    )  # fmt: skip
    expected = before[0] + rate * label * np.outer(x[0], before[1][:, 0] * (hidden > 0))
    after = [own["weights"] for own in plan.arrays(weights) if own]
    np.testing.assert_allclose(after[0], expected, rtol=1e-12)
    np.testing.assert_allclose(after[1][:, 0], before[1][:, 0] + rate * label * np.maximum(hidden, 0), rtol=1e-12)


def test_gradients_of_a_network_are_checked_by_differences():
    model = NetworkRegressor([Dense(3, "tanh")], **ONE_STEP | {"schedule": "cosine"}).fit(X, y)
    plan, weights = model._fitted_plan()

    gradient = plan.gradient(X, y[:, None], None, np.arange(120), weights)[1]
    A, rest = np.tanh(X @ weights[:9].reshape(3, 3) + weights[9:12]), weights[12:]

    def tape_loss(w):
        residual = A @ w[:3] + w[3] - y
        return (residual * residual).mean() * 0.5

    found = check_gradient(tape_loss, rest, gradient=gradient[12:])
    assert found.holds and "the gradient is right" in str(found)


@pytest.mark.parametrize("optimiser", ["adam", "adadelta", "sgd"])
def test_the_first_step_of_optimisers(optimiser):
    """Adam's first step is the rate times the sign of the gradient; AdaDelta's has no rate of its own."""
    settings = ONE_STEP | {"optimiser": optimiser, "schedule": "cosine", "learning_rate_init": 0.1, "beta_2": 0.95}
    model = NetworkRegressor([], **settings).fit(X, y)
    plan, _ = model._fitted_plan()
    start = model._fresh_weights(plan)
    gradient = plan.gradient(X, y[:, None], None, np.arange(120), start)[1]
    moved = model.weights_ - start
    expected = {
        "adam": -0.1 * np.sign(gradient),
        "adadelta": -0.1 * gradient * np.sqrt(1e-8) / np.sqrt(0.05 * gradient**2 + 1e-8),
        "sgd": -0.1 * gradient,
    }[optimiser]
    np.testing.assert_allclose(moved, expected, rtol=1e-4)


@pytest.mark.parametrize(("alpha", "l1"), [(0.3, 0.0), (0.0, 0.2)])
def test_penalties_in_a_step(alpha, l1):
    """w -= rate (gradient + alpha w), or + l1 sign(w); intercepts have no penalty."""
    settings = ONE_STEP | {"optimiser": "sgd", "schedule": "cosine", "learning_rate_init": 0.1}
    plain, penalised = (NetworkRegressor([], alpha=a, l1=b, **settings).fit(X, y) for a, b in ((0, 0), (alpha, l1)))
    plan, _ = plain._fitted_plan()
    start = plain._fresh_weights(plan)[:3]
    expected = -0.1 * (alpha * start + l1 * np.sign(start))
    np.testing.assert_allclose((penalised.weights_ - plain.weights_)[:3], expected, rtol=1e-9)
    assert penalised.weights_[3] == plain.weights_[3]


def test_results_over_seeds_and_sizes():
    labels = (X[:, 0] * X[:, 1] > 0).astype(int)
    scores = over_seeds(NetworkClassifier([Dense(8, "relu")], **QUICK), X, labels, X, labels, seeds=(0, 1, 2))
    assert len(set(scores.scores)) > 1 and 0 < scores.std < 0.2 and "over 3 seeds" in str(scores)
    assert scores.mean == pytest.approx(np.mean(scores.scores))
    sweep = width_depth_sweep(NetworkClassifier(**QUICK), X, labels, widths=(1, 32), depths=(1, 2))
    assert sweep.best[0] == 32 and sweep.train.shape == (2, 2) and (sweep.train[:, 1] > sweep.train[:, 0]).all()
    assert str(sweep).startswith("depth") and "training score / validation score" in str(sweep)


def test_the_learning_rate_test_finds_where_training_diverges():
    model = NetworkRegressor([Dense(16, "relu")], max_iter=1, schedule="cosine", optimiser="sgd", random_state=0)
    model.fit(X, y)
    before = model.weights_.copy()
    found = learning_rate_test(model, X, y, 1e-5, 10.0, 80)
    assert 1e-4 < found.suggestion < 0.5 and found.losses[-1] > found.losses.min()
    np.testing.assert_array_equal(model.weights_, before)


def test_networks_need_columns_of_one_scale():
    wide = X * [1.0, 1e3, 1e-2]
    plain = NetworkRegressor([Dense(16, "tanh")], **QUICK).fit(wide, y)
    scaled = make_pipeline(StandardScaler(), NetworkRegressor([Dense(16, "tanh")], **QUICK)).fit(wide, y)
    assert scaled.score(wide, y) > 0.95 > plain.score(wide, y) + 0.1
    assert any("scale them" in one for one in training_report(plain, wide, y).findings)


def test_shared_weights_and_receptive_fields():
    """Ten windows of 5 x 5 x 3 have 760 parameters; a dense layer to the same values has millions."""
    conv, image = Conv(10, 5), (32, 32, 3)
    assert conv.output_shape(image) == (28, 28, 10) and conv.parameters(image) == 760
    assert Dense(28 * 28 * 10).parameters((32 * 32 * 3,)) == 24_092_320
    assert receptive_field([Conv(4, 3), Conv(4, 3), MaxPool(2), Conv(4, 3), Flatten(), Dense(5)])[:4] == [3, 5, 6, 10]


def test_recurrent_layers_by_loops():
    """h = tanh(W x + V h + b); an LSTM with input, forget and output gates and a cell."""
    rows = draws.normal(size=(6, 4, 2))
    for layer in (RNN(3), LSTM(3)):
        model = NetworkRegressor(
            [layer], (4, 2), precision="float64", max_iter=2, schedule="cosine", clip=1.0, random_state=0
        ).fit(rows.reshape(6, 8), rows[:, 0, 0])
        own = model.layer_weights(0)[0]
        hidden = cell = np.zeros((6, 3))
        for t in range(4):
            z = rows[:, t] @ own["weights"] + hidden @ own["weights_hidden"] + own["intercepts"]
            if isinstance(layer, RNN):
                hidden = np.tanh(z)
                continue
            i, f, o, g = logistic(z[:, :3]), logistic(z[:, 3:6]), logistic(z[:, 6:9]), np.tanh(z[:, 9:])
            cell = f * cell + i * g
            hidden = o * np.tanh(cell)
        np.testing.assert_allclose(model.activations(rows.reshape(6, 8), 0), hidden, rtol=1e-10)


def test_a_network_of_ten_five_and_one_units():
    """tanh(x W + b) of five units, then one logistic unit, on the input 0, 1, ..., 9."""
    rows = np.vstack([np.arange(10.0), np.arange(10.0)[::-1]])
    model = NetworkClassifier([Dense(5, "tanh")], precision="float64", max_iter=1, schedule="cosine", random_state=0)
    model.fit(rows, [0, 1])
    (first,), (second,) = model.layer_weights(0), model.layer_weights(1)
    assert first["weights"].shape == (10, 5) and second["weights"].shape == (5, 1)
    hidden = np.tanh(np.arange(10) @ first["weights"] + first["intercepts"])
    output = logistic(hidden @ second["weights"] + second["intercepts"])
    np.testing.assert_allclose(model.predict_proba(rows)[0, 1], output[0], rtol=1e-12)
    assert len(model.weights_) == 61


def test_learned_features_beat_features_made_by_hand():
    """Sums of the rows and columns of pixels with a linear model, against a network from pixels to classes."""
    images, digits = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16
    by_hand = np.hstack([images.sum(axis=1), images.sum(axis=2)])
    odd = np.arange(len(digits)) % 3 == 0
    linear = LogisticRegression(max_iter=2000).fit(by_hand[~odd], digits[~odd]).score(by_hand[odd], digits[odd])
    layers = [Conv(8, 3, "relu", padding="same"), MaxPool(2), Flatten(), Dense(32, "relu")]
    flat = images.reshape(-1, 64)
    network = NetworkClassifier(layers, (8, 8, 1), **(QUICK | {"max_iter": 8, "learning_rate_init": 0.005}))
    assert network.fit(flat[~odd], digits[~odd]).score(flat[odd], digits[odd]) > linear + 0.02


def test_text_is_generated_letter_by_letter():
    """A network that predicts the next letter from the nine before it goes on with the sentence that it learned."""
    text = "the cat sat on the mat and " * 12
    letters = sorted(set(text))
    codes = np.array([letters.index(one) for one in text])
    rows = np.lib.stride_tricks.sliding_window_view(codes, 10)
    model = NetworkClassifier([Embedding(len(letters), 6), LSTM(24)], **(QUICK | {"max_iter": 25}), clip=1.0)
    model.fit(rows[:, :9].astype(float), rows[:, 9])
    made = list(codes[:9])
    for _ in range(40):
        made.append(int(model.predict(np.array([made[-9:]], dtype=float))[0]))
    assert "".join(letters[one] for one in made) == text[:49]


def test_any_function_is_approached_with_more_units():
    """The error of trained networks falls with the width."""
    rows = np.linspace(-1, 1, 100)[:, None]
    wave = np.sin(6 * rows[:, 0])
    errors = []
    for width in (1, 4, 16):
        settings = {"solver": "lbfgs", "max_iter": 3000, "alpha": 0.0, "tol": 1e-5, "random_state": 0}
        model = MLPRegressor("squared_error", (width,), "tanh", **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            errors.append(((model.fit(rows, wave).predict(rows) - wave) ** 2).mean())
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_boolean_functions_are_learned():
    inputs = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for outputs in ([0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0], [0, 1, 1, 0]):
        model = MLPClassifier((4,), activation="tanh", solver="lbfgs", random_state=1).fit(inputs, outputs)
        assert model.predict(inputs).tolist() == outputs
    negation = MLPClassifier((2,), activation="tanh", solver="lbfgs", random_state=1).fit([[0.0], [1.0]], [1, 0])
    assert negation.predict([[0.0], [1.0]]).tolist() == [1, 0]


def test_saliency_is_the_gradient_by_the_inputs():
    model = NetworkRegressor([Dense(4, "tanh")], **(QUICK | {"precision": "float64"})).fit(X, y)
    step = 1e-6 * np.eye(3)
    differences = [(model.predict(X[:5] + e) - model.predict(X[:5] - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(saliency(model, X[:5]), np.abs(differences).T, rtol=1e-6)
