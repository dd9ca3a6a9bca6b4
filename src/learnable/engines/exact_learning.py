"""Estimators that learn from exact summaries of rows: they can be merged, and can forget rows, bit for bit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from ..core import Classifier, DataError, Estimator, Trace, cloned, learned
from ..core.declare import params
from ..core.declare.params import declaring
from ..core.errors import not_fitted
from ..core.sklearn_api.conditional_methods import available_if
from ..core.validate.features import Data
from ..core.validate.rows import row_count
from .exact_moments import ExactMoments
from .exact_summary import KINDS, ExactSummary
from .passes import RowBlock, TrainingRows


def can_learn_more(model: Estimator) -> bool:
    """Whether a model can learn more rows: it has none so far, or exact sums of them."""
    return not model.__sklearn_is_fitted__() or "summary_" in model.__dict__


@declaring
class LearnsExactly(Estimator):
    """Base class of estimators that can be fitted to exact statistics of rows instead of to the rows.

    A subclass implements `_fit_statistics`, and names the statistics that it needs as `summary_kind`.
    """

    summary_: dict[str, Any] = learned(
        "exact statistics of the training rows, updated by partial_fit, merge and unlearn", optional=True
    )
    summary_kind: ClassVar[str]

    @abstractmethod
    def _fit_statistics(self, summary: ExactSummary, trace: Trace) -> None:
        """Set the learned attributes from exact statistics; columns and classes are set before."""

    @classmethod
    def from_summary(cls, summary: Any, **parameters: Any) -> Self:
        """The model of the rows that a summary stands for, with these parameters."""
        model = cls(**parameters)
        params.check(model)
        return model._learn_summary(model._usable(summary))

    @available_if(can_learn_more)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the result has the bits of one fit to all rows with exact sums."""
        return self._learn_more(X, y, sample_weight)

    def _learn_more(self, X: Any, y: Any, sample_weight: Any) -> Self:
        params.check(self)
        fresh = self._summary_of(X, y, sample_weight)
        return self._learn_summary(self._stored_summary() + fresh if self.__sklearn_is_fitted__() else fresh)

    def unlearn(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Remove rows from the model; the result has the bits of a fit to the remaining rows with exact sums.

        Rows that cannot have been learned are refused, and the model is then unchanged.
        """
        rest = self._stored_summary() - self._summary_of(X, y, sample_weight)
        if not rest.weight > 0:
            raise DataError(f"{type(self).__name__}: no rows would remain; keep at least one")
        return self._learn_summary(rest)

    def merge(self, other: Self) -> Self:
        """Learn the rows of another model too; the result has the bits of one fit to all rows with exact sums."""
        if type(other) is not type(self):
            raise DataError(
                f"{type(self).__name__}: only another {type(self).__name__} can be merged; got {other!r:.60}"
            )
        return self._learn_summary(self._stored_summary() + other._stored_summary())

    def _unsound(self) -> str:
        """The stored summary is one of the columns and classes of the model."""
        return self._flaw_of_summary() or super()._unsound()

    def _flaw_of_summary(self) -> str:
        if "summary_" not in self.__dict__:
            return ""
        summary = ExactSummary.of_dict(self.summary_)
        classes = self.__dict__.get("classes_")
        same = classes is None or (summary.classes is not None and np.array_equal(summary.classes, classes))
        if not same or summary.columns != self.n_features_in_ or summary.kind != self.summary_kind:
            return "summary_ is not of the columns and classes of the model"
        return ""

    def _stored_summary(self) -> ExactSummary:
        """The summary of the rows that were learned."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if "summary_" not in self.__dict__:
            raise DataError(
                f"{type(self).__name__}: rows are added to and removed from models with exact sums; this one was "
                "fitted without. Fit it with learnable.scale.on(exact=True), or by partial_fit"
            )
        return ExactSummary.of_dict(self.summary_)

    def _usable(self, summary: Any) -> ExactSummary:
        """A summary that this estimator can be fitted to."""
        if not isinstance(summary, ExactSummary):
            raise DataError(f"{type(self).__name__}: from_summary needs a summary; got {summary!r:.60}")
        if summary.kind != self.summary_kind or (summary.targets == 0) == (self.traits.task == "regression"):
            raise DataError(
                f"{type(self).__name__} needs {self.summary_kind} of columns and targets, and this summary has "
                f"{summary.kind} of {summary.columns} columns and {summary.targets} targets; make it for this estimator"
            )
        if not summary.weight > 0:
            raise DataError(f"{type(self).__name__}: the summary stands for no rows")
        return summary

    def _fit_exactly(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit to exact statistics of rows in memory."""
        params.check(self)
        self.__dict__.pop("n_features_in_", None)
        return self._learn_summary(self._summary_of(X, y, sample_weight))

    def _summary_of(self, X: Any, y: Any, sample_weight: Any) -> ExactSummary:
        """The summary of some rows in memory."""
        reader = cloned(self)
        if isinstance(self, Classifier):
            reader.classes_ = self._validator.classes(y, row_count(X))[0]
        data = reader._block_data(X, y, sample_weight)
        if "n_features_in_" in self.__dict__:
            self._check_columns(data.X, data.names)
        return reader._exact_summary(OneBlock(data))  # type: ignore[no-any-return]  # the clone has the same class

    def _exact_summary(self, rows: TrainingRows) -> ExactSummary:
        """The summary of rows that are read in blocks, in one pass."""
        classes = self.__dict__.get("classes_")
        count = 0 if classes is None else len(classes)
        statistics = rows.total(partial(exact_statistics, kind=self.summary_kind, classes=count))
        first, targets = rows.first, _targets(rows.first, self.traits.task)
        names = None if first.names is None else tuple(first.names)
        return ExactSummary(
            self.summary_kind, first.X.shape[1], names, first.X.dtype.name, targets, classes, statistics
        )

    def _learn_summary(self, summary: ExactSummary) -> Self:
        with self._fitting(summary.fingerprint) as trace:
            self._fit_summary(summary, trace)
        return self

    def _fit_summary(self, summary: ExactSummary, trace: Trace) -> None:
        """Set columns, classes and all learned attributes from a summary."""
        like = summary.like()
        self._remember_columns(like.X, like.names)
        if summary.classes is not None:
            self.__dict__["classes_"] = summary.classes
        self._fit_statistics(summary, trace)
        self.summary_ = summary.as_dict()


def _targets(data: Data, task: str | None) -> int | None:
    """The number of targets of a regression, None for a single column; 0 for other tasks."""
    if task != "regression":
        return 0
    return None if data.y.ndim == 1 else int(data.y.shape[1])


def exact_statistics(data: Data, kind: str, classes: int) -> Any:
    """Exact statistics of some rows."""
    if kind == "moments":
        return ExactMoments.of(data.X, data.y if data.y.size else None, data.weight)
    return KINDS[kind].of(data.X, data.y, classes, data.weight)


class OneBlock:
    """Rows in memory as training rows of a single block."""

    def __init__(self, data: Data) -> None:
        self.first = RowBlock(data.X, data.y, data.weight, data.names, range(data.n), "the rows given")
        self.n = data.n

    def total(self, summarise: Callable[..., Any], *state: Any) -> Any:
        """What `summarise` gives for the block."""
        return summarise(self.first, *state)
