"""Emotions from faces (C4.5, 78 % right) and from bodies (Bayesian network, 90 %): 50 test rows, 156 training rows."""

from __future__ import annotations

import numpy as np
import pytest

from learnable.inference import error_interval, sample_error

TEST = 50


def test_errors_of_two_classifiers_on_fifty_rows():
    truth = np.arange(TEST) % 6
    for wrong, error, ends in ((11, 0.22, (0.105, 0.335)), (5, 0.10, (0.017, 0.183))):
        predicted = truth.copy()
        predicted[:wrong] = (truth[:wrong] + 1) % 6
        assert sample_error(truth, predicted) == pytest.approx(error)
        if TEST * error * (1 - error) >= 5:
            found = error_interval(error, TEST)
        else:
            with pytest.warns(UserWarning, match="normal approximation is poor"):
                found = error_interval(error, TEST)
        assert list(found) == pytest.approx(ends, abs=5e-4)
