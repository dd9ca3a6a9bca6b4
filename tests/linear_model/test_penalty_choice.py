"""Advice on penalties where the right one is known."""

import numpy as np
import pytest

from learnable import penalty_advice
from learnable.core import DataError


def few_strong(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 40))
    return X, X[:, :3] @ [3.0, -2.0, 2.0] + rng.normal(size=120)


def many_similar(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 60))
    return X, X @ (rng.choice([-1, 1], 60) * rng.uniform(0.8, 1.2, 60)) + 3 * rng.normal(size=120)


@pytest.mark.parametrize("seed", range(2))
def test_few_strong_columns_suggest_the_lasso(seed):
    advice = penalty_advice(*few_strong(seed))
    assert advice.choice == "lasso"
    assert advice.carriers < 10
    assert advice.errors["lasso"].mean() < advice.errors["ridge"].mean()


@pytest.mark.parametrize("seed", range(2))
def test_many_similar_columns_suggest_ridge(seed):
    advice = penalty_advice(*many_similar(seed))
    assert advice.choice == advice.rule == "ridge"
    assert advice.carriers > 30
    assert advice.errors["ridge"].mean() < advice.errors["lasso"].mean()


def test_in_doubt_it_is_the_elastic_net():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 20))
    weights = np.where(np.arange(20) < 9, rng.uniform(1, 2, 20), 0.0)
    advice = penalty_advice(X, X @ weights + rng.normal(size=200))
    assert advice.rule == advice.choice == "elastic net"


def test_noise_is_recognised():
    rng = np.random.default_rng(2)
    advice = penalty_advice(rng.normal(size=(60, 10)), rng.normal(size=60))
    assert "no penalty predicts clearly better than the mean" in advice.reason


def test_scales_of_columns_and_seeds_do_not_matter_where_things_are_clear():
    X, y = few_strong()
    scaled = penalty_advice(X * np.logspace(-3, 3, 40) + 5, y, random_state=4)
    assert scaled.choice == "lasso"
    plain = penalty_advice(X, y, random_state=4)
    np.testing.assert_allclose(scaled.errors["lasso"], plain.errors["lasso"], rtol=1e-3)


def test_the_advice_reads_as_a_sentence_with_its_figures():
    text = str(penalty_advice(*few_strong()))
    assert text.startswith("use lasso: it predicts clearly better than ridge")
    assert text.count("mean squared error") == 4


def test_constant_columns_and_targets():
    X, y = few_strong()
    X[:, 5] = 7.0
    assert penalty_advice(X, y).choice == "lasso"
    assert "no penalty" in penalty_advice(X, np.full(120, 2.0)).reason


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="at least 10 rows"):
        penalty_advice(np.ones((4, 2)), np.ones(4))
