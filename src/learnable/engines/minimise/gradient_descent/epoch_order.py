"""The order in which the rows of an epoch have their turn."""

from __future__ import annotations

from ....core.runtime.native import kernels
from ....core.validate.features import Array

KEY = 0xD1342543DE82EF95  # odd, so that the keys of all epochs differ


def shuffle(order: Array, seed: int, epoch: int) -> None:
    """Put the entries of `order` into an order drawn from (seed, epoch)."""
    kernels.shuffle(order, (seed + epoch * KEY) % 2**64)
