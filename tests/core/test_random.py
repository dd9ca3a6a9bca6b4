"""Randomness is keyed by the unit of work."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.core import generator, seed_of


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
