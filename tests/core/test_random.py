"""Randomness is keyed by the unit of work."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.core import generator, seed_of, uniforms


def test_the_same_key_gives_the_same_draws_in_any_order():
    forward = [generator(7, unit).standard_normal(3).tolist() for unit in range(5)]
    backward = [generator(7, unit).standard_normal(3).tolist() for unit in reversed(range(5))][::-1]
    assert forward == backward


def test_keys_and_seeds_differ():
    draws = {
        tuple(generator(seed, *key).integers(2**60, size=2)) for seed in (0, 1) for key in [(), (0,), (1,), (0, 1)]
    }
    assert len(draws) == 8


def test_seeds_from_every_random_state():
    assert seed_of(5) == 5 == seed_of(np.int64(5))
    assert seed_of(np.random.RandomState(0)) == seed_of(np.random.RandomState(0))
    assert seed_of(np.random.default_rng(0)) == seed_of(np.random.default_rng(0))
    assert seed_of(None) != seed_of(None)


def test_a_generator_moves_on():
    rng = np.random.default_rng(0)
    assert seed_of(rng) != seed_of(rng)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="random_state must be at least 0; got -1"):
        seed_of(-1)


def test_rows_of_uniforms_depend_on_their_unit_only():
    together = uniforms(3, range(100), 6)
    apart = np.concatenate([uniforms(3, range(k, k + 1), 6) for k in range(100)])
    np.testing.assert_array_equal(together, apart)
    assert (
        not np.isin(uniforms(3, range(100), 6, 1), together).any()
        and not np.isin(uniforms(4, range(9), 6), together).any()
    )


def test_uniforms_are_uniform_and_independent():
    draws = uniforms(0, range(20_000), 5)
    assert draws.shape == (20_000, 5) and len(np.unique(draws)) == draws.size
    counts = np.histogram(draws, 50, (0, 1))[0]
    assert ((counts - 2000) ** 2 / 2000).sum() < 90  # chi-squared with 49 degrees: beyond it once in 3000
    neighbours = np.corrcoef(np.column_stack([draws[1:], draws[:-1]]).T)
    assert np.abs(neighbours - np.eye(10)).max() < 4.5 / np.sqrt(20_000)
