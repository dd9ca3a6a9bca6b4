"""Which candidate is taken by its scores on every fold, worked by hand."""

import numpy as np

from learnable.model_selection import minimal_error_rule, one_standard_error_rule


def test_the_smallest_error_is_the_largest_mean():
    scores = np.random.default_rng(0).normal(size=(20, 5))
    means = [sum(row) / 5 for row in scores.tolist()]
    assert minimal_error_rule(scores) == means.index(max(means))
    assert minimal_error_rule([[1.0, 3.0], [2.0, 2.0], [0.0, 1.0]]) == 0, "the first among equals"
    assert minimal_error_rule([[np.nan, 9.0], [0.1, 0.2]]) == 1, (
        "a candidate without a score on every fold is not chosen"
    )


def test_the_simplest_within_one_standard_error():
    """The best has mean 5 and deviations -2, 0, 0, 2: SE = sqrt(8 / 3) / 2 = 0.8165, so that 4.1835 is enough."""
    best, enough, too_little = [3.0, 5.0, 5.0, 7.0], [4.19] * 4, [4.18] * 4
    assert one_standard_error_rule([best, enough, too_little], complexity=[3, 2, 1]) == 1
    assert one_standard_error_rule([best, enough, too_little], complexity=[1, 2, 3]) == 0
    assert one_standard_error_rule([enough, [4.5] * 4, best], complexity=[1, 1, 9]) == 1, "the better of the simplest"
