"""Whether a support vector machine is better solved for its weights or for its dual variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..core.declare.checked_functions import checked, limits
from ..parts.kernels import KERNEL_NAMES


@dataclass(frozen=True, slots=True)
class SolverAdvice:
    """Recommended form of the optimisation problem (primal or dual), the estimator that solves it, and the reason."""

    form: Literal["primal", "dual"]
    estimator: str
    reason: str

    def __str__(self) -> str:
        return f"{self.form}, {self.estimator}: {self.reason}"


@checked(
    n_samples=limits(at_least=1),
    n_features=limits(at_least=1),
    kernel=limits(accepts=KERNEL_NAMES.__contains__, says="the name of a kernel"),
)
def primal_or_dual(n_samples: int, n_features: int, kernel: str = "linear") -> SolverAdvice:
    """Advice on the cheaper form of an SVM, primal or dual, by the shape of the table and the kernel.

    a nonlinear kernel        dual: the weights live in a space of too many dimensions
    more columns than rows    dual: one variable for each row, a matrix of all products of rows
    more rows than columns    primal: one weight for each column, a pass over the data for each step

    >>> print(primal_or_dual(100_000, 50))
    primal, LinearSVC: there are more rows than columns, and there is a weight for each column only
    """
    if kernel != "linear":
        return SolverAdvice("dual", "SVC", f"the kernel {kernel!r} gives no weights of columns, only products of rows")
    if n_features > n_samples:
        return SolverAdvice("dual", "SVC", "there are more columns than rows, and products of rows are few")
    return SolverAdvice(
        "primal",
        "LinearSVC",
        "there are more rows than columns, and there is a weight for each column only",
    )
