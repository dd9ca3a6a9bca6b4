"""Programs written for scikit-learn, run with the estimators of this library: `python -m learnable.drop_in script.py`.

`patch()` lets `import sklearn` find our estimators and functions under scikit-learn's paths; names that this library
does not have stay scikit-learn's, and where that is not installed they are missing. `restore()` undoes it. Modules that
imported names from scikit-learn before keep those.

Base classes, tools for authors of estimators and data sets stay scikit-learn's, if it is installed: with them both work
together, and examples keep their data.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

KEPT = frozenset({"base", "callback", "conftest", "datasets", "exceptions", "experimental", "externals", "utils"})
HIDDEN = ("_", "test")


@dataclass
class Report:
    """What was replaced: names of this library, and names left to scikit-learn, by module."""

    replaced: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"{sum(map(len, self.replaced.values()))} names of scikit-learn replaced by those of learnable"]
        for module in sorted({*self.replaced, *self.left}):
            line = f"  {module}: {len(self.replaced.get(module, []))}"
            others = self.left.get(module, [])
            lines.append(line + (f"; scikit-learn's own: {', '.join(others)}" if others else ""))
        return "\n".join(lines)


_originals: dict[tuple[str, str], Any] = {}
_report = Report()


def patch() -> Report:
    """Put our names in place of scikit-learn's; a second call changes nothing.

    >>> report = patch()
    >>> import sklearn.linear_model
    >>> sklearn.linear_model.Ridge.__module__
    'learnable.linear_model.ridge'
    >>> restore()
    >>> sklearn.linear_model.Ridge.__module__.split(".")[0]
    'sklearn'
    """
    if _originals or _FINDER in sys.meta_path:
        return _report
    if "sklearn" not in sys.modules and importlib.util.find_spec("sklearn") is None:
        sys.meta_path.insert(0, _FINDER)
        return _report
    modules = _public_modules()  # all are loaded first: scikit-learn's own parts keep what they were made of
    for path, module in modules.items():
        ours = _ours(path)
        if ours is not None:
            _replace(path, module, ours)
    return _report


def restore() -> None:
    """Give scikit-learn its own names back."""
    for (path, name), value in _originals.items():
        setattr(sys.modules[path], name, value)
    _originals.clear()
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
        for path in [path for path in sys.modules if path.split(".")[0] == "sklearn"]:
            del sys.modules[path]
    _report.replaced.clear()
    _report.left.clear()


def public_names(module: ModuleType) -> list[str]:
    """The names that a module of scikit-learn offers."""
    listed = getattr(module, "__all__", None)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return sorted(name for name in (own if listed is None else listed) if not name.startswith("_"))


def _public_modules() -> dict[str, ModuleType]:
    """Every public module of scikit-learn whose names may be replaced, loaded."""
    import sklearn

    for name in ("enable_halving_search_cv", "enable_iterative_imputer"):  # both are here without being enabled
        importlib.import_module(f"sklearn.experimental.{name}")
    found = {}
    for info in pkgutil.walk_packages(sklearn.__path__, "sklearn."):
        parts = info.name.split(".")[1:]
        if parts[0] in KEPT or any(part.startswith(HIDDEN) for part in parts):
            continue
        try:
            found[info.name] = importlib.import_module(info.name)
        except ImportError:  # it needs a package that is not installed
            continue
    return found


def _ours(path: str) -> ModuleType | None:
    """The module of this library at the same path below its root, if there is one."""
    try:
        return importlib.import_module(f"learnable.{path.partition('.')[2]}")
    except ImportError:
        return None


def _replace(path: str, theirs: ModuleType, ours: ModuleType) -> None:
    for name in public_names(theirs):
        try:
            before = getattr(theirs, name)
        except (AttributeError, ImportError):  # experimental, and not enabled
            continue
        value = getattr(ours, name, None)
        if callable(value) and callable(before):
            _originals[path, name] = before
            setattr(theirs, name, value)
            _report.replaced.setdefault(path, []).append(name)
        elif callable(before):
            _report.left.setdefault(path, []).append(name)


class _Facade(ModuleType):
    """A module under scikit-learn's path that holds the names of one of ours, where scikit-learn is not installed."""

    def __getattr__(self, name: str) -> Any:
        ours = importlib.import_module("learnable" + self.__name__.removeprefix("sklearn"))
        return getattr(ours, name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `sklearn` and what is below it in this library."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A facade of the module of the same path here, if there is one."""
        root, _, below = fullname.partition(".")
        if root != "sklearn" or importlib.util.find_spec(f"learnable.{below}" if below else "learnable") is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """An empty facade."""
        return _Facade(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: names are found when they are needed."""


_FINDER = _Finder()


def main(arguments: list[str]) -> int:
    """Run a script, or with `-m` a module, with our names in place of scikit-learn's; `--report` says what they are."""
    tell = arguments[:1] == ["--report"]
    rest = arguments[1:] if tell else arguments
    if not rest or rest == ["-m"]:
        print("usage: python -m learnable.drop_in [--report] script.py | -m module [arguments]", file=sys.stderr)
        return 2
    report = patch()
    if tell:
        print(report, file=sys.stderr)
    as_module = rest[0] == "-m"
    sys.argv = rest[1:] if as_module else rest
    if as_module:
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(rest[0]).resolve().parent)  # as Python does for a script
        runpy.run_path(rest[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    from learnable import drop_in  # this module under its own name, so that its state exists once

    sys.exit(drop_in.main(sys.argv[1:]))
