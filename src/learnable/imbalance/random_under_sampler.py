"""Fewer rows of common classes, by chance."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, Drawn, RandomState, Trace, Traits, estimator, learned, param
from ..core.runtime.random import stream
from ._sampler_base import Sampler


@estimator
class RandomUnderSampler(Sampler):
    """Random undersampling: drop rows of the majority classes at random until the classes are balanced.

    n'_c = min_k n_k rows of every class c, or as many as `sampling_strategy` says

    Discards rows; keeps the others as they are, whatever they hold: text, missing values, sparse
    numbers.

    >>> X, y = RandomUnderSampler(random_state=0).fit_resample([[1], [2], [3], [4]], [0, 1, 1, 1])
    >>> y.tolist()
    [0, 1]
    """

    title = "random undersampling"
    traits = Traits(takes="table", sparse=True, missing="native", stochastic=True)
    direction = "under"

    random_state: RandomState = param(None, "seed of the draws")
    replacement: bool = param(False, "whether a row may be drawn twice")

    sample_indices_: Array = learned("indices of the sampled rows", shape="drawn")

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        rng, drawn = stream(self.random_state), []
        for label, rows in zip(self.classes_.tolist(), self._members(data), strict=True):
            count = self.sampling_strategy_.get(label)
            drawn.append(rows if count is None else rows[rng.choice(len(rows), size=count, replace=self.replacement)])
        self.sample_indices_ = np.concatenate(drawn)
        return Drawn(self.sample_indices_)
