import numpy as np
import pytest

from learnable.core.native import kernels


@pytest.mark.parametrize("gini", [True, False])
@pytest.mark.parametrize("sizes", [[2], [3], [2, 3], [1]])
def test_shares_and_impurities_of_nodes(sizes, gini):
    draws = np.random.default_rng(0)
    of_targets = [draws.multinomial(12, np.full(size, 1 / size), 9000).astype(float) for size in sizes]
    counts = np.concatenate(of_targets, axis=1)
    told = counts[:, 1:] if sizes == [2] else counts
    sums = np.concatenate([np.full((9000, 1), 12.0), told, np.zeros((9000, 1))], axis=1)
    value, impurity, weight = np.zeros((9000, len(sizes) * max(sizes))), np.empty(9000), np.empty(9000)
    kernels.share_classes(sums, np.array(sizes, dtype=np.int64), gini, value, impurity, weight)
    mean = 0.0
    for t, count in enumerate(of_targets):
        share = count / 12
        np.testing.assert_array_equal(value[:, t * max(sizes) : t * max(sizes) + sizes[t]], share)
        terms = share**2 if gini else share * np.log2(np.where(share > 0, share, 1))
        mean = mean + (1 - terms.sum(axis=1) if gini else -terms.sum(axis=1)) / len(sizes)
    np.testing.assert_allclose(impurity, mean, atol=1e-15)
    assert (weight == 12).all()
