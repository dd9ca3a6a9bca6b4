"""Sets of labels as indicators."""

from __future__ import annotations

from itertools import chain
from typing import Any, Self

import numpy as np

from ..core import Array, DataError, ParameterError, Traits, WithContainers, estimator, learned, param
from ..core.declare import params
from ..core.errors import warn
from ..core.validate.targets import is_sparse


@estimator
class MultiLabelBinarizer(WithContainers):
    """Multi-label binarisation: sets of labels as a matrix of zeros and ones, a column per label.

    z_k = 1 if the k-th label is among those of the row else 0

    >>> MultiLabelBinarizer().fit_transform([{"comedy"}, {"drama", "comedy"}, set()])
    array([[1, 0],
           [1, 1],
           [0, 0]])
    """

    title = "multi-label binarisation"
    traits = Traits(takes="target", multi_target=True, task="transformation", weights=False)

    classes: Array | None = param(None, "labels in the order of the columns (None: those in the data, sorted)")
    sparse_output: bool = param(False, "whether the result is sparse")

    classes_: Array = learned("labels in the order of the columns", shape="classes")

    def fit(self, y: Any) -> Self:
        """Find the labels of `y`."""
        params.check(self)
        with self._fitting(None, None, None) as trace:
            listed = self._listed(y)
            whole = all(isinstance(label, (int, np.integer)) for label in listed)
            self.classes_ = np.empty(len(listed), dtype=int if whole else object)
            self.classes_[:] = listed
            trace.exact("the labels that occur, sorted")
        return self

    def _listed(self, y: Any) -> list[Any]:
        if self.classes is None:
            try:
                return sorted(set(chain.from_iterable(y)))
            except TypeError as error:
                raise DataError(
                    f"MultiLabelBinarizer: y must be lists or sets of labels of one type: {error}"
                ) from None
        listed = list(self.classes)
        if len(set(listed)) < len(listed):
            raise ParameterError("MultiLabelBinarizer: classes names a class more than once")
        return listed

    def fit_transform(self, y: Any) -> Any:
        """`fit(y).transform(y)`."""
        rows = [list(labels) for labels in y]
        return self.fit(rows).transform(rows)

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def transform(self, y: Any) -> Any:
        """Indicators of the labels of each row; labels not seen in fit are ignored with a warning."""
        self._require_fit()
        place = {label: k for k, label in enumerate(self.classes_.tolist())}
        rows = [set(labels) for labels in y]
        unknown = set().union(*rows) - place.keys()
        if unknown:
            warn(f"unknown class(es) {sorted(unknown, key=str)} will be ignored", UserWarning)
        result = np.zeros((len(rows), len(place)), dtype=int)
        for i, labels in enumerate(rows):
            result[i, [place[label] for label in labels if label in place]] = 1
        if not self.sparse_output:
            return result
        from scipy.sparse import csr_matrix

        return csr_matrix(result)

    def inverse_transform(self, yt: Any) -> list[tuple[Any, ...]]:
        """The labels of each row, in the order of the columns."""
        self._require_fit()
        flags = yt.toarray() if is_sparse(yt) else np.asarray(yt)
        if flags.shape[1] != len(self.classes_):
            raise DataError(
                f"MultiLabelBinarizer: Expected indicator for {len(self.classes_)} classes, but got {flags.shape[1]}"
            )
        if not np.isin(flags, (0, 1)).all():
            raise DataError("MultiLabelBinarizer: Expected only 0s and 1s in label indicator; threshold it first")
        return [tuple(self.classes_.compress(row)) for row in flags]
