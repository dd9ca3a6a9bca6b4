"""Factor graphs, Markov random fields and the Ising model against enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import learnable
from learnable.graphical import Factor, FactorGraph, MarkovRandomField, denoise_image


def spins(shape):
    return [np.array(values).reshape(shape) for values in product([-1, 1], repeat=int(np.prod(shape)))]


def energy(x, coupling, field):
    return coupling * ((x[1:] * x[:-1]).sum() + (x[:, 1:] * x[:, :-1]).sum()) + (field * x).sum()


@pytest.mark.parametrize("seed", range(3))
def test_the_ising_model_by_enumeration(seed):
    field = np.random.default_rng(seed).standard_normal((3, 3))
    model = MarkovRandomField.ising((3, 3), 0.4, field)
    logs = np.array([energy(x, 0.4, field) for x in spins((3, 3))])
    weight = np.exp(logs)
    assert model.log_partition() == pytest.approx(np.log(weight.sum()), rel=1e-12)
    found = model.marginals()
    up = sum(w * (x > 0) for w, x in zip(weight, spins((3, 3)), strict=True)) / weight.sum()
    for i, j in np.ndindex(3, 3):
        assert found[f"{i},{j}"][1] == pytest.approx(up[i, j], abs=1e-12)
        assert model.marginals(method="loopy")[f"{i},{j}"][1] == pytest.approx(up[i, j], abs=0.05)
    best = spins((3, 3))[int(np.argmax(logs))]
    assert [model.map_query()[f"{i},{j}"] for i, j in np.ndindex(3, 3)] == best.ravel().tolist()
    given = model.marginals({"0,0": 1, "2,2": -1})
    kept = [w for w, x in zip(weight, spins((3, 3)), strict=True) if x[0, 0] == 1 and x[2, 2] == -1]
    assert model.log_partition({"0,0": 1, "2,2": -1}) == pytest.approx(np.log(sum(kept)), rel=1e-12)
    assert given["0,0"][1] == pytest.approx(1, abs=1e-12)


def test_belief_propagation_is_exact_on_trees():
    rng = np.random.default_rng(0)
    states = {name: np.arange(size) for name, size in zip("abcde", (2, 3, 2, 4, 2), strict=True)}
    graph = FactorGraph([
        Factor((a, b), (states[a], states[b]), rng.random((len(states[a]), len(states[b]))))
        for a, b in ("ab", "bc", "bd", "de")
    ])  # fmt: skip
    exact, loopy = graph.marginals({"e": 1}), graph.marginals({"e": 1}, method="loopy")
    for name in "abcd":
        np.testing.assert_allclose(loopy[name].values, exact[name].values, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_the_denoised_image_is_the_most_probable_one(seed):
    image = np.random.default_rng(seed).integers(0, 2, (3, 4))
    found = denoise_image(image, coupling=0.7, noise=0.2)
    field = 0.5 * np.log(0.8 / 0.2) * (2 * image - 1)
    best = max(energy(x, 0.7, field) for x in spins((3, 4)))
    assert energy(2 * found - 1, 0.7, field) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(("method", "most"), [("exact", 0.01), ("gibbs", 0.02), ("icm", 0.04)])
def test_denoising_restores_a_square(method, most):
    clean = np.zeros((40, 40), dtype=int)
    clean[10:30, 10:30] = 1
    noisy = np.where(np.random.default_rng(0).random(clean.shape) < 0.15, 1 - clean, clean)
    found = denoise_image(noisy, noise=0.15, method=method, random_state=0)
    assert np.mean(found != clean) <= most < np.mean(noisy != clean)
    shifted = denoise_image(noisy * 200.0 + 5, noise=0.15, method=method, random_state=0)
    np.testing.assert_array_equal(shifted, found * 200.0 + 5)


def test_factors_multiply_sum_and_reduce():
    a, b = np.array(["x", "y"]), np.array([0, 1, 2])
    first, second = Factor(("a",), (a,), np.array([1.0, 2.0])), Factor(("b", "a"), (b, a), np.arange(6.0).reshape(3, 2))
    product_ = first * second
    assert product_.variables == ("a", "b") and product_["y", 2] == 2 * 5
    assert product_.marginalize("b")["x"] == 0 + 2 + 4
    assert product_.reduce({"b": 1})["y"] == 2 * 3
    assert product_.normalized().values.sum() == pytest.approx(1)
    assert list(first.to_dict().items()) == [("x", 1.0), ("y", 2.0)]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Factor(("a",), (np.array([0, 1]),), np.array([1.0])), "values must have the shape"),
        (lambda: Factor(("a",), (np.array([0]),), np.array([-1.0])), "at least 0"),
        (lambda: FactorGraph([]), "at least one factor"),
        (lambda: MarkovRandomField.ising((2, 2), 1.0).marginals({"9,9": 1}), "'9,9' is not a variable"),
        (lambda: denoise_image([[0, 1, 2]]), "at most two different numbers"),
    ],
)
def test_bad_factors_are_refused(make, said):
    with pytest.raises(learnable.ParameterError, match=said):
        make()
