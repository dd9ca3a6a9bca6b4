"""A study as one small page that needs nothing else: no script, no network."""

from __future__ import annotations

import io
from typing import Any

from .study import Study

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ study.table.name }}: predicting {{ study.table.target }}</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2563a8; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin-bottom: .25rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { font-size: 1.1rem; border-left: 4px solid var(--accent); padding: .5rem 1rem; background: var(--soft); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
.interval { color: #777; font-size: .9em; white-space: nowrap; }
figure { margin: 1rem 0; background: #fff; border-radius: 6px; padding: .5rem; }
figure svg { width: 100%; height: auto; }
small { color: #777; }
@media print { body { margin: 0; } }
</style>
</head>
<body>
<h1>Predicting {{ study.table.target }}</h1>
<small>{{ study.table.name }}: {{ study.table.y | length }} rows, {{ study.table.names | length }} columns;
{{ study.repeats }} times {{ study.folds }} folds, seed {{ study.seed }}, learnable {{ version }}</small>
<p class="verdict">{{ study.verdict }}</p>
{% if study.table.notes %}<h2>What was changed in the table</h2>
<ul>{% for note in study.table.notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
<h2>Models compared</h2>
<p>Error on rows that the model has not seen, with 95 % intervals corrected for overlapping training parts.</p>
<table>
<thead><tr><th>model</th><th>root mean squared error</th><th>R²</th><th>gain over the baseline</th>
<th>seconds per fit</th></tr></thead>
<tbody>{% for r in study.results %}<tr><td>{{ r.model }}</td>
<td>{{ n(r.rmse) }} <span class="interval">[{{ n(r.rmse_low) }}, {{ n(r.rmse_high) }}]</span></td>
<td>{{ d(r.r_squared) }} <span class="interval">[{{ d(r.r_squared_low) }}, {{ d(r.r_squared_high) }}]</span></td>
<td>{% if loop.first %}baseline{% else %}{{ n(r.gain) }}
<span class="interval">[{{ n(r.gain_low) }}, {{ n(r.gain_high) }}]</span>{% endif %}</td>
<td>{{ n(r.seconds) }}</td></tr>
{% endfor %}</tbody></table>
<figure>{{ errors }}</figure>
<h2>What {{ study.results[1].model }} learned</h2>
<p>Change of {{ study.table.target }} per standard deviation of each column, fitted on all rows.</p>
<figure>{{ coefficients }}</figure>
</body>
</html>
"""


def html(study: Study) -> str:
    """The report as one HTML page; the same study gives the same bytes but for the times of the fits."""
    from jinja2 import Environment
    from markupsafe import Markup

    from .._version import __version__

    template = Environment(autoescape=True).from_string(PAGE)
    pictures = {"errors": Markup(_error_picture(study)), "coefficients": Markup(_coefficient_picture(study))}
    return template.render(study=study, version=__version__, n=lambda v: f"{v:.4g}", d=lambda v: f"{v:.3f}", **pictures)


def _error_picture(study: Study) -> str:
    results = study.results[::-1]
    places = range(len(results))
    figure, axes = _figure(len(results))
    reach = [[r.rmse - r.rmse_low for r in results], [r.rmse_high - r.rmse for r in results]]
    axes.errorbar([r.rmse for r in results], places, xerr=reach, fmt="o", color="#2563a8", capsize=3)
    axes.set_yticks(places, [r.model for r in results])
    axes.set_xlabel("root mean squared error on unseen rows, 95 % interval")
    return _svg(figure)


def _coefficient_picture(study: Study) -> str:
    shown = study.coefficients[:20][::-1]
    figure, axes = _figure(len(shown))
    axes.barh([name for name, _ in shown], [value for _, value in shown], color="#2563a8")
    axes.axvline(0, color="#444", linewidth=0.8)
    axes.set_xlabel(f"change of {study.table.target}")
    return _svg(figure)


def _figure(rows: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 1.0 + 0.32 * rows), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    return figure, axes


def _svg(figure: Any) -> str:
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "learnable", "svg.fonttype": "none", "font.family": "sans-serif"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()[text.getvalue().index("<svg") :]
