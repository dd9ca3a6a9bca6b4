"""Learning-rate schedules, as pure functions of the step number and of stalls."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi
from typing import Protocol


class Schedule(Protocol):
    """Learning rate of step number `step`, counted from 1, after `stalls` periods without progress."""

    def rate(self, step: int, stalls: int = 0) -> float:
        """The learning rate of the step."""
        ...


@dataclass(frozen=True)
class Constant:
    """Constant learning rate.

    rate = start

    >>> Constant(0.1).rate(7)
    0.1
    """

    start: float = 0.01

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start


@dataclass(frozen=True)
class InverseScaling:
    """Inverse scaling: falls as a power of the step number. [Robbins and Monro, 1951]

    rate = start / step^power

    >>> InverseScaling(1.0, 0.5).rate(4)
    0.5
    """

    start: float = 0.01
    power: float = 0.25

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start / float(step**self.power)


@dataclass(frozen=True)
class Optimal:
    """The optimal schedule for a problem made strongly convex by an L2 penalty.

    rate = 1 / (alpha (t + step - 1)),  t = alpha^(-3/4)

    t makes the first rate alpha^(-1/4), the typical size of a weight under that penalty. [Bottou, 2012]

    >>> Optimal(0.0001).rate(1).__round__(9)
    10.0
    """

    alpha: float = 0.0001

    def rate(self, step: int, stalls: int = 0) -> float:
        offset = float(self.alpha**-0.75)
        return 1 / (self.alpha * (offset + step - 1))


@dataclass(frozen=True)
class Adaptive:
    """Adaptive learning rate: constant while the fit improves, cut at each stall, down to a smallest one.

    rate = start / factor^stalls

    >>> schedule = Adaptive(0.25)
    >>> schedule.rate(9, stalls=1), schedule.finished(stalls=1), schedule.finished(stalls=8)
    (0.05, False, True)
    """

    start: float = 0.01
    factor: float = 5.0
    smallest: float = 1e-6

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start / float(self.factor**stalls)

    def finished(self, stalls: int) -> bool:
        """Whether the next stall ends the fit."""
        return self.rate(1, stalls) <= self.smallest


@dataclass(frozen=True)
class StepDecay:
    """Step decay: multiplied by a factor after every `every` steps.

    rate = start * factor^floor((step - 1) / every)

    >>> [StepDecay(1.0, 0.5, every=2).rate(step) for step in (1, 2, 3, 4, 5)]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    start: float = 0.01
    factor: float = 0.5
    every: int = 10

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start * float(self.factor ** ((step - 1) // self.every))


@dataclass(frozen=True)
class Exponential:
    """Exponential decay: multiplied by the same factor after every step.

    rate = start * factor^(step - 1)

    >>> Exponential(1.0, 0.5).rate(4)
    0.125
    """

    start: float = 0.01
    factor: float = 0.95

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start * float(self.factor ** (step - 1))


@dataclass(frozen=True)
class CosineDecay:
    """Cosine decay: from the start to zero along half a wave of `steps` steps. [Loshchilov and Hutter, 2017]

    rate = start (1 + cos(pi (step - 1) / steps)) / 2

    >>> [round(CosineDecay(1.0, 4).rate(step), 3) for step in (1, 2, 3, 4, 5)]
    [1.0, 0.854, 0.5, 0.146, 0.0]
    """

    start: float = 0.01
    steps: int = 100

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start * (1 + cos(pi * min(step - 1, self.steps) / self.steps)) / 2


@dataclass(frozen=True)
class OneCycle:
    """One cycle: up from start / 25 to the start in the first 30 % of the steps, then down to start / 10^4, by cosines.

    [Smith and Topin, 2018]

    >>> [round(OneCycle(1.0, 10).rate(step), 3) for step in (1, 4, 11)]
    [0.04, 1.0, 0.0]
    """

    start: float = 0.01
    steps: int = 100
    rise: float = 0.3

    def rate(self, step: int, stalls: int = 0) -> float:
        done, top = min(step - 1, self.steps), self.rise * self.steps
        if done < top:
            return self.start * (1 / 25 + (1 - 1 / 25) * (1 - cos(pi * done / top)) / 2)
        down = (done - top) / max(self.steps - top, 1)
        return self.start * (1e-4 + (1 - 1e-4) * (1 + cos(pi * down)) / 2)


@dataclass(frozen=True)
class WarmUp:
    """Warm-up: the rate rises in proportion to the step, to its full value at step `steps`.

    rate = start * min(step / steps, 1)

    >>> [WarmUp(1.0, 4).rate(step) for step in (1, 2, 4, 9)]
    [0.25, 0.5, 1.0, 1.0]
    """

    start: float = 0.01
    steps: int = 100

    def rate(self, step: int, stalls: int = 0) -> float:
        return self.start * min(step / max(self.steps, 1), 1.0)
