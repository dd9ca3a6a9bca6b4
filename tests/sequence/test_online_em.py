"""Online EM: batches of sequences against EM over all of them."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import BernoulliHMM, CategoricalHMM, DataError, GaussianHMM, MultinomialHMM, PoissonHMM

LENGTHS = np.full(10, 40)


def states_of(steps: int, seed: int = 0) -> np.ndarray:
    return np.cumsum(np.random.default_rng(seed).random(steps) < 0.1) % 2


def rows_for(name: str, steps: int = 400, seed: int = 0) -> np.ndarray:
    rng, states = np.random.default_rng(seed + 1), states_of(steps, seed)
    if name == "CategoricalHMM":
        return np.where(rng.random(steps) < 0.8, 3 * states, rng.integers(0, 4, steps))[:, None]
    if name == "PoissonHMM":
        return rng.poisson(np.array([[1.0, 8.0], [9.0, 2.0]])[states])
    if name == "BernoulliHMM":
        return (rng.random((steps, 4)) < np.array([0.15, 0.8])[states][:, None]).astype(float)
    if name == "MultinomialHMM":
        return np.array([rng.multinomial(6, [0.7, 0.2, 0.1] if state else [0.1, 0.3, 0.6]) for state in states])
    return rng.standard_normal((steps, 2)) @ [[1.0, 0.4], [0.0, 0.8]] + np.array([[100.0, 0.0], [104.0, 3.0]])[states]


MODELS = [
    ("GaussianHMM", {"covariance_type": kind}) for kind in ("diag", "spherical", "full", "tied")
] + [(name, {}) for name in ("CategoricalHMM", "PoissonHMM", "BernoulliHMM", "MultinomialHMM")]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), MODELS)
def test_one_batch_is_one_iteration_of_em(name, options):
    X = rows_for(name).astype(float)
    if name not in ("MultinomialHMM",):
        X[7, 0] = X[200] = np.nan
    cls = getattr(learnable, name)
    online = cls(2, random_state=0, **options).partial_fit(X, LENGTHS)
    with pytest.warns(learnable.ConvergenceWarning):
        batch = cls(2, random_state=0, n_iter=1, **options).fit(X, LENGTHS)
    for attribute in cls.letters.values():
        np.testing.assert_allclose(getattr(online, f"{attribute}_"), getattr(batch, f"{attribute}_"), rtol=1e-9)
    np.testing.assert_allclose(online.transmat_, batch.transmat_, rtol=1e-9)


@pytest.mark.parametrize(("name", "options"), MODELS)
def test_many_batches_come_close_to_em(name, options):
    cls = getattr(learnable, name)
    X, held_out = rows_for(name, 4000, 3), rows_for(name, 400, 9)
    online = cls(2, random_state=0, **options)
    for batch in range(40):
        online.partial_fit(X[100 * batch : 100 * batch + 100], [50, 50])
    whole = cls(2, random_state=0, n_iter=300, tol=1e-4, **options).fit(X, np.full(80, 50))
    assert online.score(held_out) > whole.score(held_out) - 0.01 * 400
    order = np.argsort(online.transmat_[0]), np.argsort(whole.transmat_[0])
    assert np.allclose(online.transmat_[0][order[0]], whole.transmat_[0][order[1]], atol=0.05)


def test_batches_go_on_from_a_file(tmp_path):
    X = rows_for("GaussianHMM")
    straight, stored = GaussianHMM(2, random_state=0), GaussianHMM(2, random_state=0)
    for part in (slice(0, 100), slice(100, 250), slice(250, 400)):
        straight.partial_fit(X[part])
        stored.partial_fit(X[part])
        learnable.save(stored, tmp_path / "model")
        stored = learnable.load(tmp_path / "model")
    assert np.array_equal(stored.means_, straight.means_) and stored.n_batches_ == 3
    assert stored.n_rows_seen_ == 400 and not np.array_equal(
        GaussianHMM(2, random_state=0).partial_fit(X[250:]).means_, straight.means_
    )


def test_weights_and_known_states_of_batches():
    X, states = rows_for("PoissonHMM"), states_of(400)
    heavy = PoissonHMM(2, random_state=0).partial_fit(X, LENGTHS, y=states, sample_weight=np.r_[3.0, np.ones(9)])
    copies = PoissonHMM(2, random_state=0).partial_fit(
        np.vstack([X[:40], X[:40], X]), np.r_[40, 40, LENGTHS], y=np.concatenate([states[:40], states[:40], states])
    )
    np.testing.assert_allclose(heavy.lambdas_, copies.lambdas_)
    np.testing.assert_allclose(heavy.transmat_, copies.transmat_)


def test_batches_that_do_not_fit_are_refused_and_change_nothing():
    model = CategoricalHMM(2, random_state=0).partial_fit(rows_for("CategoricalHMM"))
    before = model.emissionprob_.copy()
    with pytest.raises(DataError, match="the symbol 7, but there are 4"):
        model.partial_fit([[7], [1]])
    with pytest.raises(ValueError, match="expecting 1 features"):
        model.partial_fit([[1, 2], [1, 1]])
    assert np.array_equal(before, model.emissionprob_) and model.n_batches_ == 1
    assert BernoulliHMM().get_params()["learning_decay"] == MultinomialHMM().learning_decay == 0.7
