"""Base class of row filters, which leave training rows out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from ..declare import params
from ..runtime.trace import Trace
from ..validate.features import Array, Data, Matrix
from ..validate.rows import as_rows, take_rows
from .estimator import Estimator
from .traits import Traits


class RowFilter(Estimator):
    """A resampler that leaves rows out: it writes `_fit` and `_kept`.

    In a pipeline it acts on the training rows alone; rows to be predicted are never left out.
    """

    traits = Traits(task="resampling")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows of `X` which rows are to be kept."""
        params.check(self)
        validator = self._validator
        matrix, names = self._enter(X)
        rows = matrix.shape[0]
        data = Data(matrix, np.empty(0), validator.weights(sample_weight, rows), names)
        with self._fitting(data.X, None, data.weight) as trace:
            self._remember_columns(matrix, names)
            self._fit(data, trace)
            if not trace.rows:
                trace.exact("the statistics of the training rows, computed directly")
        return self

    def kept_rows(self, X: Any) -> Array:
        """Mask of the rows of `X` that are kept."""
        return self._kept(self._read(X))

    def fit_resample(self, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Any, ...]:
        """The kept rows of `X` with their targets, and with their weights if weights are given."""
        kept = np.flatnonzero(self.fit(X, y, sample_weight).kept_rows(X))
        given = (X, y) if sample_weight is None else (X, y, sample_weight)
        return tuple(
            rows if rows is None else take_rows(as_rows(rows) if isinstance(rows, (list, tuple)) else rows, kept)
            for rows in given
        )

    @abstractmethod
    def _fit(self, data: Data, trace: Trace) -> None: ...

    @abstractmethod
    def _kept(self, X: Matrix) -> Array: ...
