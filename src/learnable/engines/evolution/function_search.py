"""The scope of a search for the optimum of a function: watched, limited and resumed as every fit is."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeAlias

from ...core import Array, DataError, Estimator, RandomState, Trace, declaring, param, seed_of
from ...core.declare import params
from ...core.runtime import context
from ..iterate import Method, State, iterate

Optimum: TypeAlias = Any
"""A `scipy.optimize.OptimizeResult`, which is imported where one is made."""


@declaring
class FunctionSearch(Estimator):
    """Base class of optimisers; parameters are declared as those of estimators are."""

    random_state: RandomState = param(None, "seed of the search")

    @abstractmethod
    def _method(self, seed: int) -> Method: ...

    @property
    def _limit_is_planned(self) -> bool:
        return True

    def _run(self, limit: int, *data: Any) -> tuple[State, Trace]:
        """Run the method; `data` is what decides the result besides the parameters."""
        params.check(self)
        trace = Trace(self)
        with context.Fitting(self, data, False):
            state = iterate(self._method(seed_of(self.random_state)), limit, trace)
        trace.owner, self.trace_ = None, trace
        return state, trace


def checked_values(owner: str, values: Array, count: int, what: str = "a number for each individual") -> Array:
    """What a function of the caller returned, without NaN."""
    if values.shape != (count,):
        raise DataError(f"{owner}: the function must return {what}; got the shape {values.shape} for {count}")
    if (values != values).any():
        raise DataError(
            f"{owner}: the function returned NaN for individual {int((values != values).argmax())}; return the worst "
            "possible value where it is not defined, such as infinity for a minimum"
        )
    return values
