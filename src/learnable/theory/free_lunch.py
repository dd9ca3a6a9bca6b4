"""No learner is better than another if every target is as likely: all targets, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import Rows, checked

Learner = Callable[[Array, Array, Array], Any]
MAX_POINTS = 20


@dataclass(frozen=True, slots=True)
class FreeLunch:
    """No-free-lunch experiment.

    The error off the training points, summed over all targets, and the value of the theorem.
    """

    total: float
    expected: float
    targets: int
    mean_error: float

    @property
    def holds(self) -> bool:
        """Whether the sum is that of the theorem."""
        return bool(np.isclose(self.total, self.expected))


@checked()
def no_free_lunch(
    learner: Learner, n_points: int, train: Sequence[int], probabilities: Rows | None = None
) -> FreeLunch:
    """No free lunch theorem: off-training error of a learner, summed over every target from n points to {0, 1}.

    sum_f sum_{x not in train} P(x) [learner(x) != f(x)] = 2^(n - 1) sum_{x not in train} P(x)

    for every learner: half of the targets that agree on the training points contradict it at x. So the mean error at a
    point that was not seen is one half. `learner(points, labels, new_points)` gives the labels of the new points.
    [Wolpert, 1996]

    >>> result = no_free_lunch(lambda points, labels, new: [labels[0]] * len(new), 3, [0])
    >>> round(result.total, 3), round(result.mean_error, 3)
    (2.667, 0.5)
    """
    if not 1 <= n_points <= MAX_POINTS:
        raise ParameterError(f"no_free_lunch: n_points must be from 1 to {MAX_POINTS}; got {n_points!r}")
    seen = np.unique(np.asarray(train, dtype=np.intp))
    unseen = np.setdiff1d(np.arange(n_points), seen)
    if len(seen) == 0 or len(unseen) == 0 or seen[0] < 0 or seen[-1] >= n_points:
        raise ParameterError(
            f"no_free_lunch: train must be some, not all, of the points 0 to {n_points - 1}; got {train!r}"
        )
    weight = np.full(n_points, 1 / n_points) if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if weight.shape != (n_points,) or not np.isclose(weight.sum(), 1):
        raise ParameterError(f"no_free_lunch: probabilities must be {n_points} numbers that sum to 1")
    total = 0.0
    for labels in product((0, 1), repeat=n_points):
        target = np.array(labels)
        predictions = np.asarray(learner(seen, target[seen], unseen))
        total += float(weight[unseen] @ (predictions != target[unseen]))
    mass = float(weight[unseen].sum())
    expected = 2.0 ** (n_points - 1) * mass
    return FreeLunch(total, expected, 2**n_points, total / (2**n_points * mass))
