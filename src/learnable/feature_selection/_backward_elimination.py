"""Columns dropped one after the other, the least important first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix
from ._wrapper_base import Getter, fitted, importances


@dataclass(slots=True)
class Elimination:
    """The steps of an elimination: `ranking` is 1 for the selected columns, larger for those eliminated earlier."""

    support: Array
    ranking: Array
    model: Any = None
    sizes: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    supports: list[Array] = field(default_factory=list)
    rankings: list[Array] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Eliminator:
    """Fit, drop the `step` columns of least importance, and repeat until the requested number is left."""

    estimator: Any
    requested: int
    step: int | float
    getter: Getter
    owner: str
    report: Callable[[int], None] = lambda left: None

    def run(self, data: Data, score: Callable[[Any, Array], float] | None = None) -> Elimination:
        """The elimination on `data`; `score(model, columns)` is noted at every step if there is one."""
        course = Elimination(np.ones(data.p, dtype=bool), np.ones(data.p, dtype=np.int64))
        pace = int(max(1, self.step * data.p)) if 0 < self.step < 1 else int(self.step)
        while True:
            columns = np.flatnonzero(course.support)
            course.model = fitted(self.estimator, part(data.X, columns), data.y, data.weight, self.owner)
            self.report(len(columns))
            if score is not None:
                course.sizes.append(len(columns))
                course.scores.append(score(course.model, columns))
                course.supports.append(course.support.copy())
                course.rankings.append(course.ranking.copy())
            if len(columns) <= self.requested:
                return course
            order = np.argsort(importances(course.model, self.getter, "square"), kind="stable")
            course.support[columns[order[: min(pace, len(columns) - self.requested)]]] = False
            course.ranking[~course.support] += 1


def part(X: Matrix, columns: Array) -> Matrix:
    """Some columns of a matrix."""
    return X if len(columns) == X.shape[1] else X[:, columns]
