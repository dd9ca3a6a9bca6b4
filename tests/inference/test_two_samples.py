"""Two tables, of one distribution or of two."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import DecisionTreeClassifier, GaussianNB
from learnable.inference import classifier_two_sample_test


def test_equal_distributions_are_called_different_no_more_often_than_stated():
    rng, found = np.random.default_rng(0), []
    for run in range(200):
        one, two = rng.normal(size=(2, 60, 3))
        found.append(classifier_two_sample_test(one, two, GaussianNB(), random_state=run).significant)
    assert np.mean(found) < 0.09  # 0.05 and two and a half standard errors


def test_a_difference_that_no_single_column_shows_is_found():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 400, 2))
    two[:, 1] = np.where(rng.random(400) < 0.9, np.sign(two[:, 0]), -np.sign(two[:, 0])) * np.abs(two[:, 1])
    found = classifier_two_sample_test(one, two, DecisionTreeClassifier(max_depth=4, random_state=0))
    assert found.significant and found.p_value < 1e-6
    with pytest.raises(learnable.DataError, match="same columns"):
        classifier_two_sample_test(one, two[:, :1], GaussianNB())
