"""A finding in words: a large p value is never equality (STA-06)."""

import numpy as np
import pytest

from learnable.inference import Finding, bayesian_comparison, paired_t_test, two_sample_t_test


def test_no_difference_is_not_called_equality():
    """STA-06: p > 0.05 is "no difference observed"."""
    found = Finding("some test", "t", 0.5, 0.63, 0.01, (-0.1, 0.12), 9)
    assert str(found).startswith("no difference observed: 0.01") and "does not prove" in str(found)
    assert not found.significant and "equal" not in str(found)


def test_a_difference_is_named_with_its_size():
    found = Finding("some test", "t", 5.0, 0.00001, 0.2, (0.1, 0.3), 9)
    assert str(found).startswith("difference observed: 0.2 (95 % interval 0.1 to 0.3), p < 0.0001")
    assert found.significant and not Finding("some test", "t", 2.0, 0.05, 0.2).significant


def test_intervals_with_one_end():
    assert "interval from 0.1 on" in str(Finding("t", "t", 5.0, 0.01, 0.2, (0.1, np.inf)))
    assert "interval up to 0.3" in str(Finding("t", "t", 5.0, 0.01, 0.2, (-np.inf, 0.3)))


def test_findings_do_not_change():
    with pytest.raises(AttributeError):
        paired_t_test([1, 2, 4], [1, 3, 3]).p_value = 0.01


def test_bayes_agrees_with_a_sample_of_its_posterior():
    rng = np.random.default_rng(0)
    one = rng.normal(0.02, 0.02, 10)
    found = bayesian_comparison(one, np.zeros(10), 0.1, rope=0.01)
    scale = np.sqrt(one.var(ddof=1) * (1 / 10 + 1 / 9))
    posterior = one.mean() + scale * rng.standard_t(9, 400_000)
    assert found.better == pytest.approx(np.mean(posterior > 0.01), abs=0.003)
    assert found.practically_equal == pytest.approx(np.mean(np.abs(posterior) <= 0.01), abs=0.003)
    assert found.better + found.practically_equal + found.worse == pytest.approx(1)
    np.testing.assert_allclose(found.interval, np.quantile(posterior, [0.025, 0.975]), atol=2e-4)


def test_bayes_is_antisymmetric_and_can_find_equality():
    rng = np.random.default_rng(1)
    one, two = rng.normal(0.8, 0.001, (2, 20))
    there, back = bayesian_comparison(one, two, 0.2), bayesian_comparison(two, one, 0.2)
    assert there.better == pytest.approx(back.worse)
    assert str(there).startswith("the first model is practically equal")
    assert bayesian_comparison([1, 1], [0.5, 0.5], 0.5).better == 1
    assert "practically equal 0.000" in str(
        bayesian_comparison([0.8, 0.9, 0.7, 0.8], [0.7, 0.8, 0.75, 0.8], 0.2, rope=0)
    )
    assert str(bayesian_comparison([0.1, -0.1, 0.05], [0, 0, 0], 0.3)).startswith("no decision")


@pytest.mark.parametrize("unit", [1e-200, 1e150, 1e200])
def test_the_unit_of_scores_does_not_matter(unit):
    one, two = np.array([0.90, 0.85, 0.88, 0.91]), np.array([0.80, 0.79, 0.82, 0.80])
    plain, scaled = (bayesian_comparison(one * u, two * u, 0.25, rope=0.01 * u) for u in (1.0, unit))
    assert (scaled.better, scaled.worse) == pytest.approx((plain.better, plain.worse))
    assert scaled.interval == pytest.approx(tuple(unit * end for end in plain.interval), rel=1e-9, abs=0)
    for test in (paired_t_test, two_sample_t_test):
        assert test(one * unit, two * unit).p_value == pytest.approx(test(one, two).p_value)


@pytest.mark.parametrize(
    ("one", "two"), [([0.5, 0.5], [0.49, 0.49]), ([0.5, 0.6, 0.8], [0.49, 0.59, 0.79]), ([0.49, 0.7], [0.5, 0.71])]
)
def test_a_difference_as_large_as_the_rope_is_practically_equal(one, two):
    assert bayesian_comparison(one, two, 0.1, rope=0.01).practically_equal == 1
    assert bayesian_comparison(one, two, 0.1, rope=0.0099).practically_equal == 0
