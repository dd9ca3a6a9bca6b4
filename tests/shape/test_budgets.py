"""Modules and functions stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE_LINES = 400
FUNCTION_LINES = 50
FOLDERS = ("src", "tests", "benchmarks", "docs", "examples")


def python_files() -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if not any(part.startswith((".", "_build")) for part in path.parts))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring and decorators."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        lines -= (first.end_lineno or 0) - first.lineno + 1
    return lines


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_lines(path):
    text = path.read_text(encoding="utf-8")
    count = text.count("\n")
    assert count <= MODULE_LINES, f"{count} lines"
    for function in functions(ast.parse(text)):
        assert length(function) <= FUNCTION_LINES, f"{function.name} has {length(function)} lines"


def test_the_median_function_is_short():
    sources = [path for path in python_files() if path.is_relative_to(ROOT / "src")]
    lengths = sorted(length(f) for path in sources for f in functions(ast.parse(path.read_text(encoding="utf-8"))))
    assert lengths[len(lengths) // 2] <= 9 and lengths[int(len(lengths) * 0.9)] <= 25
