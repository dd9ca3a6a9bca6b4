"""What those have in common who choose columns by fitting an estimator to some of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    REQUIRED,
    Array,
    Data,
    Matrix,
    ParameterError,
    ParameterTypeError,
    Trace,
    Traits,
    cloned,
    declaring,
    fitted_estimator,
    param,
)
from ..core.declare import params
from ..core.roles.traits import traits_of
from ..core.sklearn_api.configuration import routing_is_enabled
from ..core.sklearn_api.estimator_type import is_estimator
from ..core.sklearn_api.metadata import FIT_ONLY, Route, check_metadata, requested_metadata
from ..core.validate.features import FeatureValidator
from ..core.validate.targets import is_sparse
from ..pipeline._steps import takes_weights
from ._selector_base import Selector

Getter = str | Callable[..., Any]


@declaring
class Wrapper(Selector):
    """A selector around an estimator, ours or any that speaks scikit-learn's language; takes what that takes."""

    traits = Traits(uses_target="always")

    estimator: Any = param(
        REQUIRED, "estimator fitted to subsets of the columns", kw_only=False, accepts=is_estimator, says="an estimator"
    )

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Select columns.

        Weights are passed to the estimator and the scores, `groups` to the splitter if there is one.
        """
        params.check(self)
        check_metadata(self, "fit", {"sample_weight": sample_weight})
        data = self._training_data(X, y, sample_weight)
        with self._fitting(data.X, data.y, data.weight) as trace:
            self._remember_columns(data.X, data.names)
            self._fit(data, trace, groups)
            if not trace.rows:
                trace.exact("the columns were chosen by fits to the training rows")
        return self

    @abstractmethod
    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None: ...

    def _routes(self) -> list[Route]:
        return [Route("estimator", self.estimator, FIT_ONLY)]

    @property
    def _validator(self) -> FeatureValidator:
        traits = self._effective_traits()
        handled = traits.missing == "native"  # the estimator validates what it gets
        return FeatureValidator(type(self).__name__, traits.sparse, "csc", traits.missing, infinite=handled)

    def _effective_traits(self) -> Traits:
        return self.traits.accepting(traits_of(self.estimator, sparse=True, missing="native"))


def fitted(estimator: Any, X: Matrix, y: Array | None, weight: Array | None, owner: str) -> Any:
    """A copy of the estimator, fitted."""
    fresh = cloned(estimator)
    if weight is None:
        return fitted_estimator(fresh, X, y)
    if routing_is_enabled():
        return fitted_estimator(fresh, X, y, **requested_metadata(fresh, "fit", {"sample_weight": weight}))
    if not takes_weights(fresh):
        raise ParameterTypeError(f"{owner}: the estimator {type(fresh).__name__} takes no sample_weight")
    return fitted_estimator(fresh, X, y, sample_weight=weight)


def importances(estimator: Any, getter: Getter, size: Literal["square", "norm"], order: float = 1) -> Array:
    """How much each column matters to a fitted estimator: a number at least 0 per column, several targets joined.

    Squares are for ranking: they are in units of the largest weight, so that none leaves the floating-point range.
    """
    found = _raw(estimator, getter)
    values = np.asarray(found.toarray() if is_sparse(found) else found, dtype=np.float64)
    if size == "square":
        values = values / (np.abs(values).max(initial=0.0) or 1.0)
        return values**2 if values.ndim == 1 else (values**2).sum(axis=0)
    return np.abs(values) if values.ndim == 1 else np.asarray(np.linalg.norm(values, axis=0, ord=order))


def _raw(estimator: Any, getter: Getter) -> Any:
    if callable(getter):
        return getter(estimator)
    if getter != "auto":
        return attrgetter(getter)(estimator)
    for name in ("coef_", "feature_importances_"):
        if hasattr(estimator, name):
            return getattr(estimator, name)
    raise ParameterError(
        f"when importance_getter='auto', the estimator {type(estimator).__name__} should have `coef_` or "
        "`feature_importances_`; name another attribute, or give a function of the fitted estimator"
    )
