"""Docstrings are plain text for people in a console; here they become reStructuredText.

A paragraph that starts with `minimise`, or whose first line is set with wide gaps, is a formula and stays as it stands;
elsewhere names that end in an underscore, bars and stars lose their special meaning. The sections that are made from
declarations become definition lists.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

_code = re.compile(r"``.*?``|`[^`]+`")
_special = re.compile(r"([|*\\])")
_trailing = re.compile(r"(?<![\w.])([\w.]+_)(?![\w{(])")


def rewritten(lines: list[str]) -> list[str]:
    """A docstring, paragraph by paragraph."""
    paragraphs = [list(group) for filled, group in groupby(lines, key=lambda line: bool(line.strip())) if filled]
    return [line for paragraph in paragraphs for line in [*_paragraph(paragraph), ""]]


def _paragraph(lines: list[str]) -> list[str]:
    first = lines[0].strip()
    if first.startswith(">>>"):
        return lines
    if len(lines) > 1 and set(lines[1].strip()) == {"-"}:
        return [f".. rubric:: {first}", "", *(_entry(line) for line in lines[2:])]
    if first.startswith(("minimise ", "maximise ")) or "   " in first:
        return [".. code-block:: none", "", *("    " + line for line in lines)]
    return [escaped(line) for line in lines]


def _entry(line: str) -> str:
    """A line of a section: `name : type` is a term, what is indented its meaning."""
    if line.startswith("    "):
        return escaped(line)
    name, separator, kind = line.partition(" : ")
    return f"``{name}``" + (f" : {escaped(kind)}" if separator else "")


def escaped(line: str) -> str:
    """`line` with nothing left that reStructuredText would take for markup, but for what stands in backticks."""
    out, place = [], 0
    for match in _code.finditer(line):
        out += [_plain(line[place : match.start()]), "``" + match.group().strip("`") + "``"]
        place = match.end()
    return "".join([*out, _plain(line[place:])])


def _plain(text: str) -> str:
    return _trailing.sub(r"``\1``", _special.sub(r"\\\1", text))


def _process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = rewritten(lines)


def setup(app: Any) -> dict[str, bool]:
    """Rewrite every docstring that autodoc reads."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
