"""The no-U-turn sampler."""

from __future__ import annotations

from typing import Literal

from ..core import declaring, param
from ._hamiltonian import Hamiltonian, warmup_windows
from ._sampler import ChainSampler
from ._target import TargetDensity


@declaring
class NUTS(ChainSampler):
    """No-U-turn sampler (NUTS): Hamiltonian Monte Carlo whose trajectories end where they turn back.

    Each draw doubles a trajectory of leapfrog steps until its ends approach each other, and chooses one of its points
    with multinomial weights. During the warm-up dual averaging sets the step size so that the mean acceptance rate is
    `target_accept`, and the mass matrix is estimated from draws and gradients in windows of growing length. A
    transition is divergent if the energy grows by more than 1000: raise `target_accept`, or reparametrise.
    [Hoffman and Gelman, 2014; Betancourt, 2017]

    >>> draws = NUTS().sample(lambda x: -0.5 * (x * x).sum(), [0.0, 0.0], random_state=0)
    >>> draws["x"].shape, draws.certificate_.holds, bool(abs(draws["x"].std() - 1) < 0.05)
    ((4, 1000, 2), True, True)
    """

    target_accept: float = param(0.8, "mean acceptance rate that the step size is adapted to", above=0, below=1)
    max_depth: int = param(10, "maximum depth of the trees: at most 2 ** max_depth steps", at_least=1, at_most=20)
    metric: Literal["diagonal", "dense"] = param("diagonal", "form of the mass matrix")

    def _transition(self, target: TargetDensity, tune: int) -> Hamiltonian:
        return Hamiltonian(
            target.density, self.target_accept, self.max_depth, 0.0, self.metric, warmup_windows(tune),
            reference=target.reference,
        )  # fmt: skip
