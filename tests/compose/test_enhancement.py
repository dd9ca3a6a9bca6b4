"""More terms for a linear model, as long as validation improves."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import Ridge, enhance_linear_model

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (200, 3))
NOISE = 0.05 * RNG.standard_normal(200)


def names(found):
    return [trial.terms for trial in found.trials if trial.kept]


def test_terms_are_added_as_long_as_they_help():
    linear = enhance_linear_model(X, X @ [1.0, 2.0, 0.0] + NOISE)
    assert names(linear) == ["linear"]
    crossed = enhance_linear_model(X, X[:, 0] * X[:, 1] + NOISE)
    assert names(crossed) == ["linear", "products of two"]
    cubic = enhance_linear_model(X, X[:, 0] * X[:, 1] + X[:, 2] ** 3 - X[:, 2] ** 2 + NOISE)
    assert names(cubic) == ["linear", "products of two", "powers to 2", "powers to 3"]
    scores = [trial.score for trial in cubic.trials if trial.kept]
    assert (np.diff(scores) > 0).all() and scores[-1] > 0.97
    assert not cubic.trials[-1].kept and "left" in str(cubic)


def test_the_model_found_predicts_and_goes_through_a_file(tmp_path):
    y = X[:, 0] ** 2 + NOISE
    found = enhance_linear_model(X, y, Ridge(alpha=0.01), cv=4)
    learnable.save(found.estimator, tmp_path / "model")
    again = learnable.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), found.estimator.predict(X))
    with pytest.raises(ValueError, match="max_degree must be at least 2"):
        enhance_linear_model(X, y, max_degree=1)
