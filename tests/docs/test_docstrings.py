"""Docstrings are valid reStructuredText after the documentation has rewritten them."""

from __future__ import annotations

import importlib.util
import inspect
import io
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from docutils.core import publish_doctree


def extension(name: str) -> ModuleType:
    """A module of the documentation's own extensions."""
    file = Path(__file__).parents[2] / "docs" / "_ext" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


docstrings, pages = extension("docstrings"), extension("generated_pages")


def markup_errors(docstring: str) -> str:
    """The messages of docutils about a docstring after it was rewritten for the pages."""
    messages = io.StringIO()
    settings = {"warning_stream": messages, "report_level": 1, "syntax_highlight": "none"}
    publish_doctree("\n".join(docstrings.rewritten(docstring.splitlines())), settings_overrides=settings)
    return messages.getvalue()


def documented(family: str) -> Iterator[tuple[str, Any]]:
    """Public names of a family and the methods of its classes; inherited methods once."""
    seen = set()
    for name, value in (pages.public(family) if family else pages.core_names()).items():
        yield name, value
        for key in dir(value) if inspect.isclass(value) else ():
            method = getattr(value, key, None)
            code = getattr(method, "__code__", None)
            if not key.startswith("_") and code is not None and code not in seen:
                seen.add(code)
                yield f"{name}.{key}", method


@pytest.mark.parametrize("family", ["", *pages.FAMILIES])
def test_every_docstring_is_valid(family: str) -> None:
    found = {}
    for name, value in documented(family):
        text = inspect.getdoc(value) if callable(value) else None
        if text and (errors := markup_errors(text)):
            found[name] = errors
    assert found == {}


def test_markup_errors_are_found() -> None:
    assert markup_errors("One sentence with `code`, a star*, a bar |x| and coef_.\n\n>>> 1\n1") == ""
    assert markup_errors("One sentence.\n\n- a list\n  that is *never* closed\nand goes on") != ""
    assert "literal" in markup_errors("A ``literal without an end.")


def test_formulas_and_sections_are_kept() -> None:
    text = "One.\n\nminimise over w   |y - Xw|^2\n\nParameters\n----------\nalpha : float\n    the strength"
    shown = docstrings.rewritten(text.splitlines())
    assert "    minimise over w   |y - Xw|^2" in shown and "``alpha`` : float" in shown


def test_names_in_backticks_keep_their_stars_and_quotes() -> None:
    assert docstrings.escaped('`drop="first"` and |x|_1 * 2') == '``drop="first"`` and \\|x\\|_1 \\* 2'
