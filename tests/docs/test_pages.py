"""Every console block of the documentation is run, page by page, and every formula can be rendered."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from docutils.utils.math import MathError, latex2mathml

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "user_guide").glob("*.md")])
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_block = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(page: Path) -> doctest.DocTest | None:
    """The console blocks of a page as one script."""
    text = page.read_text(encoding="utf-8")
    blocks = [(text[: found.start(1)].count("\n"), found.group(1)) for found in _block.finditer(text)]
    parser, every = doctest.DocTestParser(), []
    for line, block in blocks:
        for example in parser.get_examples(block):
            example.lineno += line
            every.append(example)
    return doctest.DocTest(every, {}, page.name, str(page), 0, text) if every else None


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)], ids=lambda page: page.name)
def test_console_blocks(page: Path) -> None:
    script, output = examples(page), []
    assert script is not None
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    result = runner.run(script, out=output.append)
    assert result.failed == 0, "".join(output)


def test_pages_have_console_blocks() -> None:
    with_blocks = [page.name for page in PAGES if examples(page)]
    assert {"index.md", "getting_started.md", "core_ideas.md", "linear_regression.md"} <= set(with_blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_line_is_a_comment_of_the_markup(page: Path) -> None:
    assert re.findall(r"^ *%.*$", page.read_text(encoding="utf-8"), re.MULTILINE) == []


_code = re.compile(r"^(```|~~~).*?^\1$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_dollars = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?=\S)([^$\n]+?)(?<=\S)\$(?!\d)", re.DOTALL)
_role = re.compile(r":math:`(.+?)`", re.DOTALL)


def formulas() -> list[str]:
    """Every formula of the pages and of the examples, as LaTeX."""
    pages = [_code.sub("", page.read_text(encoding="utf-8")) for page in PAGES]
    found = [block or inline for page in pages for block, inline in _dollars.findall(page)]
    scripts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").rglob("*.py"))]
    return found + [formula.replace("\n# ", " ") for script in scripts for formula in _role.findall(script)]


def test_formulas_can_be_rendered() -> None:
    assert len(formulas()) > 400
    refused = {}
    for formula in formulas():
        try:
            latex2mathml.tex2mathml(formula, as_block=True)
        except (MathError, SyntaxError) as error:
            refused[formula] = str(error)
    assert not refused
