"""The rank of NMF: planted ranks by both criteria, losses by hand, missing entries, arguments."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnable
from learnable.decomposition import NMF, MiniBatchNMF, choose_rank
from learnable.decomposition.rank_selection import _folds


def planted(rows, columns, rank, noise, seed=0):
    draws = np.random.default_rng(seed)
    W = draws.gamma(0.3, size=(rows, rank)) + np.kron(np.eye(rank), np.ones((rows // rank, 1)))
    return W @ draws.gamma(0.3, size=(rank, columns)) + noise * draws.random((rows, columns))


@pytest.mark.parametrize("rank", [2, 3, 4])
@pytest.mark.parametrize(
    "model", [NMF(init="nndsvda", max_iter=400), NMF(solver="mu", beta_loss="kullback-leibler", max_iter=400)]
)
def test_held_out_entries_find_the_planted_rank(model, rank):
    X = planted(48, 30, rank, 0.01)
    found = choose_rank(model, X, range(1, 7), random_state=0)
    assert found.best == rank == found.model.n_components_
    assert found.ranks.tolist() == [1, 2, 3, 4, 5, 6]
    assert (found.intervals[:, 0] <= found.scores).all() and (found.scores <= found.intervals[:, 1]).all()


def test_the_loss_is_that_of_the_entries_left_out():
    X = planted(12, 8, 2, 0.1)
    found = choose_rank(NMF(init="nndsvda", max_iter=2000), X, [2], cv=2, random_state=3)
    halves, folds = [], _folds(np.ones_like(X, dtype=bool), 2, 3)
    assert np.bincount(folds.ravel()).tolist() == [48, 48]
    for k in range(2):
        model = NMF(2, init="nndsvda", max_iter=2000)
        W = model.fit_transform(np.where(folds == k, np.nan, X))
        halves.append(((W @ model.components_ - X)[folds == k] ** 2).mean() / 2)
    assert np.isclose(found.scores[0], np.mean(halves), rtol=1e-12)


def test_consensus_of_blocks_is_perfect_at_their_number():
    X = np.kron(np.eye(3), np.ones((10, 8))) + np.random.default_rng(0).random((30, 24))
    found = choose_rank(NMF(max_iter=1000), X, range(1, 6), criterion="consensus", runs=10, random_state=0)
    assert found.ranks.tolist() == [2, 3, 4, 5] and found.best == 3
    assert found.scores[1] > 0.999 and found.intervals is None


def test_missing_entries_and_sparse_tables():
    X = planted(40, 24, 2, 0.02)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    assert choose_rank(NMF(init="nndsvda"), holes, [1, 2, 3], random_state=0).best == 2
    blocks = np.kron(np.eye(2), np.ones((12, 9)))
    dense, sparse = (choose_rank(NMF(), one, [1, 2, 3], random_state=0) for one in (blocks, csr_array(blocks)))
    assert np.allclose(dense.scores, sparse.scores) and dense.best == sparse.best == 2
    assert choose_rank(MiniBatchNMF(tol=1e-3), blocks, [1, 2], random_state=0).best == 2


def test_arguments_that_cannot_be():
    X = planted(12, 8, 2, 0.1)
    with pytest.raises(learnable.core.ParameterError, match="an NMF or a MiniBatchNMF"):
        choose_rank(learnable.PCA(), X)
    for ranks in ([0, 1], [9], [], [1.5]):
        with pytest.raises(learnable.core.ParameterError, match="choose_rank: ranks"):
            choose_rank(NMF(), X, ranks)
    with pytest.raises(learnable.core.ParameterError, match="rank of at least 2"):
        choose_rank(NMF(), X, [1], criterion="consensus")
    with pytest.raises(learnable.core.ParameterError, match="folds need at least"):
        choose_rank(NMF(), X, [1], cv=60)
