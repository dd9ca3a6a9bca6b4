"""A study as one small page that needs nothing else: no script, no network."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from .study import Study

PAGE = Path(__file__).with_name("report.html")
MOST_COEFFICIENTS = 20
MOST_POINTS = 1000
INK, ACCENT = "#010101", "#020202"  # stand-ins: the page replaces them by its own colours, light or dark


def html(study: Study) -> str:
    """The report as one HTML page; the same study gives the same bytes but for the times of the fits."""
    from jinja2 import Environment
    from markupsafe import Markup

    from .._version import __version__

    template = Environment(autoescape=True, trim_blocks=True).from_string(PAGE.read_text(encoding="utf-8"))
    return template.render(
        study=study,
        version=__version__,
        shown=MOST_COEFFICIENTS,
        command=_command(study),
        tied=lambda text: text.replace(" %", "\u00a0%"),
        number=study.figure,
        decimals=lambda value: f"{value:.3f}",
        errors=Markup(_errors(study)),
        coefficients=Markup(_coefficients(study)),
        predictions=Markup(_predictions(study)),
    )


def _command(study: Study) -> str:
    """The line that makes this report again."""
    file = "" if study.table.name.startswith("diabetes (") else f" {_quoted(study.table.name)}"
    options = f"--target {_quoted(study.table.target)} --folds {study.folds} --repeats {study.repeats}"
    return f"learnable study{file} {options} --seed {study.seed}"


def _quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def _errors(study: Study) -> str:
    results = study.results[::-1]
    places = range(len(results))
    figure, axes = _figure(0.8 + 0.3 * len(results))
    reach = [[r.rmse - r.rmse_low for r in results], [r.rmse_high - r.rmse for r in results]]
    axes.axvline(results[-1].rmse, color=INK, linestyle=":", linewidth=1)
    axes.errorbar([r.rmse for r in results], places, xerr=reach, fmt="o", color=ACCENT, capsize=3)
    axes.set_yticks(places, [r.model for r in results])
    axes.margins(y=0.12)
    axes.set_xlabel("root mean squared error on unseen rows")
    return _svg(figure, "The error of each model with its interval")


def _coefficients(study: Study) -> str:
    shown = study.coefficients[:MOST_COEFFICIENTS][::-1]
    figure, axes = _figure(0.8 + 0.24 * len(shown))
    axes.barh(range(len(shown)), [value for _, value in shown], color=ACCENT, height=0.65)
    axes.set_yticks(range(len(shown)), [_cut(name) for name, _ in shown])
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlabel(_cut(f"change of {study.table.target}", 60))
    return _svg(figure, "The coefficients of the best model")


def _predictions(study: Study) -> str:
    y, predicted = study.table.y, study.unseen
    rows = np.unique(np.linspace(0, len(y) - 1, min(len(y), MOST_POINTS)).astype(int))
    ends = [min(y.min(), predicted.min()), max(y.max(), predicted.max())]
    figure, axes = _figure(3.4)
    axes.plot(ends, ends, color=INK, linewidth=1, linestyle=":")
    axes.plot(predicted[rows], y[rows], "o", color=ACCENT, markersize=3, alpha=0.5, markeredgewidth=0)
    axes.set_xlabel(_cut(f"predicted {study.table.target}", 60))
    axes.set_ylabel(_cut(f"actual {study.table.target}", 40))
    return _svg(figure, "Predicted and actual values of rows that the model had not seen")


def _cut(text: str, length: int = 24) -> str:
    """`text`, short enough for a label; a dollar sign must not start a formula."""
    return (text if len(text) <= length else f"{text[: length - 1]}…").replace("$", r"\$")


def _figure(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color=INK, alpha=0.12, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(color=INK, labelcolor=INK, labelsize=10)
    for spine in axes.spines.values():
        spine.set(color=INK, alpha=0.4)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(color=INK, fontsize=10)
    return figure, axes


def _svg(figure: Any, title: str) -> str:
    """The figure as an element of the page, in its font and colours."""
    import matplotlib

    text = io.StringIO()
    settings: dict[Any, Any] = {"svg.hashsalt": title, "svg.fonttype": "none", "path.simplify": True}
    with matplotlib.rc_context(settings):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = text.getvalue()[text.getvalue().index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|\sxmlns(:\w+)?=\"[^\"]*\"", "", svg, flags=re.DOTALL)  # HTML needs neither
    svg = svg.replace(INK, "currentColor").replace(ACCENT, "var(--accent)").replace("'DejaVu Sans', ", "system-ui, ")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
