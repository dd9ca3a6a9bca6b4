"""The scope of an iterative procedure without rows: watched, limited and resumed as every fit is."""

from __future__ import annotations

from typing import Any

from ..core import Estimator, Trace, declaring
from ..core.declare import params
from ..core.runtime import context
from .iterate import Method, State, iterate


@declaring
class Procedure(Estimator):
    """Base class of what is fitted to a function or a decision process; parameters are those of estimators."""

    @property
    def _limit_is_planned(self) -> bool:
        return True

    def _run(self, make: Any, limit: int, *data: Any) -> tuple[State, Trace]:
        """Run the method that `make()` gives; `data` is what decides the result besides the parameters."""
        params.check(self)
        trace = Trace(self)
        with context.Fitting(self, data, False):
            method: Method = make()
            state = iterate(method, limit, trace)
        trace.owner = None
        return state, trace

    def __sklearn_is_fitted__(self) -> bool:
        return "trace_" in self.__dict__
