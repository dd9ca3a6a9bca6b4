"""Who may import whom, and what a cold start imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "learnable"
LAYERS = ("core", "parts", "engines")
TOOLS = (  # families that others may use; each rests on those before it alone
    "information", "metrics", "dummy", "frozen", "model_selection", "inference", "preprocessing", "impute", "pipeline",
    "compose", "kernels", "multiclass", "multioutput", "calibration", "tree",
    "neighbors", "density", "decomposition", "cluster", "tape",
)  # fmt: skip
SHARED = ("plot", "app")  # these may import every family, and app may import plot
PARTS = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
ALLOWED_AT_THE_TOP = {"numpy", "learnable"} | set(sys.stdlib_module_names)


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def folder(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0] if path.parent != PACKAGE else ""


def rank(part: str) -> int:
    """How high a part stands: it may import from below."""
    order = (*LAYERS, *TOOLS)
    if part in order:
        return order.index(part)
    return len(order) + (1 + SHARED.index(part) if part in SHARED else 0)


def imports(tree: ast.AST, path: Path) -> list[tuple[str, int]]:
    """Absolute names of the modules that a file imports anywhere, with lines."""
    found = []
    home = ("learnable", *path.relative_to(PACKAGE).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(home[: len(home) - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            found.append((module, node.lineno))
            found += [(f"{module}.{alias.name}", node.lineno) for alias in node.names]
    return found


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def upward(path: Path) -> Iterator[str]:
    """What a file imports from above it, or from beside it if it belongs to a family."""
    here = folder(path)
    for name, line in imports(parsed(path), path):
        there = name.split(".")[1] if name.startswith("learnable.") else here
        if there != here and there in PARTS and rank(there) >= rank(here):
            yield f"{path.relative_to(PACKAGE)}:{line}: {here} imports {there}, which does not stand below it"


def test_imports_go_one_way():
    inside = [path for path in modules() if folder(path)]  # the package itself loads everything, lazily
    assert len(inside) > 500
    found = [import_ for path in inside for import_ in upward(path)]
    assert not found, "\n".join(found)


def heavy(path: Path) -> Iterator[str]:
    """What a file imports at its top that a cold start should not load."""
    for node in parsed(path).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        for name in names:
            if name.split(".")[0] not in ALLOWED_AT_THE_TOP:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {name} at the top of a module"


def test_heavy_packages_are_imported_where_they_are_needed():
    found = [import_ for path in modules() if folder(path) not in SHARED for import_ in heavy(path)]
    assert not found, "\n".join(found)


def loaded(program: str) -> set[str]:
    """The modules that a program loads beyond those of an empty one."""
    tail = "\nimport sys; print(chr(10).join(sys.modules))"
    commands = [[sys.executable, "-c", text + tail] for text in ("", program)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True, timeout=600) for command in commands]
    return set(runs[1].stdout.split()) - set(runs[0].stdout.split())


def outside(names: set[str]) -> set[str]:
    """Top-level packages among `names` that are neither ours nor Python's."""
    tops = {name.split(".")[0] for name in names} - {"learnable", "numpy"} - set(sys.stdlib_module_names)
    return {name for name in tops if "cython" not in name}  # parts of NumPy's own extensions


def test_import_learnable_loads_next_to_nothing():
    names = loaded("import learnable")
    assert outside(names) == set() and "numpy" not in names
    ours = {name for name in names if name.startswith("learnable")}
    assert ours == {"learnable", "learnable._version", "learnable.lazy"}


FIT = """
import numpy as np, learnable
X = np.random.default_rng(0).standard_normal((50, 3))
learnable.Ridge().fit(X, X[:, 0]).predict(X)
"""


def test_a_cold_ridge_loads_no_heavy_package():
    names = loaded(FIT)
    assert outside(names) <= {"threadpoolctl"}, sorted(outside(names))


def test_the_flat_namespace_is_lazy():
    names = loaded("import learnable; learnable.Ridge")
    assert not any(name.startswith(("learnable.plot", "learnable.app", "learnable.datasets")) for name in names)
    assert not any(name.startswith("learnable.linear_model.lars") for name in names)
