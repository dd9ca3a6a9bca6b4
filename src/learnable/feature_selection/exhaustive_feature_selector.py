"""The best of all sets of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from ..core import Array, Data, ParameterError, Trace, Traits, estimator, learned, param
from ..engines.folds import is_splitting
from ._subset_scores import SubsetScores
from ._wrapper_base import Wrapper
from .rfecv import CV


@estimator
class ExhaustiveFeatureSelector(Wrapper):
    """Exhaustive feature selection: the subset of features with the best cross-validated score.

    choose S* = argmax over S with min_features <= |S| <= max_features of score(S), scores by cross-validation

    2^p sets, so for few columns; `max_subsets` refuses more than that. Of equal scores the smallest set, and of these
    the first. The best of many scores is optimistic: evaluate the result on other rows. [Kohavi and John, 1997]

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> ExhaustiveFeatureSelector(Ridge(), cv=3).fit(X, X[:, 0] - 2 * X[:, 3]).get_support(indices=True)
    array([0, 3])
    """

    title = "exhaustive feature selection"
    reference = "Kohavi and John, 1997"
    traits = Traits(uses_target="if given")

    min_features: int = param(1, "minimum number of columns of a subset", at_least=1)
    max_features: int | None = param(None, "maximum number of columns of a subset (None: all)", at_least=1)
    scoring: str | Callable[..., Any] | None = param(
        None, "scoring by name or as a callable (None: the estimator's score)"
    )
    cv: Any = param(5, "cross-validation folds, as in cross_validate", accepts=is_splitting, says=CV)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    max_subsets: int = param(10_000, "maximum number of subsets; more raise an error", at_least=1)

    support_: Array = learned("mask of the columns of the best subset", shape="features")
    score_: float = learned("mean score of the best subset")
    subsets_: Array = learned("evaluated subsets, as masks", shape="subsets features")
    scores_: Array = learned("mean score of each subset", shape="subsets")

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        scores = SubsetScores.of(self, data, groups)
        masks, found = [], []
        for columns in self._subsets(data.p):
            mask = np.zeros(data.p, dtype=bool)
            mask[list(columns)] = True
            masks.append(mask)
            found.append(scores.mean(np.array(columns)))
            trace.record(found[-1], columns=float(len(columns)))
        best = int(np.argmax(found))
        self.subsets_, self.scores_ = np.array(masks), np.array(found)
        self.support_, self.score_ = masks[best], found[best]
        trace.exact("no other set of columns scores better on the folds", self.score_)

    def _subsets(self, columns: int) -> Iterator[tuple[int, ...]]:
        least, most = self.min_features, min(self.max_features or columns, columns)
        if least > most:
            raise ParameterError(
                f"ExhaustiveFeatureSelector: min_features={least} is more than the {most} columns that a set can have"
            )
        count = sum(comb(columns, size) for size in range(least, most + 1))
        if count > self.max_subsets:
            raise ParameterError(
                f"ExhaustiveFeatureSelector: {count} sets of columns are more than max_subsets={self.max_subsets}; "
                "limit max_features, raise max_subsets, or use SequentialFeatureSelector"
            )
        for size in range(least, most + 1):
            yield from combinations(range(columns), size)

    def _support(self) -> Array:
        return self.support_
