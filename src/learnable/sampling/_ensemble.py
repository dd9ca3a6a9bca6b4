"""Steps of an ensemble of walkers as a method of the iterate loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, generator
from ..engines.iterate import Progress, State
from .ensemble_moves import Move, StretchMove

BLOCK = 50  # steps of all walkers in one step of the loop
Values = Callable[[Array], Array]


def checked_moves(moves: Any) -> list[tuple[float, Move]]:
    """The moves with their probabilities: one, a list, or a list of pairs (move, weight)."""
    given = [StretchMove()] if moves is None else moves if isinstance(moves, (list, tuple)) else [moves]
    pairs = [(one[1], one[0]) if isinstance(one, tuple) else (1.0, one) for one in given]
    if not pairs or not all(isinstance(move, Move) and weight > 0 for weight, move in pairs):
        raise ParameterError(
            f"EnsembleSampler: moves must be moves, or pairs of a move and a weight; got {moves!r:.60}"
        )
    total = sum(weight for weight, _ in pairs)
    return [(weight / total, move) for weight, move in pairs]


def walker_values(
    function: Any, args: list[Any], kwargs: dict[str, Any], vectorize: bool, ndim: int, pool: Any
) -> Values:
    """The log densities of rows: by one call, by a compiled density, or row by row."""
    if vectorize:
        return lambda X: _finite_or_outside(function(X, *args, **kwargs), len(X))
    one = (lambda x: function(x, *args, **kwargs)) if args or kwargs else function
    compiled = None if pool is not None else _compiled(one, ndim)
    if compiled is not None:
        return Compiled(compiled, one)
    each = map if pool is None else pool.map
    return lambda X: _finite_or_outside(list(each(one, X)), len(X))


class Compiled:
    """A recorded density of rows; the function itself is evaluated at a row now and then."""

    def __init__(self, density: Any, function: Any) -> None:
        self.density, self.function, self.calls = density, function, 0

    def __call__(self, X: Array) -> Array:
        values = np.empty(len(X))
        self.density.values(np.ascontiguousarray(X), values)
        values[np.isnan(values)] = -np.inf
        self.calls += 1
        if self.calls % BLOCK == 1:
            k = self.calls // BLOCK % len(X)
            expected = _finite_or_outside([self.function(X[k])], 1)[0]
            if not np.isclose(values[k], expected, rtol=1e-6, atol=1e-6):
                raise DataError(
                    f"EnsembleSampler: the log density is {expected:.6g} where its compiled form is {values[k]:.6g}, "
                    "as it chooses operations by the values of its parameters; call float() on its result"
                )
        return values


def _compiled(function: Any, ndim: int) -> Any:
    from ._program import compiled_density

    with np.errstate(all="ignore"):
        try:
            return compiled_density(function, np.zeros(ndim) + 0.5)
        except Exception:  # whatever an operation that does not know tensors raises
            return None


def _finite_or_outside(found: Any, rows: int) -> Array:
    """Log densities of all rows; NaN counts as outside the support."""
    try:
        values = np.array([float(one) for one in found]) if isinstance(found, list) else np.array(found, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"EnsembleSampler: log_prob_fn must return one number per walker; got {found!r:.60}") from None
    if values.shape != (rows,):
        raise DataError(f"EnsembleSampler: log_prob_fn must return {rows} numbers; got the shape {values.shape}")
    if (values == np.inf).any():
        raise DataError("EnsembleSampler: the log density is infinite; densities must be finite")
    values[np.isnan(values)] = -np.inf
    return values


@dataclass
class EnsembleSteps:
    """All walkers, half after half, for a number of steps."""

    values: Values
    moves: list[tuple[float, Move]]
    coords: Array
    lp: Array
    seed: int
    run: int
    total: int
    thin_by: int

    def start(self) -> State:
        """Before the first step."""
        return {"coords": self.coords, "lp": self.lp, "done": 0, "chain": [], "log_prob": [], "accepted": []}

    def step(self, state: State) -> State:
        """A block of steps."""
        count = min(BLOCK, self.total - state["done"])
        random = generator(self.seed, self.run, state["done"])
        coords, lp = state["coords"].copy(), state["lp"].copy()
        walkers, size = coords.shape
        kept = np.empty((count, walkers, size))
        values, accepted = np.empty((count, walkers)), np.zeros(walkers + 1)
        weights = np.cumsum([weight for weight, _ in self.moves])
        for k in range(count):
            move = self.moves[min(int(np.searchsorted(weights, random.random())), len(weights) - 1)][1]
            self._both_halves(move, coords, lp, random, accepted)
            kept[k], values[k] = coords, lp
        accepted[0] = count
        every = slice((-state["done"] - 1) % self.thin_by, None, self.thin_by)
        return {
            "coords": coords, "lp": lp, "done": state["done"] + count, "chain": [*state["chain"], kept[every]],
            "log_prob": [*state["log_prob"], values[every]], "accepted": [*state["accepted"], accepted],
        }  # fmt: skip

    def _both_halves(self, move: Move, coords: Array, lp: Array, random: Any, accepted: Array) -> None:
        middle = len(coords) // 2
        for half, other in ((slice(0, middle), slice(middle, None)), (slice(middle, None), slice(0, middle))):
            proposed, factor = move.propose(coords[half], coords[other], random)
            there = self.values(proposed)
            taken = np.log1p(-random.random(len(there))) < factor + there - lp[half]
            np.copyto(coords[half], proposed, where=taken[:, None])
            np.copyto(lp[half], there, where=taken)
            accepted[1:][half] += taken

    def progress(self, state: State) -> Progress:
        """Ends after the last step; whether the chain has converged is for its autocorrelation time to say."""
        left = float(self.total - state["done"])
        return Progress(-float(state["lp"].mean()), left, 0.0, {"draws": float(state["done"])})
