"""Conversion of tables of numeric and categorical columns to matrices, for the distances that compare categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, Estimator, Matrix, Table, Traits, declaring, learned
from ..core.roles.estimator import validator
from ..core.validate.dataframes import is_frame
from ..core.validate.features import FeatureValidator
from ..core.validate.mixed_table import columns_of_array
from ..engines.columns.table_encoding import chosen_columns, coded, learned_categories
from ..metrics.gower import marked_columns
from ._metrics import WITH_MISSING

UNSEEN = -1.0  # stands for every category that training rows do not have: it differs from all
OF_CATEGORIES = ("gower", "hamming", "matching")  # metrics that ask whether entries are equal


class WithMetric(Estimator):
    """Protocol of an estimator that declares a `metric`."""

    metric: Any

    traits = Traits(compares_by="metric")

    def _is_by(self, *names: str) -> bool:
        return isinstance(self.metric, str) and self.metric in names

    @property
    def _validator(self) -> FeatureValidator:
        missing = "native" if self._is_by(*WITH_MISSING) else self.traits.missing
        return validator(type(self).__name__, self.traits.sparse, self.traits.storage, missing, self.traits.infinite)


@declaring
class ByMetric(WithMetric):
    """Base class of estimators whose metrics may compare rows with categorical columns too.

    Rows that it keeps then hold numbers: those of `categories_` by their index in it.
    """

    categories_: list[Any] = learned(
        "sorted categories of the columns that are not numeric, None for the others", optional=True, counts="features"
    )

    below_zero = False  # whether distances that are given may be, as rounding leaves them: only their order counts

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        """`X` as a matrix; as a table, if columns of it are no numbers and the metric compares categories."""
        marked = self._is_by("gower") and "categorical" in (getattr(self, "metric_params", None) or {})
        if marked or (self._is_by(*OF_CATEGORIES) and _may_hold_categories(X)):
            table, names = self._validator.table(X)
            if marked or chosen_columns(table, "from_dtype", "").any():
                return table, names
        try:
            matrix, names = super()._enter(X)
        except DataError as error:
            if not _holds_categories(X):
                raise
            raise DataError(f'{error}, or compare categories by metric="gower"') from None
        if self._is_by("precomputed") and not self.below_zero and matrix.min() < 0:
            raise DataError(
                f'{type(self).__name__}: metric="precomputed" needs distances, and X holds numbers below zero'
            )
        return matrix, names

    def _read(self, X: Any) -> Matrix:
        return self._numbered(super()._read(X))

    def _learn_categories(self, X: Matrix, options: dict[str, Any]) -> Matrix:
        """Training rows as a numeric matrix; the options of the metric name the categorical columns."""
        if isinstance(X, Table):
            self.categories_ = categories_among(X, options.get("categorical"), type(self).__name__)
            options.update(self._marks)
        return self._numbered(X)

    @property
    def _marks(self) -> dict[str, Any]:
        """The option of the metric that marks the categorical columns."""
        return marks(self.metric, self.__dict__.get("categories_"))

    def _numbered(self, X: Matrix) -> Matrix:
        """Rows as they are compared, with the codes of the training categories."""
        known = self.__dict__.get("categories_")
        if known is not None:
            return numbered(X, known, type(self).__name__)
        if not isinstance(X, Table):
            return X
        if _has_words(X):
            raise DataError(f"{type(self).__name__}: X contains text, but the training data were numeric")
        return numbered(X, [None] * X.shape[1], type(self).__name__)  # truth values are 0 and 1, as fit saw them


def _may_hold_categories(X: Any) -> bool:
    """Whether some columns may not be numeric; the columns of a numeric matrix are not checked one by one."""
    return is_frame(X) or (not hasattr(X, "tocsr") and np.asarray(X).dtype.kind in "OUSb")


def _holds_categories(X: Any) -> bool:
    """Whether a table has columns of text or categories, which prevent its conversion to numbers."""
    try:
        table, _ = FeatureValidator("", missing="native", infinite=True).table(X)
    except (TypeError, ValueError):
        return False
    return _has_words(table)


def _has_words(table: Table) -> bool:
    """Whether columns are neither numbers nor truth values."""
    marked = chosen_columns(table, "from_dtype", "")
    return any(mark and part.dtype.kind != "b" for mark, part in zip(marked, table.parts, strict=True))


def categories_among(table: Table, marked: Any, owner: str) -> list[Array | None]:
    """The sorted values of the columns that are not numeric, or are marked as categorical; None for the others."""
    chosen = chosen_columns(table, "from_dtype", owner) | marked_columns(marked, table.shape[1], table.names)
    return learned_categories(table, chosen, with_missing=False, owner=owner)


def marks(metric: Any, categories: list[Array | None] | None) -> dict[str, Any]:
    """The option that marks the categorical columns for Gower's distance; other metrics treat all columns alike."""
    if categories is None or metric != "gower":
        return {}
    return {"categorical": np.array([known is not None for known in categories])}


def numbered(X: Matrix, categories: list[Array | None], owner: str) -> Array:
    """Rows as numbers, categories by their codes among those of training; missing values are NaN."""
    table = X if isinstance(X, Table) else Table(columns_of_array(X), None)
    return coded(table, categories, owner, UNSEEN)
