"""Conditional distribution of a continuous node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import ParameterError


@dataclass(frozen=True, eq=False)
class LinearGaussianCPD:
    """The conditional normal distribution of a continuous node: intercept + coefficients of its parents + noise.

    `beta` holds the intercept and a coefficient for each of `evidence`, `std` the standard deviation. With categorical
    parents (`groups`, whose states `group_cards` counts) both have a row for each of their configurations, of which the
    first parent varies slowest: then the node is conditional Gaussian.

    >>> LinearGaussianCPD("weight", [-100.0, 1.0], 8.0, ["height"])
    <LinearGaussianCPD p(weight | height)>
    """

    variable: str
    beta: Any
    std: Any
    evidence: Sequence[str] = ()
    groups: Sequence[str] = ()
    group_cards: Sequence[int] = ()

    def __post_init__(self) -> None:
        rows, columns = int(np.prod(list(self.group_cards), dtype=np.int64)), 1 + len(self.evidence)
        beta, std = np.atleast_2d(np.array(self.beta, dtype=np.float64)), np.atleast_1d(np.array(self.std, dtype=float))
        if beta.shape != (rows, columns) or std.shape != (rows,) or len(self.groups) != len(self.group_cards):
            raise ParameterError(
                f"LinearGaussianCPD of {self.variable!r}: beta must have the shape {(rows, columns)} and std "
                f"{rows} entries; got {beta.shape} and {std.shape}"
            )
        if not (np.isfinite(beta).all() and np.isfinite(std).all() and (std > 0).all()):
            raise ParameterError(f"LinearGaussianCPD of {self.variable!r}: beta must be finite and std above 0")

    def __repr__(self) -> str:
        given = [*self.groups, *self.evidence]
        return f"<LinearGaussianCPD p({self.variable}{' | ' if given else ''}{', '.join(given)})>"
