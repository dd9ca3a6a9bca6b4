"""The Python program that refits the recommended model and prints the same score."""

from __future__ import annotations

import ast
from dataclasses import fields

import learnable

from ..python_code import code_of
from ..task import Question
from .result import Study

# Text from data enters a program as literals only, which `code_of` writes.
PROGRAM = '''"""The recommended model of a study, refitted: the same rows, fit and score.
{run}"""

import csv
{system}from pathlib import Path

import numpy as np
{arrow}
{imports}

table = {table}
target = {target}
X = table.arrow({features})
{targets}{weight}{lags}
# The held-out test set of the study: no model is fitted to it before the test.
with open(Path(__file__).parent / "predictions.csv", newline="") as file:
    test = np.array([int(row["row"]) for row in csv.DictReader(file) if row["split"] == "test"])
train = np.setdiff1d(known, test)
{order}
model = Pipeline([
    ("table", {encoder}),
    ("model", {model}),
])
model.fit(X.take(train), y[train]{weight_train})
{predictions}
print({label}, {score})
{fewer}
model.fit(X.take(known), {names}{weight_all})  # as in model.learnable
'''
RUN = """
Run it in the folder that the study was run in, or name the table: python code.py TABLE
"""
VALUES = """y = table.columns[target]
known = np.flatnonzero(np.isfinite(y))
"""
CLASSES = """labels = {labels}{positive}
y = np.array([labels.index(value) if value in labels else -1 for value in table.columns[target].tolist()])
known = np.flatnonzero(y >= 0)
"""
PROBABILITIES = """probabilities = model.predict_proba(X.take(test))
predictions = probabilities.argmax(axis=1)"""
SOME = """{part} = {part}[np.sort(np.random.default_rng({seed}).permutation(len({part}))[:{rows}])]  # within the budget
"""
ORDER = """{times}train = train[{before}]
train = train[np.argsort(times[train], kind="stable")]
"""
TIMES = "times = table{as_times}.columns[{time}]\n"
# Features made of earlier targets: a row uses only those known a horizon before it.
LAGS = """
{times}lags = {lags}
history = {history}
lags = lags.knowing(times[known], history{series_of_known})
made = lags.columns(times{series})
columns = {{name: X.column(name) for name in X.column_names}}
columns |= {{name: pyarrow.array(values, from_pandas=True) for name, values in made.items()}}
X, steps = pyarrow.table({{name: columns[name] for name in {features}}}), lags.grid.steps(times)
{left_out}
"""
LEFT_OUT = "known = known[~is_missing(made[lags.last_name])[known]]  # rows without an earlier target"
NAIVE = (
    'Pipeline([("lag", ColumnTransformer([("lag", SimpleImputer(), [{column}])])), '
    '("value", FrozenEstimator(LinearRegression(fit_intercept=False).fit([[1.0]], [1.0])))])'
)


def script(study: Study) -> str:
    """The program; it reads `predictions.csv` in its folder."""
    question, settings, metric = study.question, study.settings, study.metric
    encoder, made = _made(study)
    parts = ("train", "test", "known")
    given = {part: f", sample_weight=weight[{part}]" if question.weight else "" for part in parts}
    return PROGRAM.format(
        target=code_of(question.target), imports=_imports(study, made), table=study.source.code() + _ids(study),
        arrow="import pyarrow\n" if question.lags is not None else "",
        run=RUN if _from_file(study) else "", system="import sys\n" if _from_file(study) else "",
        features=code_of(list(question.as_read.features)), lags=_lags(study), targets=_targets(study),
        encoder=encoder, model=made,
        label=code_of(metric.label),
        weight=f"weight = table.columns[{code_of(question.weight)}]\n" if question.weight else "",
        order=(_order(study))
        + _some("train", study.final_test.fitted_rows, len(study.split.development), settings.seed),
        fewer=_some("known", study.fitted_rows, question.n, settings.seed),
        predictions=PROBABILITIES if study.labels else "predictions = model.predict(X.take(test))",
        names="np.array(labels)[y[known]]" if study.labels else "y[known]",
        score=metric.code.format(weight=given["test"]),
        weight_train=given["train"], weight_all=given["known"],
    )  # fmt: skip


def _ids(study: Study) -> str:
    """The call that reads the ids of users and items as categories."""
    if not study.question.recommends:
        return ""
    return f".with_types({code_of(dict.fromkeys(study.question.features, 'categorical'))})"


def _from_file(study: Study) -> bool:
    """Whether the program may be given another file."""
    return study.source.file is not None and study.source.query is None


def _order(study: Study) -> str:
    """The lines that sort rows by time."""
    name = study.question.time
    if name is None:
        return ""
    if study.question.lags is None:
        return ORDER.format(times=_times(study.question), before="times[train] < times[test].min()")
    return ORDER.format(times="", before="steps[train] <= steps[test].min() - lags.horizon")


def _times(question: Question) -> str:
    """The line that reads the times."""
    assert question.time is not None
    name, kind = question.time, question.table.types[question.time]
    as_times = f".with_types({code_of({name: 'time'})})" if kind == "time" else ""
    return TIMES.format(time=code_of(name), as_times=as_times)


def _lags(study: Study) -> str:
    """The lines that make lags and parts of the calendar."""
    question, lags = study.question, study.question.lags
    if lags is None:
        return ""
    given = {one.name: getattr(lags, one.name) for one in fields(lags) if not one.name.startswith(("history", "keys"))}
    grid = ", ".join(f"{one.name}={code_of(getattr(lags.grid, one.name))}" for one in fields(lags.grid))
    made = ", ".join(
        f"{name}=TimeGrid({grid})" if name == "grid" else f"{name}={code_of(value)}" for name, value in given.items()
    )
    series = f", table.columns[{code_of(lags.series)}].astype(str)" if lags.series else ""
    codes = "np.array([lags.classes.index(str(labels[code])) for code in y[known]], dtype=float)"
    return LAGS.format(
        times=_times(question), lags=f"LagFeatures({made})", series=series,
        series_of_known=f"{series}[known]" if series else "", features=code_of(list(question.features)),
        history=codes if lags.classes else "y[known]",
        left_out=LEFT_OUT if question.n < len(lags.history) or _has_left_out(question) else "",
    )  # fmt: skip


def _has_left_out(question: Question) -> bool:
    """Whether the question left out rows without an earlier target."""
    return any("without an earlier" in note for note in question.guessed)


def _some(part: str, rows: int, whole: int, seed: int) -> str:
    """The line that draws the training rows that the budget allowed; empty if those are all."""
    return SOME.format(part=part, rows=rows, seed=seed) if rows < whole else ""


def _made(study: Study) -> tuple[str, str]:
    """The encoder and the model with their hyperparameters, as code."""
    candidate = next(entry.candidate for entry in study.entries if entry.candidate.name == study.recommended)
    pipeline = candidate.pipeline(study.settings.seed).set_params(**study.chosen)
    if candidate.column and not study.labels:
        return code_of(pipeline[0]), NAIVE.format(column=code_of(candidate.column))
    return code_of(pipeline[0]), code_of(pipeline[-1])


def _imports(study: Study, made: str) -> str:
    """The imports of the program, one line for each module."""
    calls = (node.func for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Call))
    encoder = set() if study.question.recommends else {"TableVectorizer"}
    names = {"Pipeline", *encoder, *(call.id for call in calls if isinstance(call, ast.Name))}
    names &= learnable.public_names()
    lines = [f"from learnable import {', '.join(sorted(names))}"]
    if study.source.query is not None:
        lines.append("from learnable.app.database import read_query")
    elif study.source.file is None:
        lines.append("from learnable.app.example import example")
    else:
        lines.append("from learnable.datasets import read_table")
    if study.question.lags is not None:
        lines += ["from learnable.core.validate.mixed_table import is_missing"] * _has_left_out(study.question)
        lines.append("from learnable.deployment import LagFeatures, TimeGrid")
    return "\n".join([*lines, f"from learnable.metrics import {study.metric.code.split('(')[0]}"])


def _targets(study: Study) -> str:
    """The lines of the targets: values, or classes by their codes."""
    positive = "  # the positive class last" * (study.question.task == "binary")
    return CLASSES.format(labels=code_of(list(study.labels)), positive=positive) if study.labels else VALUES
