"""Redundant columns: duplicates and (nearly) exact linear combinations of others."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from ...core import Array
from ..text import listed, together
from .column_statistics import blocks
from .encoded_columns import as_numbers, coded, holds_numbers
from .evidence import AlarmEvidence, Findings
from .row_hashes import hash_vectors
from .table_view import AuditView, standardised

EXACT, STRONG = 1e7, 30.0  # variance inflation factors of an exact and of a near linear combination
RIDGE = 1e-10  # keeps the correlation matrix of exact linear combinations invertible
ROWS_PER_COLUMN = 3  # with fewer, columns are near combinations of others by chance


def duplicate_columns(view: AuditView) -> Findings:
    """Sets of columns whose entries are equal in all rows."""
    varying = view.statistics.distinct > 1
    groups = [same for found in _equal_in_sample(view, varying).values() for same in _confirmed(view, found)]
    if groups:
        described = [" = ".join(map(repr, group[:4])) for group in groups]
        spare = tuple(name for group in groups for name in group[1:])
        yield AlarmEvidence("LB017", f"equal entries in all rows: {listed(described)}", spare)


def _equal_in_sample(view: AuditView, chosen: Array) -> dict[Any, list[str]]:
    """Columns by the hash of their entries in the sample: numbers by value, texts by value and position."""
    together = defaultdict(list)
    for indices, stack in blocks(view.question.table, view.names, view.rows):
        for index, digest in zip(indices, hash_vectors(stack, 1, np.arange(stack.shape[1])).tolist(), strict=True):
            if chosen[index]:
                together[digest].append(view.names[index])
    for name, column in view.text_columns.items():
        if chosen[view.positions[name]]:
            hashed = blake2b(column.codes.tobytes() + "\x1f".join(map(str, column.values)).encode("utf-8", "replace"))
            together[hashed.digest()].append(name)
    return {digest: names for digest, names in together.items() if len(names) > 1}


def _confirmed(view: AuditView, names: list[str]) -> list[list[str]]:
    """Columns with equal entries in the sample that equal the first of them in all rows."""
    first = view.values(names[0])
    same = [name for name in names[1:] if _equal(first, view.values(name))]
    return [[names[0], *same]] if same else []


def _equal(first: Array, second: Array) -> bool:
    if holds_numbers(first):
        return bool(np.array_equal(as_numbers(first), as_numbers(second), equal_nan=True))
    return bool((coded(first).codes == coded(second).codes).all())


@dataclass(frozen=True, slots=True)
class Inflations:
    """Variance inflation factors: 1 / (1 - R^2) of each column regressed on the others."""

    names: tuple[str, ...]
    factors: Array
    precision: Array

    def partners(self, index: int) -> list[str]:
        """The columns whose combination a column is, those with the largest weight first."""
        weight = np.abs(self.precision[index])
        order = [other for other in np.argsort(-weight, kind="stable") if other != index]
        return [self.names[other] for other in order if weight[other] > 0.01 * weight[index]]

    def describe(self, chosen: Array, how: str) -> tuple[list[str], tuple[str, ...]]:
        """Descriptions of columns with the combinations that give them, and their names."""
        indices = np.flatnonzero(chosen).tolist()
        described = [
            f"{self.names[index]!r} is {how} a linear combination of "
            f"{together(list(map(repr, self.partners(index))), 3)} "
            f"(variance inflation factor {self.factors[index]:.3g})"
            for index in indices
        ]
        return described, tuple(self.names[index] for index in indices)


NONE = Inflations((), np.empty(0), np.empty((0, 0)))


def linear_combinations(view: AuditView) -> Findings:
    """Exact and near linear combinations of other columns."""
    found = _inflations(view)
    exact, strong = found.factors >= EXACT, (found.factors >= STRONG) & (found.factors < EXACT)
    for code, chosen, how in (("LB018", exact, "exactly"), ("LB019", strong, "nearly")):
        if chosen.any():
            described, columns = found.describe(chosen, how)
            yield AlarmEvidence(code, f"{listed(described)}{view.scope(rows=True, columns=True)}", columns)


def _inflations(view: AuditView) -> Inflations:
    """The variance inflation factors of the numeric columns that vary, one of each set of duplicates."""
    rows, varying = len(view.rows), (view.statistics.distinct > 1) & (view.statistics.number == 1)
    some = [name for name in view.some if varying[view.positions[name]]]
    if rows < ROWS_PER_COLUMN * len(some):
        return NONE
    spare = {name for names in _equal_in_sample(view, varying).values() for name in names[1:]}
    names = tuple(name for name in some if name not in spare)
    if len(names) < 2:
        return NONE
    stack = standardised(np.stack([view.numbers(name) for name in names]))
    agreement = stack @ stack.T / rows
    precision = np.linalg.inv(agreement + RIDGE * np.eye(len(names)))
    return Inflations(names, np.diag(precision) * (rows - len(names)) / rows, precision)
