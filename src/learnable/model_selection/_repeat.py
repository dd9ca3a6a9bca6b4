"""Repeated cross-validation: the same splitter, shuffled again in each repetition."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..core import RandomState
from ..core.runtime.random import stream
from ..engines.folds import Fold


def repeated(once: Callable[[RandomState], Iterator[Fold]], times: int, random_state: RandomState) -> Iterator[Fold]:
    """The folds of `times` repetitions, shuffled one after the other from one random stream."""
    rng = stream(random_state)
    for _ in range(times):
        yield from once(rng)
