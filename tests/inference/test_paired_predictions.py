"""Tests on the predictions of two models against brute force, SciPy and statsmodels."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from learnable.core import DataError, ParameterError
from learnable.inference import mcnemar_test, randomisation_test


def predictions(seed, n, good=0.8, poor=0.6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, *(np.where(rng.random(n) < share, y, 1 - y) for share in (good, poor))


def by_hand(y, first, second, score):
    """Every swap, one by one."""
    observed = abs(score(y, first) - score(y, second))
    apart = []
    for swap in product([False, True], repeat=len(y)):
        one, two = np.where(swap, second, first), np.where(swap, first, second)
        apart.append(abs(score(y, one) - score(y, two)))
    return np.mean(np.array(apart) >= observed - 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_exact_swaps_equal_brute_force(seed):
    """STA-03, exact."""
    y, first, second = predictions(seed, 9)
    right = by_hand(y, first, second, lambda t, a: np.mean(t == a))
    assert randomisation_test(y, first, second).p_value == pytest.approx(right)
    numbers = np.random.default_rng(seed).normal(size=(3, 8))
    squared = by_hand(*numbers, lambda t, a: -np.mean((t - a) ** 2))
    assert randomisation_test(*numbers).p_value == pytest.approx(squared)
    middle = by_hand(*numbers, lambda t, a: np.median(np.abs(t - a)))
    assert randomisation_test(*numbers, score=lambda t, a: np.median(np.abs(t - a))).p_value == pytest.approx(middle)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_sampled_swaps_equal_scipy(alternative):
    """STA-03, sampled: with the same law and within the error of the draws."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=40)
    first, second = y + rng.normal(size=40), y + 1.3 * rng.normal(size=40)
    scores = -((y - first) ** 2), -((y - second) ** 2)
    theirs = stats.permutation_test(
        scores, lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=9999, alternative=alternative, rng=np.random.default_rng(0),
    )  # fmt: skip
    ours = randomisation_test(y, first, second, alternative=alternative, random_state=0)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=0.02)
    assert ours.estimate == pytest.approx(np.mean(scores[0] - scores[1]))


def test_swaps_repeat_with_the_seed_and_never_give_zero():
    y, first, second = predictions(0, 400, 0.95, 0.3)
    found = randomisation_test(y, first, second, random_state=3, draws=999)
    assert found == randomisation_test(y, first, second, random_state=3, draws=999)
    assert found.p_value == 1 / 1000
    by_score = randomisation_test(y, first, second, score=lambda t, a: np.mean(t == a), draws=99, random_state=0)
    assert by_score.p_value == 1 / 100


def test_models_that_agree_everywhere():
    assert randomisation_test([0, 1, 1], [0, 0, 1], [0, 0, 1]).p_value == 1
    assert mcnemar_test([0, 1, 1], [0, 0, 1], [0, 0, 1]).p_value == 1
    assert mcnemar_test([0, 1, 1], [0, 0, 1], [0, 0, 1], method="chi2").p_value == 1


@pytest.mark.parametrize("options", [{"method": "exact"}, {"method": "chi2"}, {"method": "chi2", "correction": False}])
@pytest.mark.parametrize("seed", range(4))
def test_mcnemar_equals_statsmodels(options, seed):
    y, first, second = predictions(seed, 80)
    table = [[np.sum((first == y) == a) for a in (1, 0)] for _ in (1, 0)]
    table = [[np.sum(((first == y) == a) & ((second == y) == b)) for b in (True, False)] for a in (True, False)]
    theirs = mcnemar(table, exact=options["method"] == "exact", correction=options.get("correction", True))
    ours = mcnemar_test(y, first, second, **options)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.estimate == pytest.approx(np.mean(first == y) - np.mean(second == y))


def test_exact_swaps_of_right_and_wrong_are_mcnemar():
    y, first, second = predictions(1, 18)
    assert randomisation_test(y, first, second).p_value == pytest.approx(mcnemar_test(y, first, second).p_value)


def test_what_cannot_be_used_is_named():
    with pytest.raises(DataError, match="y and both predictions must be rows of one length"):
        mcnemar_test([0, 1], [0, 1], [0])
    with pytest.raises(ParameterError, match="draws must be at least 1"):
        randomisation_test([0, 1], [0, 1], [1, 1], draws=0)
    with pytest.raises(ParameterError, match='method must be "auto", "exact" or "chi2"'):
        mcnemar_test([0, 1], [0, 1], [1, 1], method="mid-p")


@pytest.mark.parametrize("confidence", [0.5, 0.95])
@pytest.mark.parametrize("n", [1, 2, 40, 1000])
def test_the_interval_of_mcnemar_has_a_width(n, confidence):
    y = np.arange(n) % 2
    reach = stats.norm.ppf((1 + confidence) / 2) ** 2
    alike = mcnemar_test(y, y, y, confidence=confidence).interval
    np.testing.assert_allclose(alike, np.array([-1, 1]) * reach / (n + reach))
    better, worse = (mcnemar_test(y, *pair, confidence=confidence).interval for pair in ((y, 1 - y), (1 - y, y)))
    np.testing.assert_allclose(better, [(n - reach) / (n + reach), 1])
    np.testing.assert_allclose(worse, [-1, (reach - n) / (n + reach)])


@pytest.mark.parametrize("seed", range(4))
def test_the_interval_of_mcnemar_ends_where_a_difference_is_contradicted(seed):
    """The error under each end, from the likelihood maximised by brute force, puts the estimate z errors away."""
    y, first, second = predictions(seed, 60)
    b, c = (np.sum((one == y) & (two != y)) for one, two in ((first, second), (second, first)))
    found = mcnemar_test(y, first, second)
    assert found.interval[0] < found.estimate < found.interval[1]
    for end in found.interval:
        share = np.linspace(max(0, -end), (1 - end) / 2, 200_001)[1:-1]
        likely = b * np.log(share + end) + c * np.log(share) + (60 - b - c) * np.log(1 - 2 * share - end)
        error = np.sqrt(60 * (2 * share[np.argmax(likely)] + end * (1 - end)))
        assert abs(b - c - 60 * end) / error == pytest.approx(stats.norm.ppf(0.975), rel=1e-3)


@pytest.mark.parametrize("dtype", [float, int])
def test_whole_targets_of_regressions_are_numbers(dtype):
    y = np.arange(40).astype(dtype)
    near, far = y + 0.25, y + np.where(np.arange(40) % 3, 2.0, 1.0)
    found = randomisation_test(y, near, far, random_state=0)
    assert found.estimate == pytest.approx(np.mean((far - y) ** 2) - 0.0625)
    assert found.p_value < 0.001
    assert randomisation_test(y, near, near).p_value == 1.0
    assert randomisation_test(y, near, far.astype(int), random_state=0).estimate == found.estimate
