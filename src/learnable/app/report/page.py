"""The report of a study as one self-contained HTML page."""

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
from ..study.explanations import BACKGROUND
from ..study.result import Study
from ..study.settings import StudySettings
from ..study.story import GO_ON, reason, verdict, write_story
from ..table_source import TableSource
from ..task import Question
from ..text import counted, percent
from ..to_json import plain
from .failures import Failures
from .figures import Picture, pictures

if TYPE_CHECKING:
    from markupsafe import Markup

HERE = Path(__file__).parent
FLAG = re.compile(r"--[a-z]+")
MAX_ROWS = 40  # of a table on the page
MAX_POINTS = 200  # thresholds to choose from on the page


def page(study: Study, failures: Failures | None = None) -> str:
    """The report; the same study gives the same bytes, except for the block of run times.

    Failures are added to `failures`, and a line on the page reports each.
    """
    failures = failures or Failures()
    attempt = failures.attempt
    parts: dict[str, Any] = {
        "story": attempt("the summary in words", lambda: write_story(study), None),
        "columns": attempt("the list of columns", lambda: list(columns_of(study.question)), []),
        "thresholds": attempt("the choice of a threshold", lambda: plain(_thresholds(study)), []),
        "reading": attempt("the fitted model", lambda: _reading(study), ModelContent()),
        "card": attempt("the model card", lambda: _card(study), {}),
        "pictures": attempt("the figures", lambda: pictures(study), {}),
    }
    missing = list(failures.found)  # failed figures and sections are reported in place
    note_failed([one for part in parts["pictures"].values() for one in part], failures)
    best = next((one for one in study.ranking.leaderboard if not one.baseline), None)
    return rendered(
        "page.html", failures, study=study, missing=missing, verdict=verdict(study), reason=reason(study), best=best,
        go_on=GO_ON.get(study.early), hurried=bool(context.reason_to_stop()), versions=versions(), most=MAX_ROWS,
        background=BACKGROUND, plain=plain, p_words=p_words,
        command=command(study.question, study.settings, study.source), **parts,
    )  # fmt: skip


def note_failed(shown: list[Picture], failures: Failures) -> None:
    """Record the figures that failed."""
    for picture in shown:
        if picture.failed is not None:
            failures.note(f"the figure {picture.title!r}", picture.failed)


def rendered(template: str, failures: Failures, **content: Any) -> str:
    """A template of this folder with the shared style sheet and script."""
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
    """A sentence without line breaks before a per cent sign or inside an option.

    >>> str(unbroken("95 % by --time <day>"))
    '95\xa0% by <span class="flag">--time</span> &lt;day&gt;'
    """
    return flagged(text.replace(" %", "\u00a0%"))


def flagged(text: str) -> Markup:
    """A text without line breaks inside an option."""
    from markupsafe import Markup, escape

    return Markup(FLAG.sub(r'<span class="flag">\g<0></span>', str(escape(_visible(text)))))


def _visible(value: Any) -> Any:
    """Text from data without characters that reorder or hide the text around them; markup unchanged."""
    return printable(value, keep="\n\t") if isinstance(value, str) and not hasattr(value, "__html__") else value


def command(question: Question, settings: StudySettings, source: TableSource) -> str:
    """The command that reproduces this report."""
    given: list[tuple[str, Any]] = [
        ("target", question.target), ("task", None if question.target is None else question.aim),
        ("group", question.group), ("time", question.time), ("weight", question.weight),
        *_series_flags(question),
        *(("drop", name) for name in question.dropped), ("positive", question.positive), ("metric", settings.metric),
        *(("models", name) for name in settings.models),
    ]  # fmt: skip
    flags = [part for flag, value in given if value is not None for part in (f"--{flag}", str(value))]
    flags += ["--no-lags"] * (question.time is not None and question.lags is None and not question.recommends)
    effort = [] if settings.effort == "standard" else [f"--{settings.effort}"]
    folds = [] if question.target is None else ["--folds", f"{settings.folds}x{settings.repeats}"]
    return shlex.join(["learnable", "study", *source.flags(), *flags, *effort, *folds, "--seed", str(settings.seed)])


def _series_flags(question: Question) -> list[tuple[str, Any]]:
    """The options that give the same lag features."""
    lags = question.lags
    if lags is None:
        return []
    return [("horizon", lags.horizon), ("season", lags.season or None), ("series", lags.series or None)]


def p_words(p: float) -> str:
    """A p value as text.

    >>> p_words(0.0123), p_words(1e-9)
    ('0.012', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def columns_of(question: Question) -> Iterator[dict[str, Any]]:
    """Name, type, role, number of missing values and range of each column."""
    from ...datasets._summary import value_range

    table, used = question.table, set(question.features)
    roles = {str(question.weight): "weight", str(question.group): "group", str(question.time): "time"}
    roles = {name: role for name, role in roles.items() if name != "None"} | {str(question.target): "target"}
    for name, values in table.columns.items():
        role = roles.get(name, "" if name in used else "not used")
        kind = table.types[name]
        yield {
            "name": name, "kind": kind, "role": role, "missing": int(is_missing(values).sum()),
            "values": value_range(values, kind),
        }  # fmt: skip


def _thresholds(study: Study) -> list[list[float]]:
    """Threshold, false positives and false negatives of the out-of-fold predictions; for two classes only.

    The last threshold is infinite: the positive class is never predicted.
    """
    import numpy as np

    if study.question.task != "binary" or not study.has_model:
        return []
    found = study.diagnosis
    probabilities = found.out_of_fold[found.tested][:, 1]
    truth = (study.question.y[study.split.development] == study.question.positive)[found.tested]
    steps = np.unique(np.quantile(probabilities, np.linspace(0, 1, MAX_POINTS)))
    found_at = [
        [
            round(float(step), 4),
            int((~truth & (probabilities >= step)).sum()),
            int((truth & (probabilities < step)).sum()),
        ]
        for step in steps
    ]
    return [*found_at, [np.inf, 0, int(truth.sum())]]


def versions() -> dict[str, str]:
    """The versions of the software."""
    import platform
    from importlib.metadata import version

    names = ("numpy", "scipy", "pyarrow", "matplotlib")
    return {"learnable": __version__, "Python": platform.python_version(), **{name: version(name) for name in names}}


@dataclass(frozen=True, slots=True)
class ModelContent:
    """The interpretable content of a model: its tree, or its coefficients by column."""

    tree: str = ""
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, list[float]], ...] = ()


def _reading(study: Study) -> ModelContent:
    import numpy as np

    if study.question.recommends or not study.has_model:
        return ModelContent()
    model = study.deployed.model[-1]
    names = [str(name) for name in study.deployed.model[:-1].get_feature_names_out()]
    if hasattr(model, "tree_"):
        from ...tree import export_text

        tree, decimals = _in_units(model, study.deployed.model[0])
        return ModelContent(str(export_text(tree, feature_names=names, max_depth=4, decimals=decimals)))
    coefficients = np.atleast_2d(dense(getattr(model, "coef_", np.empty((1, 0)))))
    if coefficients.shape[1] != len(names):
        return ModelContent()
    order = np.argsort(-np.abs(coefficients).max(axis=0), kind="stable")[:MAX_ROWS]
    several = len(coefficients) > 1
    headings = tuple(str(label) for label in study.deployed.classes_) if several else ("coefficient",)
    return ModelContent("", headings, tuple((names[j], coefficients[:, j].tolist()) for j in order))


def _in_units(model: Any, encoder: Any) -> tuple[Any, int]:
    """The tree with thresholds in the units of the columns, and the number of decimals that they need."""
    import numpy as np

    shift, scale = encoder.scales()
    nodes = model.tree_
    inner = nodes.children_left >= 0
    thresholds, columns = nodes.threshold.copy(), nodes.feature[inner]
    thresholds[inner] = shift[columns] + scale[columns] * thresholds[inner]
    rescaled = copy(model)
    rescaled.tree_ = replace(nodes, threshold=thresholds)
    finest = float(np.min(scale[columns], initial=1.0))
    return rescaled, min(max(2, 2 - floor(log10(finest))), 8)


def _card(study: Study) -> dict[str, Any]:
    """The model card with formatted values."""
    test, metric = study.final_test, study.metric
    chosen = [f"{name.removeprefix('model__')} = {value}" for name, value in study.chosen.items()]
    figures = {
        "score on the test set": study.figure(test.score), "interval": study.between(test.low, test.high),
        "baseline": study.figure(test.baseline), "metric": f"{metric.label} ({metric.direction})",
        "hyperparameters": ", ".join(chosen) or "defaults",
        "alarms": ", ".join(alarm.code for alarm in study.alarms) or "none",
    }  # fmt: skip
    return {"model": study.recommended, **study.deployed.card, **figures}
