"""Public names: stubs in step with the modules, every name documented, typed and free of local words."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import learnable
from learnable.lazy import stub_names

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "learnable"
STUBS = sorted(path for path in PACKAGE.rglob("__init__.pyi") if path.parent != PACKAGE)


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_every_name_of_a_stub_imports(stub):
    package = importlib.import_module(f"learnable.{stub.parent.relative_to(PACKAGE).as_posix().replace('/', '.')}")
    names = stub_names(str(stub))
    assert sorted(names) == package.__all__ == dir(package)
    for name, module in names.items():
        value = getattr(package, name)
        home = importlib.import_module(f"{package.__name__}.{module}")
        assert getattr(home, name) is value
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_stubs_are_sorted_and_re_export(stub):
    lines = [line for line in stub.read_text(encoding="utf-8").splitlines() if line.startswith("from .")]
    assert all(re.fullmatch(r"from \.\w+ import (\w+) as \1", line) for line in lines), lines
    assert len({line.split()[-1] for line in lines}) == len(lines), "a name is listed twice"
    assert [line.split()[1] for line in lines] == sorted(line.split()[1] for line in lines)


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.parent.name)
def test_no_name_is_that_of_its_module(stub):
    clash = [
        name for name, module in stub_names(str(stub)).items() if name in (module, *stub_names(str(stub)).values())
    ]
    assert not clash, "importing the module would hide the name"


def test_the_flat_stub_lists_what_is_there():
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    listed, opened = set(), set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names = {alias.asname or alias.name for alias in node.names}
            opened |= {node.module} if names == {"*"} else set()
            listed |= names - {"*"}
    families = {name for name in dir(learnable) if inspect.ismodule(getattr(learnable, name))}
    public = [stub for stub in STUBS if stub.parent.parent == PACKAGE]
    assert opened == {stub.parent.name for stub in public}
    assert families <= listed
    assert listed - families - {"__version__"} == learnable.public_names() - set().union(
        *(stub_names(str(s)) for s in public)
    )


def test_every_public_name_is_reached_from_the_top():
    for name in learnable.public_names():
        assert getattr(learnable, name) is not None
    assert set(learnable.public_names()) <= set(dir(learnable))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = learnable.nothing


@pytest.mark.parametrize("name", sorted(learnable.public_names()))
def test_every_public_name_is_documented(name):
    value = getattr(learnable, name)
    text = inspect.getdoc(value)
    assert text, f"{name} has no docstring"
    first = text.split("\n\n")[0]
    assert first.rstrip().endswith((".", ":")), f"{name}: the first paragraph is not a sentence: {first!r}"
    if inspect.isclass(value):
        for method, member in inspect.getmembers(value, inspect.isfunction):
            if not method.startswith("_"):
                assert inspect.getdoc(member), f"{name}.{method} has no docstring"
    elif callable(value):
        for parameter in inspect.signature(value).parameters.values():
            assert parameter.annotation is not parameter.empty, f"{name}: {parameter.name} has no type"


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()


def tracked() -> list[Path]:
    """Every text file that belongs to the project."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:  # a source archive has no history
        return [path for path in ROOT.rglob("*") if path.is_file() and "." not in path.relative_to(ROOT).parts[0][:1]]
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


WRITTEN = (".py", ".pyi", ".md", ".toml", ".hpp", ".cpp", ".txt", ".rst", ".yaml", ".yml", ".cfg", ".cmake", "")
FORBIDDEN = {
    "a path of a developer's machine": r"(?<![\w.])/(?:work|root|home/\w+|Users/\w+|tmp/[a-z]\w+)/",
    "a private package index": r"index-url|(?:artifactory|nexus|pypi|registry|mirror)\.[\w-]+\.(?!org\b)\w+",
    "an address inside a network": r"\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?:\.\d{1,3})?\b",
    "a rule switched off without a reason": r"#\s*(?:noqa(?!: \w+ +\S)|type: ignore(?!\[[\w-]+\]  # \S))",
    "a test that is not run": r"pytest\.(?:mark\.)?(?:skip|xfail|importorskip)|unittest\.skip",
    "a bare except": r"^\s*except\s*:",
    "work left for later": r"\b(?:TODO|FIXME|XXX|HACK)\b",
}


@pytest.mark.parametrize("kind", FORBIDDEN)
def test_words_that_do_not_belong_here(kind):
    pattern = re.compile(FORBIDDEN[kind], re.MULTILINE)
    found = []
    for path in tracked():
        if path == Path(__file__) or path.suffix not in WRITTEN:
            continue
        text = path.read_text(encoding="utf-8", errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match.group(0)!r}" for match in pattern.finditer(text)]
    assert not found, "\n".join(found)


SAME_FUNCTION = {  # one interface of several modules of a layer
    "app": {"columns_of", "drawn", "explain", "models", "page", "plain", "run", "serve", "study", "write_story"},
    "engines": {"initial_state", "log_joint", "solve"},
    "linear_model": {"certify", "choose", "keep", "use_gram"},
    "svm": {"certify"},
}


def functions():
    """(layer, name) of each function without an underscore at the top of a module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        layer = path.relative_to(PACKAGE).parts[0]
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield layer, node.name


def test_no_two_functions_of_a_layer_share_a_name():
    shared = {function for function, count in Counter(functions()).items() if count > 1}
    allowed = {(layer, name) for layer, names in SAME_FUNCTION.items() for name in names}
    assert shared == allowed, sorted(shared ^ allowed)
