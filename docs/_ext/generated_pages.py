"""Pages that are made from the project itself: the reference from the stubs, the course map, the benchmarks."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import learnable
from learnable.lazy import stub_names

FAMILIES = {
    "linear_model": ("Linear models", "Regression by weighted sums of columns."),
    "metrics": ("Metrics", "Scores of predictions, curves over thresholds, scorers, distances and kernels."),
    "inference": ("Statistics", "Intervals, tests and comparisons: what a difference between scores is worth."),
    "information": ("Information", "Surprise, entropy, divergence, and what variables tell about each other."),
    "theory": ("Theory", "Bounds, bias and variance, curves of errors and their diagnosis, advice."),
    "datasets": ("Data sets", "A small table that comes with the package, and problems with a known answer."),
    "plot": ("Pictures", "Each Display computes what it shows, keeps it as attributes, and draws it with matplotlib."),
    "parts.losses": ("Losses", "How wrong a prediction is. A loss sees targets and scores, never the data."),
    "parts.penalties": ("Penalties", "How costly coefficients are."),
}
INDEX = """Reference
=========

Every public name, from its declaration. All classes and functions of the families are also reachable
from the top: `learnable.Ridge` is `learnable.linear_model.Ridge`.

.. toctree::
   :maxdepth: 1

"""
GROUPS = {
    "FRM": "The frame of learning",
    "LIN": "Linear regression",
    "LOS": "Losses and penalties",
    "MET": "Metrics",
    "IMB": "Uneven classes",
    "KNN": "Neighbours and distances",
    "OPT": "Optimisation",
    "PRE": "Preparing data",
    "RES": "Choosing a model",
    "STA": "Statistics",
    "INF": "Information",
    "THE": "Theory",
    "WFL": "Workflow",
    "APP": "Worked examples",
}


def write(docs: Path, root: Path) -> None:
    """Write every generated page, touching only what changed."""
    pages = {f"api/{name}.rst": text for name, text in reference().items()}
    pages["generated/parts/course_map.md"] = course_map(root)
    pages["generated/parts/benchmarks.md"] = benchmarks(docs)
    for name, text in pages.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


@cache
def public(family: str) -> dict[str, Any]:
    """Name -> object of a family, as its stub lists them."""
    module = importlib.import_module(f"learnable.{family}")
    return {name: getattr(module, name) for name in sorted(stub_names(str(module.__file__)))}


@cache
def core_names() -> dict[str, Any]:
    """Name -> object of what the package itself offers, beside the families."""
    elsewhere = {name for family in FAMILIES for name in public(family)}
    return {name: getattr(learnable, name) for name in sorted(learnable.public_names() - elsewhere)}


def reference() -> dict[str, str]:
    """The reference: a page for the tools of the package itself, one for each family, and their index."""
    pages = {"core": _page("learnable", "Tools, results and errors", "What every estimator shares.", core_names())}
    for family, (title, about) in FAMILIES.items():
        pages[family.replace(".", "_")] = _page(f"learnable.{family}", title, about, public(family))
    return pages | {"index": INDEX + "".join(f"   {page}\n" for page in pages)}


def _page(module: str, title: str, about: str, names: dict[str, Any]) -> str:
    classes = [name for name, value in names.items() if inspect.isclass(value)]
    functions = [name for name in names if name not in classes]
    lines = [*_heading(title, "="), f"`{module}`. {about}", "", f".. currentmodule:: {module}", ""]
    groups = [("Functions", functions), ("Classes", classes)]
    for heading, group in groups if module == "learnable" else reversed(groups):
        if group:
            options = ["   :toctree: ../generated/", "   :nosignatures:", ""]
            lines += [*_heading(heading, "-"), ".. autosummary::", *options, *(f"   {name}" for name in group), ""]
    return "\n".join(lines)


def _heading(text: str, mark: str) -> list[str]:
    return [text, mark * len(text), ""]


def course_map(root: Path) -> str:
    """A table per group of topics: topic, what to call, the page that shows it."""
    file = root / "tests" / "syllabus.toml"
    if not file.exists():
        return "The map is made from the project's own tests, which are not part of this copy.\n"
    topics = tomllib.loads(file.read_text(encoding="utf-8"))
    lines: list[str] = []
    for group, title in GROUPS.items():
        rows = [entry for key, entry in topics.items() if key.startswith(f"{group}-") and entry.get("names")]
        if rows:
            lines += [f"## {title}", "", "| topic | what to call | shown in |", "|---|---|---|"]
            lines += [_row(entry, root) for entry in rows] + [""]
    return "\n".join(lines)


def _row(entry: dict[str, Any], root: Path) -> str:
    names = ", ".join(_link(name) for name in entry["names"])
    return f"| {entry['topic']} | {names} | {_example(entry.get('example', ''), root)} |"


def _link(name: str) -> str:
    """A name as a link to the reference where it has a page there, as code elsewhere."""
    if name in core_names():
        return f"{{py:obj}}`{name} <learnable.{name}>`"
    for family in FAMILIES:
        below = name.removeprefix(f"{family}.")
        if below != name and below.split(".")[0] in public(family):
            return f"{{py:obj}}`{below} <learnable.{name}>`"
    return f"`learnable.{name}`"


def _example(path: str, root: Path) -> str:
    """A link to a gallery page or a page of the documentation, called by its first heading."""
    if not path:
        return ""
    file, text = Path(path), (root / path).read_text(encoding="utf-8")
    title = re.search(r'(?:"""|^# )\s*(\S.*)$', text, re.MULTILINE)
    target = f"gallery/{file.parent.name}/{file.stem}.rst" if file.suffix == ".py" else file.relative_to("docs")
    return f"[{title.group(1).strip() if title else file.stem}](/{target})"


def benchmarks(docs: Path) -> str:
    """The table that `python -m benchmarks --write` leaves, or how to make it."""
    file = docs / "benchmarks.md"
    if not file.exists():
        return (
            "No run is stored with this copy. `python -m benchmarks --write`, in an environment with the peers "
            "(`pip install -e .[bench]`), runs every task and writes this page.\n"
        )
    return file.read_text(encoding="utf-8").removeprefix("# Benchmarks\n")
