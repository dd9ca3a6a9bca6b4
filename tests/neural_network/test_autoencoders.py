"""Autoencoders: relations to principal components, noise, sparse and normal codes, decoders of several domains."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.datasets import load_digits

import learnable
from learnable import DataError, ParameterError
from learnable.decomposition import PCA
from learnable.engines.networks.code_layers import Decoders, GaussianCode, SparseCode
from learnable.engines.networks.dense_plan import OptimiserSettings, OutputLoss
from learnable.engines.networks.layer_plan import planned_steps
from learnable.engines.networks.tape_plan import TapePlan
from learnable.neural_network import (
    Autoencoder,
    Conv,
    DenoisingAutoencoder,
    Dense,
    Flatten,
    Residual,
    SharedAutoencoder,
    SparseAutoencoder,
    VariationalAutoencoder,
)

draws = np.random.default_rng(0)
LOW = draws.normal(size=(400, 3)) @ draws.normal(size=(3, 8)) + 0.1 * draws.normal(size=(400, 8))
LOW -= LOW.mean(axis=0)
NOISY = LOW + 0.5 * draws.normal(size=LOW.shape)
EXACT = {"precision": "float64", "random_state": 0}


@pytest.fixture(scope="module")
def linear():
    return Autoencoder(
        3, encoder=[], max_iter=4000, learning_rate_init=0.02, batch_size=400, tol=0.0, n_iter_no_change=np.inf, **EXACT
    ).fit(NOISY)


def test_linear_autoencoders_span_the_principal_subspace(linear):
    pca = PCA(3).fit(NOISY)
    decoder = linear.inverse_transform(np.eye(3)) - linear.inverse_transform(np.zeros((1, 3)))
    assert subspace_angles(decoder.T, pca.components_.T).max() < 1e-3
    best = ((NOISY - pca.inverse_transform(pca.transform(NOISY))) ** 2).mean()
    assert best <= linear.reconstruction_error(NOISY).mean() + 1e-12
    assert linear.reconstruction_error(NOISY).mean() == pytest.approx(best, rel=1e-4)


def test_codes_and_reconstructions_belong_together(linear):
    np.testing.assert_allclose(linear.inverse_transform(linear.transform(NOISY)), linear.reconstruct(NOISY), rtol=1e-12)
    assert linear.transform(NOISY[:5]).shape == (5, 3) and linear.get_feature_names_out()[2] == "autoencoder2"


def test_codes_of_images_and_saved_models(tmp_path):
    images = load_digits(return_X_y=True)[0][:600] / 16
    encoder = [Conv(4, 3, "relu", padding="same"), Residual([Conv(4, 1)]), Flatten(), Dense(32, "relu")]
    model = Autoencoder(16, encoder, input_shape=(8, 8, 1), output="logistic", max_iter=25, random_state=0).fit(images)
    assert model.reconstruction_error(images).mean() < 0.03 < images.var(axis=0).mean()
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(images[:9])), model.reconstruct(images[:9]), rtol=1e-5, atol=1e-6
    )
    learnable.save(model, tmp_path / "model")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model").transform(images), model.transform(images))
    with pytest.raises(DataError, match=r"needs entries from 0 to 1; row 0 of column 2 holds 5"):
        model.fit(images * 16)


@pytest.mark.parametrize("noise", ["masking", "gaussian"])
def test_noise_is_removed(noise):
    """Rows lie near three directions: what noise adds across them goes."""
    model = DenoisingAutoencoder(
        3, encoder=[], noise=noise, noise_level=0.4, max_iter=200, learning_rate_init=0.01, **EXACT
    ).fit(LOW)
    noisy = LOW + draws.normal(size=LOW.shape)
    assert ((model.reconstruct(noisy) - LOW) ** 2).mean() < 0.7 * ((noisy - LOW) ** 2).mean()
    masked = LOW * (draws.random(LOW.shape) > 0.2)
    error = ((model.reconstruct(masked) - LOW) ** 2).mean()
    assert error < ((masked - LOW) ** 2).mean()


def test_penalties_make_codes_sparse():
    def fitted(**more):
        return SparseAutoencoder(16, max_iter=60, learning_rate_init=0.01, **EXACT, **more).fit(LOW)

    plain, sparse = (fitted(sparsity=strength).transform(LOW) for strength in (0.0, 0.3))
    assert (sparse == 0).mean() > (plain == 0).mean() + 0.1 and sparse.sum() < 0.5 * plain.sum()
    loose, near = (fitted(penalty="divergence", sparsity=strength, target=0.05) for strength in (0.0, 200.0))
    means = [model.transform(LOW).mean(axis=0) for model in (loose, near)]
    assert abs(means[1] - 0.05).max() < 0.13 < abs(means[0] - 0.05).min()


def test_a_linear_variational_autoencoder_is_probabilistic_pca():
    """With unit noise the means of codes span directions of variance above one; a direction below it has no code."""
    rows = draws.normal(size=(400, 3)) * [3.0, 2.0, 0.3]
    model = VariationalAutoencoder(3, encoder=[], max_iter=250, learning_rate_init=0.02, **EXACT).fit(rows)
    used = model.transform(rows).var(axis=0) > 0.1
    assert used.sum() == 2
    variances = model.code_variances(rows).mean(axis=0)
    assert (variances[used] < 0.3).all()
    np.testing.assert_allclose(variances[~used], 1, atol=0.05)
    drawn = model.sample(4000, random_state=1)
    np.testing.assert_allclose(drawn.var(axis=0), [*(rows.var(axis=0)[:2] - 1), 0], rtol=0.25, atol=0.05)


def plan(layers, columns, cls=TapePlan, seed=3):
    steps = tuple(planned_steps("Net", layers, (columns,)))
    return cls(steps, OutputLoss("squared"), OptimiserSettings(), seed)


@pytest.mark.parametrize(
    "layers",
    [
        [Dense(4, "logistic"), SparseCode("divergence", 0.3, 0.1), Dense(3)],
        [Dense(4, "tanh"), SparseCode("l1", 0.3, 0.1), Dense(3)],
        [Dense(4), GaussianCode(2, 0.7), Dense(3)],
        [Dense(2), Decoders(2, (3, 2), "tanh")],
    ],
)
def test_gradients_of_codes_are_those_of_differences(layers):
    network, X = plan(layers, 3), draws.normal(size=(9, 3))
    outputs = network.steps[-1].out_shape[0]
    weights = network.initial("glorot_normal", 1, np.float64)
    y, weight, rows = draws.normal(size=(9, outputs)), draws.uniform(0.5, 2, 9), np.arange(9)
    for training in (False, True):
        value, gradient = network.gradient(X, y, weight, rows, weights, 5, training)
        for k in range(0, len(weights), 3):
            step = 1e-6 * np.eye(len(weights))[k]
            high, low = (network.gradient(X, y, weight, rows, weights + s * step, 5, training)[0] for s in (1, -1))
            assert (high - low) / 2e-6 == pytest.approx(gradient[k], rel=1e-5, abs=1e-8)
        assert np.isfinite(value)


def test_the_divergence_of_normal_codes_is_that_of_draws():
    """KL(q || p) is the mean of log q - log p over draws from q."""
    code, share = GaussianCode(1, 1.0), np.ones(1)
    from learnable.engines.tape.tensor import Tensor

    stated = float(code.penalty(Tensor(np.array([[0.7, -0.5]])), share).value)
    sd = np.exp(-0.25)
    h = 0.7 + sd * draws.standard_normal(400_000)
    drawn = -np.log(sd) - ((h - 0.7) / sd) ** 2 / 2 + h**2 / 2
    assert stated == pytest.approx(drawn.mean(), abs=4 * drawn.std() / np.sqrt(len(h)))


def test_rows_are_exchanged_between_domains():
    """Two parabolas that open to opposite sides: the code keeps the place, and the decoder adds the side."""
    t = np.linspace(-1, 1, 300)[:, None]
    along, across = np.array([1.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0])
    left, right = (2 * t * along + side * t**2 * across for side in (-1, 1))
    X, domain = np.vstack([left, right]), np.repeat(["left", "right"], 300)
    model = SharedAutoencoder(1, [], hidden=(16,), max_iter=100, learning_rate_init=0.01, random_state=0).fit(X, domain)
    apart = ((left - right) ** 2).mean()
    assert ((model.swap(left, "right") - right) ** 2).mean() < 0.1 * apart
    assert ((model.swap(right, "left") - left) ** 2).mean() < 0.1 * apart
    assert model.transform(left).shape == (300, 1) and model.domains_.tolist() == ["left", "right"]
    with pytest.raises(ParameterError, match=r"domain must be one of \['left', 'right'\]; got 'up'"):
        model.swap(left, "up")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (DenoisingAutoencoder(noise_level=1.0), "noise_level must be below 1"),
        (Autoencoder(2, input_shape=(3, 3, 1)), "needs 9 columns; X has 8"),
        (Autoencoder(2, [Conv(2)]), "layer 1 of 3: Conv: rows must have the shape"),
    ],
)
def test_what_does_not_fit_is_named(model, words):
    with pytest.raises((ParameterError, DataError), match=words):
        model.fit(LOW)
