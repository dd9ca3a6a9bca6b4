"""Conditional distribution of a categorical node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core import Array, ParameterError


@dataclass(frozen=True, eq=False)
class TabularCPD:
    """The conditional probability table of a categorical node, in pgmpy's layout: a column per parent configuration.

    The first of `evidence` varies slowest from column to column.

    >>> TabularCPD("wet", 2, [[0.9, 0.1], [0.1, 0.9]], ["rain"], [2], {"wet": ["no", "yes"], "rain": ["no", "yes"]})
    <TabularCPD P(wet | rain)>
    """

    variable: str
    variable_card: int
    values: Any
    evidence: Sequence[str] | None = None
    evidence_card: Sequence[int] | None = None
    state_names: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parents, cards = list(self.evidence or []), list(self.evidence_card or [])
        if len(parents) != len(cards) or len({*parents, self.variable}) <= len(parents):
            raise ParameterError(
                f"TabularCPD of {self.variable!r}: evidence must name different parents, and evidence_card must have "
                f"the number of states of each; got {parents} and {cards}"
            )
        expected = self.variable_card, int(np.prod(cards, dtype=np.int64))
        table = np.array(self.values, dtype=np.float64)
        table = table.reshape(-1, 1) if table.ndim == 1 and not parents else table
        if table.shape != expected:
            raise ParameterError(
                f"TabularCPD of {self.variable!r}: values must have the shape {expected}, a row per state and a "
                f"column per configuration of {', '.join(parents) or 'no parents'}; got {table.shape}"
            )
        if not (np.isfinite(table).all() and (table >= 0).all()):
            raise ParameterError(f"TabularCPD of {self.variable!r}: probabilities must be at least 0 and finite")
        total = table.sum(axis=0)
        if not np.allclose(total, 1, rtol=0, atol=1e-2):
            column = int(np.argmax(np.abs(total - 1)))
            raise ParameterError(
                f"TabularCPD of {self.variable!r}: column {column} of values adds up to {total[column]:.6g}, not 1"
            )
        for name, card in zip([self.variable, *parents], [self.variable_card, *cards], strict=True):
            known = self.state_names.get(name)
            if known is not None and (len(known) != card or len(set(known)) != card):
                raise ParameterError(
                    f"TabularCPD of {self.variable!r}: state_names of {name!r} must be {card} different states; "
                    f"got {list(known)!r:.60}"
                )

    @property
    def table(self) -> Array:
        """The probabilities with a row per configuration of the parents, each divided by its sum."""
        table = np.array(self.values, dtype=np.float64).reshape(self.variable_card, -1).T
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def states_of(self, name: str, card: int) -> list[Any]:
        """The states of the node or of a parent; 0, 1, ... where they are not named."""
        return list(self.state_names.get(name, range(card)))

    def __repr__(self) -> str:
        given = f" | {', '.join(self.evidence)}" if self.evidence else ""
        return f"<TabularCPD P({self.variable}{given})>"
