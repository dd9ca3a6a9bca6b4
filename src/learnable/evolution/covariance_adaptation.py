"""CMA-ES: covariance matrix adaptation evolution strategy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import REQUIRED, Array, DataError, ParameterError, RandomState, declaring, param, seed_of
from ..core.declare.checked_functions import checked
from ..core.validate.sparse_input import ChecksSparse
from ..engines.evolution.covariance import initial_search, reasons_to_end, sampled, strategy_parameters, updated
from ..engines.evolution.differential import as_bounds
from ..engines.evolution.function_search import (
    FunctionSearch,
    Optimum,
    as_numbers,
    checked_values,
    finite_success,
    values_one_by_one,
)
from ..engines.evolution.row_draws import RowDraws
from ..engines.evolution.selection import Seed
from ..engines.iterate import Progress, State

UNLIMITED = 2**31 - 1


def default_popsize(n: int) -> int:
    """Points of a generation for `n` variables."""
    return 4 + int(3 * np.log(n))


class CMAEvolutionStrategy(ChecksSparse):
    """CMA-ES with `ask` and `tell`, for functions that are evaluated elsewhere; `cma_es` evaluates them itself.

    x_k = m + sigma N(0, C);   m, sigma and C adapt to the order of f(x_1), ..., f(x_lambda)

    Only the order of the values matters. `ask` gives the points of a generation, `tell` takes them back with their
    values, `stop` names the reasons to end, by the names that pycma uses. [Hansen, The CMA evolution strategy: A
    tutorial, 2016]

    >>> search = CMAEvolutionStrategy([3.0, 3.0], 1.0, random_state=0)
    >>> while not search.stop():
    ...     points = search.ask()
    ...     search.tell(points, (points**2).sum(axis=1))
    >>> bool(search.best_value < 1e-12)
    True
    """

    def __init__(
        self, x0: Any, sigma0: float, *, bounds: Any = None, popsize: int | None = None, tolfun: float = 1e-11,
        tolx: float = 1e-11, random_state: RandomState = None,
    ) -> None:  # fmt: skip
        mean = start_point("CMAEvolutionStrategy", x0, sigma0)
        size = default_popsize(len(mean)) if popsize is None else popsize
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 2:
            raise ParameterError(f"CMAEvolutionStrategy: popsize must be a whole number of at least 2; got {popsize!r}")
        self.parameters = strategy_parameters(len(mean), int(size))
        self.state = initial_search(mean, float(sigma0), int(size))
        self.box = None if bounds is None else as_bounds("CMAEvolutionStrategy", bounds)
        if self.box is not None and len(self.box[0]) != len(mean):
            raise ParameterError(f"CMAEvolutionStrategy: bounds must be {len(mean)} pairs; got {len(self.box[0])}")
        self.tolfun, self.tolx, self.seed = tolfun, tolx, seed_of(random_state)
        self.best_point, self.best_value = mean, np.inf
        self._points: Array | None = None

    @property
    def mean(self) -> Array:
        """The mean of the search distribution, within the bounds."""
        return mirrored(self.state["mean"], self.box)

    @property
    def sigma(self) -> float:
        """The step size."""
        return float(self.state["sigma"])

    def ask(self) -> Array:
        """The points of the next generation, a row each, within the bounds."""
        draws = RowDraws(self.seed, self.state["size"], (0, self.state["generation"]))
        self._points = sampled(self.state, draws)
        return mirrored(self._points, self.box).copy()

    def tell(self, points: Any, values: Any) -> None:
        """Take the values of the points that `ask` gave."""
        if self._points is None or np.shape(points) != self._points.shape:
            raise DataError("CMAEvolutionStrategy: `tell` takes the points of the last `ask`; call ask first")
        if not np.array_equal(np.asarray(points, dtype=np.float64), mirrored(self._points, self.box)):
            raise DataError("CMAEvolutionStrategy: `tell` takes the points of the last `ask` in order, unchanged")
        found = as_numbers("CMAEvolutionStrategy", values)
        checked_values("CMAEvolutionStrategy", found, len(self._points), "a value for each point")
        best = int(found.argmin())
        if found[best] < self.best_value:
            self.best_point, self.best_value = mirrored(self._points, self.box)[best], float(found[best])
        self.state = updated(self.state, self._points, found, self.parameters)
        self._points = None

    def stop(self) -> dict[str, float]:
        """The reasons to end; none while the search goes on."""
        return reasons_to_end(self.state, self.parameters, self.tolfun, self.tolx)


def start_point(owner: str, x0: Any, sigma0: Any) -> Array:
    """The initial mean, checked."""
    try:
        mean = np.array(x0, dtype=np.float64)
    except (TypeError, ValueError):
        mean = np.empty(0)
    if mean.ndim != 1 or len(mean) == 0 or not np.isfinite(mean).all():
        raise ParameterError(f"{owner}: x0 must be a row of finite numbers; got {x0!r:.60}")
    real = isinstance(sigma0, (int, float, np.number)) and not isinstance(sigma0, bool)
    if not real or not 0 < sigma0 < np.inf:
        raise ParameterError(f"{owner}: sigma0 must be a finite number above 0; got {sigma0!r:.40}")
    return mean


def mirrored(points: Array, box: tuple[Array, Array] | None) -> Array:
    """Points reflected at the bounds until they are within them."""
    if box is None:
        return points
    low, high = box
    width = np.where(high > low, high - low, 1.0)
    along = np.abs((points - low) % (2 * width))
    inside = np.where(high > low, low + np.where(along > width, 2 * width - along, along), low)
    return np.clip(inside, low, high)


@checked()
def cma_es(
    func: Callable[..., Any],
    x0: Any,
    sigma0: float,
    *,
    args: tuple[Any, ...] = (),
    bounds: Any = None,
    popsize: int | None = None,
    restarts: int = 0,
    incpopsize: float = 2.0,
    bipop: bool = False,
    maxfevals: int | None = None,
    ftarget: float | None = None,
    tolfun: float = 1e-11,
    tolx: float = 1e-11,
    vectorized: bool = False,
    rng: Seed = None,
) -> Optimum:
    """CMA-ES: the minimum of a function, also ill-conditioned or rugged, from values alone.

    x_k = m + sigma N(0, C);   m, sigma and C adapt to the order of f(x_1), ..., f(x_lambda)

    `restarts` run again with `incpopsize` times as many points (IPOP), or alternately with many and few (`bipop`).
    Points beyond the `bounds` are reflected into them. With `vectorized` the function takes a row for each point. The
    result has the fields of SciPy and `trace`. Nothing is proven about the distance to the optimum. [Hansen, The CMA
    evolution strategy: A tutorial, 2016; Auger and Hansen, 2005; Hansen, 2009]

    >>> def valley(x):
    ...     return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
    >>> found = cma_es(valley, [-1.0, 1.0], 0.5, ftarget=1e-10, rng=0)
    >>> bool(found.success), bool(found.fun < 1e-10)
    (True, True)
    """
    return CMASearch(
        func=func, x0=x0, sigma0=sigma0, args=tuple(args), bounds=bounds, popsize=popsize, restarts=restarts,
        incpopsize=incpopsize, bipop=bipop, maxfevals=maxfevals, ftarget=ftarget, tolfun=tolfun, tolx=tolx,
        vectorized=vectorized, random_state=rng,
    ).solve()  # fmt: skip


@declaring
class CMASearch(FunctionSearch):
    """A run of CMA-ES with its restarts, as watchers see it."""

    func: Any = param(REQUIRED, "function to minimise", accepts=callable, says="a function")
    x0: Any = param(REQUIRED, "initial mean")
    sigma0: Any = param(REQUIRED, "initial step size")
    args: Any = param((), "further arguments of the function")
    bounds: Any = param(None, "bounds of each variable")
    popsize: int | None = param(None, "points of a generation", at_least=2)
    restarts: int = param(0, "maximum number of restarts", at_least=0)
    incpopsize: float = param(2.0, "factor of the number of points at a restart", at_least=1)
    bipop: bool = param(False, "whether restarts have many and few points in turn")
    maxfevals: int | None = param(None, "maximum number of evaluations", at_least=1)
    ftarget: float | None = param(None, "value that ends the search")
    tolfun: float = param(1e-11, "range of values that ends a run", at_least=0)
    tolx: float = param(1e-11, "step, relative to the first one, that ends a run", at_least=0)
    vectorized: bool = param(False, "whether the function takes a row for each point")

    def solve(self) -> Optimum:
        """Run the search."""
        from scipy.optimize import OptimizeResult

        mean = start_point("cma_es", self.x0, self.sigma0)
        box = None if self.bounds is None else as_bounds("cma_es", self.bounds)
        if box is not None and len(box[0]) != len(mean):
            raise ParameterError(f"cma_es: bounds must be {len(mean)} pairs (low, high); got {len(box[0])}")
        self._mean, self._box = mean, box
        state, trace = self._search_for(UNLIMITED)
        reached = self.ftarget is not None and state["best_value"] <= self.ftarget
        stopped = {
            "": "stopped", "limit": "maxfevals was reached", "patience": "maxfevals was reached",
            "converged": "ftarget was reached" if reached else "converged: " + ", ".join(state["reasons"]),
        }  # fmt: skip
        found = OptimizeResult(
            x=state["best_point"], fun=state["best_value"], nfev=state["evaluations"], nit=state["iterations"],
            message=stopped.get(trace.stopped, f"stopped: {trace.stopped}"), success=trace.stopped == "converged",
            restarts=state["restart"], xmean=mirrored(state["search"]["mean"], box), sigma=state["search"]["sigma"],
            trace=trace,
        )  # fmt: skip
        return finite_success(found)

    def _method(self, seed: int) -> CMAMethod:
        n = len(self._mean)
        return CMAMethod(self, n, default_popsize(n) if self.popsize is None else self.popsize, seed)

    def values_of(self, points: Array) -> Array:
        """The values of points within the bounds."""
        if self.vectorized:
            values = as_numbers("cma_es", self.func(points.copy(), *self.args))
        else:
            values = values_one_by_one("cma_es", self.func, points.copy(), *self.args)
        return checked_values("cma_es", values, len(points), "a number for each point")


@dataclass(frozen=True)
class CMAMethod:
    """CMA-ES and its restarts as a method of `iterate`."""

    search: CMASearch
    n: int
    size: int
    seed: int

    def start(self) -> State:
        """The first search distribution."""
        own = self.search
        return {
            "search": initial_search(own._mean, float(own.sigma0), self.size), "restart": 0, "iterations": 0,
            "best_point": mirrored(own._mean, own._box), "best_value": np.inf, "evaluations": 0, "reasons": [],
            "large": 0, "small": 0, "is_small": False, "grown": 0, "over": False, "full": False,
        }  # fmt: skip

    def step(self, state: State) -> State:
        """A generation; at the end of a run the next one begins."""
        own, search = self.search, state["search"]
        known = strategy_parameters(self.n, search["size"])
        key = (0, search["generation"]) if state["restart"] == 0 else (state["restart"], search["generation"])
        points = sampled(search, RowDraws(self.seed, search["size"], key))
        inside = mirrored(points, own._box)
        values = own.values_of(inside)
        after = {**state, "search": updated(search, points, values, known), "iterations": state["iterations"] + 1}
        after["evaluations"] = state["evaluations"] + len(points)
        after["small" if state["is_small"] else "large"] += len(points)
        best = int(values.argmin())
        if values[best] < state["best_value"]:
            after["best_point"], after["best_value"] = inside[best], float(values[best])
        reached = own.ftarget is not None and after["best_value"] <= own.ftarget
        reasons = reasons_to_end(after["search"], known, own.tolfun, own.tolx)
        after["full"] = own.maxfevals is not None and after["evaluations"] >= own.maxfevals
        if reasons and not reached and not after["full"] and state["restart"] < own.restarts:
            return self._restarted(after)
        return {**after, "over": bool(reasons) or reached, "reasons": sorted(reasons)}

    def progress(self, state: State) -> Progress:
        """The best value so far; it converges when a reason to end is met."""
        more = {
            "evaluations": float(state["evaluations"]), "sigma": state["search"]["sigma"],
            "restart": float(state["restart"]),
        }  # fmt: skip
        left = 0.0 if state["over"] else 1.0
        return Progress(state["best_value"], left, 0.0, more, exhausted=state["full"])

    def _restarted(self, state: State) -> State:
        """The next run: from a random point of the bounds, or near the first mean, with more points or with few."""
        own, number = self.search, state["restart"] + 1
        draws = RowDraws(self.seed, 1, (1, number))
        u, sigma = draws.uniform(self.n + 2)[0], float(own.sigma0)
        if own._box is None:
            mean = own._mean + sigma * draws.normal(self.n)[0]
        else:
            mean = own._box[0] + u[2:] * (own._box[1] - own._box[0])
        small = own.bipop and state["small"] < state["large"]
        grown = state["grown"] + (0 if small else 1)
        size = int(self.size * own.incpopsize**grown)
        if small:
            size = max(self.size, int(self.size * (0.5 * size / self.size) ** (u[0] ** 2)))
            sigma *= 10 ** (-2 * u[1])
        search = initial_search(mean, sigma, size)
        return {**state, "search": search, "restart": number, "is_small": small, "grown": grown, "over": False}
