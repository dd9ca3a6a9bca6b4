"""Tests of conditional independence: likelihood-ratio tests of tables, Fisher's z of partial correlations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ...core import Array, ParameterError
from ...core.runtime.native import kernels
from .._coded_table import Columns
from .scores import GaussianScores, merged_rows


class IndependenceTest(Protocol):
    """A test whose p-values are small where columns depend on each other."""

    size: int

    def p_values(self, first: int, given: Sequence[int], others: Sequence[int]) -> Array:
        """The p-values of the independence of a column from each of others, given some more."""


def independence_test(columns: Columns, weight: Array | None, owner: str) -> IndependenceTest:
    """The test that suits the columns."""
    if columns.discrete.all():
        return TableTest(columns, weight)
    if columns.discrete.any():
        raise ParameterError(
            f"{owner}: tests of independence need columns that are all categorical or all continuous; use "
            "search='hill_climbing', or discretise the continuous columns"
        )
    return CorrelationTest(columns, weight)


class TableTest:
    """The likelihood-ratio test G^2 of contingency tables, stratified by the given columns."""

    def __init__(self, columns: Columns, weight: Array | None) -> None:
        self.size, self.card = len(columns.names), columns.card
        self.code, self.weight = merged_rows(columns.code, weight)
        self.rows = float(self.code.shape[1] if self.weight is None else self.weight.sum())

    def statistics(self, first: int, given: Sequence[int], others: Sequence[int]) -> Array:
        """G^2, X^2, and degrees of freedom, without and with empty rows and columns of tables left out."""
        found = np.empty((len(others), 4))
        lists = np.array(given, dtype=np.int64), np.array(others, dtype=np.int64)
        kernels.test_independence(self.code, self.card, self.weight, first, *lists, found)
        return found

    def p_values(self, first: int, given: Sequence[int], others: Sequence[int]) -> Array:
        """The upper tail of the chi-squared distribution at G^2."""
        from scipy.special import chdtrc

        found = self.statistics(first, given, others)
        return np.asarray(chdtrc(np.maximum(found[:, 2], 1), found[:, 0]))


class CorrelationTest:
    """Fisher's z transform of partial correlations, which is normal for normal columns. [Fisher, 1924]"""

    def __init__(self, columns: Columns, weight: Array | None) -> None:
        self.scores = GaussianScores(columns, weight, 0.0)
        self.size, self.rows = self.scores.size, self.scores.total

    def p_values(self, first: int, given: Sequence[int], others: Sequence[int]) -> Array:
        """Two-sided p-values of z = atanh(r) sqrt(n - |given| - 3)."""
        from scipy.special import ndtr

        own, across, square = self.scores.residuals(first, list(given), np.array(others))
        r = across / np.sqrt(np.maximum(own * square, 1e-300))
        z = np.arctanh(np.clip(r, -1 + 1e-15, 1 - 1e-15)) * np.sqrt(max(self.rows - len(given) - 3, 1e-9))
        return np.asarray(2 * ndtr(-np.abs(z)))
