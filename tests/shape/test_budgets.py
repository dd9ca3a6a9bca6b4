"""Modules and functions stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

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


def test_modules_are_short():
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in python_files()}
    assert len(lines) > 1000
    found = [f"{path.relative_to(ROOT)}: {count} lines" for path, count in lines.items() if count > MODULE_LINES]
    assert not found, "\n".join(found)


def test_functions_are_short():
    lengths = {
        f"{path.relative_to(ROOT)}:{function.lineno}: {function.name}": length(function)
        for path in python_files()
        for function in functions(ast.parse(path.read_text(encoding="utf-8")))
    }
    found = [f"{place} has {lines} lines" for place, lines in lengths.items() if lines > FUNCTION_LINES]
    assert not found, "\n".join(found)
    sources = sorted(lines for place, lines in lengths.items() if place.startswith("src"))
    assert sources[len(sources) // 2] <= 9 and sources[int(len(sources) * 0.9)] <= 25
