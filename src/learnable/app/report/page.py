"""A study as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...core.table import is_missing
from ..plain import plain
from ..question import Question
from ..study.outcome import Study
from ..study.story import told, verdict
from .pictures import pictures

HERE = Path(__file__).parent
MOST_ROWS = 40  # of a table on the page
MOST_POINTS = 200  # thresholds that can be chosen on the page


def page(study: Study) -> str:
    """The report; the same study gives the same bytes, but for the block of times."""
    return rendered(
        "page.html", study=study, story=told(study), verdict=verdict(study), pictures=pictures(study),
        command=command(study), columns=list(columns_of(study.question)), thresholds=plain(_thresholds(study)),
        versions=versions(), reading=_reading(study), most=MOST_ROWS, plain=plain,
        p_words=p_words,
    )  # fmt: skip


def rendered(template: str, **content: Any) -> str:
    """A template of this folder with the style and the program of all pages."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    style, program = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals.update(Markup=Markup)
    return environment.get_template(template).render(style=style, program=program, version=__version__, **content)


def command(study: Study) -> str:
    """The line that makes this report again."""
    question, settings = study.question, study.settings
    parts = ["learnable", "study"]
    if not study.source.endswith("(inside the package)"):
        parts += [study.source]
    parts += ["--target", str(question.target)]
    for flag, value in (("group", question.group), ("time", question.time), ("weight", question.weight)):
        parts += [] if value is None else [f"--{flag}", value]
    if question.positive is not None:
        parts += ["--positive", str(question.positive)]
    parts += ["--folds", f"{settings.folds}x{settings.repeats}", "--seed", str(settings.seed)]
    parts += [] if settings.effort == "standard" else [f"--{settings.effort}"]
    return " ".join(shlex.quote(part) for part in parts)


def p_words(p: float) -> str:
    """A p value as people read it.

    >>> p_words(0.0123), p_words(1e-9)
    ('0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def columns_of(question: Question) -> Iterator[dict[str, Any]]:
    """Name, kind, gaps and values of each column."""
    from ...datasets.summary import value_range

    table = question.table
    for name, values in table.columns.items():
        part = "target" if name == question.target else "" if name in question.features else "not used"
        kind = table.types[name]
        yield {
            "name": name, "kind": kind, "part": part, "missing": int(is_missing(values).sum()),
            "values": value_range(values, kind),
        }  # fmt: skip


def _thresholds(study: Study) -> list[list[float]]:
    """Threshold, false alarms and misses among the unseen rows, for a choice by costs; of two classes only."""
    import numpy as np

    if study.question.task != "binary":
        return []
    found = study.diagnosis
    chances = found.unseen[found.tested][:, 1]
    truth = (study.question.y[study.division.development] == study.question.positive)[found.tested]
    steps = np.unique(np.quantile(chances, np.linspace(0, 1, MOST_POINTS)))
    return [
        [round(float(step), 4), int((~truth & (chances >= step)).sum()), int((truth & (chances < step)).sum())]
        for step in steps
    ]


def versions() -> dict[str, str]:
    """What this was made with."""
    import platform
    from importlib.metadata import version

    names = ("numpy", "scipy", "pyarrow", "matplotlib")
    return {"learnable": __version__, "Python": platform.python_version(), **{name: version(name) for name in names}}


def _reading(study: Study) -> str:
    """What can be read from the model itself: its tree as text, or its coefficients."""
    model = study.deployed.model[-1]
    names = [str(name) for name in study.deployed.model[:-1].get_feature_names_out()]
    if hasattr(model, "tree_"):
        from ...tree import export_text

        return str(export_text(model, feature_names=names, max_depth=4))
    coefficients = getattr(model, "coef_", None)
    if coefficients is None:
        return ""
    import numpy as np

    values = np.atleast_2d(np.asarray(coefficients))
    if len(values) > 1:
        return ""
    order = np.argsort(-np.abs(values[0]), kind="stable")[:MOST_ROWS]
    wide = max(len(names[j]) for j in order)
    return "\n".join(f"{names[j]:<{wide}}  {values[0, j]:+.4g}" for j in order)
