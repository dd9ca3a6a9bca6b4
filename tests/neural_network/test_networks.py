"""Networks of declared layers: training, validation, schedules, frozen layers, and what they show."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

import learnable
from learnable import DataError, ParameterError
from learnable.neural_network import (
    LSTM,
    Activation,
    Attention,
    BatchNorm,
    Conv,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    GaussianNoise,
    GlobalPool,
    LayerNorm,
    MaxPool,
    MLPClassifier,
    NetworkClassifier,
    NetworkRegressor,
    Residual,
)

X, y = make_moons(200, noise=0.15, random_state=0)
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
QUICK = {"learning_rate_init": 0.02, "schedule": "cosine", "max_iter": 30, "batch_size": 16, "random_state": 0}


def test_moons_are_separated():
    model = NetworkClassifier([Dense(32, "relu"), Dense(16, "tanh")], **QUICK).fit(X, y)
    assert model.score(X, y) > 0.98
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-6)
    assert model.loss_curve_[-1] < 0.1 < model.loss_curve_[0] and model.n_iter_ == 30
    assert not model.certificate_.holds and "nothing is proven" in str(model.certificate_)


def test_exclusive_or_needs_a_hidden_layer():
    settings = QUICK | {"learning_rate_init": 0.1, "max_iter": 300, "batch_size": 4}
    assert NetworkClassifier([Dense(4, "tanh")], **settings).fit(XOR, [0, 1, 1, 0]).score(XOR, [0, 1, 1, 0]) == 1
    assert NetworkClassifier([], **settings).fit(XOR, [0, 1, 1, 0]).score(XOR, [0, 1, 1, 0]) < 1


def test_linear_layers_collapse_to_one():
    model = NetworkRegressor([Dense(5), Dense(3)], precision="float64", **QUICK).fit(X, X @ [1.0, -2.0])
    product, shift = np.eye(2), np.zeros(2)
    for k in range(3):
        own = model.layer_weights(k)[0]
        product, shift = product @ own["weights"], shift @ own["weights"] + own["intercepts"]
    np.testing.assert_allclose(model.predict(X), (X @ product + shift)[:, 0], rtol=1e-12, atol=1e-12)


def test_zero_weights_stay_symmetric_and_random_ones_do_not():
    """With all weights zero no unit ever differs from another one: with tanh units nothing but the intercept learns."""
    for initialiser, expected in (("zeros", 1), ("glorot_normal", 4)):
        model = NetworkRegressor([Dense(4, "tanh")], initialiser=initialiser, **QUICK).fit(X, X[:, 0] * X[:, 1])
        assert np.unique(model.layer_weights(0)[0]["weights"], axis=1).shape[1] == expected


@pytest.mark.parametrize(
    "layers",
    [
        [Dense(8, "relu"), Dropout(0.3), BatchNorm(), Dense(5, "gelu")],
        [Residual([Dense(2, "tanh"), LayerNorm()]), Dense(6), Activation("silu")],
    ],
)
def test_kernels_and_tape_train_the_same_network(layers):
    settings = QUICK | {"precision": "float64", "max_iter": 4, "alpha": 1e-3, "label_smoothing": 0.1, "warm_up": 2}
    compiled = NetworkClassifier(layers, **settings).fit(X, y)
    taped = NetworkClassifier(layers, executor="tape", **settings).fit(X, y)
    np.testing.assert_allclose(compiled.weights_, taped.weights_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(compiled.predict_proba(X), taped.predict_proba(X), rtol=1e-7)
    np.testing.assert_allclose(compiled.loss_curve_, taped.loss_curve_, rtol=1e-7)


def test_images_are_classified_with_convolutions():
    images, digits = load_digits(return_X_y=True)
    layers = [Conv(8, 3, "relu", padding="same"), MaxPool(2), Conv(16, 3, "relu"), Flatten(), Dense(32, "relu")]
    model = NetworkClassifier(layers, (8, 8, 1), **(QUICK | {"learning_rate_init": 0.005, "max_iter": 12}))
    odd = np.arange(len(digits)) % 3 == 0
    model.fit(images[~odd] / 16, digits[~odd])
    assert model.score(images[odd] / 16, digits[odd]) > 0.97
    assert model.activations(images[:5] / 16, layer=0).shape == (5, 8, 8, 8)
    assert model.activations(images[:5] / 16, layer=3).shape == (5, 64)
    table = model.summary().splitlines()
    assert table[2].split() == ["input", "8", "x", "8", "x", "1"]
    assert table[3].split("  ")[0] == "Conv(8, activation='relu', padding='same')" and table[3].split()[-1] == "3"
    assert table[5].split()[-1] == "8" and "all" in table[6]
    assert table[-1].startswith(f"{len(model.weights_):,} parameters")


def test_the_memory_of_a_recurrent_layer_reaches_the_first_step():
    draws = np.random.default_rng(0)
    sequences = draws.integers(0, 2, size=(120, 6)).astype(float)
    for layers in ([Embedding(2, 4), LSTM(8)], [Embedding(2, 4), Attention(6), Flatten(), Dense(8, "relu")]):
        model = NetworkClassifier(layers, **(QUICK | {"learning_rate_init": 0.05, "max_iter": 25}))
        assert model.fit(sequences, sequences[:, 0]).score(sequences, sequences[:, 0]) == 1
        once = QUICK | {"max_iter": 1, "precision": "float64"}
        taped = NetworkClassifier(layers, executor="tape", **once).fit(sequences, sequences[:, 0])
        compiled = NetworkClassifier(layers, **once).fit(sequences, sequences[:, 0])
        np.testing.assert_allclose(compiled.weights_, taped.weights_, rtol=1e-7, atol=1e-9)
    with pytest.raises(ParameterError, match="not all layers have kernels"):
        NetworkClassifier([GaussianNoise(0.1)], executor="kernels").fit(sequences, sequences[:, 0])


def test_embeddings_refuse_what_is_not_a_code():
    model = NetworkClassifier([Embedding(3, 2), GlobalPool()], max_iter=2)
    with pytest.raises(DataError, match=r"Embedding\(codes=3\).* row 1 of column 0 holds 3"):
        model.fit([[0, 1], [3, 2]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        model.fit([[0, 1], [1, 2]], [0, 1])
    with pytest.raises(DataError, match=r"row 0 of column 1 holds 0\.5"):
        model.predict([[0, 0.5]])


def test_the_best_weights_are_restored_by_validation():
    draws = np.random.default_rng(0)
    noise = draws.integers(0, 2, size=60)
    model = NetworkClassifier(
        [Dense(64, "relu")], learning_rate_init=0.02, validation_scoring="loss", n_iter_no_change=5, random_state=0
    ).fit(X[:60], noise, X_val=X[60:], y_val=y[60:])
    assert model.best_validation_score_ == max(model.validation_scores_) > model.validation_scores_[-1]
    predicted = model.predict_proba(X[60:])[np.arange(140), y[60:]]
    np.testing.assert_allclose(-np.log(predicted).mean(), -model.best_validation_score_, rtol=1e-5)
    assert model.trace_.stopped == "patience"


def test_best_weights_are_restored_when_a_watcher_ends_the_fit():
    seen = []

    def stop_after_twelve(trace):
        seen.append(trace)
        return len(seen) >= 12

    model = NetworkClassifier([Dense(64, "relu")], early_stopping=True, validation_scoring="loss", **QUICK)
    with learnable.watch(stop_after_twelve), pytest.warns(learnable.ConvergenceWarning, match="stopped by a watcher"):
        model.fit(X, y)
    assert model.trace_.stopped == "interrupted" and len(model.validation_scores_) == 12
    again = NetworkClassifier([Dense(64, "relu")], early_stopping=True, validation_scoring="loss", **QUICK).fit(X, y)
    assert again.validation_scores_[:12] == model.validation_scores_
    assert model.best_validation_score_ == max(model.validation_scores_)


def test_frozen_layers_are_transferred():
    """A network whose first layer is frozen keeps it bit for bit, statistics included."""
    model = NetworkClassifier([Dense(16, "relu"), BatchNorm(), Dense(8, "relu")], **QUICK).fit(X, y)
    before = model.weights_.copy()
    model.set_params(warm_start=True, freeze=[0, 1], max_iter=3).fit(X, 1 - y)
    old, new = (NetworkClassifier.layer_weights(model, k) for k in (0, 2))
    model.weights_, after = before, model.weights_
    same, changed = (model.layer_weights(k) for k in (0, 2))
    for now, then in zip(old, same, strict=True):
        assert all(np.array_equal(now[name], then[name]) for name in now)
    assert not np.array_equal(new[0]["weights"], changed[0]["weights"])
    assert np.array_equal(after[-32:], before[-32:])
    with pytest.raises(ParameterError, match="freeze must hold indices of the 3 layers"):
        model.set_params(freeze=[3]).fit(X, y)


def test_class_weights_multiply_row_weights():
    weight = np.where(y == 1, 3.0, 1.0)
    by_class = NetworkClassifier([Dense(8, "relu")], class_weight={0: 1, 1: 3}, **QUICK).fit(X, y)
    by_row = NetworkClassifier([Dense(8, "relu")], **QUICK).fit(X, y, weight)
    np.testing.assert_array_equal(by_class.weights_, by_row.weights_)


def test_weights_are_copies_in_full_batches():
    weight = np.random.default_rng(0).integers(0, 4, size=200)
    settings = QUICK | {
        "precision": "float64",
        "optimiser": "momentum",
        "shuffle": False,
        "max_iter": 10,
        "batch_size": 1000,
    }
    weighted = NetworkClassifier([Dense(8, "tanh")], **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        weighted.fit(X, y, weight)
        copied = NetworkClassifier([Dense(8, "tanh")], **settings)
        copied.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.weights_, copied.weights_, rtol=1e-9, atol=1e-11)


def test_rows_with_several_labels_in_partial_fits():
    labels = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, y]).astype(int)
    model = NetworkClassifier([Dense(32, "relu")], learning_rate_init=0.02, random_state=0)
    for _ in range(40):
        model.partial_fit(X, labels)
    assert model.predict(X).shape == (200, 3) and model.score(X, labels) > 0.9 and model.t_ == 8000


def test_partial_fits_are_epochs_of_a_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        whole = NetworkRegressor([Dense(8, "relu")], shuffle=False, max_iter=3, random_state=1).fit(X, y)
    parts = NetworkRegressor([Dense(8, "relu")], shuffle=False, random_state=1)
    for _ in range(3):
        parts.partial_fit(X, y)
    np.testing.assert_array_equal(whole.weights_, parts.weights_)


@pytest.mark.parametrize("schedule", ["step", "exponential", "cosine", "one_cycle", "plateau"])
def test_schedules_change_the_rate(schedule):
    model = NetworkRegressor(
        [Dense(4)], schedule=schedule, decay_every=3, warm_up=2 if schedule == "cosine" else 0, max_iter=12,
        n_iter_no_change=2, random_state=0, tol=1e-1,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        model.fit(X, y)
    rates = [model._rate({"epoch": epoch, "cuts": epoch // 4}, 0, False) for epoch in range(12)]
    factor = model._rates_of_steps(200)
    if schedule in ("cosine", "one_cycle"):
        steps = [factor(k) for k in range(84)]
        assert set(rates) == {0.001} and max(steps) <= 1 and steps[-1] < 0.01
        assert steps[0] <= 0.125 < steps[20]
    else:
        assert factor is None and rates[0] == 0.001 and rates[-1] < rates[0]
    if schedule == "step":
        assert rates[:7] == [0.001] * 3 + [0.0005] * 3 + [0.00025]
    if schedule == "plateau":
        assert model.rate_cuts_ > 0


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile", "log_cosh", "poisson"])
def test_losses_have_their_optimal_constants(loss):
    """Without columns that matter, a network learns the mean, the median, the quantile of the targets."""
    targets = np.random.default_rng(0).gamma(2.0, size=400)
    model = NetworkRegressor(
        [], loss=loss, loss_parameter=0.8, optimiser="sgd", learning_rate_init=0.05, batch_size=40, schedule="cosine",
        max_iter=400, tol=0.0, n_iter_no_change=np.inf, random_state=0,
    ).fit(np.zeros((400, 1)), targets)  # fmt: skip
    expected = {"absolute_error": np.median(targets), "quantile": np.quantile(targets, 0.8)}
    middle = targets.mean() if loss in ("squared_error", "poisson") else expected.get(loss)
    found = model.predict([[0.0]])[0]
    if middle is not None:
        assert found == pytest.approx(middle, abs=0.02)
    else:
        assert np.median(targets) < found < targets.mean()


def test_divergence_names_the_layer_and_the_remedy():
    model = NetworkRegressor([Dense(8, "relu")], optimiser="sgd", learning_rate_init=1e6, random_state=0)
    with pytest.raises(DataError, match=r"training diverged in step \d+ .* layer \d.*lower the learning rate"):
        model.fit(X, y)


def test_models_are_saved_with_their_layers(tmp_path):
    layers = [Conv(3, 3, "relu", padding="same"), Residual([Conv(3, 1)]), BatchNorm(), Flatten(), Dropout(0.1)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        model = NetworkClassifier(layers, (2, 2, 1), max_iter=2, random_state=0).fit(XOR.repeat(2, 1), [0, 1, 1, 0])
    learnable.save(model, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    assert list(again.layers) == layers
    np.testing.assert_array_equal(again.predict_proba(XOR.repeat(2, 1)), model.predict_proba(XOR.repeat(2, 1)))


def test_mlps_are_networks_of_dense_layers():
    """The same weights give the same probabilities."""
    mlp = MLPClassifier((8, 5), solver="lbfgs", tol=1e-3, random_state=0, max_iter=2000).fit(X, y)
    model = NetworkClassifier([Dense(8, "relu"), Dense(5, "relu")], precision="float64", **QUICK).fit(X, y)
    model.weights_ = np.concatenate(
        [part.ravel() for pair in zip(mlp.coefs_, mlp.intercepts_, strict=True) for part in pair]
    )
    np.testing.assert_array_equal(model.predict_proba(X), mlp.predict_proba(X))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (NetworkClassifier([Dense(3)], (3, 1)), r"input_shape=\(3, 1\) needs 3 columns; X has 2"),
        (NetworkClassifier([Conv(3)]), "layer 1 of 2: Conv: .*set input_shape"),
        (NetworkClassifier([3]), "layers must be"),
        (NetworkRegressor([Dense(3)], loss="quantile", loss_parameter=1.5), "loss_parameter must be below 1"),
    ],
)
def test_settings_that_do_not_fit_are_named(model, words):
    with pytest.raises((DataError, ParameterError), match=words):
        model.fit(X, y)


def test_only_layers_of_the_list_have_activations():
    model = NetworkClassifier([Dense(3, "relu")], **QUICK).fit(X, y)
    assert model.activations(X[:4]).shape == (4, 3) and (model.activations(X) >= 0).all()
    with pytest.raises(ParameterError, match="layer must be a number from -1 to 0"):
        model.activations(X, layer=1)
    with pytest.raises(ParameterError, match="needs a fitted network"):
        NetworkClassifier().summary()
