"""Rules of thumb as functions: what a target asks for, and which classifier suits the shape of a table."""

from __future__ import annotations

from dataclasses import dataclass

from ..core import ParameterError, target_kind
from ..core.declare.checked_functions import Rows, checked
from ..core.validate.target_type import TargetKind


@dataclass(frozen=True, slots=True)
class OutputAdvice:
    """Recommended output layer of a network for a target, and the corresponding loss."""

    kind: TargetKind
    activation: str
    loss: str

    def __str__(self) -> str:
        of_all = self.activation if "output" in self.activation else f"{self.activation} output"
        return f"{self.kind}: {of_all}, {self.loss} loss"


OUTPUTS: dict[str, tuple[str, str]] = {
    "regression": ("identity", "squared error"),
    "multi-output regression": ("identity", "squared error"),
    "binary": ("sigmoid", "binary cross-entropy"),
    "multi-class": ("softmax", "categorical cross-entropy"),
    "multi-label": ("sigmoid of each output", "binary cross-entropy"),
    "multi-output multi-class": ("softmax for each output", "categorical cross-entropy"),
}


@checked()
def output_and_loss_for(y: Rows) -> OutputAdvice:
    """The output layer and the loss that suit a target, from its values.

    Each pair makes the gradient of the loss with respect to the score prediction - truth.

    >>> print(output_and_loss_for(["cat", "dog", "bird"]))
    multi-class: softmax output, categorical cross-entropy loss
    """
    kind = target_kind(y)
    return OutputAdvice(kind, *OUTPUTS[kind])


@dataclass(frozen=True, slots=True)
class ClassifierAdvice:
    """Recommended classifiers for a data set of this shape, and the reasons."""

    choices: tuple[str, ...]
    reason: str

    def __str__(self) -> str:
        return f"try {' or '.join(self.choices)}: {self.reason}"


MANY_ROWS, MANY_COLUMNS = 50_000, 1_000


@checked()
def logistic_or_svm(n_samples: int, n_features: int) -> ClassifierAdvice:
    """Logistic regression, a linear or a Gaussian support vector machine, by the shape of the table.

    as many columns as rows or more   a linear model: there is too little data for a nonlinear boundary
    few columns, a medium of rows     a Gaussian kernel: nonlinear; its cost grows with the square of the rows
    few columns, very many rows       make more columns, then a linear model: kernels are too slow

    >>> print(logistic_or_svm(10_000, 100).choices)
    ('Gaussian SVM',)
    """
    if n_samples < 1 or n_features < 1:
        raise ParameterError(
            f"logistic_or_svm: needs at least one row and one column; got {n_samples!r} and {n_features!r}"
        )
    linear = ("logistic regression", "linear SVM")
    if n_features >= n_samples:
        return ClassifierAdvice(linear, "there are at least as many columns as rows, and a linear boundary is enough")
    if n_samples >= MANY_ROWS or n_features > MANY_COLUMNS:
        what = "rows" if n_samples >= MANY_ROWS else "columns"
        return ClassifierAdvice(linear, f"there are too many {what} for a kernel; add columns if it is too simple")
    return ClassifierAdvice(("Gaussian SVM",), "few columns and a medium number of rows allow a nonlinear boundary")
