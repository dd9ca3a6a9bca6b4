"""Nonnegative matrix factorisation: scikit-learn's iterations, monotone objectives, missing values, faces."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.decomposition
from scipy import sparse

from learnable import NMF, DataError, MiniBatchNMF, ParameterError, non_negative_factorization
from learnable.core import ConvergenceWarning
from learnable.decomposition._nmf.divergence import Observed, divergence

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table(n: int = 60, p: int = 25, k: int = 4, noise: float = 0.1) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, p)) + noise * rng.random((n, p))


def start(X, k: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {"W": rng.random((X.shape[0], k)), "H": rng.random((k, X.shape[1]))}


CASES = [
    {},
    {"alpha_W": 0.01, "l1_ratio": 0.4},
    {"alpha_W": 0.01, "alpha_H": 0.02},
    {"solver": "mu"},
    {"solver": "mu", "beta_loss": "kullback-leibler", "alpha_W": 0.01, "l1_ratio": 1.0},
    {"solver": "mu", "beta_loss": "itakura-saito"},
    {"solver": "mu", "beta_loss": 0.5},
    {"solver": "mu", "beta_loss": 1.5},
    {"solver": "mu", "beta_loss": 3.0},
]


@pytest.mark.parametrize("options", CASES, ids=str)
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_components_are_those_of_scikit_learn_after_each_number_of_iterations(options, stored):
    X = np.where(table() > 3, table(), 0) if stored is not np.asarray else table()
    if stored is not np.asarray and options.get("beta_loss") == "itakura-saito":
        with pytest.raises(DataError, match="contains zeros"):
            NMF(4, **options).fit(stored(X))
        return
    for iterations in (10, 40):
        common = {"init": "custom", "max_iter": iterations, "tol": 0, **options}
        theirs = sklearn.decomposition.NMF(4, **common)
        theirs.fit_transform(X, **start(X))
        ours = NMF(4, **common).fit(stored(X), **start(X))
        np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-7, atol=1e-9)
        assert "alpha_W" in options or ours.reconstruction_err_ <= theirs.reconstruction_err_ * (1 + 1e-9)


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar", "random"])
def test_starts_are_those_of_scikit_learn(init):
    X = table()
    common = {"init": init, "random_state": 3, "max_iter": 5, "tol": 0}
    theirs = sklearn.decomposition.NMF(4, **common).fit(X)
    np.testing.assert_allclose(NMF(4, **common).fit(X).components_, theirs.components_, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("solver", ["cd", "hals", "pg", "mu"])
@pytest.mark.parametrize("missing", [False, True])
def test_no_iteration_raises_the_objective(solver, missing):
    X = table()
    if missing:
        X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    model = NMF(4, solver=solver, init="random", random_state=0, tol=0, max_iter=60, alpha_W=0.001).fit(X)
    assert (np.diff(model.trace_["objective"]) <= 1e-9 * model.trace_["objective"][0]).all()
    assert (model.components_ >= 0).all() and (model.transform(X) >= 0).all()


@pytest.mark.parametrize("beta", [1.0, 1.5, 2.0])
def test_multiplicative_updates_never_raise_the_divergence(beta):
    model = NMF(4, solver="mu", beta_loss=beta, init="random", random_state=0, tol=0, max_iter=100).fit(table())
    assert (np.diff(model.trace_["objective"]) <= 1e-9).all()


def test_gradients_and_updates_of_the_textbook():
    """One multiplicative and one gradient step of both factors, from the formulas."""
    X = table(8, 6)
    W, H = start(X)["W"], start(X)["H"]
    W1 = W * (X @ H.T) / (W @ H @ H.T)
    H1 = H * (W1.T @ X) / (W1.T @ W1 @ H)
    found = Observed.of(X), W1, H1.T
    assert divergence(*found, 2.0) == pytest.approx(0.5 * ((X - W1 @ H1) ** 2).sum())
    W2 = np.maximum(W - (W @ H - X) @ H.T / np.linalg.norm(H @ H.T, 2), 0)
    H2 = np.maximum(H - W2.T @ (W2 @ H - X) / np.linalg.norm(W2.T @ W2, 2), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = NMF(4, solver="pg", init="custom", max_iter=1).fit(X, W=W, H=H)
    np.testing.assert_allclose(model.components_, H2)


def test_solvers_reach_objectives_that_scikit_learn_does_not_undercut():
    X = table()
    theirs = sklearn.decomposition.NMF(4, tol=1e-8, max_iter=5000).fit(X).reconstruction_err_
    for solver in ("cd", "hals"):
        model = NMF(4, solver=solver, tol=1e-8, max_iter=5000).fit(X)
        assert model.reconstruction_err_ <= theirs * (1 + 1e-6)
        assert model.certificate_.holds and model.certificate_.kind == "projected gradient"


def test_hals_needs_fewer_iterations():
    X = table()
    steps = {s: NMF(4, solver=s, init="random", random_state=0, max_iter=5000).fit(X).n_iter_ for s in ("cd", "hals")}
    assert steps["hals"] < steps["cd"]


def test_parts_of_a_planted_table_are_found():
    rng = np.random.default_rng(0)
    parts = np.kron(np.eye(3), np.ones(4))
    X = rng.gamma(0.5, size=(100, 3)) @ parts
    found = NMF(3, tol=1e-10, max_iter=2000, solver="hals").fit(X).components_
    found = found / found.max(axis=1, keepdims=True)
    np.testing.assert_allclose(found[np.argsort(found.argmax(axis=1))], parts, atol=1e-2)


def test_singular_vectors_are_not_parts():
    X = table(noise=0)
    V = np.linalg.svd(X, full_matrices=False)[2][:4]
    H = NMF(4, max_iter=500).fit(X).components_
    assert (V < -0.01).any() and (H >= 0).all()
    np.testing.assert_allclose(V @ V.T, np.eye(4), atol=1e-12)
    lengths = np.linalg.norm(H, axis=1)
    assert np.abs(H @ H.T / np.outer(lengths, lengths) - np.eye(4)).max() > 0.1


@pytest.mark.parametrize("solver", ["cd", "mu", "pg", "hals"])
def test_missing_entries_are_predicted(solver):
    X = table(noise=0)
    hidden = np.random.default_rng(2).random(X.shape) < 0.2
    seen = np.where(hidden, np.nan, X)
    model = NMF(4, solver=solver, tol=1e-9, max_iter=5000, random_state=0).fit(seen)
    error = np.abs(model.inverse_transform(model.transform(seen)) - X)[hidden].mean()
    assert error < 0.1 * np.abs(X - np.nanmean(seen, axis=0))[hidden].mean()


def test_rows_are_projected_optimally():
    from scipy.optimize import nnls

    X = table()
    model = NMF(4, max_iter=500).fit(X)
    new = table()[:5] * 1.3
    np.testing.assert_allclose(model.transform(new), [nnls(model.components_.T, x)[0] for x in new], atol=1e-7)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))


@pytest.mark.parametrize(
    "options", [{}, {"beta_loss": 1.0}, {"beta_loss": 0.5, "alpha_W": 0.01, "l1_ratio": 0.5}], ids=str
)
def test_mini_batches_are_those_of_scikit_learn(options):
    X = table(150)
    common = {"init": "custom", "batch_size": 40, "max_iter": 6, **options}
    theirs = sklearn.decomposition.MiniBatchNMF(4, **common).fit(X, **start(X))
    ours = MiniBatchNMF(4, **common).fit(X, **start(X))
    assert ours.n_steps_ == theirs.n_steps_
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-9)


def test_batches_as_they_come():
    X = table(400)
    model = MiniBatchNMF(4, random_state=0)
    for begin in range(0, 400, 40):
        model.partial_fit(X[begin : begin + 40])
    assert model.n_steps_ == 10
    error = np.linalg.norm(X - model.inverse_transform(model.transform(X)))
    assert error < 0.3 * np.linalg.norm(X - X.mean(axis=0))


def test_the_function_finds_one_factor_or_both():
    X = table()
    W, H, iterations = non_negative_factorization(X, n_components=4, init="nndsvda", max_iter=50)
    model = NMF(4, init="nndsvda", max_iter=50)
    np.testing.assert_array_equal(W, model.fit_transform(X))
    np.testing.assert_array_equal(H, model.components_)
    assert iterations == model.n_iter_
    alone = non_negative_factorization(X, H=H, n_components=4, update_H=False)
    np.testing.assert_allclose(alone[0], W, atol=1e-9)


def test_wrong_input_is_refused_by_name():
    X = table()
    with pytest.raises(DataError, match=r"Negative values in data passed to X: -1 in column 'b', row 1"):
        import pandas as pd

        NMF(1).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, -1.0]}))
    with pytest.raises(ParameterError, match="solver 'cd' does not handle beta_loss"):
        NMF(2, beta_loss="kullback-leibler").fit(X)
    with pytest.raises(ParameterError, match="can only be used when n_components=40"):
        NMF(40, init="nndsvd").fit(X)
    with pytest.raises(DataError, match="wrong shape passed as W"):
        NMF(4, init="custom").fit(X, W=np.ones((2, 4)), H=start(X)["H"])
    with pytest.raises(ParameterError, match="needs W and H; W is None"):
        NMF(4, init="custom").fit(X)
