"""Differential evolution as a method of `iterate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime.native import kernels
from ..iterate import Progress, State
from .row_draws import RowDraws

# The members of a mutant besides the best one and the individual itself, and the factors of best, individual and
# members, for the mutation factor F.
MUTANTS: dict[str, tuple[int, Callable[[float], list[float]]]] = {
    "best1": (2, lambda F: [1, 0, F, -F]),
    "best2": (4, lambda F: [1, 0, F, F, -F, -F]),
    "rand1": (3, lambda F: [0, 0, 1, F, -F]),
    "rand2": (5, lambda F: [0, 0, 1, F, F, -F, -F]),
    "randtobest1": (3, lambda F: [F, 0, 1 - F, F, -F]),
    "currenttobest1": (2, lambda F: [F, 1 - F, F, -F]),
}
STRATEGIES = tuple(f"{name}{cross}" for name in MUTANTS for cross in ("bin", "exp"))
Evaluate = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class DifferentialMethod:
    """Differential evolution in the unit cube; `evaluate` gives values and constraint violations of points."""

    evaluate: Evaluate
    one: Callable[[Array], tuple[float, float]]
    initial: Array
    low: Array
    width: Array
    strategy: str
    mutation: float | tuple[float, float]
    recombination: float
    tol: float
    atol: float
    seed: int
    deferred: bool
    after: Callable[[State], bool]

    def start(self) -> State:
        """The values of the initial population."""
        energy, violation = self.evaluate(self.low + self.initial * self.width)
        state = {
            "population": self.initial, "energy": energy, "violation": violation, "generation": 0,
            "evaluations": len(energy), "halted": False,
        }  # fmt: skip
        return _best_first(state)

    def step(self, state: State) -> State:
        """One trial for every individual, which replaces it if it is not worse."""
        n, d = state["population"].shape
        draws = RowDraws(self.seed, n, (1, state["generation"] + 1))
        count, factors = MUTANTS[self.strategy[:-3]]
        F = self._factor(state["generation"] + 1)
        members = np.column_stack([np.zeros(n, np.int64), np.arange(n), draws.others(count)])
        crossed = self._crossed(draws, d)
        trials = _Trials(
            members,
            np.array(factors(F), dtype=np.float64),
            crossed.astype(np.uint8, order="C"),
            np.ascontiguousarray(draws.uniform(d)),
        )
        after = {name: state[name].copy() for name in ("population", "energy", "violation")}
        (self._all_at_once if self.deferred else self._one_by_one)(after, trials)
        found = _best_first(
            {**state, **after, "generation": state["generation"] + 1, "evaluations": state["evaluations"] + n}
        )
        found["halted"] = self.after(found)
        return found

    def progress(self, state: State) -> Progress:
        """The best value; the spread of the values of the population against the tolerance."""
        energy = state["energy"]
        if not np.isfinite(energy).all():
            spread = np.inf
        else:
            allowed = self.atol + self.tol * abs(float(energy.mean()))
            deviation = float(energy.std())
            spread = deviation / allowed if allowed > 0 else (0.0 if deviation == 0 else np.inf)
        more = {"evaluations": float(state["evaluations"]), "mean": float(energy.mean())}
        infeasible = bool((state["violation"] > 0).any())
        return Progress(float(energy[0]), np.inf if infeasible else spread, 1.0, more, stalled=state["halted"])

    def _factor(self, generation: int) -> float:
        """The mutation factor: fixed, or drawn for each generation (dither)."""
        if not isinstance(self.mutation, tuple):
            return float(self.mutation)
        low, high = sorted(self.mutation)
        return float(low + (high - low) * RowDraws(self.seed, 1, (2, generation)).uniform(1)[0, 0])

    def _crossed(self, draws: RowDraws, d: int) -> Array:
        """Which components come from the mutant: at least one, binomially or in one run."""
        first = draws.below(d, 1)
        below = draws.uniform(d) < self.recombination
        genes = np.arange(d)
        if self.strategy.endswith("bin"):
            crossed: Array = below | (genes == first)
            return crossed
        length = 1 + np.cumprod(below[:, 1:], axis=1).sum(axis=1, keepdims=True, dtype=np.int64)
        run: Array = (genes - first) % d < length
        return run

    def _one_by_one(self, state: State, trials: _Trials) -> None:
        """Trials one after the other: each sees what the ones before it changed."""
        population, members = state["population"], trials.members
        energy, violation = state["energy"].tolist(), state["violation"].tolist()
        trial, point = np.empty(population.shape[1]), np.empty(population.shape[1])
        made = kernels.DifferentialTrials(
            population, members, trials.factors, trials.crossed, trials.inside, self.low, self.width, trial, point
        )
        best = 0
        for i in range(len(population)):
            made.make(i)
            value, broken = self.one(point)
            if _not_worse(value, broken, energy[i], violation[i]):
                population[i], energy[i], violation[i] = trial, value, broken
                if _not_worse(value, broken, energy[best], violation[best]):
                    best = i
                    members[:, 0] = i
        state["energy"][:], state["violation"][:] = energy, violation

    def _all_at_once(self, state: State, trials: _Trials) -> None:
        population, energy, violation = state["population"], state["energy"], state["violation"]
        mutants = np.einsum("k,nkd->nd", trials.factors, population[trials.members])
        mutants = np.where((mutants >= 0) & (mutants <= 1), mutants, trials.inside)
        rows = np.where(trials.crossed, mutants, population)
        value, broken = self.evaluate(self.low + rows * self.width)
        nearer = (broken < violation) | ((broken > 0) & (broken <= violation))
        better = np.where((broken == 0) & (violation == 0), value <= energy, nearer)
        population[better], energy[better], violation[better] = rows[better], value[better], broken[better]


@dataclass(frozen=True)
class _Trials:
    """What the trials of a generation are made of, a row for each individual."""

    members: Array
    factors: Array
    crossed: Array
    inside: Array


def _not_worse(value: float, broken: float, old: float, old_broken: float) -> bool:
    """Whether a trial replaces: by its value among feasible points, else by how much it violates."""
    if broken == 0 and old_broken == 0:
        return value <= old
    return broken < old_broken or (broken > 0 and broken <= old_broken)


def _best_first(state: State) -> State:
    """The state with the best individual in the first row."""
    best = int(np.lexsort((state["energy"], state["violation"]))[0])
    order = np.arange(len(state["energy"]))
    order[0], order[best] = best, 0
    return {**state, **{name: state[name][order] for name in ("population", "energy", "violation")}}


def stratified_cube(n: int, d: int, seed: int) -> Array:
    """Latin hypercube: `n` points of which each column has one in each of `n` intervals of equal length."""
    draws = RowDraws(seed, d, (0,))
    order = draws.uniform(n).argsort(axis=1).T
    cube: Array = (order + RowDraws(seed, n, (3,)).uniform(d)) / n
    return cube


def as_bounds(owner: str, bounds: Any) -> tuple[Array, Array]:
    """Bounds as pairs, or an object with lb and ub as SciPy's, as two arrays."""
    from ...core import ParameterError

    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = np.column_stack(np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub)))
    try:
        table = np.asarray(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0 or not np.isfinite(table).all():
        raise ParameterError(f"{owner}: bounds must be pairs (low, high) of finite numbers; got {bounds!r:.60}")
    if (table[:, 0] > table[:, 1]).any():
        index = int((table[:, 0] > table[:, 1]).argmax())
        raise ParameterError(f"{owner}: bounds of variable {index} have low > high: {table[index].tolist()}")
    return table[:, 0].copy(), table[:, 1].copy()
