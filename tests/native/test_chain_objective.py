"""The negative log likelihood of labels and its gradient, against products of sparse matrices and forward-backward."""

import numpy as np
import pytest
from scipy.sparse import random_array

import learnable
from learnable.core.runtime.native import kernels
from learnable.engines.chain import Chain


def problem(labels, with_values, unknown):
    """Tokens of sentences (one without tokens, one that is long), features of some attributes, and weights."""
    rng = np.random.default_rng(labels)
    lengths = np.array([5, 0, 1, 9000, 3, 40])
    tokens = random_array((lengths.sum(), 60), density=0.1, rng=rng, format="csr")
    if not with_values:
        tokens.data[:] = 1.0
    features = random_array((60, labels), density=0.4, rng=rng, format="csr")
    features.sort_indices()
    y = rng.integers(0, labels, len(tokens.indptr) - 1).astype(np.int32)
    if unknown:
        y[::3] = -1
    weight = rng.standard_normal(features.nnz + labels**2)
    return tokens, features, lengths, y, rng.random(len(lengths)) + 0.5, weight


def expected(tokens, features, lengths, y, heavy, weight):
    labels = features.shape[1]
    features.data = weight[: features.nnz]
    node = (tokens @ features).toarray()
    transition = weight[features.nnz :].reshape(labels, labels)
    allowed = (y[:, None] < 0) | (np.arange(labels) == y[:, None])
    free, bound = (
        Chain.of(np.zeros(labels), transition, each, lengths).forward_backward(heavy)
        for each in (node, np.where(allowed, node, -np.inf))
    )
    residual = (free.states - bound.states) * np.repeat(heavy, lengths)[:, None]
    sums = (tokens.T @ residual)[features.tocoo().row, features.indices]
    loss = heavy @ (free.log_likelihood - bound.log_likelihood)
    return loss, np.append(sums, (free.transitions - bound.transitions).ravel())


@pytest.mark.parametrize("labels", [1, 3, 8, 22, 45])
@pytest.mark.parametrize(("with_values", "unknown"), [(False, False), (True, True)])
def test_value_and_gradient(labels, with_values, unknown):
    tokens, features, lengths, y, heavy, weight = problem(labels, with_values, unknown)
    start, index = tokens.indptr.astype(np.int64), tokens.indices.astype(np.int32)
    offset, label = features.indptr.astype(np.int64), features.indices.astype(np.int32)
    sentences = np.append(0, np.cumsum(lengths))
    seen = set()
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            objective = kernels.ChainObjective(
                start, index, tokens.data if with_values else None, offset, label, labels, sentences, y, heavy
            )
            gradient = np.empty(len(weight))
            value = objective.evaluate(weight, gradient)
            seen.add((value, gradient.tobytes()))
    assert len(seen) == 1
    loss, derivative = expected(tokens, features, lengths, y, heavy, weight)
    assert value == pytest.approx(loss, rel=1e-10, abs=1e-7)
    np.testing.assert_allclose(gradient, derivative, atol=1e-9)


def test_bad_arguments_are_refused():
    tokens, features, lengths, y, heavy, weight = problem(3, False, False)
    good = [
        tokens.indptr.astype(np.int64), tokens.indices.astype(np.int32), None, features.indptr.astype(np.int64),
        features.indices.astype(np.int32), 3, np.append(0, np.cumsum(lengths)), y, heavy,
    ]  # fmt: skip
    for place, wrong in ((1, good[1] + 60), (4, good[4] + 3), (6, good[6][:-1]), (7, y + 3), (8, heavy[1:])):
        with pytest.raises(ValueError):
            kernels.ChainObjective(*[wrong if i == place else each for i, each in enumerate(good)])
    with pytest.raises(ValueError, match="number per feature"):
        kernels.ChainObjective(*good).evaluate(weight[1:], np.empty(len(weight)))
