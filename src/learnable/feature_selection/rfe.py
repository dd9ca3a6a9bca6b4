"""Recursive elimination of columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import Array, Data, Trace, estimator, learned, param
from ..core.errors import warn
from ..core.numeric import is_fraction
from ._backward_elimination import Eliminator
from ._delegating_selector import Delegating


@estimator
class RFE(Delegating):
    """Recursive feature elimination: drop the features that matter least to the fitted estimator, step by step.

    choose by: fit, drop the columns with the smallest w_j^2 (or importance), repeat until n_features_to_select are left

    As many fits as steps. Weights of columns compare only if the columns are of one scale. [Guyon et al., 2002]

    >>> from learnable import Ridge
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [0.0, 1.0, 2.0, 3.0]
    >>> RFE(Ridge(), n_features_to_select=1).fit(X, y).ranking_
    array([1, 2])
    """

    title = "recursive feature elimination"
    reference = "Guyon et al., 2002"

    n_features_to_select: int | float | None = param(
        None, "number or fraction of selected columns (None: half)", above=0, tune=(1, 2, 5, 10, 20), simpler="smaller"
    )
    step: int | float = param(1, "number or fraction of columns eliminated per iteration", above=0)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    importance_getter: str | Callable[..., Any] = param(
        "auto", "attribute with the feature importances, or a function of the fitted model"
    )

    estimator_: Any = learned("estimator fitted to the selected columns")
    n_features_: int = learned("number of selected columns")
    ranking_: Array = learned(
        "rank of each column: 1 if selected, larger the earlier it was eliminated", shape="features"
    )
    support_: Array = learned("mask of the selected columns", shape="features")

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        requested = count_of(self.n_features_to_select, data.p, type(self).__name__)
        getter, owner = self.importance_getter, type(self).__name__

        def report(left: int) -> None:
            trace.record(float(left))

        course = Eliminator(self.estimator, requested, self.step, getter, owner, report).run(data)
        self.estimator_, self.support_, self.ranking_ = course.model, course.support, course.ranking
        self.n_features_ = int(course.support.sum())
        trace.exact("the features left by the requested eliminations", float(self.n_features_))


def count_of(given: int | float | None, columns: int, owner: str) -> int:
    """A number or share of columns as a number; at least one."""
    if given is None:
        return max(1, columns // 2)
    if is_fraction(given) and given <= 1:
        return max(1, int(columns * given))
    if given > columns:
        warn(f"{owner}: {given!r} columns shall stay and there are {columns!r}: all stay.", UserWarning)
    return int(given)
