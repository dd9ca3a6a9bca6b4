"""Several iterative methods run in lockstep, for example one per class, until each has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .iterate import Method, Progress, State


@dataclass(frozen=True, slots=True)
class Lockstep:
    """A step of this method is a step of each of `methods` that has not ended yet; their objectives add.

    All have the same tolerance. Once all have ended, the whole has diverged or stalled if any part has.
    """

    methods: Sequence[Method]

    def start(self) -> State:
        return {"parts": [method.start() for method in self.methods], "open": [True] * len(self.methods)}

    def step(self, state: State) -> State:
        parts, going_on = [], []
        for method, part, is_open in zip(self.methods, state["parts"], state["open"], strict=True):
            after = method.step(part) if is_open else part
            parts.append(after)
            going_on.append(is_open and not ended(method.progress(after)))
        return {"parts": parts, "open": going_on}

    def progress(self, state: State) -> Progress:
        each = [method.progress(part) for method, part in zip(self.methods, state["parts"], strict=True)]
        at_rest = not any(state["open"])
        more = {
            name: sum(part.more[name] for part in each) / (1 if name in COUNTS else len(each)) for name in each[0].more
        }
        return Progress(
            sum(part.objective for part in each),
            float(np.max([part.criterion for part in each])),  # NaN, if there is one
            each[0].tolerance,
            more,
            stalled=at_rest and any(part.stalled for part in each),
            diverged=at_rest and any(part.diverged for part in each),
            exhausted=at_rest and any(part.exhausted for part in each),
        )


COUNTS = ("moves", "active", "moving")  # what adds up over the parts, where everything else is averaged


def ended(progress: Progress) -> bool:
    """Whether a method has nothing more to do."""
    return progress.criterion <= progress.tolerance or progress.stalled or progress.diverged or progress.exhausted
