"""Selection of the rank of a nonnegative factorisation."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, ConvergenceWarning, ParameterError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Column, Model, Rows, checked, limits
from ..core.validate.features import FeatureValidator
from ..core.validate.sparse_input import as_dense
from ._nmf.divergence import Observed, beta_of, divergence
from .nmf import NonnegativeFactorisation

Criterion = Literal["held-out", "consensus"]
STEADY = 1e-3  # decrease of the cophenetic correlation that does not count as one


class RankChoice(NamedTuple):
    """Ranks, their scores, the 95 % intervals of these if defined, the selected rank and its fitted model.

    Scores are divergences per held-out entry (lower is better) or cophenetic correlations (higher is better).
    """

    criterion: str
    ranks: Array
    scores: Array
    intervals: Array | None
    best: int
    model: Any


@checked(cv=limits(at_least=2), runs=limits(at_least=2))
def choose_rank(
    model: Model,
    X: Rows,
    ranks: Column = (1, 2, 3, 4, 5, 6),
    *,
    criterion: Criterion = "held-out",
    cv: int = 5,
    runs: int = 20,
    random_state: RandomState = None,
) -> RankChoice:
    """Selection of the rank of NMF, by entries that are held out or by the consensus of several runs.

    held-out = divergence per entry of W H from the entries left out of a fit, in `cv` folds: the smallest rank within
    one standard error of the minimum;   consensus = cophenetic correlation of the fraction of `runs` random starts in
    which two rows have the same largest component: the largest rank before it falls below its maximum, by over 0.001

    `model` is an `NMF` or a `MiniBatchNMF` with all parameters but the number of components. Rank 1 has no consensus.
    [Owen and Perry, 2009; Brunet, Tamayo, Golub and Mesirov, 2004]

    >>> import numpy as np
    >>> from learnable import NMF
    >>> draws = np.random.default_rng(0)
    >>> X = draws.gamma(0.5, size=(40, 2)) @ draws.gamma(0.5, size=(2, 30)) + 0.01 * draws.random((40, 30))
    >>> choose_rank(NMF(max_iter=500), X, [1, 2, 3, 4], random_state=0).best
    2
    """
    if not isinstance(model, NonnegativeFactorisation):
        raise ParameterError(f"choose_rank: model must be an NMF or a MiniBatchNMF; got {model!r:.60}")
    matrix = FeatureValidator("choose_rank", sparse=True, storage="csr", missing="native").matrix(X)[0]
    tried = _valid_ranks(ranks, matrix.shape, criterion)
    seed = seed_of(random_state)
    intervals = None
    if criterion == "held-out":
        scores, intervals, best = _held_out(model, as_dense(matrix), tried, cv, seed)
    else:
        scores, best = _consensus(model, matrix, tried, runs, seed)
    return RankChoice(criterion, tried, scores, intervals, best, _with(model, best).fit(X))


def _with(model: Any, rank: int, **more: Any) -> Any:
    return model.clone().set_params(n_components=rank, **more)


def _rows_of(model: Any, X: Any) -> Array:
    """The factor W of a trial, which may end at its limit of iterations: its score is what counts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit_transform(X))


def _valid_ranks(ranks: Any, shape: tuple[int, int], criterion: str) -> Array:
    """The ranks in order; rank 1 is left out of a consensus."""
    tried = np.atleast_1d(np.asarray(ranks))
    low, high = 2 if criterion == "consensus" else 1, min(shape)
    if tried.dtype.kind not in "iu" or not len(tried) or tried.min() < 1 or tried.max() > high:
        raise ParameterError(
            f"choose_rank: ranks must be integers from 1 to {high}, the smaller side of X; got {ranks!r:.60}"
        )
    if tried.max() < low:
        raise ParameterError('choose_rank: criterion="consensus" needs a rank of at least 2; rank 1 has one component')
    return np.unique(tried[tried >= low])


def _held_out(model: Any, X: Array, ranks: Array, cv: int, seed: int) -> tuple[Array, Array, int]:
    """The mean divergence per held-out entry, its interval over the folds, and the choice by one standard error."""
    from scipy.stats import t

    fold = _folds(~np.isnan(X), cv, seed)
    beta = beta_of(model.beta_loss)
    losses = np.array([[_loss(model, X, int(rank), fold == k, beta) for k in range(cv)] for rank in ranks])
    mean, error = losses.mean(axis=1), losses.std(axis=1, ddof=1) / np.sqrt(cv)
    wide = float(t.ppf(0.975, cv - 1)) * error
    least = int(np.argmin(mean))
    best = int(ranks[mean <= mean[least] + error[least]].min())
    return mean, np.stack([mean - wide, mean + wide], axis=1), best


def _folds(observed: Array, cv: int, seed: int) -> Array:
    """A fold for each observed entry, at random and of equal sizes; -1 for missing entries."""
    count = int(observed.sum())
    if count < 2 * cv:
        raise ParameterError(f"choose_rank: cv={cv} folds need at least {2 * cv} entries; X has {count}")
    fold = np.full(observed.shape, -1)
    fold[observed] = generator(seed).permutation(np.arange(count) % cv)
    return fold


def _loss(model: Any, X: Array, rank: int, left_out: Array, beta: float) -> float:
    """The divergence per entry of a factorisation that has not seen the entries left out."""
    fitted = _with(model, rank)
    W = _rows_of(fitted, np.where(left_out, np.nan, X))
    held_out = Observed(np.where(left_out, X, 0.0), left_out.astype(np.float64))
    H = np.ascontiguousarray(fitted.components_.T, dtype=np.float64)
    return divergence(held_out, np.ascontiguousarray(W, dtype=np.float64), H, beta) / float(left_out.sum())


def _consensus(model: Any, X: Any, ranks: Array, runs: int, seed: int) -> tuple[Array, int]:
    """The cophenetic correlation of the consensus matrix of each rank, and the largest rank before it falls."""
    scores = np.array([_agreement([_labels(model, X, int(rank), seed, run) for run in range(runs)]) for rank in ranks])
    return scores, int(ranks[scores >= scores.max() - STEADY].max())


def _labels(model: Any, X: Any, rank: int, seed: int, run: int) -> Array:
    """The largest component of each row, in a run from a random start."""
    start = int(generator(seed, run).integers(2**31))
    return np.asarray(_rows_of(_with(model, rank, init="random", random_state=start), X).argmax(axis=1))


def _agreement(found: list[Array]) -> float:
    """How well a hierarchy of the rows represents the fraction of runs in which two of them have the same label."""
    from scipy.cluster.hierarchy import average, cophenet
    from scipy.spatial.distance import squareform

    together = np.mean([one[:, None] == one for one in found], axis=0)
    apart = squareform(1 - together, checks=False)
    merged = cophenet(average(apart))
    if apart.std() == 0 or merged.std() == 0:
        return 1.0  # every pair of rows agrees in the same fraction of the runs
    return float(np.corrcoef(apart, merged)[0, 1])
