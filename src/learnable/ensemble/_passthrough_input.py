"""Rows of any kind, for ensembles whose base learner knows what to do with them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Array, DataError, Estimator, Matrix, Table, declaring


@declaring
class AnyRows(Estimator):
    """An ensemble of a learner that is given: words come in as objects if it may know what they mean."""

    estimator: Any  # declared by each class
    estimator_params: ClassVar[tuple[str, ...]] = ()  # what the learners take over of the ensemble: nothing

    def _enter(self, X: Any) -> tuple[Matrix, list[str] | None]:
        try:
            return super()._enter(X)
        except DataError as error:
            if _are_texts(X):
                owner = type(self).__name__
                raise DataError(
                    f"{owner}: its learners are given columns, and X holds texts; turn them into columns before it: "
                    f"make_pipeline(TfidfVectorizer(), {owner}(...))"
                ) from error
            if not _reads_words(self.estimator):
                raise
        table, names = self._validator.table(X)
        return _objects(table), names


def _are_texts(X: Any) -> bool:
    """Whether they are texts without columns."""
    return np.ndim(X) == 1 and isinstance(next(iter(X), None), str)


def _reads_words(learner: Any) -> bool:
    """Whether it may take entries that are no numbers: ours say so, and of others it is not known."""
    told = getattr(learner, "categorical_features", None) is not None
    return learner is not None and (told or getattr(learner, "takes", "") != "numbers")


def _objects(table: Table) -> Array:
    """The entries of a table, whose rows and columns can be picked as those of a matrix."""
    found = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table.columns):
        found[:, j] = column
    return found
