"""Files of tagged sentences in the formats of the CoNLL shared tasks."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ..core import DataError, ParameterError
from ..core.declare.checked_functions import checked
from ..core.files.text_files import lines_of

Format = Literal["auto", "columns", "conllu"]
FIELDS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
DOCUMENT = "-DOCSTART-"


@checked()
def read_conll(
    path: str | PathLike[str], *, columns: Sequence[Any] | None = None, format: Format = "auto"
) -> list[list[tuple[str, ...]]]:
    """The sentences of a CoNLL file: a list of tokens each, which are tuples of columns.

    "columns" are the files of CoNLL-2000, 2002 and 2003: columns between blanks, empty lines between sentences.
    "conllu" has ten columns between tabs, whose names may be used in `columns`; comments, multiword tokens and empty
    nodes are left out. `columns` selects columns by index (from 0) or name. The file may be compressed (.gz).

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "chunks.txt")
    >>> _ = path.write_text("He PRP B-NP\\nruns VBZ B-VP\\n\\nYes UH O\\n")
    >>> read_conll(path, columns=[0, 2])
    [[('He', 'B-NP'), ('runs', 'B-VP')], [('Yes', 'O')]]
    """
    lines = lines_of("read_conll", path)
    universal = format == "conllu" or (format == "auto" and _is_universal(lines))
    sentences: list[list[tuple[str, ...]]] = []
    sentence: list[tuple[str, ...]] = []
    for number, cells in _cells(lines, universal):
        if cells is None:
            if sentence:
                sentences.append(sentence)
            sentence = []
        elif cells[0] != DOCUMENT:
            sentence.append(_chosen(Path(path), number, cells, columns, universal))
    return [*sentences, sentence] if sentence else sentences


@checked()
def write_conll(
    path: str | PathLike[str], sentences: Sequence[Any], *labels: Sequence[Any], separator: str = " "
) -> None:
    """Write tokens (texts, or rows of texts) and further columns of labels, an empty line after each sentence.

    With true and predicted labels as the last two columns it is the input of conlleval.
    """
    lines = []
    for s, sentence in enumerate(sentences):
        for t, token in enumerate(sentence):
            try:
                cells = [token] if isinstance(token, str) else list(token)
                cells += [column[s][t] for column in labels]
            except IndexError:
                raise DataError(
                    f"write_conll: token {t} of sentence {s} does not have a label in every column"
                ) from None
            if any(not isinstance(cell, str) or not cell or separator in cell or "\n" in cell for cell in cells):
                raise DataError(
                    f"write_conll: token {t} of sentence {s} must be texts that are not empty, without the separator "
                    f"{separator!r} or a line break: {cells!r:.80}"
                )
            lines.append(separator.join(cells))
        if any(len(column[s]) != len(sentence) for column in labels):
            raise DataError(f"write_conll: sentence {s} has {len(sentence)} tokens, but another number of labels")
        lines.append("")
    text = "\n".join(lines) + "\n" if lines else ""
    if Path(path).suffix == ".gz":
        Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        Path(path).write_text(text, encoding="utf-8", newline="\n")


def _is_universal(lines: Sequence[str]) -> bool:
    """Whether the first line that is not a comment has the ten columns of CoNLL-U."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return first.count("\t") == len(FIELDS) - 1


def _cells(lines: Sequence[str], universal: bool) -> Iterator[tuple[int, list[str] | None]]:
    """The line number and the cells of each token; None between sentences."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield number, None
        elif not universal:
            yield number, line.split()
        elif not line.startswith("#"):
            cells = line.split("\t")
            if "-" not in cells[0] and "." not in cells[0]:
                yield number, cells


def _chosen(
    path: Path, number: int, cells: list[str], columns: Sequence[Any] | None, universal: bool
) -> tuple[str, ...]:
    if columns is None:
        return tuple(cells)
    found = []
    for column in columns:
        if isinstance(column, str) and not (universal and column in FIELDS):
            raise ParameterError(
                f"read_conll: columns may be indices, or in CoNLL-U names such as 'form' and 'upos'; got {column!r:.40}"
            )
        index = FIELDS.index(column) if isinstance(column, str) else column
        try:
            found.append(cells[index])
        except (IndexError, TypeError):
            raise DataError(
                f"read_conll: line {number} of {path.name} has {len(cells)} columns; column {column!r:.40} is not there"
            ) from None
    return tuple(found)
