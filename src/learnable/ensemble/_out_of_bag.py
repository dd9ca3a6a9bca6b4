"""Out-of-bag predictions and scores of forests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..core import Array
from ..core.errors import warn
from ..engines.trees.forest import Forest


def running_sums(forest: Forest, X: Array, counts: Array) -> Iterator[tuple[Array, Array]]:
    """After each tree: the summed predictions of the trees so far for which a row is out of bag, and their number.

    `counts[t, i]` is how often row i was drawn for tree t. The same arrays are updated and yielded each time.
    """
    total, voters = np.zeros((len(X), forest.stack.value.shape[1])), np.zeros(len(X))
    for t, drawn in enumerate(counts):
        unseen = np.flatnonzero(drawn == 0)
        total[unseen] += forest.stack.sums(X[unseen], t + 1, t)
        voters[unseen] += 1
        yield total, voters


def out_of_bag_scores(
    forest: Forest, X: Array, counts: Array, score: Callable[[Array, Array], float]
) -> tuple[Array, Array, float]:
    """Mean out-of-bag prediction of each row, zero if it was in every sample; the score after each tree; and the score.

    `score` is called with mean predictions and the indices of their rows.
    """
    curve, mean = np.full(len(counts), np.nan), np.zeros((0, 0))
    for t, (total, voters) in enumerate(running_sums(forest, X, counts)):
        covered = np.flatnonzero(voters)
        mean = total / np.maximum(voters, 1)[:, None]
        if len(covered):
            curve[t] = score(mean[covered], covered)
    if len(covered) < len(X):
        warn("Some rows were drawn by every tree and have no out-of-bag prediction; use more trees.", UserWarning)
    return mean, curve, score(mean, np.arange(len(X)))
