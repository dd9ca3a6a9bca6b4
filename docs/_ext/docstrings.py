"""Docstrings are plain text for the console; here they become reStructuredText.

A paragraph that starts with `minimise`, or whose first line has wide spaces, is a formula and kept verbatim; elsewhere
names that end in an underscore, bars and stars are escaped. The sections generated from declarations become definition
lists. The title of an estimator, the name of its method in textbook terms, follows its first sentence.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from learnable.core.roles.estimator import Estimator

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
    """A line of a section: `name : type` is a term, an indented line its description."""
    if line.startswith("    "):
        return escaped(line)
    name, separator, kind = line.partition(" : ")
    return f"``{name}``" + (f" : {escaped(kind)}" if separator else "")


def escaped(line: str) -> str:
    """`line` with all markup of reStructuredText escaped, except in backticks."""
    out, end = [], 0
    for match in _code.finditer(line):
        out += [_plain(line[end : match.start()]), "``" + match.group().strip("`") + "``"]
        end = match.end()
    return "".join([*out, _plain(line[end:])])


def _plain(text: str) -> str:
    return _trailing.sub(r"``\1``", _special.sub(r"\\\1", text))


def titled(lines: list[str], obj: Any) -> list[str]:
    """The docstring of an estimator with the title of its method behind the first paragraph."""
    title = obj.title if isinstance(obj, type) and issubclass(obj, Estimator) else ""
    if not title:
        return lines
    end = next((number for number, line in enumerate(lines) if not line.strip()), len(lines))
    return [*lines[:end], "", f"In textbook terms: {title}.", *lines[end:]]


def _process(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = rewritten(titled(lines, obj) if what == "class" else lines)


def setup(app: Any) -> dict[str, bool]:
    """Rewrite every docstring that autodoc reads."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
