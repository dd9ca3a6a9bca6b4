"""The plain Python that makes the recommended model again, with the same numbers."""

from __future__ import annotations

import ast

import learnable

from ..python_code import code_of
from .result import Study

# Text from data enters a program as literals alone, which `code_of` writes.
PROGRAM = '''"""The model that a study recommends, fitted again: the same rows, fit and score.
{run}"""

import csv
{system}from pathlib import Path

import numpy as np

{imports}

table = {table}
target = {target}
X = table.arrow({features})
{targets}{weight}
# The rows that the study locked away: no model sees them before the test.
with open(Path(__file__).parent / "predictions.csv", newline="") as file:
    locked = np.array([int(row["row"]) for row in csv.DictReader(file) if row["part"] == "locked"])
train = np.setdiff1d(known, locked)
{order}
model = Pipeline([
    ("table", {encoder}),
    ("model", {model}),
])
model.fit(X.take(train), y[train]{weight_train})
{answers}
print({label}, {score})
{fewer}
model.fit(X.take(known), {names}{weight_all})  # as in model.learnable
'''
RUN = """
Run it in the folder that the study was run in, or name the table: python code.py TABLE
"""
NUMBERS = """y = table.columns[target]
known = np.flatnonzero(np.isfinite(y))
"""
CLASSES = """labels = {labels}{positive}
y = np.array([labels.index(value) if value in labels else -1 for value in table.columns[target].tolist()])
known = np.flatnonzero(y >= 0)
"""
CHANCES = """chances = model.predict_proba(X.take(locked))
answers = chances.argmax(axis=1)"""
SOME = """{part} = {part}[np.sort(np.random.default_rng({seed}).permutation(len({part}))[:{rows}])]  # time for these
"""
ORDER = """times = table{as_times}.columns[{time}]
train = train[times[train] < times[locked].min()]
train = train[np.argsort(times[train], kind="stable")]
"""


def script(study: Study) -> str:
    """The code of a program that stands beside `predictions.csv`."""
    question, settings, metric = study.question, study.settings, study.metric
    encoder, made = _made(study)
    parts = ("train", "locked", "known")
    given = {part: f", sample_weight=weight[{part}]" if question.weight else "" for part in parts}
    return PROGRAM.format(
        target=code_of(question.target), imports=_imports(study, made), table=study.source.code(),
        run=RUN if study.source.file else "", system="import sys\n" if study.source.file else "",
        features=code_of(list(question.features)), targets=_targets(study), encoder=encoder, model=made,
        label=code_of(metric.label),
        weight=f"weight = table.columns[{code_of(question.weight)}]\n" if question.weight else "",
        order=(_order(study))
        + _some("train", study.last_test.learned_rows, len(study.division.development), settings.seed),
        fewer=_some("known", study.learned_rows, question.n, settings.seed),
        answers=CHANCES if study.labels else "answers = model.predict(X.take(locked))",
        names="np.array(labels)[y[known]]" if study.labels else "y[known]",
        score=metric.code.format(weight=given["locked"]),
        weight_train=given["train"], weight_all=given["known"],
    )  # fmt: skip


def _order(study: Study) -> str:
    """The lines that put rows in the order of time."""
    name = study.question.time
    if name is None:
        return ""
    as_times = f".with_types({code_of({name: 'time'})})" if study.question.table.types[name] == "time" else ""
    return ORDER.format(time=code_of(name), as_times=as_times)


def _some(part: str, rows: int, whole: int, seed: int) -> str:
    """The line that draws the rows that there was time for; nothing if those are all."""
    return SOME.format(part=part, rows=rows, seed=seed) if rows < whole else ""


def _made(study: Study) -> tuple[str, str]:
    """The encoder and the model with their parameters, as code."""
    candidate = next(entry.candidate for entry in study.entries if entry.candidate.name == study.recommended)
    pipeline = candidate.pipeline(study.settings.seed).set_params(**study.chosen)
    columns = "" if candidate.columns is None else f"columns={code_of(candidate.columns)}, "
    encoder = f"TableVectorizer({columns}random_state={study.settings.seed})"
    return encoder, code_of(pipeline[-1])


def _imports(study: Study, made: str) -> str:
    """What the program uses, one line for each module."""
    calls = (node.func for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Call))
    names = {"Pipeline", "TableVectorizer", *(call.id for call in calls if isinstance(call, ast.Name))}
    names &= learnable.public_names()
    lines = [f"from learnable import {', '.join(sorted(names))}"]
    if study.source.file is None:
        lines.append("from learnable.app.example import example")
    else:
        lines.append("from learnable.datasets import read_table")
    return "\n".join([*lines, f"from learnable.metrics import {study.metric.code.split('(')[0]}"])


def _targets(study: Study) -> str:
    """The numbers to predict, or the classes by their places."""
    positive = "  # the positive class last" * (study.question.task == "binary")
    return CLASSES.format(labels=code_of(list(study.labels)), positive=positive) if study.labels else NUMBERS
