"""Text from data as matplotlib draws it letter by letter: never as mathematics, and never left out."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from ..core.printable import printable

TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
        "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    }
)  # fmt: skip


def literal_text(value: Any, *, legend: bool = False) -> str:
    r"""Escape text so that matplotlib draws a name, a class or a category literally, on one line.

    Of a `legend` it would leave out labels that begin with an underscore; they get a blank before it.

    >>> literal_text("cost_$_per_$"), literal_text("_total", legend=True)
    ('cost_\\$_per_\\$', ' _total')
    """
    from matplotlib import rcParams

    text = printable(str(value))
    if rcParams["text.usetex"]:
        text = text.translate(TEX)
    elif rcParams["text.parse_math"]:
        text = text.replace("$", r"\$")
    return f" {text}" if legend and str(value).startswith("_") else text


def literal_texts(values: Any, *, legend: bool = False) -> list[str]:
    """The literal text of each value."""
    return [literal_text(value, legend=legend) for value in values]


def literal_lines(value: Any, letters: int) -> str:
    """The literal text of a long name, broken into lines."""
    return "\n".join(literal_texts(wrap(printable(str(value)), letters)))
