"""Sequences, sentences and ratings made to harm the code that reads them."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.core import DataError

ROWS = np.random.default_rng(0).integers(0, 3, (20, 2)).astype(float)


@pytest.mark.parametrize("name", ["GaussianHMM", "PoissonHMM", "BernoulliHMM", "GMMHMM"])
def test_lengths_whose_sum_goes_round(name):
    """The sum of 8 bytes was the number of rows, and compiled code read far beyond them."""
    model = getattr(learnable, name)(2, random_state=0)
    with pytest.raises(DataError, match="lengths add up to 18446744073709551636"):
        model.fit(ROWS, lengths=[2**63 - 1, 2**63 - 1, 22])
    with pytest.raises(DataError, match="lengths"):
        model.fit(ROWS, lengths=np.array([2**62, 20 - 2**62]))


def broken(kind: str):
    X = getattr(sparse, f"{kind}_array")(np.arange(24.0).reshape(8, 3) % 5)
    (X.coords[0] if kind == "coo" else X.indices)[0] = 10**6
    return X


@pytest.mark.parametrize("name", ["CRF", "MaximumEntropyMarkovModel", "StructuredPerceptron"])
def test_broken_sparse_tokens(name):
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        getattr(learnable, name)().fit(broken("csr"), ["a", "b"] * 4, lengths=[4, 4])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr"])
def test_broken_sparse_ratings(kind):
    model = learnable.BaselineOnly()
    with pytest.raises(DataError, match="not a valid sparse matrix"):
        model.fit(broken(kind))


@pytest.mark.parametrize("name", ["CRF", "MaximumEntropyMarkovModel", "StructuredPerceptron", "HMMTagger"])
def test_tokens_inside_one_another(name):
    token = functools.reduce(lambda inside, _: {"a": inside}, range(5000), 1.0)
    with pytest.raises(DataError, match="sentence 0"):
        getattr(learnable, name)().fit([[token]], [["x"]])


def test_attributes_of_extreme_sizes():
    with pytest.raises(DataError, match="the largest value of X is 1e"):
        learnable.CRF().fit([[{"a": 1e308, "b": -1e308}] * 5], [list("xyxyx")])


@pytest.mark.parametrize(("users", "n"), [([["a"]], 1), *((["a"], n) for n in (float("nan"), "x", -1, True))])
def test_requests_for_recommendations(users, n):
    model = learnable.BaselineOnly().fit([["a", 1], ["a", 2], ["b", 1]], [5.0, 4.0, 1.0])
    with pytest.raises(DataError):
        model.recommend(users, n)
    with pytest.raises(DataError):
        model.explain(["a"], [[1]])
