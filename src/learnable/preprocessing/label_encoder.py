"""Labels of a target as whole numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Traits, WithContainers, estimator, learned
from ..core.declare import params
from ..core.validate.targets import TargetValidator, as_column_array
from ..engines.columns.categories import codes_of, factorised


@estimator
class LabelEncoder(WithContainers):
    """Label encoding: the labels of a target as integer codes in sorted order.

    z = k for the k-th label, counted from zero

    For targets alone; columns of a table are for `OrdinalEncoder`.

    >>> LabelEncoder().fit_transform(["paris", "tokyo", "paris"])
    array([0, 1, 0])
    """

    title = "label encoding"
    traits = Traits(takes="target", task="transformation", weights=False)

    classes_: Array = learned("the labels, sorted", shape="classes")

    def fit(self, y: Any) -> Self:
        """Find the labels of `y`."""
        self.fit_transform(y)
        return self

    def fit_transform(self, y: Any) -> Array:
        """Find the labels of `y`, and return the integer code of each."""
        params.check(self)
        values = one_column(type(self).__name__, y)
        with self._fitting(None, None, None) as trace:
            self.classes_, codes = factorised(values, f"{type(self).__name__}: y")
            trace.exact("the labels that occur, sorted")
        return codes

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def transform(self, y: Any) -> Array:
        """The integer code of each label of `y`."""
        self._require_fit()
        values = one_column(type(self).__name__, y)
        indices = codes_of(values, self.classes_, "LabelEncoder: y")
        if (indices < 0).any():
            row = int(np.argmax(indices < 0))
            label = values.tolist()[row]
            raise DataError(
                f"LabelEncoder: y contains previously unseen labels: {label!r:.40} in row {row}; fit saw "
                f"{self.classes_.tolist()[:8]}"
            )
        return indices

    def inverse_transform(self, y: Any) -> Array:
        """The labels of the codes in `y`."""
        self._require_fit()
        indices = one_column(type(self).__name__, y)
        if len(indices) == 0:
            return np.array([])
        wrong = ~np.isin(indices, np.arange(len(self.classes_)))
        if wrong.any():
            raise DataError(
                f"LabelEncoder: y contains unseen labels: index {indices[wrong][0]!r} of {len(self.classes_)}"
            )
        return self.classes_[indices.astype(np.int64)]


def one_column(owner: str, y: Any) -> Array:
    """`y` as one column of labels, as it came."""
    values = as_column_array(y)
    if values.dtype.kind in "US" and not isinstance(y, np.ndarray):
        kinds = {type(label) for label in y}
        values = values if len(kinds) == 1 else np.array(list(y), dtype=object)
    if values.ndim == 2 and values.shape[1] == 1 and len(values):
        return TargetValidator(owner)._shaped_target(values, len(values), False)
    if values.ndim != 1:
        raise DataError(f"{owner}: y must be one column of labels; its shape is {values.shape}")
    return values
