"""More rows of rare classes, by copying."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Drawn,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from ..core.runtime.random import stream
from ..core.validate.mixed_table import Table
from ..core.validate.targets import is_sparse
from ._sampler_base import Sampler


@estimator
class RandomOverSampler(Sampler):
    """Random oversampling: draw rows of the minority classes again until the classes are balanced.

    n'_c = max_k n_k rows of every class c, or as many as `sampling_strategy` says; the new ones drawn with replacement

    The same as weights on average, and as prone to learn single rows by heart. With `shrinkage` the copies are blurred
    by normal noise of Silverman's width times it, where all columns are numbers. [Menardi and Torelli, 2014]

    >>> X, y = RandomOverSampler(random_state=0).fit_resample([[1], [2], [3], [4]], [0, 1, 1, 1])
    >>> y.tolist(), X.ravel().tolist()
    ([0, 1, 1, 1, 0, 0], [1, 2, 3, 4, 1, 1])
    """

    title = "random oversampling"
    traits = Traits(takes="table", sparse=True, missing="native", stochastic=True)
    direction = "over"

    random_state: RandomState = param(None, "seed of the draws")
    shrinkage: float | dict[Any, float] | None = param(
        None, "bandwidth of the smoothed bootstrap, for all classes or by class (None: exact copies)", at_least=0
    )

    sample_indices_: Array = learned("indices of the sampled rows, after all original ones", shape="drawn")

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        copied = is_sparse(X) and self.shrinkage is None  # whatever rows hold
        return self._validator.matrix(X) if copied else super()._enter(X)

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        rng, members = stream(self.random_state), self._members(data)
        labels = self.classes_.tolist()
        chosen = [
            (label, rows) for label, rows in zip(labels, members, strict=True) if label in self.sampling_strategy_
        ]
        drawn = [rng.choice(rows, size=self.sampling_strategy_[label]) for label, rows in chosen]
        kept = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight > 0)
        self.sample_indices_ = np.concatenate([kept, *drawn]) if drawn else kept
        if self.shrinkage is None or not drawn:
            return Drawn(self.sample_indices_)
        pairs = zip(chosen, drawn, strict=True)
        made = np.vstack([self._blurred(data.X, label, rows, again, rng) for (label, rows), again in pairs])
        again = np.concatenate(drawn)
        return Drawn(kept, made, data.y[again], None if data.weight is None else data.weight[again])

    def _blurred(self, X: Table, label: Any, rows: Array, again: Array, rng: np.random.RandomState) -> Array:
        """Copies of the rows `again` of a class with members `rows`, with noise as wide as a kernel estimate's."""
        table = _numbers(X)
        factor = self.shrinkage.get(label, 1.0) if isinstance(self.shrinkage, dict) else self.shrinkage
        if factor is None or not factor >= 0:
            raise ParameterError(
                f"RandomOverSampler: shrinkage must be at least 0; it is {factor!r} for class {label!r}"
            )
        columns = table.shape[1]
        width = (4 / ((columns + 2) * len(rows))) ** (1 / (columns + 4))
        spread = factor * width * np.nanstd(table[rows], axis=0, ddof=1 if len(rows) > 1 else 0)
        return np.asarray(table[again] + spread * rng.standard_normal((len(again), columns)))


def _numbers(X: Table) -> Array:
    for j, column in enumerate(X.columns):
        if column.dtype.kind not in "fiub":
            name = X.names[j] if X.names is not None else j
            raise DataError(
                f"RandomOverSampler: column {name!r} is not numeric, so shrinkage does not apply; set shrinkage=None"
            )
    return np.column_stack([column.astype(np.float64) for column in X.columns])
