"""Runs the tests of the installed scikit-learn against the estimators and functions of this library: `make compat`.

    python -m tests.compatibility                        every family, and compare with compatibility.toml
    python -m tests.compatibility pipeline svm           some families
    python -m tests.compatibility svm --failed           only what failed in the last run
    python -m tests.compatibility svm -- -k sparse -x    options of pytest
    python -m tests.compatibility --names                public names of scikit-learn that are not here, by module

Every public name that both libraries have is replaced in scikit-learn's module before its tests are imported. Tests
that name none of them, or that import private modules, are left out. Failures because of the words of a message, of
private attributes or of deprecations do not break a program; all others must be listed in compatibility.toml with a
reason.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LIST = HERE / "compatibility.toml"
KEPT = HERE.parent / "build" / "compatibility"
FAMILIES = (
    "calibration", "cluster", "compose", "covariance", "cross_decomposition", "datasets", "decomposition",
    "discriminant_analysis", "dummy", "ensemble", "feature_extraction", "feature_selection", "frozen", "impute",
    "inspection", "isotonic", "kernel_approximation", "kernel_ridge", "linear_model", "manifold", "metrics",
    "mixture", "model_selection", "multiclass", "multioutput", "naive_bayes", "neighbors", "neural_network",
    "pipeline", "preprocessing", "random_projection", "semi_supervised", "svm", "tree", "metaestimators",
)  # fmt: skip
ALSO = {
    "calibration": ("svm",),
    "compose": ("preprocessing",),
    "ensemble": ("tree",),
    "inspection": ("ensemble", "tree", "impute"),
}  # families whose classes their tests compare with those they use
ACROSS = {"metaestimators": ("test_metaestimators.py", "test_metaestimators_metadata_routing.py")}
# The first pattern that is found in a failure's text decides its kind; the first three kinds break no program.
KINDS = (
    (
        "wording",
        r"Regex pattern did not match|Regex: |^E\s+assert ['\"].*in str\(|== ['\"]Unsupported"
        r"|where .* = str\(\w+(Warning|Error)\(",
    ),
    ("private", r"has no attribute '_|no attribute \"_|assert False\n.*hasattr\(.*, '_\w+'\)"),
    ("deprecation", r"DID NOT WARN.*FutureWarning"),
    ("no warning", r"DID NOT WARN"),
    ("no error", r"DID NOT RAISE"),
    ("unknown argument", r"unexpected keyword argument"),
    ("refused", r"ParameterError|ParameterTypeError|DataError|NotFittedError"),
    ("attribute", r"AttributeError"),
    ("value", r"AssertionError|assert "),
    ("other", r""),
)
HARMLESS = {"wording", "private", "deprecation"}


def _value(module: Any, name: str) -> Any:
    """A name of a module; None where it is experimental and was not enabled."""
    try:
        return getattr(module, name, None)
    except ImportError:
        return None


class Replacement:
    """A pytest plugin: puts our names in place of scikit-learn's, chooses the tests that use them, collects results."""

    def __init__(self, families: tuple[str, ...], also: tuple[str, ...] = ()) -> None:
        self.names: set[str] = set()
        self.passed = 0
        self.failures: dict[str, tuple[str, str]] = {}
        for family in families:
            self.names |= self._replace(family)
        for family in also:
            self._replace(family)

    def _replace(self, family: str) -> set[str]:
        theirs, ours = importlib.import_module(f"sklearn.{family}"), importlib.import_module(f"learnable.{family}")
        public = getattr(theirs, "__all__", ()) or [name for name in vars(theirs) if not name.startswith("_")]
        shared = {n for n in public if callable(getattr(ours, n, None)) and callable(_value(theirs, n))}
        for name in shared:
            setattr(theirs, name, getattr(ours, name))
        return shared

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        pattern = re.compile(r"\b(" + "|".join(map(re.escape, sorted(self.names))) + r")\b")
        kept = [item for item in items if _applies(item, pattern)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.passed += 1
        elif report.failed:
            self._keep_failure(report)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self._keep_failure(report)

    def _keep_failure(self, report: Any) -> None:
        text = str(report.longrepr).strip()
        kind = next(kind for kind, pattern in KINDS if re.search(pattern, text, re.MULTILINE))
        self.failures[report.nodeid.split("sklearn/")[-1]] = (kind, text[-400:])


def _applies(item: Any, pattern: re.Pattern[str]) -> bool:
    """Whether a test uses a replaced name and no private module."""
    call = getattr(item, "callspec", None)
    text = inspect.getsource(item.function) + " ".join(map(str, call.params.values() if call else ()))
    private = re.search(r"\bfrom sklearn\.\w+\._|\bsklearn\.\w+\._", text) or _uses_any(text, _private(item.module))
    return bool(pattern.search(text)) and not private


@cache
def _private(module: Any) -> frozenset[str]:
    """The classes and functions that a test file imports from private modules of the family that it tests."""
    family = module.__name__.split(".")[1]
    found = (node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ImportFrom))
    hidden = [node for node in found if (node.module or "").startswith(f"sklearn.{family}._")]
    names = (alias.asname or alias.name for node in hidden for alias in node.names)
    return frozenset(name for name in names if callable(getattr(module, name, None)))


def _uses_any(text: str, names: frozenset[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def test_files(family: str) -> list[Path]:
    """The files of scikit-learn's tests of a family."""
    import sklearn

    root = Path(sklearn.__file__).parent
    if family in ACROSS:
        return [root / "tests" / name for name in ACROSS[family]]
    return [root / family / "tests"] if (root / family / "tests").is_dir() else [root / "tests" / f"test_{family}.py"]


def run(family: str, failed_only: bool, options: list[str]) -> dict[str, Any]:
    """Run the tests of one family in this process, and keep what was found."""
    import pytest

    file, plugin = (
        KEPT / f"{family}.json",
        Replacement(FAMILIES[:-1] if family in ACROSS else (family,), ALSO.get(family, ())),
    )
    before = json.loads(file.read_text()) if failed_only else {"failures": {}, "passed": 0}
    chosen = [str(test_files(family)[0]).split("sklearn/")[0] + f"sklearn/{test}" for test in before["failures"]]
    quiet = [
        "-q",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "--no-header",
        "--no-summary",
        "--show-capture=no",
        "-W",
        "ignore",
    ]
    quiet += ["--continue-on-collection-errors", "--disable-warnings", "-o", "addopts=", "-o", "filterwarnings=ignore"]
    pytest.main([*quiet, *options, *(chosen or map(str, test_files(family)))], plugins=[plugin])
    found = {"passed": plugin.passed + before["passed"], "names": len(plugin.names), "failures": plugin.failures}
    if not options:
        KEPT.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=1))
    return found


def listed(family: str) -> list[dict[str, Any]]:
    """The differences of a family that compatibility.toml gives reasons for."""
    entries: list[dict[str, Any]] = tomllib.loads(LIST.read_text(encoding="utf-8")).get(family, [])
    return entries


def compare(family: str, found: dict[str, Any], show_all: bool) -> bool:
    """Print how many tests pass, and those that fail without being listed; whether there are none."""
    patterns = [pattern for entry in listed(family) for pattern in entry["tests"]]
    harm = {test: pair for test, pair in found["failures"].items() if pair[0] not in HARMLESS}
    known = {test for test in harm if any(fnmatchcase(_short(test), _literal(pattern)) for pattern in patterns)}
    for test, (kind, text) in sorted(harm.items(), key=lambda pair: (pair[1][0], pair[0])):
        if show_all or test not in known:
            print(f"  {kind}: {test}\n      " + text.splitlines()[-1][-200:])
    share = found["passed"] / max(1, found["passed"] + len(harm))
    kinds = Counter(kind for kind, _ in found["failures"].values())
    print(
        f"{family}: {found['names']} names; {found['passed']} tests pass, {len(harm)} fail by behaviour "
        f"({len(harm) - len(known)} not listed), {sum(kinds[kind] for kind in HARMLESS)} otherwise: {share:.1%}"
    )
    return len(known) == len(harm)


def _short(test: str) -> str:
    """A test without its folders: `test_svm.py::test_dense`."""
    return test.rpartition("/")[2]


def _literal(pattern: str) -> str:
    """A pattern in which brackets are what they are, as in the names of tests with parameters."""
    return pattern.replace("[", "[[]")


def missing_names() -> dict[str, list[str]]:
    """The public names of scikit-learn's modules that are not at the same path here."""
    import sklearn

    from learnable import drop_in

    found = {}
    for info in pkgutil.walk_packages(sklearn.__path__, "sklearn."):
        parts = info.name.split(".")[1:]
        if any(part.startswith(("_", "test")) or part in ("conftest", "externals") for part in parts):
            continue
        theirs = importlib.import_module(info.name)
        try:
            ours: Any = importlib.import_module(f"learnable.{'.'.join(parts)}")
        except ImportError:
            ours = None
        names = [name for name in drop_in.public_names(theirs) if not hasattr(ours, name)]
        if names:
            found[info.name] = names
    return found


def main() -> int:
    """Run families, print what differs; 1 if something differs that is not listed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("families", nargs="*", metavar="family")
    parser.add_argument("--failed", action="store_true", help="only tests that failed in the last run")
    parser.add_argument("--all", action="store_true", help="show also the failures that are listed")
    parser.add_argument("--names", action="store_true", help="list the public names of scikit-learn that are not here")
    parser.add_argument("--stored", action="store_true", help="run nothing: compare the results of the last run")
    given = sys.argv[1:]
    cut = given.index("--") if "--" in given else len(given)
    chosen, options = parser.parse_args(given[:cut]), given[cut + 1 :]
    if chosen.names:
        for module, names in missing_names().items():
            print(f"{module}: {', '.join(names)}")
        return 0
    families = chosen.families or list(FAMILIES)
    if len(families) > 1 and not chosen.stored:
        for family in families:
            command = [sys.executable, "-m", "tests.compatibility", family, *(["--failed"] if chosen.failed else [])]
            subprocess.run([*command, "--", *options] if options else command, check=False, stdout=subprocess.DEVNULL)
        chosen.stored = True
    good = True
    for family in families:
        stored = KEPT / f"{family}.json"
        found = json.loads(stored.read_text()) if chosen.stored else run(family, chosen.failed, options)
        good = compare(family, found, chosen.all) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
