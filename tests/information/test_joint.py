"""Entropies of several variables: identities on random tables, and scikit-learn's mutual information."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from learnable.core import DataError, ParameterError
from learnable.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    information_gain,
    joint_entropy,
    kl_divergence,
    mutual_information,
    specific_conditional_entropy,
)


def table(seed, *shape, zeros=0.3):
    rng = np.random.default_rng(seed)
    values = rng.random(shape) * (rng.random(shape) > zeros) + 1e-3 * rng.random(shape)
    return values / values.sum()


seeds = st.integers(0, 100_000)


@given(seed=seeds)
def test_chain_rule_over_three_variables(seed):
    """INF-08: H(X, Y, Z) = H(X) + H(Y | X) + H(Z | X, Y)."""
    p = table(seed, 3, 4, 2)
    pair = p.sum(axis=2)
    known = p.reshape(12, 2)
    chain = entropy(pair.sum(axis=1)) + conditional_entropy(pair, given=0) + conditional_entropy(known, given=0)
    assert joint_entropy(p) == pytest.approx(chain)


@given(seed=seeds)
def test_joint_entropy_is_at_most_the_sum(seed):
    """INF-08, with equality for independent variables."""
    p = table(seed, 3, 4)
    x, y = p.sum(axis=1), p.sum(axis=0)
    assert max(entropy(x), entropy(y)) - 1e-12 <= joint_entropy(p) <= entropy(x) + entropy(y) + 1e-12
    assert joint_entropy(np.outer(x, y)) == pytest.approx(entropy(x) + entropy(y))


@given(seed=seeds)
def test_conditioning_never_raises_entropy_on_average(seed):
    """INF-09: the average of the specific entropies, never above H(X), and not symmetric."""
    p = table(seed, 3, 4)
    x, y = p.sum(axis=1), p.sum(axis=0)
    specific = specific_conditional_entropy(p, given=1)
    assert conditional_entropy(p, given=1) == pytest.approx(y @ specific)
    assert conditional_entropy(p, given=1) <= entropy(x) + 1e-12
    assert conditional_entropy(p, given=0) - entropy(y) == pytest.approx(conditional_entropy(p, given=1) - entropy(x))


def test_a_single_value_may_raise_entropy():
    """INF-09: H(X | Y = y) can exceed H(X)."""
    p = np.array([[0.8, 0.05], [0.0, 0.05], [0.0, 0.1]])
    assert specific_conditional_entropy(p)[1] > entropy(p.sum(axis=1)) > conditional_entropy(p)
    assert np.isnan(specific_conditional_entropy([[1.0, 0.0], [0.0, 0.0]])[1])


@given(seed=seeds, base=st.sampled_from([2.0, np.e, 10.0]))
def test_mutual_information_in_its_forms(seed, base):
    """INF-10: I = H(X) - H(X|Y) = H(Y) - H(Y|X) = D(p(x,y) || p(x)p(y)), and H(X,Y) = H(X|Y) + I + H(Y|X)."""
    p = table(seed, 3, 4)
    x, y = p.sum(axis=1), p.sum(axis=0)
    shared = mutual_information(p, base=base)
    left, right = (conditional_entropy(p, given=axis, base=base) for axis in (1, 0))
    assert shared == pytest.approx(entropy(x, base=base) - left, abs=1e-9)
    assert shared == pytest.approx(entropy(y, base=base) - right, abs=1e-9)
    assert shared == pytest.approx(kl_divergence(p, np.outer(x, y), base=base), abs=1e-9)
    assert shared == pytest.approx(mutual_information(p.T, base=base)) and shared >= 0
    assert joint_entropy(p, base=base) == pytest.approx(left + shared + right)


def test_mutual_information_is_zero_only_for_independence():
    """INF-10."""
    assert mutual_information(np.outer([0.3, 0.7], [0.2, 0.8])) == pytest.approx(0, abs=1e-12)
    assert mutual_information([[0.3, 0.2], [0.2, 0.3]]) > 0.01


@given(seed=seeds)
def test_samples_equal_scikit_learn_and_the_definition_of_the_gain(seed):
    """INF-11: H(D) - sum_i |D_i| / |D| H(D_i)."""
    rng = np.random.default_rng(seed)
    y, attribute = rng.integers(0, 3, 40), rng.choice(["low", "middle", "high"], 40)
    gain = information_gain(y, attribute)
    parts = [y[attribute == value] for value in np.unique(attribute)]
    by_hand = entropy(y, kind="samples") - sum(len(part) / 40 * entropy(part, kind="samples") for part in parts)
    assert gain == pytest.approx(by_hand, abs=1e-12)
    assert gain * np.log(2) == pytest.approx(mutual_info_score(y, attribute), abs=1e-12)
    codes = np.column_stack([y, np.unique(attribute, return_inverse=True)[1]])
    left = conditional_entropy(codes, given=1, kind="samples")
    assert gain == pytest.approx(entropy(y, kind="samples") - left, abs=1e-12)


def test_weights_are_copies():
    rng = np.random.default_rng(0)
    rows, weight = rng.integers(0, 3, (20, 2)), rng.integers(0, 4, 20)
    copies = np.repeat(rows, weight, axis=0)
    for quantity in (joint_entropy, conditional_entropy, mutual_information):
        weighted = quantity(rows, kind="samples", sample_weight=weight)
        assert weighted == pytest.approx(quantity(copies, kind="samples"))
    assert information_gain(*rows.T, sample_weight=weight) == pytest.approx(information_gain(*copies.T))


def test_what_cannot_be_used_is_named():
    with pytest.raises(ParameterError, match="given must be an axis of the table, 0 to 1; got 2"):
        conditional_entropy(table(0, 2, 2), given=2)
    with pytest.raises(DataError, match="must have two axes"):
        mutual_information(table(0, 2, 2, 2))
    with pytest.raises(DataError, match="at least two axes"):
        conditional_entropy([0.5, 0.5])
    with pytest.raises(DataError, match="a column for each variable"):
        joint_entropy(["a", "b"], kind="samples")
    with pytest.raises(DataError, match="50 columns of 2 samples make a table"):
        mutual_information(np.arange(100).reshape(2, 50), kind="samples")
    with pytest.raises(DataError, match="rows of one length"):
        information_gain([1, 0], [1, 0, 1])
    with pytest.raises(DataError, match="sample_weight must hold"):
        mutual_information([[0, 1], [1, 0]], kind="samples", sample_weight=[1, -1])


def test_unordered_and_missing_values_are_values():
    assert entropy(["a", None, "a", float("nan")], kind="samples") == 1
    assert information_gain([1, None, 0, 0], ["x", 2, None, None]) == pytest.approx(1.5)
    assert gain_ratio([1, None, 0, 0], ["x", 2, None, None]) == pytest.approx(1.0)
