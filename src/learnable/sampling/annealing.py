"""Simulated annealing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, Trace, generator, seed_of
from ..core.runtime import context
from ..engines.iterate import Progress, State, iterate

BLOCK = 100
COLDEST = 1e-4  # of the first temperature, at the end
FIRST_STEPS = 100  # to find the first temperature


@dataclass(frozen=True, eq=False)
class AnnealingResult:
    """The best x found and its value `fun`, the numbers of steps and evaluations, and the trace."""

    x: Any
    fun: float
    nit: int
    nfev: int
    message: str
    trace_: Trace


@dataclass
class _Annealing:
    """Metropolis steps at falling temperatures as a method of the iterate loop."""

    function: Callable[[Any], Any]
    x0: Any
    neighbour: Callable[[Any, Any], Any]
    n_iter: int
    first: float
    seed: int

    def start(self) -> State:
        value = self.value(self.x0)
        return {"x": self.x0, "value": value, "best": self.x0, "best_value": value, "done": 0}

    def value(self, x: Any) -> float:
        returned = np.asarray(self.function(x), dtype=np.float64)
        if returned.size != 1:
            raise DataError(
                f"simulated_annealing: function must return one number; it returned the shape {returned.shape}"
            )
        found = float(returned.item())
        return np.inf if found != found else found

    def step(self, state: State) -> State:
        done, count = state["done"], min(BLOCK, self.n_iter - state["done"])
        random = generator(self.seed, done)
        x, value, best, best_value = (state[name] for name in ("x", "value", "best", "best_value"))
        for k in range(count):
            temperature = self.first * COLDEST ** ((done + k) / self.n_iter)
            near = self.neighbour(x, random)
            there = self.value(near)
            if there <= value or random.random() < np.exp((value - there) / temperature):
                x, value = near, there
            if value < best_value:
                best, best_value = x, value
        return {"x": x, "value": value, "best": best, "best_value": best_value, "done": done + count}

    def progress(self, state: State) -> Progress:
        return Progress(state["best_value"], float(self.n_iter - state["done"]), 0.0, {"steps": float(state["done"])})


def simulated_annealing(
    function: Callable[[Any], Any],
    x0: Any,
    *,
    neighbour: Callable[[Any, np.random.Generator], Any] | None = None,
    bounds: Any = None,
    step: float = 0.1,
    n_iter: int = 10_000,
    temperature: float | None = None,
    random_state: RandomState = None,
) -> AnnealingResult:
    """Simulated annealing: minimise a function by Metropolis steps at temperatures that fall to almost zero.

    A neighbour that is worse by d is accepted with the probability exp(-d / T); T falls geometrically by a factor of
    10,000. `neighbour(x, random)` proposes the next x of any kind, such as a permutation; by default x is a vector
    that moves by normal steps of the size `step` (of the width of the `bounds` if there are some). The first
    `temperature` is by default the mean rise of 100 steps. [Kirkpatrick, Gelatt and Vecchi, 1983]

    >>> found = simulated_annealing(lambda x: (x[0] ** 2 - 4) ** 2 + x[0], [5.0], step=1.0, random_state=0)
    >>> round(float(found.x[0]), 1), round(found.fun, 1)
    (-2.0, -2.0)
    """
    if n_iter < 1 or not step > 0 or (temperature is not None and not temperature > 0):
        raise ParameterError("simulated_annealing: n_iter must be at least 1, step and temperature above 0")
    if neighbour is None:
        x0, neighbour = _normal_steps(x0, bounds, step)
    seed = seed_of(random_state)
    method = _Annealing(function, x0, neighbour, n_iter, 1.0, seed)
    if not np.isfinite(method.value(x0)):
        raise DataError(f"simulated_annealing: the function is not finite at x0; got {method.value(x0)}")
    method.first = _first_temperature(method, generator(seed, 2**31)) if temperature is None else float(temperature)
    trace = Trace(function)
    with context.Fitting(method, (x0,), False):
        state = iterate(method, n_iter, trace)
    trace.owner = None
    ends = {
        "converged": "all steps were made",
        "budget": "stopped by the budget",
        "interrupted": "stopped by a watcher",
    }
    evaluations = state["done"] + 2 + (FIRST_STEPS if temperature is None else 0)
    return AnnealingResult(state["best"], state["best_value"], state["done"], evaluations, ends[trace.stopped], trace)


def _normal_steps(x0: Any, bounds: Any, step: float) -> tuple[Array, Callable[[Any, Any], Any]]:
    start = np.array(x0, dtype=np.float64, ndmin=1)
    if bounds is None:
        return start, lambda x, random: x + step * random.standard_normal(x.shape)
    limits = np.asarray(bounds, dtype=np.float64)
    if limits.shape != (len(start), 2) or not (limits[:, 0] < limits[:, 1]).all() or not np.isfinite(limits).all():
        raise ParameterError(
            f"simulated_annealing: bounds must be a finite pair low < high per entry; got {bounds!r:.60}"
        )
    low, width = limits[:, 0], limits[:, 1] - limits[:, 0]

    def near(x: Array, random: Any) -> Array:
        moved = (x - low) / width + step * random.standard_normal(x.shape)
        folded = np.abs(moved - 2 * np.round(moved / 2))  # reflected at both bounds
        return np.asarray(low + width * folded)

    return np.clip(start, low, low + width), near


def _first_temperature(method: _Annealing, random: Any) -> float:
    """The mean rise of random steps."""
    x, value, rises = method.x0, method.value(method.x0), []
    for _ in range(FIRST_STEPS):
        near = method.neighbour(x, random)
        there = method.value(near)
        rises += [abs(there - value)] if np.isfinite(there) else []
        x, value = (near, there) if np.isfinite(there) else (x, value)
    return float(np.mean(rises)) if rises and np.mean(rises) > 0 else 1.0
