"""Benchmark tasks: data, contenders, and the quality figure of an output."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Data = Mapping[str, Any]
Output = Mapping[str, Any]
Kind = Literal["ours", "peer", "reference"]


def read_model(model: Any) -> Output:
    """What a fitted linear model says."""
    return {"coef": model.coef_, "intercept": model.intercept_}


@dataclass(frozen=True)
class Contender:
    """One way to do the work.

    prepare(data) imports and sets up, untimed, and returns the call that is timed; read turns what that call
    returned into named numbers, untimed. A reference is shown but is not a peer: no library contains it.
    """

    name: str
    prepare: Callable[[Data], Callable[[], Any]]
    read: Callable[[Any], Output] = read_model
    needs: tuple[str, ...] = ()
    kind: Kind = "peer"


@dataclass(frozen=True)
class Near:
    """An output counts if its figure is within a relative distance of the best one."""

    relative: float
    higher_is_better: bool = False

    def worse(self, figure: float, best: float) -> bool:
        """Whether the figure is worse than the best by more than the rule allows."""
        loss = best - figure if self.higher_is_better else figure - best
        return not loss <= self.relative * abs(best)

    def best(self, figures: list[float]) -> float:
        """The best figure there is; not a number when there is none."""
        finite = [figure for figure in figures if math.isfinite(figure)]
        return (max if self.higher_is_better else min)(finite, default=math.nan)

    def __str__(self) -> str:
        return f"within {self.relative:.0e} of the best"


@dataclass(frozen=True)
class AtMost:
    """An output counts if its figure is below a limit."""

    limit: float

    def worse(self, figure: float, best: float) -> bool:
        """Whether the figure is above the limit."""
        return not figure <= self.limit

    def best(self, figures: list[float]) -> float:
        """The least figure there is; not a number when there is none."""
        return min((figure for figure in figures if math.isfinite(figure)), default=math.nan)

    def __str__(self) -> str:
        return f"at most {self.limit:.0e}"


@dataclass(frozen=True)
class Quality:
    """A figure computed in the same way for every output, and the rule that says which ones are equal."""

    name: str
    measure: Callable[[Data, Output], float]
    rule: Near | AtMost


@dataclass(frozen=True)
class Task:
    """One part of the table. home is the module that lists the task in TASKS, for the child processes."""

    name: str
    home: str
    size: str
    make: Callable[..., Data]
    full: Mapping[str, int]
    quick: Mapping[str, int]
    contenders: tuple[Contender, ...]
    quality: Quality
    calls: int = 1
    memory: Literal["here", "children"] = "here"

    def data(self, quick: bool) -> Data:
        """The data of the full or of the quick size."""
        return self.make(**(self.quick if quick else self.full))

    def size_text(self, quick: bool) -> str:
        """The size in words."""
        return self.size.format(**(self.quick if quick else self.full))

    def contender(self, name: str) -> Contender:
        """The contender of that name."""
        return next(contender for contender in self.contenders if contender.name == name)
