"""A study as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._version import __version__
from ...core.printable import printable
from ...core.runtime import context
from ...core.validate.mixed_table import is_missing
from ...engines.sparse_coefficients import dense
from ..format_number import figure
from ..study.result import Study
from ..study.settings import Settings
from ..study.story import GO_ON, reason, told, verdict
from ..table_source import Source
from ..task import Question
from ..text import counted, percent
from ..to_json import plain
from .failures import Failures
from .figures import Picture, pictures

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = Path(__file__).parent
FLAG = re.compile(r"--[a-z]+")
MOST_ROWS = 40  # of a table on the page
MOST_POINTS = 200  # thresholds that can be chosen on the page


def page(study: Study, failures: Failures | None = None) -> str:
    """The report; the same study gives the same bytes, but for the block of times.

    What could not be made is added to `failures`, and a line on the page says so.
    """
    failures = failures or Failures()
    attempt = failures.attempt
    parts: dict[str, Any] = {
        "story": attempt("the story", lambda: told(study), None),
        "columns": attempt("the list of columns", lambda: list(columns_of(study.question)), []),
        "thresholds": attempt("the choice of a threshold", lambda: plain(_thresholds(study)), []),
        "reading": attempt("the model in words", lambda: _reading(study), Reading()),
        "card": attempt("the model card", lambda: _card(study), {}),
        "pictures": attempt("the pictures", lambda: pictures(study), {}),
    }
    missing = list(failures.found)  # pictures and sections that fail say so where they would stand
    note_failed([one for part in parts["pictures"].values() for one in part], failures)
    best = next((one for one in study.ranking.standings if not one.baseline), None)
    return rendered(
        "page.html", failures, study=study, missing=missing, verdict=verdict(study), reason=reason(study), best=best,
        go_on=GO_ON.get(study.early), hurried=bool(context.reason_to_stop()), versions=versions(), most=MOST_ROWS,
        plain=plain, p_words=p_words, command=command(study.question, study.settings, study.source), **parts,
    )  # fmt: skip


def note_failed(shown: list[Picture], failures: Failures) -> None:
    """Report the pictures that failed."""
    for picture in shown:
        if picture.failed is not None:
            failures.note(f"the picture {picture.title!r}", picture.failed)


def rendered(template: str, failures: Failures, **content: Any) -> str:
    """A template of this folder with the style and the program of all pages."""
    from jinja2 import Environment, FileSystemLoader
    from markupsafe import Markup

    style, program = (Markup((HERE / name).read_text(encoding="utf-8")) for name in ("page.css", "page.js"))
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_visible
    )
    environment.globals.update(Markup=Markup, section=failures.section)
    environment.filters.update(unbroken=unbroken, flagged=flagged, figure=figure, counted=counted, percent=percent)
    return environment.get_template(template).render(style=style, program=program, version=__version__, **content)


def unbroken(text: str) -> Markup:
    """A sentence in which no line ends between a number and its per cent sign, nor inside a flag.

    >>> str(unbroken("95 % by --time <day>"))
    '95\xa0% by <span class="flag">--time</span> &lt;day&gt;'
    """
    return flagged(text.replace(" %", "\u00a0%"))


def flagged(text: str) -> Markup:
    """A text in which no line ends inside a flag."""
    from markupsafe import Markup, escape

    return Markup(FLAG.sub(r'<span class="flag">\g<0></span>', str(escape(_visible(text)))))


def _visible(value: Any) -> Any:
    """Text from data without characters that reorder or hide what stands around them; markup as it is."""
    return printable(value, keep="\n\t") if isinstance(value, str) and not hasattr(value, "__html__") else value


def command(question: Question, settings: Settings, source: Source) -> str:
    """The line that makes this report again."""
    given: list[tuple[str, Any]] = [
        ("target", question.target), ("task", None if question.target is None else question.task),
        ("group", question.group), ("time", question.time), ("weight", question.weight),
        *(("drop", name) for name in question.dropped), ("positive", question.positive), ("metric", settings.metric),
        *(("models", name) for name in settings.models),
    ]  # fmt: skip
    flags = [part for flag, value in given if value is not None for part in (f"--{flag}", str(value))]
    effort = [] if settings.effort == "standard" else [f"--{settings.effort}"]
    folds = [] if question.target is None else ["--folds", f"{settings.folds}x{settings.repeats}"]
    return shlex.join(["learnable", "study", *source.flags(), *flags, *effort, *folds, "--seed", str(settings.seed)])


def p_words(p: float) -> str:
    """A p value as people read it.

    >>> p_words(0.0123), p_words(1e-9)
    ('0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def columns_of(question: Question) -> Iterator[dict[str, Any]]:
    """Name, kind, gaps and values of each column."""
    from ...datasets._summary import value_range

    table, used = question.table, set(question.features)
    for name, values in table.columns.items():
        part = "target" if name == question.target else "" if name in used else "not used"
        kind = table.types[name]
        yield {
            "name": name, "kind": kind, "part": part, "missing": int(is_missing(values).sum()),
            "values": value_range(values, kind),
        }  # fmt: skip


def _thresholds(study: Study) -> list[list[float]]:
    """Threshold, false alarms and misses among the unseen rows, for a choice by costs; of two classes only.

    The last one is beyond every probability: the positive class is never answered.
    """
    import numpy as np

    if study.question.task != "binary" or not study.learned_something:
        return []
    found = study.diagnosis
    chances = found.unseen[found.tested][:, 1]
    truth = (study.question.y[study.division.development] == study.question.positive)[found.tested]
    steps = np.unique(np.quantile(chances, np.linspace(0, 1, MOST_POINTS)))
    found_at = [
        [round(float(step), 4), int((~truth & (chances >= step)).sum()), int((truth & (chances < step)).sum())]
        for step in steps
    ]
    return [*found_at, [np.inf, 0, int(truth.sum())]]


def versions() -> dict[str, str]:
    """What this was made with."""
    import platform
    from importlib.metadata import version

    names = ("numpy", "scipy", "pyarrow", "matplotlib")
    return {"learnable": __version__, "Python": platform.python_version(), **{name: version(name) for name in names}}


@dataclass(frozen=True, slots=True)
class Reading:
    """What can be read from a model itself: its tree, or its coefficients by column."""

    tree: str = ""
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, list[float]], ...] = ()


def _reading(study: Study) -> Reading:
    import numpy as np

    model = study.deployed.model[-1]
    names = [str(name) for name in study.deployed.model[:-1].get_feature_names_out()]
    if hasattr(model, "tree_"):
        from ...tree import export_text

        tree, decimals = _in_units(model, study.deployed.model[0])
        return Reading(str(export_text(tree, feature_names=names, max_depth=4, decimals=decimals)))
    coefficients = np.atleast_2d(dense(getattr(model, "coef_", np.empty((1, 0)))))
    if coefficients.shape[1] != len(names):
        return Reading()
    order = np.argsort(-np.abs(coefficients).max(axis=0), kind="stable")[:MOST_ROWS]
    several = len(coefficients) > 1
    headings = tuple(str(label) for label in study.deployed.classes_) if several else ("coefficient",)
    return Reading("", headings, tuple((names[j], coefficients[:, j].tolist()) for j in order))


def _in_units(model: Any, encoder: Any) -> tuple[Any, int]:
    """A tree whose thresholds are in the units of the columns, not of scaled ones, and decimals that tell them."""
    import numpy as np

    shift, scale = encoder.scales()
    nodes = model.tree_
    requested = nodes.children_left >= 0
    thresholds, columns = nodes.threshold.copy(), nodes.feature[requested]
    thresholds[requested] = shift[columns] + scale[columns] * thresholds[requested]
    told = copy(model)
    told.tree_ = replace(nodes, threshold=thresholds)
    finest = float(np.min(scale[columns], initial=1.0))
    return told, min(max(2, 2 - floor(log10(finest))), 8)


def _card(study: Study) -> dict[str, Any]:
    """The card of the model as people read it."""
    test, metric = study.last_test, study.metric
    figures = {
        "score on locked rows": study.figure(test.score), "interval": study.between(test.low, test.high),
        "baseline": study.figure(test.baseline), "measure": f"{metric.label} ({metric.direction})",
        "parameters": ", ".join(f"{name.removeprefix('model__')} = {value}" for name, value in study.chosen.items())
        or "as they are by default",
        "alarms": ", ".join(alarm.code for alarm in study.alarms) or "none",
    }  # fmt: skip
    return {"model": study.recommended, **study.deployed.card, **figures}
