"""What those share who fit one copy of an estimator to each target."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import Array, DataError, Estimator, ParameterTypeError, Traits, cloned, fitted_estimator, learned, param
from ..core.declare import params
from ..core.declare.params import REQUIRED, declaring
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata
from ..core.validate.rows import row_count
from ..engines.iterate import record_components
from ..engines.parallel import each
from ..multiclass._multiclass_base import learns_in_parts
from ..pipeline._steps import takes_weights, with_weights


@declaring
class OfSeveralTargets(Estimator):
    """An estimator of several targets, made of a copy of another for each of them."""

    estimator: Any = param(
        REQUIRED, "estimator of a single target", kw_only=False, accepts=is_estimator, says="an estimator"
    )
    n_jobs: int | None = param(None, "number of workers, as in joblib")
    estimators_: Any = learned("the fitted estimators, one for each target")

    traits = Traits(takes="parts", compares_by="estimator", single_target=False, multi_target=True)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Self:
        """Fit a clone of the estimator to every column of `y`; further arguments are passed to `fit`."""
        params.check(self)
        check_metadata(self, "fit", {"sample_weight": sample_weight, **arguments})
        owner = type(self).__name__
        rows = row_count(X, f"{owner}: X")
        self._validator.refuse_empty((rows, 1))
        facts, target = self._targets(y, rows)
        weight = self._validator.weights(sample_weight, rows)
        if weight is not None and not takes_weights(self.estimator) and not routing_is_enabled():
            raise ParameterTypeError(f"{owner}: the estimator takes no sample_weight; leave it out")
        with self._fitting(X, target, weight) as trace:
            self.__dict__.update(facts)
            calls = (self.estimator, X, weight, arguments)
            found = dict(each(_fitted, calls, list(target.T), self.n_jobs))
            self.estimators_ = [found[place] for place in range(target.shape[1])]
            self._remember_columns_of(self.estimators_[0], X)
            record_components(trace, self.estimators_)
        return self

    @learns_in_parts
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, **arguments: Any) -> Self:
        """Update with a batch of rows; for classifiers the first batch needs the `classes` of each target."""
        params.check(self)
        check_metadata(self, "partial_fit", {"sample_weight": sample_weight, **arguments})
        rows, begun = row_count(X, f"{type(self).__name__}: X"), self.__sklearn_is_fitted__()
        facts, target = self._targets(y, rows)
        weight = self._validator.weights(sample_weight, rows)
        with self._fitting(X, target, weight, going_on=True) as trace:
            self.__dict__.update(facts)
            if not begun:
                self.estimators_ = [cloned(self.estimator) for _ in target.T]
            for place, part in enumerate(self.estimators_):
                labels = {} if classes is None else {"classes": classes[place]}
                column = np.ascontiguousarray(target[:, place])
                part.partial_fit(X, column, **labels, **with_weights(part, weight, arguments, "partial_fit"))
            self._remember_columns_of(self.estimators_[0], X)
            record_components(trace, self.estimators_)
        return self

    def _targets(self, y: Any, rows: int) -> tuple[dict[str, Any], Array]:
        """What is learned of the targets themselves, and their columns."""
        return {}, two_columns(type(self).__name__, self._validator.any_target(y, rows, several=True))

    def __sklearn_is_fitted__(self) -> bool:
        return "estimators_" in self.__dict__

    def predict(self, X: Any) -> Array:
        """Predictions of each estimator, a column for every target."""
        self._require_fit()
        return np.column_stack([np.asarray(part.predict(X)) for part in self.estimators_])

    def _routes(self) -> list[Route]:
        return [Route("estimator", self.estimator, FIT_ONLY)]

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator))


def two_columns(owner: str, target: Array) -> Array:
    """A target that has columns."""
    if target.ndim == 1:
        raise DataError(f"{owner}: y must have a column for each target; use y[:, None] for one")
    return target


def _fitted(estimator: Any, X: Any, weight: Array | None, arguments: dict[str, Any], target: Array) -> Any:
    model = cloned(estimator)
    return fitted_estimator(model, X, np.ascontiguousarray(target), **with_weights(model, weight, arguments))
