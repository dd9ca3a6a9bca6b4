"""Draws from a log density by any sampler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import ParameterError, RandomState
from ..core.declare.params import parameters
from ._sampler import ChainSampler
from .draws import Draws
from .hamiltonian_monte_carlo import HamiltonianMonteCarlo
from .metropolis import Metropolis
from .nuts import NUTS
from .parallel_tempering import ParallelTempering
from .slice_sampler import SliceSampler

SAMPLERS: dict[str, type[ChainSampler]] = {
    "nuts": NUTS, "hmc": HamiltonianMonteCarlo, "metropolis": Metropolis, "slice": SliceSampler,
    "tempering": ParallelTempering,
}  # fmt: skip


def sample(
    log_density: Callable[..., Any],
    initial: Any,
    *,
    gradient: Any = None,
    bounds: Any = None,
    method: str | ChainSampler = "nuts",
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    target_accept: float | None = None,
    random_state: RandomState = None,
) -> Draws:
    """Draw from an unnormalised log density by Markov chain Monte Carlo, by default with NUTS.

    `method` is "nuts", "hmc", "metropolis", "slice" or "tempering", or a sampler such as `NUTS(metric="dense")`.
    `initial` is a vector, or a dict of parameters by name, which are the keyword arguments of `log_density` then;
    `bounds` are pairs (low, high) by name. Without `gradient` the density is differentiated by `learnable.tape`, and
    compiled, if it is written in operations of tensors such as `(x * x).sum()`, `np.exp(x)` or `A @ x` and does not
    choose by the values of parameters; else by differences. `gradient` is a function, or True if the density returns
    both.

    >>> draws = sample(lambda mu: -0.5 * ((mu - 3) / 2) ** 2, {"mu": 0.0}, random_state=0)
    >>> bool(abs(draws["mu"].mean() - 3) < 0.2), draws.certificate_.holds
    (True, True)
    """
    if isinstance(method, str):
        if method not in SAMPLERS:
            raise ParameterError(
                f"sample: method must be one of {', '.join(SAMPLERS)}, or a sampler; got {method!r:.40}"
            )
        method = SAMPLERS[method]()
    if not isinstance(method, ChainSampler):
        raise ParameterError(f"sample: method must be a name or a sampler such as NUTS(); got {method!r:.60}")
    if target_accept is not None:
        given = method.get_params()
        if "target_accept" not in parameters(type(method)):
            raise ParameterError(f"sample: {type(method).__name__} has no target_accept")
        method = type(method)(**{**given, "target_accept": target_accept})
    return method.sample(
        log_density, initial, gradient=gradient, bounds=bounds, draws=draws, tune=tune, chains=chains,
        random_state=random_state,
    )  # fmt: skip
