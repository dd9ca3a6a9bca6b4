"""Parallel tempering."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..core import Array, declaring, param
from ..engines.iterate import State
from ._chain_by_chain import ChainByChain
from ._sampler import ChainSampler
from ._target import TargetDensity


@declaring
class ParallelTempering(ChainSampler):
    """Parallel tempering (replica exchange): Metropolis chains at several temperatures that swap their states.

    At temperature T a chain has the density p(x)^(1/T). Hot chains cross the valleys between modes; two neighbours
    swap with the probability min(1, exp((1/T_a - 1/T_b) (log p(x_b) - log p(x_a)))). Temperatures are a geometric
    sequence from 1 to `highest`, and only the draws at temperature 1 are kept. The scales of the normal proposals adapt
    in the warm-up, one for each temperature. [Swendsen and Wang, 1986; Geyer, 1991]

    >>> modes = lambda x: np.logaddexp(-0.5 * (x[0] - 8) ** 2, -0.5 * (x[0] + 8) ** 2)
    >>> draws = ParallelTempering(highest=50.0).sample(modes, [0.0], draws=3000, random_state=0)
    >>> bool(0.3 < (draws["x"] > 0).mean() < 0.7)
    True
    """

    n_temperatures: int = param(8, "number of temperatures", at_least=2, at_most=1000)
    highest: float = param(20.0, "highest temperature", above=1)
    target_accept: float = param(0.3, "acceptance rate that the scales are adapted to", above=0, below=1)

    uses_gradient: ClassVar[bool] = False

    def _transition(self, target: TargetDensity, tune: int) -> Replicas:
        powers = self.highest ** -(np.arange(self.n_temperatures) / (self.n_temperatures - 1))
        return Replicas(target, powers, self.target_accept)


class Replicas(ChainByChain):
    """Metropolis steps of all replicas, then swaps of neighbours, for every draw."""

    statistic: ClassVar[str] = "swap_rate"

    def __init__(self, target: TargetDensity, powers: Array, target_accept: float) -> None:
        super().__init__(target)
        self.powers, self.target_accept = powers, target_accept

    def further(self, positions: Array) -> State:
        """All replicas of a chain begin at its start."""
        count = len(self.powers)
        values = np.array([self.value(position) for position in positions])
        scale = 2.38 / np.sqrt(self.size) / np.sqrt(self.powers)
        return {
            "replicas": np.repeat(positions[:, None], count, axis=1),
            "values": np.repeat(values[:, None], count, axis=1),
            "log_scale": np.tile(np.log(scale), (len(positions), 1)),
        }  # fmt: skip

    def run(
        self, state: State, chain: int, random: Any, first: int, tuning: bool, draws: Array, lp: Array, stat: Array
    ) -> None:
        """One sweep for each draw."""
        replicas, values, log_scale = (state[name][chain] for name in ("replicas", "values", "log_scale"))
        count = len(self.powers)
        for d in range(len(draws)):
            steps = random.standard_normal((count, self.size)) * np.exp(log_scale)[:, None]
            thresholds = np.log1p(-random.random((2, count)))
            for k in range(count):
                proposed = replicas[k] + steps[k]
                there = self.value(proposed)
                gain = self.powers[k] * (there - values[k])
                if thresholds[0, k] < gain:
                    replicas[k], values[k] = proposed, there
                if tuning:
                    rate = np.exp(min(gain, 0.0)) if gain == gain else 0.0
                    log_scale[k] += (rate - self.target_accept) / (first + d + 1) ** 0.6
            stat[d] = self._swap(replicas, values, thresholds[1], (first + d) % 2)
            draws[d], lp[d] = replicas[0], values[0]
        state["position"][chain], state["lp"][chain] = replicas[0], values[0]

    def _swap(self, replicas: Array, values: Array, thresholds: Array, parity: int) -> float:
        """Swap neighbours, even and odd pairs in turn; the fraction that swapped."""
        pairs = range(parity, len(values) - 1, 2)
        swapped = 0
        for k in pairs:
            gain = (self.powers[k] - self.powers[k + 1]) * (values[k + 1] - values[k])
            if thresholds[k] < gain:
                replicas[[k, k + 1]], values[[k, k + 1]] = replicas[[k + 1, k]], values[[k + 1, k]]
                swapped += 1
        return swapped / max(len(pairs), 1)
