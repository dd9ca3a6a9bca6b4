"""Gibbs sampling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, generator, seed_of
from ..engines.iterate import State
from ._chain_by_chain import STREAM
from ._chains import Chains, chain_seeds, run_alone
from ._layout import layout_and_starts
from ._sampler import check_counts
from .draws import Draws

Conditional = Callable[[dict[str, Any], np.random.Generator], Any]


class Gibbs:
    """Gibbs sampler: each block of parameters is drawn from its distribution given all others, in turn.

    `conditionals` maps the name of each block to a function of the current values, a dict, and a random generator,
    which returns the next value of the block. Conjugate models have conditionals in closed form: `NormalInverseGamma`
    and `DirichletMultinomial` of `learnable.conjugate` give their parameters.
    [Geman and Geman, 1984; Gelfand and Smith, 1990]

    >>> def a(now, random):
    ...     return 0.6 * now["b"] + 0.8 * random.standard_normal()
    >>> def b(now, random):
    ...     return 0.6 * now["a"] + 0.8 * random.standard_normal()
    >>> draws = Gibbs({"a": a, "b": b}).sample({"a": 0.0, "b": 0.0}, draws=2000, random_state=0)
    >>> bool(abs(np.corrcoef(draws.flat("a"), draws.flat("b"))[0, 1] - 0.6) < 0.05)
    True
    """

    def __init__(self, conditionals: Mapping[str, Conditional]) -> None:
        if not isinstance(conditionals, Mapping) or not conditionals or not all(map(callable, conditionals.values())):
            raise ParameterError(
                f"Gibbs: conditionals must be functions by the names of their blocks; got {conditionals!r:.60}"
            )
        self.conditionals = dict(conditionals)

    def __repr__(self) -> str:
        return f"Gibbs({', '.join(self.conditionals)})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The conditionals."""
        return {"conditionals": self.conditionals}

    def sample(
        self,
        initial: Mapping[str, Any],
        *,
        draws: int = 1000,
        tune: int = 500,
        chains: int = 4,
        random_state: RandomState = None,
    ) -> Draws:
        """Draws of several chains that begin at `initial`; the first `tune` of each are not kept."""
        check_counts("Gibbs", draws, tune, chains)
        if not isinstance(initial, Mapping) or set(initial) != set(self.conditionals):
            raise DataError(
                f"Gibbs: initial must be a dict with the blocks {', '.join(self.conditionals)}; got {initial!r:.60}"
            )
        layout, starts, _ = layout_and_starts(initial, None, chains)
        seeds = chain_seeds(seed_of(random_state), chains)
        transition = Sweeps(self.conditionals, layout)
        method = Chains(transition, layout, np.repeat(starts, chains, axis=0), seeds, draws, tune)
        return run_alone(self, method)


class Sweeps:
    """Sweeps through all blocks as transitions of chains."""

    def __init__(self, conditionals: dict[str, Conditional], layout: Any) -> None:
        self.conditionals, self.layout = conditionals, layout

    def breaks(self, tune: int) -> list[int]:
        """Blocks may end anywhere."""
        return []

    def start(self, positions: Array, seeds: list[int]) -> State:
        """At the starts."""
        return {"position": positions.copy(), "seeds": list(seeds)}

    def block(self, state: State, first: int, count: int, tuning: bool) -> tuple[State, Array, dict[str, Array]]:
        """The next sweeps of every chain."""
        chains, size = state["position"].shape
        draws = np.empty((chains, count, size))
        for chain in range(chains):
            random = generator(state["seeds"][chain], STREAM, first)
            now = self.layout.arguments(state["position"][chain])[1]
            for d in range(count):
                for block in self.layout.blocks:
                    now[block.name] = self._next(block, now, random)
                    draws[chain, d, block.place] = np.ravel(now[block.name])
        return {**state, "position": draws[:, -1].copy()}, draws, {}

    def _next(self, block: Any, now: dict[str, Any], random: Any) -> Any:
        value = np.asarray(self.conditionals[block.name](dict(now), random), dtype=np.float64)
        if value.shape != block.shape or not np.isfinite(value).all():
            raise DataError(
                f"Gibbs: the conditional of {block.name} must return finite numbers of shape {block.shape}; it "
                f"returned {value!r:.60}"
            )
        return value if block.shape else float(value)
