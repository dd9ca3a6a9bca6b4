"""Particle swarm optimisation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import REQUIRED, Array, declaring, param
from ..core.declare.checked_functions import checked
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


@checked()
def particle_swarm(
    func: Callable[..., Any],
    bounds: Any,
    *,
    args: tuple[Any, ...] = (),
    n_particles: int = 40,
    maxiter: int = 500,
    inertia: float = 0.7298,
    cognitive: float = 1.49618,
    social: float = 1.49618,
    topology: Literal["global", "ring"] = "global",
    ftol: float = 1e-10,
    patience: int = 50,
    vectorized: bool = False,
    rng: Seed = None,
) -> Optimum:
    """Particle swarm optimisation: the minimum of a function within bounds, by points that fly towards good ones.

    v <- w v + c_1 u_1 (p - x) + c_2 u_2 (g - x),   x <- x + v

    with the best point p of a particle and the best g of all ("global") or of its two neighbours ("ring"). Particles
    stop at the bounds. It ends when `patience` iterations together improve the best value by less than `ftol`. The
    random numbers of a particle depend on the seed, the iteration and its index alone. [Kennedy and Eberhart, 1995;
    Clerc and Kennedy, 2002]

    >>> found = particle_swarm(lambda x: (x**2).sum(), [(-5, 5)] * 3, rng=0)
    >>> bool(found.success), bool(found.fun < 1e-6)
    (True, True)
    """
    return ParticleSwarm(
        func=func, bounds=bounds, args=tuple(args), n_particles=n_particles, maxiter=maxiter, inertia=inertia,
        cognitive=cognitive, social=social, topology=topology, ftol=ftol, patience=patience, vectorized=vectorized,
        random_state=rng,
    ).solve()  # fmt: skip


@declaring
class ParticleSwarm(FunctionSearch):
    """A run of particle swarm optimisation, as watchers see it."""

    func: Any = param(REQUIRED, "function to minimise", accepts=callable, says="a function")
    bounds: Any = param(REQUIRED, "bounds of each variable")
    args: Any = param((), "further arguments of the function")
    n_particles: int = param(40, "number of particles", at_least=2)
    maxiter: int = param(500, "maximum number of iterations", at_least=1)
    inertia: float = param(0.7298, "factor of the velocity", at_least=0)
    cognitive: float = param(1.49618, "attraction to the best point of the particle", at_least=0)
    social: float = param(1.49618, "attraction to the best point of its neighbours", at_least=0)
    topology: Literal["global", "ring"] = param("global", "neighbours of a particle")
    ftol: float = param(1e-10, "improvement that counts", at_least=0)
    patience: int = param(50, "iterations without such an improvement that end the search", at_least=1)
    vectorized: bool = param(False, "whether the function takes a row for each particle")

    def solve(self) -> Optimum:
        """Run the search."""
        from scipy.optimize import OptimizeResult

        self._box = as_bounds("particle_swarm", self.bounds)
        state, trace = self._search_for(self.maxiter)
        best = int(state["values"].argmin())
        done = trace.stopped == "converged"
        reasons = {"converged": f"{self.patience} iterations improved the value by less than ftol",
                   "limit": "maxiter was reached"}  # fmt: skip
        found = OptimizeResult(
            x=state["own"][best], fun=float(state["values"][best]), nfev=self.n_particles * (state["iteration"] + 1),
            nit=state["iteration"], success=done, message=reasons.get(trace.stopped, f"stopped: {trace.stopped}"),
            trace=trace,
        )  # fmt: skip
        return finite_success(found)

    def _method(self, seed: int) -> SwarmMethod:
        return SwarmMethod(self, seed)

    def values_of(self, points: Array) -> Array:
        """The values of points."""
        if self.vectorized:
            values = as_numbers("particle_swarm", self.func(points.copy(), *self.args))
        else:
            values = values_one_by_one("particle_swarm", self.func, points.copy(), *self.args)
        return checked_values("particle_swarm", values, len(points), "a number for each particle")


@dataclass(frozen=True)
class SwarmMethod:
    """Particle swarm optimisation as a method of `iterate`."""

    swarm: ParticleSwarm
    seed: int

    def start(self) -> State:
        """Particles at random points with random velocities."""
        low, high = self.swarm._box
        n, d = self.swarm.n_particles, len(low)
        draws = RowDraws(self.seed, n, (0,))
        x = low + draws.uniform(d) * (high - low)
        velocity = (draws.uniform(d) - 0.5) * (high - low)
        values = self.swarm.values_of(x)
        return {
            "x": x, "velocity": velocity, "own": x, "values": values, "iteration": 0, "stale": 0,
            "mark": float(values.min()),
        }  # fmt: skip

    def step(self, state: State) -> State:
        """Every particle moves."""
        own, swarm = state["own"], self.swarm
        (low, high), (n, d) = swarm._box, state["x"].shape
        draws = RowDraws(self.seed, n, (state["iteration"] + 1,))
        leader = own[self._leaders(state["values"])]
        velocity = (
            swarm.inertia * state["velocity"]
            + swarm.cognitive * draws.uniform(d) * (own - state["x"])
            + swarm.social * draws.uniform(d) * (leader - state["x"])
        )
        moved = state["x"] + velocity
        x = np.clip(moved, low, high)
        velocity = np.where(moved == x, velocity, 0.0)
        values = swarm.values_of(x)
        better = values < state["values"]
        best = np.where(better, values, state["values"])
        improved = best.min() < state["mark"] - swarm.ftol
        return {
            "x": x, "velocity": velocity, "own": np.where(better[:, None], x, own), "values": best,
            "iteration": state["iteration"] + 1, "stale": 0 if improved else state["stale"] + 1,
            "mark": float(best.min()) if improved else state["mark"],
        }  # fmt: skip

    def progress(self, state: State) -> Progress:
        """The best value so far, and how many more iterations without improvement there may be."""
        evaluations = float(len(state["values"]) * (state["iteration"] + 1))
        left = float(self.swarm.patience - state["stale"])
        return Progress(float(state["values"].min()), left, 0.0, {"evaluations": evaluations})

    def _leaders(self, values: Array) -> Array:
        """The particle that each follows."""
        n = len(values)
        if self.swarm.topology == "global":
            return np.full(n, int(values.argmin()))
        near = (np.arange(n)[:, None] + np.array([-1, 0, 1])) % n
        leaders: Array = near[np.arange(n), values[near].argmin(axis=1)]
        return leaders
