"""How many random samples are enough: the formula, its worked numbers, and a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from learnable.linear_model import ransac_trials
from learnable.parts.ransac_trials import probability_of_no_clean_sample

WORKED = [(0.5, 2, 0.99, 17), (0.7, 2, 0.99, 7), (0.7, 3, 0.99, 11), (0.5, 3, 0.95, 23), (0.8, 4, 0.999, 14)]


@pytest.mark.parametrize(("share", "size", "confidence", "trials"), WORKED)
def test_the_16_worked_numbers(share, size, confidence, trials):
    assert ransac_trials(share, size, confidence) == trials
    assert probability_of_no_clean_sample(share, size, trials) <= 1 - confidence
    assert probability_of_no_clean_sample(share, size, trials - 1) > 1 - confidence


def test_the_16_simulated():
    rng = np.random.default_rng(0)
    clean = (rng.random((4000, 17, 2)) < 0.5).all(axis=2).any(axis=1)
    assert clean.mean() == pytest.approx(1 - probability_of_no_clean_sample(0.5, 2, 17), abs=0.005)


def test_the_16_ends_of_the_range():
    assert ransac_trials(1.0, 5, 0.99) == 1 and ransac_trials(0.3, 5, 0.0) == 0
    assert ransac_trials(0.0, 5, 0.99) == math.inf == ransac_trials(0.9, 5, 1.0)
    assert ransac_trials(1e-3, 3, 0.99) == pytest.approx(-math.log(0.01) * 1e9, rel=1e-6)
    assert probability_of_no_clean_sample(1.0, 2, 1) == 0 and probability_of_no_clean_sample(1.0, 2, 0) == 1
    assert probability_of_no_clean_sample(0.0, 2, 100) == 1


@pytest.mark.parametrize("arguments", [(-0.1, 2, 0.9), (1.1, 2, 0.9), (0.5, 0, 0.9), (0.5, 2, 1.5), (math.nan, 2, 0.5)])
def test_numbers_without_meaning_are_refused(arguments):
    with pytest.raises(ValueError, match=r"ransac_trials: \w+ must be"):
        ransac_trials(*arguments)
