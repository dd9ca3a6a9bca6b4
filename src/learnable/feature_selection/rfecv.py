"""Recursive elimination of columns, as far as cross-validation says."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ..core.errors import warn
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.sklearn_api.routing import weight_for
from ..engines.folds import Fold, estimator_folds, is_splitting
from ..engines.parallel import each
from ..metrics import get_scorer
from ._backward_elimination import Elimination, Eliminator
from ._delegating_selector import Delegating

CV = "a number of folds, a splitter or (train, test) pairs"


@estimator
class RFECV(Delegating):
    """Recursive feature elimination with cross-validation, which chooses the number of features.

    choose by: m* = argmax_m mean over folds of score of RFE with m columns, then RFE with m* on all rows

    Every fold eliminates for itself, so that no test row has a say in it; of equal scores the fewest columns. The best
    of many scores is optimistic: evaluate the result on other rows. [Guyon et al., 2002]

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> RFECV(Ridge(), cv=3).fit(X, X[:, 0] - 2 * X[:, 3]).get_support(indices=True)
    array([0, 3])
    """

    title = "recursive feature elimination"
    reference = "Guyon et al., 2002"

    step: int | float = param(1, "number or fraction of columns eliminated per iteration", above=0)
    min_features_to_select: int = param(1, "minimum number of columns", at_least=1)
    cv: Any = param(None, "cross-validation folds, as in cross_validate (None: 5)", accepts=is_splitting, says=CV)
    scoring: str | Callable[..., Any] | None = param(None, "scoring by name or as a callable (None: accuracy or R²)")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    importance_getter: str | Callable[..., Any] = param(
        "auto", "attribute with the feature importances, or a function of the fitted model"
    )

    estimator_: Any = learned("estimator fitted to the selected columns")
    n_features_: int = learned("number of selected columns")
    ranking_: Array = learned(
        "rank of each column: 1 if selected, larger the earlier it was eliminated", shape="features"
    )
    support_: Array = learned("mask of the selected columns", shape="features")
    cv_results_: dict[str, Any] = learned("scores by number of columns, of every fold and their mean")

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        owner = type(self).__name__
        if self.min_features_to_select > data.p:
            warn(
                f"{owner}: at least {self.min_features_to_select} columns shall stay and there are {data.p!r}: all "
                "stay.",
                UserWarning,
            )
        parts = estimator_folds(owner, self.estimator, data.X, data.y, groups, self.cv, data.n)
        courses = self._courses(data, parts, owner)
        self.cv_results_ = results(courses)
        sizes, means = self.cv_results_["n_features"], self.cv_results_["mean_test_score"]
        for size, mean in zip(sizes[::-1], means[::-1], strict=True):
            trace.record(float(mean), columns=float(size))
        final = self._eliminator(int(sizes[np.argmax(means)]), owner).run(data)
        self.estimator_, self.support_, self.ranking_ = final.model, final.support, final.ranking
        self.n_features_ = int(final.support.sum())
        trace.exact("no other number of columns that was tried scores better on the folds", float(means.max()))

    def _eliminator(self, requested: int, owner: str) -> Eliminator:
        return Eliminator(self.estimator, requested, self.step, self.importance_getter, owner)

    def _courses(self, data: Data, parts: list[Fold], owner: str) -> list[Elimination]:
        run = partial(_one_fold, self._eliminator(min(self.min_features_to_select, data.p), owner), self._scorer)
        found: list[Any] = [None] * len(parts)
        for place, course in each(run, (data,), parts, self.n_jobs):
            found[place] = course
        return found

    @property
    def _scorer(self) -> Any:
        default = "accuracy" if is_classifier(self.estimator) else "r2"
        return get_scorer(default if self.scoring is None else self.scoring)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score by `scoring` on the selected columns."""
        extra = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self._scorer(self, X, y, **extra))


def _one_fold(eliminator: Eliminator, scorer: Any, data: Data, fold: Fold) -> Elimination:
    """Eliminate on the training rows, and score every step on the test rows."""
    train, test = fold
    learned, scored = (None if data.weight is None else data.weight[rows] for rows in fold)
    X_test, y_test, extra = data.X[test], data.y[test], weight_for(scorer, scored)
    rows = Data(data.X[train], data.y[train], learned, None)
    return eliminator.run(rows, lambda model, columns: float(scorer(model, X_test[:, columns], y_test, **extra)))


def results(courses: list[Elimination]) -> dict[str, Any]:
    """The table of scores, fewest columns first, as scikit-learn's."""
    scores = np.array([course.scores[::-1] for course in courses])
    table: dict[str, Any] = {"mean_test_score": scores.mean(axis=0), "std_test_score": scores.std(axis=0)}
    for name, rows in (
        ("test_score", scores),
        ("ranking", [np.array(course.rankings[::-1]) for course in courses]),
        ("support", [np.array(course.supports[::-1]) for course in courses]),
    ):
        table.update({f"split{fold}_{name}": values for fold, values in enumerate(rows)})
    return table | {"n_features": np.array(courses[0].sizes[::-1])}
