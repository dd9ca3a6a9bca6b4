"""Simulated annealing."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Literal

import numpy as np

from ..core import REQUIRED, Array, DataError, ParameterError, declaring, param
from ..core.declare.checked_functions import checked
from ..engines.evolution.annealing import SCHEDULES, Annealing
from ..engines.evolution.differential import as_bounds
from ..engines.evolution.function_search import FunctionSearch, Optimum, as_number, finite_success
from ..engines.evolution.selection import Seed


@checked()
def simulated_annealing(
    func: Callable[[Any], float],
    x0: Any,
    neighbour: Callable[[Any, np.random.Generator], Any] | None = None,
    *,
    bounds: Any = None,
    scale: float = 0.1,
    n_temperatures: int = 200,
    moves: int = 50,
    temperature: float | None = None,
    schedule: Literal["geometric", "logarithmic", "linear"] = "geometric",
    cooling: float = 0.95,
    rng: Seed = None,
) -> Optimum:
    """Simulated annealing: the minimum of a function of anything that has neighbours.

    accept a neighbour with probability min(1, exp(-(f(x') - f(x)) / T)),   T falls

    `neighbour(x, rng)` makes a neighbour of a point, which may be an array, a list or text; without it points are
    arrays of numbers that change by normal noise with standard deviation `scale` (times the width of the `bounds`).
    Without a `temperature` the first one accepts 80 % of the worse neighbours of `x0`. T_k is T_0 cooling^k, T_0 / ln(e
    + k), or linear to 0. Nothing is proven about the distance to the optimum. [Kirkpatrick, Gelatt and Vecchi, 1983]

    >>> found = simulated_annealing(lambda x: float((x**2).sum()), [3.0, -2.0], bounds=[(-5, 5)] * 2, rng=0)
    >>> bool(found.fun < 1e-2)
    True
    """
    return SimulatedAnnealing(
        func=func, x0=x0, neighbour=neighbour, bounds=bounds, scale=scale, n_temperatures=n_temperatures, moves=moves,
        temperature=temperature, schedule=schedule, cooling=cooling, random_state=rng,
    ).solve()  # fmt: skip


@declaring
class SimulatedAnnealing(FunctionSearch):
    """A run of simulated annealing, as watchers see it."""

    func: Any = param(REQUIRED, "function to minimise", accepts=callable, says="a function")
    x0: Any = param(REQUIRED, "first point")
    neighbour: Any = param(None, "function of a point and a generator that makes a neighbour")
    bounds: Any = param(None, "bounds of each variable")
    scale: float = param(0.1, "standard deviation of the noise", above=0)
    n_temperatures: int = param(200, "number of temperatures", at_least=1)
    moves: int = param(50, "moves at each temperature", at_least=1)
    temperature: float | None = param(None, "first temperature", at_least=0)
    schedule: str = param("geometric", "how the temperature falls", accepts=lambda v: v in SCHEDULES,
                          says=" or ".join(SCHEDULES))  # fmt: skip
    cooling: float = param(0.95, "factor of the geometric schedule", above=0, below=1)

    def solve(self) -> Optimum:
        """Run the search."""
        from scipy.optimize import OptimizeResult

        self._start = self.x0
        if self.neighbour is None:
            self._prepare_numbers()
        elif not callable(self.neighbour):
            raise ParameterError(f"simulated_annealing: neighbour must be a function; got {self.neighbour!r:.40}")
        state, trace = self._search_for(self.n_temperatures)
        found = OptimizeResult(
            x=state["best"], fun=state["best_value"], nit=state["level"], nfev=state["evaluations"], trace=trace,
            success=trace.stopped == "converged", temperature=state["temperature"],
            message="all temperatures were visited" if trace.stopped == "converged" else f"stopped: {trace.stopped}",
        )  # fmt: skip
        return finite_success(found)

    def _prepare_numbers(self) -> None:
        """The first point as numbers, and the noise of each."""
        try:
            start = np.array(self.x0, dtype=np.float64)
        except (TypeError, ValueError):
            start = np.empty(0)
        if start.size == 0 or not np.isfinite(start).all():
            raise ParameterError(
                f"simulated_annealing: x0 must hold finite numbers, unless there is a neighbour; got {self.x0!r:.40}"
            )
        self._low, self._high, width = -np.inf, np.inf, np.ones(start.shape)
        if self.bounds is not None:
            low, high = as_bounds("simulated_annealing", self.bounds)
            if low.shape != start.shape or ((start < low) | (start > high)).any():
                raise ParameterError(
                    "simulated_annealing: x0 must lie within the bounds, which have a pair per variable"
                )
            self._low, self._high, width = low, high, high - low  # type: ignore[assignment]  # arrays or infinities
        self._start, self._noise = start, self.scale * width

    def _moved(self, x: Array, rng: np.random.Generator) -> Array:
        """A normal step in one variable, reflected at the bounds."""
        other = x.copy()
        index = int(rng.integers(x.size))
        other.flat[index] += self._noise.flat[index] * rng.standard_normal()
        clipped = np.clip(other, self._low, self._high)
        inside: Array = np.clip(2 * clipped - other, self._low, self._high)
        return inside

    def _neighbour_of(self, x: Any, rng: np.random.Generator) -> Any:
        """A neighbour, which the function of the caller may make in place."""
        return self.neighbour(copied(x), rng)

    def _value(self, x: Any) -> float:
        value = as_number("simulated_annealing", self.func(copied(x)))
        if value != value:
            raise DataError(
                f"simulated_annealing: func returned NaN for {x!r:.60}; return infinity where it is undefined"
            )
        return value

    def _method(self, seed: int) -> Annealing:
        return Annealing(
            self._value, self._moved if self.neighbour is None else self._neighbour_of, self._start, self.moves,
            self.n_temperatures, self.temperature, self.schedule, self.cooling, seed,
        )  # fmt: skip


def copied(x: Any) -> Any:
    """A copy that may be changed."""
    return x.copy() if isinstance(x, np.ndarray) and x.dtype != object else deepcopy(x)
