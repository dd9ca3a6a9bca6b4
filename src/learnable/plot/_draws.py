"""Single quantities of Markov chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array
from ..core.errors import ParameterError


def entry_of(draws: Any, name: str) -> Array:
    """The draws (chain, draw) of a quantity that is one number, or of an entry such as theta[0]."""
    if not hasattr(draws, "entries") or not hasattr(draws, "matrix"):
        raise ParameterError(f"from_draws: Draws of learnable.sampling are needed; got {draws!r:.60}")
    if name not in draws.entries:
        known = ", ".join(draws.entries[:10])
        raise ParameterError(f"from_draws: there is no quantity {name!r:.40}; there are {known:.200}")
    return np.asarray(draws.matrix()[:, :, draws.entries.index(name)])
