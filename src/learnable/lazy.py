"""Packages that import a submodule only when one of its names is first used.

The stub beside a package (`__init__.pyi`) lists its names for type checkers; the same list drives the lazy import.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_import_line = re.compile(r"^from \.(\w+) import (.+)$", re.MULTILINE)


def stub_names(package_file: str) -> dict[str, str]:
    """Public name -> submodule, as the stub beside `package_file` lists them (`from .module import Name as Name`)."""
    stub = Path(package_file).with_name("__init__.pyi").read_text(encoding="utf-8")
    return {
        entry.split(" as ")[-1].strip(): module
        for module, names in _import_line.findall(stub.replace("(\n", "").replace(",\n", ",").replace("\n)", ""))
        for entry in names.split(",")
        if entry.strip() not in ("", "*")
    }


def no_such_name(package: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that a package lacks, suggesting its names that begin with it.

    >>> no_such_name("learnable.tree", "ObliqueTree", ["ID3Classifier", "ObliqueTreeClassifier"])
    AttributeError("module 'learnable.tree' has no attribute 'ObliqueTree'; it has ObliqueTreeClassifier")
    """
    requested = name.lower()
    longer = sorted(other for other in known if len(requested) > 2 and other.lower().startswith(requested))
    hint = f"; it has {', '.join(longer)}" if longer else ""
    return AttributeError(f"module {package!r} has no attribute {name!r}{hint}")


def attach(
    package: str, package_file: str, paths: tuple[str, ...] = (), pictures: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` for a package whose stub lists its names; `paths` are modules of it.

    `pictures` are Displays of `learnable.plot` that scikit-learn has in this package.
    """
    modules = stub_names(package_file)

    def load(name: str) -> Any:
        if name in paths:
            return importlib.import_module(f"{package}.{name}")
        if name in pictures:
            return getattr(importlib.import_module("learnable.plot"), name)
        if name not in modules:
            raise no_such_name(package, name, modules)
        value = getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(modules), sorted(modules)
