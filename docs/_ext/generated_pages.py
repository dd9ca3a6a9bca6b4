"""Pages generated from the project itself: reference, course map, benchmarks, alarms."""

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
from learnable.core.roles.estimator import Estimator
from learnable.lazy import stub_names

FAMILIES = {
    "datasets": (
        "Data sets",
        "Tables from files, data sets inside the package, generators with known ground truth.",
    ),
    "preprocessing": (
        "Preprocessing",
        "Scaling, encoding of categories, discretisation, power transforms, new features.",
    ),
    "impute": ("Imputation", "Missing values imputed, indicated, or dropped."),
    "feature_extraction": ("Feature extraction", "Features from texts, records, images and time series."),
    "feature_selection": ("Feature selection", "Filters, wrappers and embedded methods."),
    "imbalance": ("Class imbalance", "Undersampling, oversampling, synthetic rows, and balanced weights."),
    "pipeline": ("Pipelines", "Steps in sequence, or side by side, as one estimator."),
    "compose": ("Column transformers", "One transformer per group of columns, and transformations of the target."),
    "dummy": ("Baselines", "Models that ignore the features: what every other model has to beat."),
    "linear_model": ("Linear models", "Regression by weighted sums of features, and classification by their sign."),
    "discriminant_analysis": ("Discriminant analysis", "Gaussian classes, and the projections that separate them."),
    "naive_bayes": ("Naive Bayes", "Classifiers with independent features, and classifiers made of densities."),
    "conjugate": ("Conjugate models", "Prior, posterior and predictive distribution in closed form."),
    "kernels": ("Kernels", "Kernel functions, kernel matrices, and geometry in the feature space."),
    "kernel_ridge": ("Kernel ridge regression", "Ridge regression in the feature space of a kernel."),
    "kernel_machine": ("Kernel machines", "The perceptron and logistic regression in the feature space of a kernel."),
    "kernel_approximation": ("Kernel approximation", "Features whose inner products approximate a kernel."),
    "gaussian_process": (
        "Gaussian processes",
        "Posteriors over functions; kernels with hyperparameters.",
    ),
    "isotonic": ("Isotonic regression", "Monotone functions of one feature."),
    "tree": ("Decision trees", "Rows split by one question about one feature after the other."),
    "ensemble": ("Ensembles", "Combinations of many models: forests, boosting, voting, stacking."),
    "inspection": ("Model inspection", "Feature importance, partial dependence, Shapley values."),
    "svm": ("Support vector machines", "The maximum margin, for classification, regression and outlier detection."),
    "neighbors": ("Nearest neighbours", "Prediction, densities and outliers from the nearest rows."),
    "density": ("Density estimation", "Probability densities, sampling, and anomaly detection."),
    "covariance": ("Covariance estimation", "Empirical, shrunk, robust and sparse inverse covariances."),
    "semi_supervised": ("Semi-supervised learning", "Labels of few rows spread to rows without one."),
    "cluster": ("Clustering", "Clusters found without labels: centroids, densities, hierarchies, graphs."),
    "neural_network": ("Neural networks", "Multi-layer perceptrons and other networks of layers."),
    "tape": ("Automatic differentiation", "Tensors that record their computation, gradients, and checks of gradients."),
    "mixture": ("Mixture models", "Latent components, fitted by expectation-maximisation."),
    "sequence": ("Sequence models", "Hidden Markov models, conditional random fields and taggers."),
    "graphical": ("Graphical models", "Bayesian networks, Markov random fields, inference, structure learning."),
    "sampling": ("Markov chain Monte Carlo", "Draws from posteriors, their diagnostics, Bayesian regressions."),
    "scale": ("Data larger than memory", "Scans, here or on clusters; exact sums, unlearning."),
    "decomposition": (
        "Dimensionality reduction",
        "Principal components, factors, independent components, low-rank matrices.",
    ),
    "cross_decomposition": (
        "Cross decomposition",
        "Directions in which two tables of the same rows covary or correlate most.",
    ),
    "manifold": ("Manifold learning", "Maps of the rows in few dimensions, and how faithful they are."),
    "recommend": ("Recommenders", "Ratings predicted, and the best items for each user."),
    "random_projection": ("Random projections", "Few columns that nearly keep all distances."),
    "multiclass": ("Multiclass reductions", "One-vs-rest, one-vs-one, output codes."),
    "multioutput": ("Multi-output models", "Independent fits and chains."),
    "calibration": ("Probability calibration", "Predicted probabilities that agree with observed frequencies."),
    "frozen": ("Frozen models", "Fitted models that meta-estimators do not refit."),
    "metrics": ("Metrics", "Scores of predictions, curves over thresholds, scorers, distances and kernels."),
    "model_selection": ("Model selection", "Splitters, cross-validation, learning curves, hyperparameter search."),
    "inference": ("Statistical inference", "Confidence intervals, hypothesis tests and comparisons of models."),
    "information": ("Information theory", "Information content, entropy, divergence, mutual information."),
    "evolution": (
        "Evolutionary computation",
        "Genetic algorithms, differential evolution, CMA-ES, particle swarms, annealing, several objectives.",
    ),
    "reinforcement": (
        "Reinforcement learning",
        "Markov decision processes solved and learned, bandits, small worlds.",
    ),
    "active": ("Active learning", "Which rows to label next: query strategies, committees, curves."),
    "theory": ("Learning theory", "Bounds, bias and variance, error curves and their diagnosis, rules of thumb."),
    "plot": ("Plots", "Each Display computes what it shows, keeps it as attributes, and draws it with matplotlib."),
    "parts.losses": ("Losses", "How wrong a prediction is. A loss sees targets and scores, never the data."),
    "parts.penalties": ("Penalties", "How costly coefficients are."),
    "deployment": (
        "Deployed models",
        "The columns that a model expects, prediction intervals, and values outside the training range.",
    ),
}
CORE = ("Context managers, results and errors", "What all estimators share.")
SUBMODULES = ("text", "image", "pairwise")  # modules of scikit-learn below a family, whose names the family has too
INDEX = """Reference
=========

Every public name, from its declaration. All classes and functions of the families are also reachable
from the top: `learnable.Ridge` is `learnable.linear_model.Ridge`.

.. toctree::
   :hidden:

"""
GROUPS = {
    "FRM": "The framework of learning",
    "WFL": "Workflow",
    "PRE": "Data preparation",
    "FEN": "Feature engineering",
    "FEX": "Feature extraction from texts, images and time series",
    "FSL": "Feature selection",
    "IMB": "Class imbalance",
    "LIN": "Linear regression",
    "LOS": "Losses and penalties",
    "OPT": "Optimisation",
    "CLS": "Linear classification",
    "DIS": "Discriminant analysis",
    "NBC": "Naive Bayes and conjugate priors",
    "KER": "Kernel methods",
    "SVM": "Support vector machines",
    "KNN": "Nearest neighbours and distances",
    "TRE": "Decision trees",
    "ENS": "Ensembles and boosting",
    "NNW": "Neural networks",
    "CLU": "Clustering",
    "DEN": "Density estimation",
    "EMG": "Mixture models and the EM algorithm",
    "PCA": "Principal components and dimensionality reduction",
    "DIC": "Dictionary learning",
    "MFA": "Matrix factorisation and embeddings",
    "MAN": "Manifold learning",
    "PGM": "Sequence and graphical models",
    "GEN": "Evolutionary algorithms",
    "PAR": "Other learning paradigms",
    "MET": "Evaluation metrics",
    "RES": "Model selection",
    "STA": "Statistical inference",
    "INF": "Information theory",
    "THE": "Learning theory",
    "APP": "Case studies",
    "FIG": "Figures",
    "W": "Worked numerical examples",
}


def write(docs: Path, root: Path) -> None:
    """Write every generated page, touching only what changed."""
    pages = {f"api/{name}.rst": text for name, text in reference().items()}
    pages["generated/parts/course_map.md"] = course_map(root)
    pages["generated/parts/benchmarks.md"] = benchmarks(docs)
    pages["generated/parts/alarms.md"] = alarms()
    pages["generated/parts/differences.md"] = differences(root)
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
    """Name -> object of the names of the package that belong to no family."""
    elsewhere = {name for family in FAMILIES for name in public(family)}
    return {name: getattr(learnable, name) for name in sorted(learnable.public_names() - elsewhere)}


def reference() -> dict[str, str]:
    """The reference: a page for the package itself, one for each family, and their index."""
    pages = {"core": _page("learnable", *CORE, core_names())}
    for family, (title, about) in FAMILIES.items():
        if public(family):
            pages[family.replace(".", "_")] = _page(f"learnable.{family}", title, about, public(family))
    return pages | {"index": INDEX + "".join(f"   {page}\n" for page in pages) + _contents(pages)}


def _contents(pages: dict[str, str]) -> str:
    """A table of the pages of the reference: contents and number of names."""
    lines = ["", ".. list-table::", "   :header-rows: 1", "   :widths: 25 60 15", ""]
    lines += ["   * - page", "     - contents", "     - names"]
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
    return "\n".join([*lines, *_titles(names)])


def _titles(names: dict[str, Any]) -> list[str]:
    """A table of the titles of estimators: the names of the methods in textbook terms."""
    titles = {
        name: value.title for name, value in names.items() if inspect.isclass(value) and issubclass(value, Estimator)
    }
    rows = [[f"   * - :py:obj:`{name}`", f"     - {title}"] for name, title in titles.items() if title]
    if not rows:
        return []
    table = [".. list-table::", "   :header-rows: 1", "", "   * - class", "     - method"]
    return [*_heading("In textbook terms", "-"), *table, *(line for row in rows for line in row), ""]


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


REASONS = {
    "better": "Meant as it is here",
    "accident": "Details that tests of scikit-learn fix, and programs do not depend on",
    "private": "Needs what is private in scikit-learn",
}


def differences(root: Path) -> str:
    """Sections of the differences from scikit-learn by kind, each difference with its family and reason."""
    file = root / "tests" / "compatibility.toml"
    if not file.exists():
        return "The list is made from the project's own tests, which are not part of this copy.\n"
    families = tomllib.loads(file.read_text(encoding="utf-8"))
    lines: list[str] = []
    for kind, heading in REASONS.items():
        lines += [f"## {heading}", "", "| family | what differs | why |", "|---|---|---|"]
        for family, entries in sorted(families.items()):
            chosen = [entry for entry in entries if entry["kind"] == kind]
            lines += [f"| `{family}` | {entry['title']} | {entry['reason']} |" for entry in chosen]
        lines.append("")
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
        below = below.rpartition(".")[2] if below.split(".")[0] in SUBMODULES else below
        if name.startswith(f"{family}.") and below.split(".")[0] in public(family):
            return f"{{py:obj}}`{below} <learnable.{family}.{below}>`"
    return f"`learnable.{name}`"


def _example(path: str, root: Path) -> str:
    """A link to a gallery page or a page of the documentation, with its first heading as text."""
    if not path:
        return ""
    file, text = Path(path), (root / path).read_text(encoding="utf-8")
    title = re.search(r'(?:"""|^# )\s*(\S.*)$', text, re.MULTILINE)
    target = f"gallery/{file.parent.name}/{file.stem}.rst" if file.suffix == ".py" else file.relative_to("docs")
    return f"[{title.group(1).strip() if title else file.stem}](/{target})"


def benchmarks(docs: Path) -> str:
    """The table that `python -m benchmarks --write` writes, or how to make it."""
    file = docs / "benchmarks.md"
    if not file.exists():
        return (
            "No run is stored with this copy. `python -m benchmarks --write`, in an environment with the peers "
            "(`pip install -e .[bench]`), runs every task and writes this page.\n"
        )
    return file.read_text(encoding="utf-8").removeprefix("# Benchmarks\n")
