"""Selection of the number of hidden states."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Column, Model, checked, limits
from ._hmm.hmm_base import HiddenMarkovModel
from ._sequence_input import read_sequences

Criterion = Literal["bic", "aic", "icl", "held-out"]


class StateChoice(NamedTuple):
    """Numbers of states, their scores (lower is better), the selected number, and its model fitted to all sequences.

    With "held-out", scores are negative log likelihoods per row of sequences that were left out, and `intervals` the
    95 % intervals of their mean over folds; for other criteria it is None.
    """

    tried: Array
    scores: Array
    intervals: Array | None
    n_components: int
    model: Any
    criterion: str


@checked(cv=limits(at_least=2))
def choose_states(
    model: Model,
    X: Any,
    lengths: Column | None = None,
    *,
    tried: Column = (1, 2, 3, 4, 5),
    criterion: Criterion = "bic",
    cv: int = 5,
) -> StateChoice:
    """Select the number of hidden states by an information criterion, or by the likelihood of sequences left out.

    score(K) = -2 log L + 2 P (aic),  -2 log L + P log n (bic),  bic with the best path (icl),  or held-out likelihood

    `model` has all parameters but the number of states; P is the number of free parameters. With "held-out", whole
    sequences are left out in `cv` folds; the smallest number of states within one standard error of the best is chosen.

    >>> from learnable import PoissonHMM
    >>> X = [[1], [0], [2], [1], [9], [11], [10], [9], [1], [0], [2], [1], [10], [8], [12], [11]]
    >>> choose_states(PoissonHMM(n_iter=100, random_state=0), X, tried=[1, 2, 3]).n_components
    2
    """
    if not isinstance(model, HiddenMarkovModel):
        raise ParameterError(
            f"choose_states: model must be a hidden Markov model such as GaussianHMM(); got {model!r:.60}"
        )
    counts = np.atleast_1d(np.asarray(tried))
    if counts.dtype.kind not in "iu" or len(counts) == 0 or (counts < 1).any():
        raise ParameterError(f"choose_states: tried must be whole numbers from 1; got {tried!r:.60}")
    intervals = None
    if criterion == "held-out":
        scores, intervals, best = _held_out(model, X, lengths, counts, cv)
    else:
        fitted = [_with(model, int(count)).fit(X, lengths) for count in counts]
        scores = np.array([getattr(one, criterion)(X, lengths) for one in fitted])
        best = int(counts[np.argmin(scores)])
    return StateChoice(counts, scores, intervals, best, _with(model, best).fit(X, lengths), criterion)


def _with(model: HiddenMarkovModel, count: int) -> HiddenMarkovModel:
    return model.clone().set_params(n_components=count)


def _held_out(model: HiddenMarkovModel, X: Any, lengths: Any, counts: Array, cv: int) -> tuple[Array, Array, int]:
    """Mean loss per row of the sequences that a fold leaves out, its interval, and the choice by one standard error."""
    from scipy.stats import t

    data = read_sequences(model, X, lengths)
    folds = min(cv, len(data.lengths))
    if folds < 2:
        raise DataError('choose_states: criterion "held-out" leaves out whole sequences; give at least two of them')
    fold = np.arange(len(data.lengths)) % folds
    losses = np.empty((len(counts), folds))
    for k in range(folds):
        learn, test = data.only(fold != k), data.only(fold == k)
        for row, count in enumerate(counts.tolist()):
            fitted = _with(model, count).fit(learn.X, learn.lengths)
            losses[row, k] = -fitted.score(test.X, test.lengths) / len(test.X)
    mean, error = losses.mean(axis=1), losses.std(axis=1, ddof=1) / np.sqrt(folds)
    wide = float(t.ppf(0.975, folds - 1)) * error
    least = int(np.argmin(mean))
    good = mean <= mean[least] + error[least]
    return (
        mean,
        np.stack([mean - wide, mean + wide], axis=1),
        int(counts[good].min()) if good.any() else int(counts[least]),
    )
