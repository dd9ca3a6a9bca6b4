"""Hamiltonian Monte Carlo."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import declaring, param
from ._hamiltonian import Hamiltonian, warmup_windows
from ._sampler import ChainSampler
from ._target import TargetDensity


@declaring
class HamiltonianMonteCarlo(ChainSampler):
    """Hamiltonian Monte Carlo (HMC), also hybrid Monte Carlo: trajectories of a fixed length.

    Each draw follows the dynamics of a particle with random momentum for the time `length` by leapfrog steps, and is
    accepted with the probability exp(-change of the energy). In units of the mass matrix, a length of pi / 2 makes
    successive draws of a normal distribution independent. Step size and mass matrix are adapted as by NUTS.
    [Duane, Kennedy, Pendleton and Roweth, 1987; Neal, 2011]

    >>> draws = HamiltonianMonteCarlo().sample(lambda x: -0.5 * (x * x).sum(), [0.0], random_state=0)
    >>> draws["x"].shape, bool(abs(draws["x"].mean()) < 0.05)
    ((4, 1000, 1), True)
    """

    length: float = param(float(np.pi / 2), "time that a trajectory lasts", above=0)
    target_accept: float = param(0.8, "mean acceptance rate that the step size is adapted to", above=0, below=1)
    metric: Literal["diagonal", "dense"] = param("diagonal", "form of the mass matrix")

    def _transition(self, target: TargetDensity, tune: int) -> Hamiltonian:
        return Hamiltonian(
            target.density, self.target_accept, 1, self.length, self.metric, warmup_windows(tune),
            reference=target.reference,
        )  # fmt: skip
