"""Feature templates in the syntax of CRF++: attributes of tokens made of columns at relative positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from ...core import Array, DataError, ParameterError
from .sentences import Names, Tokens, check_sentences

MACRO = re.compile(r"%x\[(-?\d+),(\d+)\]")


@dataclass(frozen=True)
class Template:
    """A template: the texts around its macros, and the (row, column) of each macro."""

    texts: tuple[str, ...]
    cells: tuple[tuple[int, int], ...]


def compile_templates(owner: str, text: str, edges: bool = False) -> list[Template]:
    """The templates of a CRF++ template file; `B` alone stands for transitions, which are always there.

    >>> compile_templates("CRF", "U01:%x[-1,0]/%x[0,0]")
    [Template(texts=('U01:', '/', ''), cells=((-1, 0), (0, 0)))]
    """
    found = []
    for number, line in enumerate(text.splitlines()):
        rule = line.strip()
        if not rule or rule.startswith("#") or rule == "B":
            continue
        if rule.startswith("B") and not edges:
            raise ParameterError(f"{owner}: templates for transitions, such as {rule!r:.60}, need a CRF")
        if not rule.startswith(("U", "B")):
            raise ParameterError(
                f"{owner}: templates must be lines such as U01:%x[0,0] for labels, B01:%x[0,0] for transitions, or B "
                f"for transitions alone; line {number + 1} is {rule!r:.60}"
            )
        parts = MACRO.split(rule)
        cells = tuple((int(row), int(column)) for row, column in zip(parts[1::3], parts[2::3], strict=True))
        found.append(Template(tuple(parts[::3]), cells))
    if not any(template.texts[0].startswith("U") for template in found):
        raise ParameterError(f"{owner}: templates has no unigram template such as U01:%x[0,0]")
    return found


def template_tokens(owner: str, X: Any, templates: Sequence[Template], names: Names) -> Tokens:
    """The attributes of tokens, each a row of columns or a text (a single column), by the templates.

    Cells are handled as codes of their columns; texts of attributes are made once for each distinct one.
    """
    check_sentences(owner, X)
    lengths = np.array([len(sentence) for sentence in X], dtype=np.int64)
    table = _Table(owner, [token for sentence in X for token in sentence], lengths)
    columns = [_codes(template, table, names) for template in templates]
    index = np.column_stack(columns) if columns else np.empty((len(table.rows), 0), dtype=np.int32)
    start = np.arange(len(index) + 1, dtype=np.int64) * index.shape[1]
    known = index >= 0
    if not known.all():
        start = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
    return Tokens(start, np.ascontiguousarray(index[known], dtype=np.int32), None, lengths)


class _Table:
    """The cells of all tokens as codes, a column at a time."""

    def __init__(self, owner: str, rows: list[Any], lengths: Array) -> None:
        self.owner, self.rows = owner, rows
        first = np.repeat(np.cumsum(lengths) - lengths, lengths)
        self.position = np.arange(len(rows)) - first
        self.remaining = np.repeat(lengths, lengths) - self.position - 1
        self.columns: dict[int, tuple[Array, list[str]]] = {}

    def codes(self, row: int, column: int) -> tuple[Array, list[str]]:
        """Codes and texts of the cells `row` tokens further on; outside of the sentence they are `_B-1`, `_B+1`, ..."""
        if column not in self.columns:
            self.columns[column] = self._column(column)
        codes, texts = self.columns[column]
        if row == 0:
            return codes, texts
        moved = np.roll(codes, -row)
        over = row - self.remaining if row > 0 else -row - self.position
        most, sign = abs(row), "+" if row > 0 else "-"
        outside = [f"_B{sign}{distance}" for distance in range(1, most + 1)]
        return np.where(over > 0, len(texts) + over - 1, moved), texts + outside

    def _column(self, column: int) -> tuple[Array, list[str]]:
        seen: dict[str, int] = {}
        try:
            cells = [(row,)[column] if isinstance(row, str) else row[column] for row in self.rows]
            codes = [seen.setdefault(cell, len(seen)) for cell in cells]
        except (IndexError, KeyError, TypeError) as error:
            raise DataError(
                f"{self.owner}: templates name column {column}, which not every token of X has; a token is a text or a "
                "row of texts"
            ) from error
        if wrong := next((cell for cell in seen if not isinstance(cell, str)), None):
            raise DataError(f"{self.owner}: columns of tokens must be texts; column {column} has {wrong!r:.40}")
        return np.array(codes, dtype=np.int64), list(seen)


def _codes(template: Template, table: _Table, names: Names) -> Array:
    """The attribute that a template gives each token; -1 where it is not known."""
    count = len(table.rows)
    whole = np.zeros(count, dtype=np.int64)
    cells = [table.codes(*cell) for cell in template.cells]
    for codes, texts in cells:
        _, whole = np.unique(whole * len(texts) + codes, return_inverse=True)  # small codes: products cannot overflow
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    pieces = [[texts[code] for code in codes[first].tolist()] for codes, texts in cells]
    attributes = _joined(template, pieces, len(first))
    codes = np.array([names.code(name) for name in attributes], dtype=np.int32)
    return np.asarray(codes[inverse])


def _joined(template: Template, pieces: list[list[str]], count: int) -> list[str]:
    """The texts of attributes: those of the template with the cells in between."""
    columns = [[template.texts[0]] * count]
    for text, piece in zip(template.texts[1:], pieces, strict=True):
        columns.append([cell + text for cell in piece])
    return list(accumulate(columns, lambda left, right: [a + b for a, b in zip(left, right, strict=True)]))[-1]
