"""Base class of hidden Markov models with a family of distributions for each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import Array, ParameterError, declaring, learned, param
from .._emissions.column_families import FAMILIES, CategoricalFamily, ColumnFamily
from .._emissions.columns import ColumnEmissions
from .._sequence_input import Sequences
from .hmm_base import HiddenMarkovModel
from .row_rules import refuse_entries


@declaring
class ColumnHMM(HiddenMarkovModel):
    """Base class of hidden Markov models whose columns are independent given the state, each with its own family."""

    distributions: str | list[Any] = param("gaussian", "family of all columns, or a list with one for each column")
    parameters_: Array = learned("parameters of each state and column, filled up with zeros")
    levels_: Array = learned("number of parameters of each column", shape="features", optional=True)

    meaning = ("distributions",)

    def distribution(self, column: int, state: int) -> dict[str, float]:
        """The parameters of a column in a state, by name."""
        self._require_fit()
        names = self._families()[column].names
        return dict(zip(names, self.parameters_[state, column].tolist(), strict=False))

    def _families(self, X: Array | None = None) -> tuple[ColumnFamily, ...]:
        width = self._width() if X is None else X.shape[1]
        kinds = [self.distributions] * width if isinstance(self.distributions, str) else list(self.distributions)
        strange = [kind for kind in kinds if kind not in FAMILIES]
        if strange or len(kinds) != width:
            problem = f"{strange[0]!r:.40} is not one" if strange else f"there are {len(kinds)} for {width} columns"
            raise ParameterError(
                f"{type(self).__name__}: distributions must name a family for each column: {', '.join(FAMILIES)}; "
                f"{problem}"
            )
        families = [FAMILIES[kind](None if X is None else _seen(X[:, j])) for j, kind in enumerate(kinds)]
        if X is None:
            levels = self.__dict__.get("levels_", np.full(width, self.parameters_.shape[2]))
            for family, count in zip(families, levels.tolist(), strict=True):
                if isinstance(family, CategoricalFamily):
                    family.names = tuple(f"p{level}" for level in range(count))
        return tuple(families)

    def _check_rows(self, data: Sequences, fitted: bool = False) -> None:
        super()._check_rows(data, fitted)
        for j, family in enumerate(self._families(None if fitted else data.X)):
            wrong = np.zeros(data.X.shape, dtype=bool)
            column = data.X[:, j]
            wrong[:, j] = ~np.isnan(column) & family.outside(np.where(np.isnan(column), 1.0, column))
            refuse_entries(type(self).__name__, data, wrong, f"{family.support} where a column is {self._kind(j)}")

    def _comparable(self, filled: Array) -> Array:
        size = filled.std(axis=0)
        return np.asarray((filled - filled.mean(axis=0)) / np.where(size > 0, size, 1.0))

    def _kind(self, column: int) -> str:
        return self.distributions if isinstance(self.distributions, str) else str(self.distributions[column])

    def _emissions(self, X: Array | None = None) -> ColumnEmissions:
        families = self._families(X)
        if X is not None:
            self.levels_ = np.array([family.count for family in families])
        return ColumnEmissions(families)

    def _unsound(self) -> str:
        if self.parameters_.ndim != 3:
            return "parameters_ must have axes for states, columns and parameters"
        levels = self.__dict__.get("levels_", np.ones(1, dtype=int))
        sound = levels.dtype.kind in "iu" and (levels >= 1).all() and (levels <= self.parameters_.shape[2]).all()
        return "" if sound else "levels_ must be the number of parameters of each column"

    def _width(self) -> int:
        return int(self.parameters_.shape[1])


def _seen(column: Array) -> Array:
    return column[~np.isnan(column)]
