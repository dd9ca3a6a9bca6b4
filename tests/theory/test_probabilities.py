"""Votes, averages, bootstrap samples and the lunch that is not free, with their worked numbers."""

import numpy as np
import pytest

from learnable import linear_model
from learnable.core import ParameterError
from learnable.theory import (
    bootstrap_left_out,
    majority_vote_probability,
    no_free_lunch,
    ransac_trials,
    variance_of_average,
)


def test_w40_majority_of_eleven():
    p = [0.3, 0.5, 0.51, 0.6, 0.7, 0.8, 0.9]
    expected = [0.0782, 0.5, 0.5271, 0.7535, 0.9218, 0.9883, 0.9997]
    np.testing.assert_allclose(majority_vote_probability(11, p), expected, atol=5e-5)


def test_votes_sum_binomial_terms_and_cross_the_diagonal_at_one_half():
    """THE-13."""
    from math import comb

    by_hand = sum(comb(11, k) * 0.6**k * 0.4 ** (11 - k) for k in range(6, 12))
    assert majority_vote_probability(11, 0.6) == pytest.approx(by_hand)
    p = np.linspace(0.01, 0.99, 99)
    votes = majority_vote_probability(11, p)
    assert (np.sign((votes - p).round(9)) == np.sign((p - 0.5).round(9))).all()
    assert majority_vote_probability(2, 0.5) == 0.25 and majority_vote_probability(1, 0.3) == pytest.approx(0.3)


def test_w42_variance_of_an_average():
    assert variance_of_average(10, 0.3, 1.0) == pytest.approx(0.37)
    assert variance_of_average(np.inf, 0.3, 2.0) == pytest.approx(0.6) and variance_of_average(7, 1.0, 2.0) == 2.0
    with pytest.raises(ParameterError, match=r"3 equally correlated variables have a correlation between -0\.5 and 1"):
        variance_of_average(3, -0.6)


def test_variance_of_an_average_by_simulation():
    """THE-14."""
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=(200_000, 1)), rng.normal(size=(200_000, 5))
    average = (np.sqrt(0.4) * shared + np.sqrt(0.6) * own).mean(axis=1)
    assert average.var() == pytest.approx(variance_of_average(5, 0.4), rel=0.02)


def test_w41_rows_left_out_of_a_bootstrap_sample():
    found = [bootstrap_left_out(n) for n in (10, 100, np.inf)]
    assert found == pytest.approx([0.3487, 0.3660, 0.3679], abs=5e-5)
    assert bootstrap_left_out(1) == 0


def test_left_out_rows_by_simulation():
    """THE-15."""
    rng = np.random.default_rng(1)
    left = [1 - len(np.unique(rng.integers(0, 50, 50))) / 50 for _ in range(4000)]
    assert np.mean(left) == pytest.approx(bootstrap_left_out(50), abs=0.003)


def test_w44_ransac_trials_is_one_function():
    assert ransac_trials is linear_model.ransac_trials
    cases = [(0.5, 2, 0.99), (0.7, 2, 0.99), (0.7, 3, 0.99), (0.5, 3, 0.95), (0.8, 4, 0.999)]
    assert [ransac_trials(*case) for case in cases] == [17, 7, 11, 23, 14]


def nearest(points, labels, new):
    return [labels[np.abs(points - x).argmin()] for x in new]


def majority(points, labels, new):
    return [int(labels.mean() > 0.5)] * len(new)


def contrary(points, labels, new):
    return [1 - int(labels.mean() > 0.5)] * len(new)


@pytest.mark.parametrize("learner", [nearest, majority, contrary])
def test_w20_no_lunch_is_free(learner):
    """W-20: 3 points, one of them seen: 4 (2/3) = 2.667 for every learner."""
    found = no_free_lunch(learner, 3, [0])
    assert found.total == pytest.approx(8 / 3) and found.targets == 8 and found.mean_error == pytest.approx(0.5)


@pytest.mark.parametrize("learner", [nearest, majority, contrary])
def test_no_lunch_is_free_for_any_law_of_the_points(learner):
    """THE-12."""
    weights = np.random.default_rng(0).dirichlet(np.ones(6))
    found = no_free_lunch(learner, 6, [1, 4], weights)
    assert found.holds and found.expected == pytest.approx(32 * (1 - weights[1] - weights[4]))


def test_what_cannot_be_used_is_named():
    with pytest.raises(ParameterError, match="n_points must be from 1 to 20"):
        no_free_lunch(majority, 30, [0])
    with pytest.raises(ParameterError, match="some, not all, of the points"):
        no_free_lunch(majority, 2, [0, 1])
    with pytest.raises(ParameterError, match="3 numbers that sum to 1"):
        no_free_lunch(majority, 3, [0], [0.5, 0.5])
    with pytest.raises(ParameterError, match=r"p must be at least 0 and at most 1; got 1\.2"):
        majority_vote_probability(3, 1.2)


@pytest.mark.parametrize(("n", "p"), [("a", 0.5), (3, "a"), (2.5, 0.5)])
def test_voters_are_counted(n, p):
    with pytest.raises(ParameterError, match=r"majority_vote_probability: (n must be int, at least 1|p must be float)"):
        majority_vote_probability(n, p)


@pytest.mark.parametrize("n", [1, 1001, 100_001, 10_000_001])
def test_many_random_voters_are_right_half_of_the_time(n):
    assert majority_vote_probability(n, 0.5) == pytest.approx(0.5, abs=1e-14)
