"""Input of ensembles that pass rows on to a base estimator."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Array, DataError, Estimator, Matrix, Table, declaring
from ..core.roles.traits import traits_of


@declaring
class BaseEstimatorInput(Estimator):
    """Base class of ensembles of a given base estimator: text columns are passed on if it may accept them."""

    estimator: Any  # declared by each class
    estimator_params: ClassVar[tuple[str, ...]] = ()  # parameters of the ensemble that its estimators take over

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        try:
            return super()._enter(X)
        except DataError as error:
            if _is_list_of_texts(X):
                owner = type(self).__name__
                raise DataError(
                    f"{owner}: the base estimators need columns, and X is a list of texts; vectorise them first: "
                    f"make_pipeline(TfidfVectorizer(), {owner}(...))"
                ) from error
            if not _accepts_text(self.estimator):
                raise
        table, names = self._validator.table(X)
        return _object_array(table), names


def _is_list_of_texts(X: Any) -> bool:
    """Whether X is a list of texts without columns."""
    return np.ndim(X) == 1 and isinstance(next(iter(X), None), str)


def _accepts_text(estimator: Any) -> bool:
    """Whether a base estimator may accept non-numeric columns: unknown for classes of other packages."""
    categorical = getattr(estimator, "categorical_features", None) is not None
    return estimator is not None and (categorical or traits_of(estimator, takes="table").takes != "numbers")


def _object_array(table: Table) -> Array:
    """The entries of a table as an object array."""
    found = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table.columns):
        found[:, j] = column
    return found
