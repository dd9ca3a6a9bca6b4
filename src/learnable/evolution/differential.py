"""Differential evolution with SciPy's arguments and result."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import REQUIRED, Array, DataError, ParameterError, declaring, param, seed_of
from ..core.declare.checked_functions import checked
from ..engines.evolution.differential import STRATEGIES, DifferentialMethod, as_bounds, stratified_cube
from ..engines.evolution.function_search import FunctionSearch, Optimum, as_number, checked_values
from ..engines.evolution.selection import Seed
from ..engines.iterate import State
from ..engines.parallel import each

MIN_POPULATION = 5  # individuals that every strategy needs


@checked()
def differential_evolution(
    func: Callable[..., Any],
    bounds: Any,
    args: tuple[Any, ...] = (),
    strategy: str = "best1bin",
    maxiter: int = 1000,
    popsize: int = 15,
    tol: float = 0.01,
    mutation: float | tuple[float, float] = (0.5, 1),
    recombination: float = 0.7,
    rng: Seed = None,
    callback: Callable[..., Any] | None = None,
    disp: bool = False,
    polish: bool = True,
    init: Any = "latinhypercube",
    atol: float = 0,
    updating: str = "immediate",
    workers: Any = 1,
    constraints: Any = (),
    x0: Any = None,
    *,
    integrality: Any = None,
    vectorized: bool = False,
    seed: Seed = None,
) -> Optimum:
    """Differential evolution: the minimum of a function within bounds, with SciPy's arguments and result.

    trial_j = best_j + F (a_j - b_j) with probability `recombination`, else x_j;   it replaces x if it is not worse

    for two random individuals a and b ("best1bin"; other strategies combine other members). The random numbers of a
    trial depend on the seed, its generation and its index alone. `func` is called with a point and `args`; with
    `vectorized` with a matrix of a column for each point. Constraints are those of SciPy: feasible points are better
    than others, and of others the one that violates less. The result also has `trace`. Draws are not those of SciPy,
    and nothing is proven about the distance to the optimum. [Storn and Price, 1997; Lampinen, 2002]

    >>> found = differential_evolution(lambda x: (x**2).sum(), [(-5, 5)] * 3, rng=0)
    >>> bool(found.success), bool(found.fun < 1e-8)
    (True, True)
    """
    search = DifferentialEvolution(
        func=func, bounds=bounds, args=tuple(args), strategy=strategy, maxiter=maxiter, popsize=popsize, tol=tol,
        mutation=tuple(mutation) if isinstance(mutation, (tuple, list)) else mutation, recombination=recombination,
        callback=callback, polish=polish, init=init, atol=atol, updating=updating, workers=workers,
        constraints=constraints, x0=x0, integrality=integrality, vectorized=vectorized,
        random_state=rng if seed is None else seed,
    )  # fmt: skip
    result = search.solve()
    if disp:
        print(f"differential_evolution: {result.nit} generations, f(x)= {result.fun:g}")
    return result


def _are_workers(value: Any) -> bool:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return callable(value) or (whole and value != 0)


def _numbers(values: Any) -> Array:
    """An array of numbers; none at all of what holds anything else."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)


def _flags(integrality: Any, d: int) -> Array:
    """Which variables are whole numbers."""
    try:
        return np.broadcast_to(np.asarray(False if integrality is None else integrality, dtype=bool), (d,)).copy()
    except ValueError:
        raise ParameterError(
            f"differential_evolution: integrality must be a flag for each of {d} variables; got {integrality!r:.60}"
        ) from None


@declaring
class DifferentialEvolution(FunctionSearch):
    """A run of differential evolution, as watchers see it."""

    func: Any = param(REQUIRED, "function to minimise", accepts=callable, says="a function")
    bounds: Any = param(REQUIRED, "bounds of each variable")
    args: Any = param((), "further arguments of the function")
    strategy: str = param("best1bin", "how mutants are made", accepts=lambda v: v in STRATEGIES,
                          says="one of " + ", ".join(STRATEGIES))  # fmt: skip
    maxiter: int = param(1000, "maximum number of generations", at_least=0)
    popsize: int = param(15, "individuals per variable", at_least=1)
    tol: float = param(0.01, "relative spread of the values that ends the search", at_least=0)
    mutation: Any = param((0.5, 1), "mutation factor, or the range it is drawn from in each generation")
    recombination: float = param(0.7, "probability of crossover", at_least=0, at_most=1)
    callback: Any = param(None, "function called after each generation")
    polish: bool = param(True, "whether L-BFGS-B improves the result")
    init: Any = param("latinhypercube", "initial population: latinhypercube, sobol, halton, random or an array")
    atol: float = param(0.0, "absolute spread of the values that ends the search", at_least=0)
    updating: str = param("immediate", "when the best changes", accepts=lambda v: v in ("immediate", "deferred"),
                          says="immediate or deferred")  # fmt: skip
    workers: Any = param(
        1, "parallel evaluations: a number, or a function like map", accepts=_are_workers,
        says="a whole number other than 0, or a function like map",
    )  # fmt: skip
    constraints: Any = param((), "constraints as in scipy.optimize")
    x0: Any = param(None, "point of the initial population")
    integrality: Any = param(None, "which variables are whole numbers")
    vectorized: bool = param(False, "whether the function takes a matrix with a column for each point")

    def solve(self) -> Optimum:
        """Run the search."""
        self._check_mutation()
        self._low, self._high = as_bounds("differential_evolution", self.bounds)
        d = len(self._low)
        self._whole = _flags(self.integrality, d)
        self._is_whole = bool(self._whole.any())
        self._from, self._width = self._unit_scale()
        several = [] if self.constraints is None else self.constraints
        self._limits = list(several) if isinstance(several, (list, tuple)) else [several]
        if not all(hasattr(limit, "lb") and hasattr(limit, "ub") for limit in self._limits):
            raise ParameterError(
                "differential_evolution: constraints must be a NonlinearConstraint, LinearConstraint or Bounds of "
                f"scipy.optimize, or several of them; got {self.constraints!r:.60}"
            )
        state, trace = self._search_for(self.maxiter) if self.maxiter else self._only_initial()
        return self._result(state, trace)

    def _only_initial(self) -> tuple[State, Any]:
        from ..core import Trace

        return self._method(seed_of(self.random_state)).start(), Trace(None, [], "limit")

    def _check_mutation(self) -> None:
        values = self.mutation if isinstance(self.mutation, tuple) else (self.mutation,)
        real = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) and 0 <= v < 2 for v in values)
        if not real or len(values) > 2:
            raise ParameterError(
                f"differential_evolution: mutation must be a number in [0, 2), or a pair of them; got {self.mutation!r}"
            )

    def _unit_scale(self) -> tuple[Array, Array]:
        """Where the unit cube begins and how long it is; whole numbers have half a unit on both sides."""
        low, high = self._low.copy(), self._high.copy()
        if self._whole.any():
            low, high = np.where(self._whole, np.ceil(low), low), np.where(self._whole, np.floor(high), high)
            if (low > high).any():
                raise ParameterError("differential_evolution: no whole number lies between the bounds of a variable")
            low = np.where(self._whole, np.nextafter(low - 0.5, np.inf), low)
            high = np.where(self._whole, np.nextafter(high + 0.5, -np.inf), high)
        return low, high - low

    def _method(self, seed: int) -> DifferentialMethod:
        deferred = self.vectorized or self.updating == "deferred" or self.workers != 1
        return DifferentialMethod(
            self._values, self._value, self._initial(seed), self._from, self._width, self.strategy, self.mutation,
            self.recombination, self.tol, self.atol, seed, deferred, self._halted,
        )  # fmt: skip

    def _initial(self, seed: int) -> Array:
        """The initial population in the unit cube."""
        d, n = len(self._low), max(MIN_POPULATION, self.popsize * max(int((self._high > self._low).sum()), 1))
        if isinstance(self.init, str):
            cube = self._designed(n, d, seed)
        else:
            points = _numbers(self.init)
            if (
                points.ndim != 2
                or points.shape[1] != d
                or len(points) < MIN_POPULATION
                or not np.isfinite(points).all()
            ):
                raise ParameterError(
                    f"differential_evolution: init must be a matrix of at least {MIN_POPULATION} finite points "
                    f"of {d} variables"
                )
            cube = self._unit(points)
        if self.x0 is not None:
            point = _numbers(self.x0)
            if point.shape != (d,) or not ((point >= self._low) & (point <= self._high)).all():
                raise ParameterError(f"differential_evolution: x0 must be a point of {d} variables within the bounds")
            cube[0] = self._unit(point)
        return np.ascontiguousarray(cube)

    def _unit(self, points: Array) -> Array:
        return np.clip((points - self._from) / np.where(self._width > 0, self._width, 1.0), 0, 1)

    def _designed(self, n: int, d: int, seed: int) -> Array:
        if self.init == "latinhypercube":
            return stratified_cube(n, d, seed)
        if self.init == "random":
            return np.random.default_rng(seed).random((n, d))
        if self.init not in ("sobol", "halton"):
            raise ParameterError(
                "differential_evolution: init must be latinhypercube, sobol, halton, random or an array; got "
                f"{self.init!r:.40}"
            )
        from scipy.stats import qmc

        count = 2 ** int(np.ceil(np.log2(n))) if self.init == "sobol" else n
        return np.asarray((qmc.Sobol if self.init == "sobol" else qmc.Halton)(d, rng=seed % 2**63).random(count))

    def _rounded(self, points: Array) -> Array:
        return np.where(self._whole, np.round(points), points) if self._is_whole else points

    def _value(self, point: Array) -> tuple[float, float]:
        """Value and constraint violation of one point."""
        x = self._rounded(point) if self._is_whole else point.copy()
        broken = self._violation(x) if self._limits else 0.0
        if broken > 0:
            return np.inf, broken
        number = as_number("differential_evolution", self.func(x, *self.args))
        return (number if number == number else np.inf), 0.0  # NaN is the worst value, as in SciPy

    def _values(self, points: Array) -> tuple[Array, Array]:
        """Values and violations of many points."""
        if not self.vectorized:
            found = self._mapped(points)
            return np.array([value for value, _ in found]), np.array([broken for _, broken in found])
        x = self._rounded(points)
        broken = np.array([self._violation(point) for point in x]) if self._limits else np.zeros(len(x))
        values, sound = np.full(len(x), np.inf), broken == 0
        if sound.any():
            given = np.asarray(self.func(x[sound].T.copy(), *self.args), dtype=np.float64)
            given = np.where(np.isnan(given), np.inf, given)
            values[sound] = checked_values(
                "differential_evolution", given, int(sound.sum()), "a number for each column"
            )
        return values, broken

    def _mapped(self, points: Array) -> list[tuple[float, float]]:
        if callable(self.workers):
            return list(self.workers(self._value, points))
        if self.workers == 1:
            return [self._value(point) for point in points]
        return [value for _, value in sorted(each(_evaluated, (self,), list(points), int(self.workers)))]

    def _violation(self, x: Array) -> float:
        """The sum of what the constraints are violated by."""
        total = 0.0
        for limit in self._limits:
            if hasattr(limit, "fun"):
                value = limit.fun(x)
            else:
                value = limit.A @ x if hasattr(limit, "A") else x
            values = np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()
            total += float(np.maximum(np.asarray(limit.lb) - values, 0).sum())
            total += float(np.maximum(values - np.asarray(limit.ub), 0).sum())
        return total

    def _halted(self, state: State) -> bool:
        """Whether the callback requests a stop."""
        if self.callback is None:
            return False
        x, value = self._point(state), float(state["energy"][0])
        try:
            if "intermediate_result" in inspect.signature(self.callback).parameters:
                from scipy.optimize import OptimizeResult

                return bool(self.callback(intermediate_result=OptimizeResult(x=x, fun=value, nit=state["generation"])))
            return bool(self.callback(x, convergence=0.0))
        except StopIteration:
            return True

    def _point(self, state: State) -> Array:
        return self._rounded(self._from + state["population"][0] * self._width)

    def _result(self, state: State, trace: Any) -> Optimum:
        from scipy.optimize import OptimizeResult

        reasons = {
            "converged": "Optimization terminated successfully.",
            "limit": "Maximum number of iterations has been exceeded.",
            "stalled": "callback function requested stop early",
        }
        feasible = bool(state["violation"][0] == 0)
        if not np.isfinite(state["energy"]).any() and feasible:
            raise DataError("differential_evolution: func was finite at no point of the population")
        found = OptimizeResult(
            x=self._point(state), fun=float(state["energy"][0]), nfev=state["evaluations"], nit=state["generation"],
            message=reasons.get(trace.stopped, f"stopped: {trace.stopped}") if feasible else "no feasible point found",
            success=trace.stopped == "converged" and feasible,
            population=self._rounded(self._from + state["population"] * self._width),
            population_energies=state["energy"], trace=trace,
        )  # fmt: skip
        return self._polished(found) if self.polish and feasible and not self._limits else found

    def _polished(self, found: Optimum) -> Optimum:
        """The result improved by L-BFGS-B in the real variables."""
        from scipy.optimize import minimize

        free = ~self._whole
        if not free.any():
            return found

        def function(real: Array) -> float:
            x = found.x.copy()
            x[free] = real
            return float(np.asarray(self.func(x[:, None] if self.vectorized else x, *self.args)).reshape(-1)[0])

        box = np.column_stack([self._low, self._high])[free]
        better = minimize(function, found.x[free], method="L-BFGS-B", bounds=box)
        found.nfev += better.nfev
        if better.success and better.fun < found.fun and ((better.x >= box[:, 0]) & (better.x <= box[:, 1])).all():
            found.x = found.x.copy()
            found.x[free], found.fun, found.jac = better.x, float(better.fun), better.jac
        return found


def _evaluated(search: DifferentialEvolution, point: Array) -> tuple[float, float]:
    return search._value(point)
