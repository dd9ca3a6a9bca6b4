"""Base class of resamplers, which draw a new training set from a given one."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..declare import params
from ..runtime.trace import Trace
from ..validate.features import Array, Data
from ..validate.rows import as_rows, take_rows, with_more_rows
from .estimator import Estimator
from .traits import Traits


@dataclass(frozen=True, slots=True)
class Drawn:
    """A new training set: which of the old rows it has, and the rows that were made, if any, with their classes."""

    rows: Array
    made: Any = None  # a matrix, or a tuple of columns, of which the containers make what they hold
    codes: Array | None = None
    weight: Array | None = None

    def of(self, table: Any, copied: bool) -> Any:
        """The old rows; an array as it is if it keeps all of its rows and is going to be `copied` anyway."""
        if copied and isinstance(table, np.ndarray) and np.array_equal(self.rows, np.arange(len(table))):
            return table
        return take_rows(table, self.rows)


class Resampler(Estimator):
    """An estimator that changes the training rows: some go, some come twice, some are made.

    It acts in `fit_resample` alone, so a pipeline applies it to training rows and never to those that are predicted.
    Tables keep their container. Weights go with their rows; rows of weight zero are ignored.
    """

    traits = Traits(task="resampling")
    classes_: Array

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Determine which rows `fit_resample` would sample; the rows themselves are not stored."""
        self._draw_from(X, y, sample_weight)
        return self

    def fit_resample(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, ...]:
        """The resampled rows and their classes, in the containers of `X` and `y`; with weights, also their weights."""
        drawn, weight = self._draw_from(X, y, sample_weight)
        more = drawn.made is not None and drawn.codes is not None and len(drawn.codes) > 0
        table, labels = (drawn.of(as_rows(rows), copied=more) for rows in (X, y))
        if drawn.made is not None and drawn.codes is not None and more:
            table = with_more_rows(table, drawn.made)
            labels = with_more_rows(labels, (self.classes_[drawn.codes],))
        if weight is None:
            return table, labels
        return (
            table,
            labels,
            weight[drawn.rows] if drawn.weight is None else np.append(weight[drawn.rows], drawn.weight),
        )

    def _draw_from(self, X: Any, y: Any, sample_weight: Any) -> tuple[Drawn, Array | None]:
        params.check(self)
        validator = self._validator
        matrix, names = self._enter(X)
        rows = matrix.shape[0]
        classes, codes = validator.classes(y, rows)
        weight = validator.weights(sample_weight, rows)
        with self._fitting(matrix, codes, weight) as trace:
            self._remember_columns(matrix, names)
            self.classes_ = classes
            drawn = self._resample(Data(matrix, codes, weight, names), trace)
            if not trace.rows:
                trace.exact("the requested number of rows of each class")
        return drawn, weight

    @abstractmethod
    def _resample(self, data: Data, trace: Trace) -> Drawn:
        """What to draw; `data.y` holds the place of each row's class in `classes_`."""
