"""Base class of samplers of one log density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

from ..core import ParameterError, RandomState, declaring, seed_of
from ..core.declare import params
from ._chains import Chains, Transition, chain_seeds, random_starts, run_alone
from ._layout import layout_and_starts
from ._target import TargetDensity
from .draws import Draws


@declaring
class ChainSampler(ABC):
    """A sampler with parameters; `sample` runs several chains of it."""

    uses_gradient: ClassVar[bool] = True
    jitter: ClassVar[float] = 1.0  # of the starts, in each parameter without bounds

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in params.parameters(type(self))}

    def __repr__(self) -> str:
        given = {name: field.default for name, field in params.parameters(type(self)).items()}
        shown = [f"{name}={value!r:.60}" for name, value in self.get_params().items() if value is not given[name]]
        return f"{type(self).__name__}({', '.join(shown)})"

    def sample(
        self,
        log_density: Callable[..., Any],
        initial: Any,
        *,
        gradient: Any = None,
        bounds: Any = None,
        draws: int = 1000,
        tune: int = 1000,
        chains: int = 4,
        random_state: RandomState = None,
    ) -> Draws:
        """Draws of `chains` chains: `tune` draws of warm-up each, which are not kept, then `draws`."""
        params.check(self)
        check_counts("sample", draws, tune, chains)
        if not callable(log_density):
            raise ParameterError(f"sample: log_density must be a function; got {log_density!r:.60}")
        if not (gradient is None or gradient is True or gradient == "tape" or callable(gradient)):
            raise ParameterError(f'sample: gradient must be a function, True, "tape" or None; got {gradient!r:.60}')
        layout, starts, each = layout_and_starts(initial, bounds, chains)
        target = TargetDensity(log_density, layout, gradient, starts[0])
        seeds = chain_seeds(seed_of(random_state), chains)
        positions = random_starts(target.value, starts, each, seeds, self.jitter)
        method = Chains(self._transition(target, tune), layout, positions, seeds, draws, tune)
        return run_alone(self, method, log_density, gradient)

    @abstractmethod
    def _transition(self, target: TargetDensity, tune: int) -> Transition:
        """How the chains move."""


def check_counts(owner: str, draws: Any, tune: Any, chains: Any) -> None:
    """Refuse numbers of draws and chains that are not whole or too small."""
    for name, value, least in (("draws", draws, 1), ("tune", tune, 0), ("chains", chains, 1)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise ParameterError(f"{owner}: {name} must be a whole number of at least {least}; got {value!r:.40}")
