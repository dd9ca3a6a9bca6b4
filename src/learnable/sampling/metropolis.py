"""Metropolis-Hastings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..core import Array, DataError, declaring, param
from ..engines.iterate import State
from ._chain_by_chain import ChainByChain
from ._sampler import ChainSampler
from ._target import TargetDensity

BEST_SCALE = 2.38  # over the square root of the dimension, of normal proposals for normal densities
FIRST_COVARIANCE = 100  # draws of the warm-up before proposals follow their covariance


@declaring
class Metropolis(ChainSampler):
    """Metropolis-Hastings algorithm with normal proposals that adapt, or with a proposal of your own.

    A proposal x' is accepted with the probability min(1, p(x') q(x | x') / p(x) q(x' | x)); otherwise the chain stays.
    During the warm-up the covariance of normal proposals follows that of the draws (Haario), and their scale the
    acceptance rate `target_accept`; both are fixed afterwards. `proposal(x, random)` returns the vector x', or x' and
    the log ratio q(x | x') / q(x' | x) if it is not symmetric; it is used as it is.
    [Metropolis et al., 1953; Hastings, 1970; Haario, Saksman and Tamminen, 2001]

    >>> draws = Metropolis().sample(lambda x: -0.5 * x[0] ** 2, [0.0], draws=5000, random_state=0)
    >>> bool(abs(draws["x"].mean()) < 0.1), bool(abs(draws["x"].std() - 1) < 0.1)
    (True, True)
    """

    scale: float | None = param(None, "standard deviation of proposals at the start; 2.38 / sqrt(dimension) if None",
                                above=0)  # fmt: skip
    adapt: bool = param(True, "whether normal proposals adapt during the warm-up")
    target_accept: float = param(0.3, "acceptance rate that the scale is adapted to", above=0, below=1)
    proposal: Callable[..., Any] | None = param(None, "function of x and a generator that proposes x'")

    uses_gradient: ClassVar[bool] = False

    def _transition(self, target: TargetDensity, tune: int) -> RandomWalk:
        size = target.layout.size
        scale = BEST_SCALE / np.sqrt(size) if self.scale is None else self.scale
        adapts = self.adapt and self.proposal is None
        return RandomWalk(target, float(np.log(scale)), self.target_accept if adapts else 0.0, self.proposal)


class RandomWalk(ChainByChain):
    """Transitions of Metropolis-Hastings; proposals adapt towards an acceptance rate if that is above 0."""

    def __init__(self, target: TargetDensity, log_scale: float, target_accept: float, proposal: Any) -> None:
        super().__init__(target)
        self.log_scale, self.target_accept, self.proposal = log_scale, target_accept, proposal

    def further(self, positions: Array) -> State:
        """Proposals of unit covariance."""
        chains = len(positions)
        return {
            "log_scale": np.full(chains, self.log_scale), "mean": positions.copy(), "count": 1,
            "scatter": np.zeros((chains, self.size, self.size)), "factor": np.tile(np.eye(self.size), (chains, 1, 1)),
        }  # fmt: skip

    def run(
        self, state: State, chain: int, random: Any, first: int, tuning: bool, draws: Array, lp: Array, stat: Array
    ) -> None:
        """Propose, and accept or stay."""
        position, value, log_scale = state["position"][chain], state["lp"][chain], state["log_scale"][chain]
        steps = random.standard_normal(draws.shape) @ state["factor"][chain].T
        thresholds = np.log1p(-random.random(len(draws)))
        for d in range(len(draws)):
            if self.proposal is None:
                proposed, ratio = position + np.exp(log_scale) * steps[d], 0.0
            else:
                proposed, ratio = self._proposed(position, random)
            there = self.value(proposed)
            gain = there - value + ratio
            if thresholds[d] < gain:
                position, value = proposed, there
            stat[d] = np.exp(min(gain, 0.0)) if gain == gain else 0.0
            if tuning and self.target_accept > 0:
                log_scale += (stat[d] - self.target_accept) / (first + d + 1) ** 0.6
            draws[d], lp[d] = position, value
        state["position"][chain], state["lp"][chain], state["log_scale"][chain] = position, value, log_scale

    def _proposed(self, position: Array, random: Any) -> tuple[Array, float]:
        found = self.proposal(position.copy(), random)
        proposed, ratio = found if isinstance(found, tuple) else (found, 0.0)
        proposed = np.asarray(proposed, dtype=np.float64)
        if proposed.shape != position.shape:
            raise DataError(f"Metropolis: proposal must return {self.size} numbers; got the shape {proposed.shape}")
        return proposed, float(ratio)

    def adapted(self, state: State, draws: Array, done: int) -> State:
        """Mean and scatter of all draws so far, and the factor of the covariance of proposals."""
        if self.target_accept == 0:
            return {}
        count = state["count"] + draws.shape[1]
        shift = draws - state["mean"][:, None]
        mean = state["mean"] + shift.sum(axis=1) / count
        scatter = state["scatter"] + np.einsum("cdi,cdj->cij", shift, draws - mean[:, None])
        found: dict[str, Any] = {"count": count, "mean": mean, "scatter": scatter}
        if done < FIRST_COVARIANCE:
            return found
        covariance = scatter / count
        shrunk = covariance + 1e-6 * covariance.diagonal(axis1=1, axis2=2).mean(axis=1)[:, None, None] * np.eye(
            self.size
        )
        try:
            factor = np.linalg.cholesky(shrunk)
        except np.linalg.LinAlgError:  # a chain that has not moved yet
            return found
        if done - draws.shape[1] < FIRST_COVARIANCE:  # from unit proposals to those of this covariance
            found["log_scale"] = np.full(len(draws), np.log(BEST_SCALE / np.sqrt(self.size)))
        return {**found, "factor": factor}
