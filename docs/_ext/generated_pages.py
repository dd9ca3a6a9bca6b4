"""Pages that are made from the project itself: reference, course map, benchmarks, alarms."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import learnable
from learnable.app.audit import CATALOGUE
from learnable.lazy import stub_names

FAMILIES = {
    "datasets": (
        "Data sets",
        "Tables from files, small sets that come with the package, problems with a known answer.",
    ),
    "preprocessing": ("Preprocessing", "Scales, codes of categories, bins, bends and new columns."),
    "impute": ("Gaps", "Missing entries filled, marked, or left out."),
    "feature_extraction": ("Features", "Columns from texts, records, images and series."),
    "feature_selection": ("Choosing columns", "Filters, wrappers, and what a model keeps by itself."),
    "imbalance": ("Uneven classes", "Rows dropped, copied or made, and weights that do the same."),
    "pipeline": ("Pipelines", "Steps one after the other, or side by side, as one estimator."),
    "compose": ("Columns of several kinds", "Each group of columns, and the target, in its own way."),
    "dummy": ("Baselines", "Models that ignore the columns: what every other model has to beat."),
    "linear_model": ("Linear models", "Regression by weighted sums of columns, and classification by their sign."),
    "discriminant_analysis": ("Discriminant analysis", "Gaussian classes, and the directions that tell them apart."),
    "naive_bayes": ("Naive Bayes", "Classes whose columns are independent, and classifiers made of densities."),
    "conjugate": ("Conjugate models", "Prior, posterior and prediction in closed form."),
    "kernels": ("Kernels", "Inner products in spaces of many columns, and what they alone can tell."),
    "kernel_ridge": ("Kernel ridge regression", "Ridge regression in the space of a kernel."),
    "kernel_machine": ("Kernel machines", "The perceptron and logistic regression in the space of a kernel."),
    "kernel_approximation": ("Approximate kernels", "Columns whose inner products come close to a kernel."),
    "isotonic": ("Isotonic regression", "Curves that never fall, or never rise."),
    "tree": ("Trees", "Rows divided by one question about one column after the other."),
    "ensemble": ("Ensembles", "Many models that answer together: forests, boosting, voting, stacking."),
    "inspection": ("Inspection", "What a fitted model rests on: importances, partial dependence, Shapley values."),
    "svm": ("Support vector machines", "The widest margin, for classes, numbers and outliers."),
    "neighbors": ("Neighbours", "What the nearest rows say: classes, numbers, densities, outliers."),
    "density": ("Densities", "Probability densities of rows, drawn from and judged by likelihood."),
    "cluster": ("Clusters", "Groups of rows found without labels."),
    "mixture": ("Mixtures", "Several distributions at once, learned by expectation and maximisation."),
    "decomposition": ("Decompositions", "Few directions that hold most of a table."),
    "multiclass": ("Several classes", "One against the rest, one against one, output codes."),
    "multioutput": ("Several targets", "Independent fits and chains."),
    "calibration": ("Calibration", "Probabilities that mean what they say."),
    "frozen": ("Frozen models", "Fitted models that others take as they are."),
    "metrics": ("Metrics", "Scores of predictions, curves over thresholds, scorers, distances and kernels."),
    "model_selection": ("Resampling and search", "Splits, cross-validation, curves, and the choice of parameters."),
    "inference": ("Statistics", "Intervals, tests and comparisons: what a difference between scores is worth."),
    "information": ("Information", "Surprise, entropy, divergence, and what variables tell about each other."),
    "theory": ("Theory", "Bounds, bias and variance, curves of errors and their diagnosis, advice."),
    "plot": ("Pictures", "Each Display computes what it shows, keeps it as attributes, and draws it with matplotlib."),
    "parts.losses": ("Losses", "How wrong a prediction is. A loss sees targets and scores, never the data."),
    "parts.penalties": ("Penalties", "How costly coefficients are."),
    "deployment": (
        "Models in use",
        "What a model expects of a table, how sure its answers are, what is strange in a row.",
    ),
}
CORE = ("Tools, results and errors", "What every estimator shares.")
SUBMODULES = ("text", "image", "pairwise")  # modules of scikit-learn below a family, whose names the family has too
INDEX = """Reference
=========

Every public name, from its declaration. All classes and functions of the families are also reachable
from the top: `learnable.Ridge` is `learnable.linear_model.Ridge`.

.. toctree::
   :hidden:

"""
GROUPS = {
    "FRM": "The frame of learning",
    "WFL": "Workflow",
    "PRE": "Preparing data",
    "FEN": "New columns",
    "FEX": "Columns from texts, images and series",
    "FSL": "Choosing columns",
    "IMB": "Uneven classes",
    "LIN": "Linear regression",
    "LOS": "Losses and penalties",
    "OPT": "Optimisation",
    "CLS": "Linear classification",
    "DIS": "Discriminant analysis",
    "NBC": "Naive Bayes and conjugate models",
    "KER": "Kernels",
    "SVM": "Support vector machines",
    "KNN": "Neighbours and distances",
    "TRE": "Trees",
    "ENS": "Ensembles",
    "NNW": "Neural networks",
    "CLU": "Clusters",
    "DEN": "Densities",
    "EMG": "Mixtures",
    "PCA": "Principal components",
    "DIC": "Dictionaries",
    "MFA": "Factors and embeddings",
    "MAN": "Manifolds",
    "PGM": "Sequences and graphs",
    "GEN": "Evolution",
    "PAR": "Other ways to learn",
    "MET": "Metrics",
    "RES": "Choosing a model",
    "STA": "Statistics",
    "INF": "Information",
    "THE": "Theory",
    "APP": "Worked examples",
    "FIG": "Pictures",
    "W": "Worked numbers",
}


def write(docs: Path, root: Path) -> None:
    """Write every generated page, touching only what changed."""
    pages = {f"api/{name}.rst": text for name, text in reference().items()}
    pages["generated/parts/course_map.md"] = course_map(root)
    pages["generated/parts/benchmarks.md"] = benchmarks(docs)
    pages["generated/parts/alarms.md"] = alarms()
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
    pages = {"core": _page("learnable", *CORE, core_names())}
    for family, (title, about) in FAMILIES.items():
        if public(family):
            pages[family.replace(".", "_")] = _page(f"learnable.{family}", title, about, public(family))
    return pages | {"index": INDEX + "".join(f"   {page}\n" for page in pages) + _contents(pages)}


def _contents(pages: dict[str, str]) -> str:
    """A table of the pages of the reference, what each of them holds, and how many names."""
    lines = ["", ".. list-table::", "   :header-rows: 1", "   :widths: 25 60 15", ""]
    lines += ["   * - page", "     - what it holds", "     - names"]
    counts = {"core": len(core_names())} | {family.replace(".", "_"): len(public(family)) for family in FAMILIES}
    about = {"core": CORE[1]} | {family.replace(".", "_"): text for family, (_, text) in FAMILIES.items()}
    for page in pages:
        lines += [f"   * - :doc:`{page}`", f"     - {about[page]}", f"     - {counts[page]}"]
    return "\n".join([*lines, ""])


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


def alarms() -> str:
    """A table of the alarms of an audit: code, level, what is wrong, why it matters, what to do."""
    lines = ["| code | level | alarm | why it matters | what to do |", "|---|---|---|---|---|"]
    for entry in CATALOGUE.values():
        fix = entry.remedy("the column", "`--drop COLUMN`")
        lines.append(f"| {entry.code} | {entry.level} | {entry.title} | {entry.why} | {fix} |")
    return "\n".join([*lines, ""])


def _row(entry: dict[str, Any], root: Path) -> str:
    names = ", ".join(_link(name) for name in entry["names"])
    return f"| {entry['topic']} | {names} | {_example(entry.get('example', ''), root)} |"


def _link(name: str) -> str:
    """A name as a link to the reference where it has a page there, as code elsewhere."""
    if name in core_names():
        return f"{{py:obj}}`{name} <learnable.{name}>`"
    for family in FAMILIES:
        below = name.removeprefix(f"{family}.")
        below = below.rpartition(".")[2] if below.split(".")[0] in SUBMODULES else below
        if name.startswith(f"{family}.") and below.split(".")[0] in public(family):
            return f"{{py:obj}}`{below} <learnable.{family}.{below}>`"
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
