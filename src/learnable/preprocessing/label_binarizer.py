"""Labels of a target as indicators, one column for each class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, ParameterError, Traits, WithContainers, estimator, learned, param
from ..core.declare import params
from ..core.declare.checked_functions import Column, Rows, checked, limits, not_empty
from ..core.validate.targets import as_column_array, is_sparse
from ..engines.columns.categories import codes_of, factorised
from .label_encoder import one_column


@estimator
class LabelBinarizer(WithContainers):
    """Label binarisation: the classes of a target as indicators, one column per class and one alone for two.

    z_k = pos_label if y is the k-th label else neg_label

    A table of zeros and ones is taken as the indicators themselves.

    >>> LabelBinarizer().fit_transform(["a", "c", "b"])
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 1, 0]])
    """

    title = "label binarisation"
    traits = Traits(takes="target", task="transformation", weights=False)

    neg_label: int = param(0, "value that encodes negative labels")
    pos_label: int = param(1, "value that encodes positive labels")
    sparse_output: bool = param(False, "whether the result is sparse")

    y_type_: str = learned("type of the target, as by type_of_target")
    sparse_input_: bool = learned("whether the target was sparse")
    classes_: Array = learned("the labels, sorted", shape="classes")

    def fit(self, y: Any) -> Self:
        """Find the labels of `y`."""
        params.check(self)
        _check_marks("LabelBinarizer", self.neg_label, self.pos_label, self.sparse_output)
        with self._fitting(None, None, None) as trace:
            self.sparse_input_ = is_sparse(y)
            self.y_type_, values = _kind("LabelBinarizer", y)
            if values.shape[0] == 0:
                raise DataError("LabelBinarizer: y has 0 samples; pass at least one label")
            if self.y_type_ == "multilabel-indicator":
                self.classes_ = np.arange(values.shape[1])
            else:
                self.classes_, _ = factorised(values, "LabelBinarizer: y")
            trace.exact("the labels that occur, sorted")
        return self

    def fit_transform(self, y: Any) -> Any:
        """`fit(y).transform(y)`."""
        return self.fit(y).transform(y)

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in self.__dict__

    def transform(self, y: Any) -> Any:
        """Indicators of the labels of `y`; all zero for a label not seen in fit."""
        self._require_fit()
        if _kind("LabelBinarizer", y)[0] == "multilabel-indicator" and self.y_type_ != "multilabel-indicator":
            raise DataError("LabelBinarizer: y is a table of labels, but fit saw one label per row")
        return label_binarize(
            y,
            classes=self.classes_,
            neg_label=self.neg_label,
            pos_label=self.pos_label,
            sparse_output=self.sparse_output,
        )

    def inverse_transform(self, Y: Any, threshold: float | None = None) -> Any:
        """The label of the largest entry of each row; for two classes that above the threshold."""
        self._require_fit()
        threshold = (self.neg_label + self.pos_label) / 2 if threshold is None else threshold
        scores = Y.toarray() if is_sparse(Y) else np.asarray(Y)
        if self.y_type_ == "multiclass":
            return self.classes_[scores.argmax(axis=1)]
        flags = (scores > threshold).astype(np.int64)
        if self.y_type_ == "binary":
            return self._of_two(flags)
        if self.sparse_input_:
            from scipy.sparse import csr_matrix

            return csr_matrix(flags)
        return flags

    def _of_two(self, flags: Array) -> Array:
        column = flags[:, 1] if flags.ndim == 2 and flags.shape[1] == 2 else flags.ravel()
        return np.repeat(self.classes_[0], len(column)) if len(self.classes_) == 1 else self.classes_[column]


def _are_classes(classes: Any) -> bool:
    return not_empty(classes) and not any(label is None for label in classes)


@checked(classes=limits(accepts=_are_classes, says="at least one class, none of them missing"))
def label_binarize(
    y: Rows, *, classes: Column, neg_label: int = 0, pos_label: int = 1, sparse_output: bool = False
) -> Any:
    """Binarise labels: an indicator column for each of `classes` in their order, a single one for two classes.

    >>> label_binarize(["yes", "no"], classes=["no", "yes"])
    array([[1],
           [0]])
    """
    _check_marks("label_binarize", neg_label, pos_label, sparse_output)
    kind, values = _kind("label_binarize", y)
    known = np.asarray(classes)
    if kind == "multilabel-indicator":
        if values.shape[1] != len(known):
            raise DataError(
                f"label_binarize: classes {known} mismatch with the labels {np.arange(values.shape[1])} found in y"
            )
        flags = values != 0
    else:
        values = values.astype(object) if values.dtype.kind == "O" or known.dtype.kind == "O" else values
        flags = codes_of(values, np.sort(known), "label_binarize: y")[:, None] == np.argsort(np.argsort(known))
        flags = flags[:, 1:] if len(known) == 2 and kind == "binary" else flags
        flags = flags & False if len(known) == 1 and kind == "binary" else flags
    result = np.where(flags, pos_label, neg_label)
    if not sparse_output:
        return result
    from scipy.sparse import csr_matrix

    return csr_matrix(result)


def _check_marks(owner: str, neg_label: int, pos_label: int, sparse_output: bool) -> None:
    if neg_label >= pos_label:
        raise ParameterError(f"{owner}: neg_label={neg_label} is not below pos_label={pos_label}")
    if sparse_output and (pos_label == 0 or neg_label != 0):
        raise ParameterError(
            f"{owner}: a sparse result needs neg_label=0 and a pos_label other than 0; got "
            f"pos_label={pos_label} and neg_label={neg_label}"
        )


def _kind(owner: str, y: Any) -> tuple[str, Array]:
    """The kind of a target in scikit-learn's words, and the target itself."""
    values = y.toarray() if is_sparse(y) else as_column_array(y)
    if values.ndim == 2 and values.shape[1] > 1:
        if values.dtype.kind not in "biuf" or len(np.unique(values)) > 2:
            raise DataError(
                f"{owner}: y has {values.shape[1]} columns that are not zeros and ones: use one column of labels, or "
                "one column of zeros and ones for each label"
            )
        return "multilabel-indicator", values
    values = one_column(owner, values if is_sparse(y) else y)
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        raise DataError(f"{owner}: y holds fractions, which are not labels (continuous); bin y first")
    return ("binary" if len(set(values.tolist())) <= 2 else "multiclass"), values
