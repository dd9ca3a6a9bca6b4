"""What environments, policies and callers give, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError


def outcome_of(owner: str, given: Any) -> tuple[Any, float, bool, bool]:
    """State, reward, whether the episode ended and whether it was cut off, of what `step` returned."""
    try:
        state, reward, terminated, truncated, _ = given
    except (TypeError, ValueError):
        raise DataError(
            f"{owner}: step of the environment must return five values, (state, reward, terminated, truncated, info); "
            f"got {given!r:.60}"
        ) from None
    try:
        number = float(reward)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"{owner}: rewards must be finite numbers; the environment returned {reward!r:.40}")
    return state, number, bool(terminated), bool(truncated)


def state_of(owner: str, value: Any, states: int) -> int:
    """One state as its index."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < states:
        raise DataError(f"{owner}: states must be 0..{states - 1}; got {value!r:.40}")
    return int(value)


def states_of(owner: str, values: Any, states: int) -> Array:
    """States as indices: one, or an array of them."""
    try:
        found = np.asarray(values)
    except ValueError:  # lists of different lengths
        found = np.array(None)
    if found.size == 0 and found.ndim:
        return found.astype(np.int64)
    if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= states:
        raise DataError(f"{owner}: states must be 0..{states - 1}; got {values!r:.60}")
    return found.astype(np.int64)
