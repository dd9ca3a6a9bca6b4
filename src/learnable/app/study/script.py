"""The Python program that refits the recommended model and prints the same score."""

from __future__ import annotations

import ast

import learnable

from ..python_code import code_of
from .result import Study

# Text from data enters a program as literals only, which `code_of` writes.
PROGRAM = '''"""The recommended model of a study, refitted: the same rows, fit and score.
{run}"""

import csv
{system}from pathlib import Path

import numpy as np

{imports}

table = {table}
target = {target}
X = table.arrow({features})
{targets}{weight}
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
ORDER = """times = table{as_times}.columns[{time}]
train = train[times[train] < times[test].min()]
train = train[np.argsort(times[train], kind="stable")]
"""


def script(study: Study) -> str:
    """The program; it reads `predictions.csv` in its folder."""
    question, settings, metric = study.question, study.settings, study.metric
    encoder, made = _made(study)
    parts = ("train", "test", "known")
    given = {part: f", sample_weight=weight[{part}]" if question.weight else "" for part in parts}
    return PROGRAM.format(
        target=code_of(question.target), imports=_imports(study, made), table=study.source.code() + _ids(study),
        run=RUN if study.source.file else "", system="import sys\n" if study.source.file else "",
        features=code_of(list(question.features)), targets=_targets(study), encoder=encoder, model=made,
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


def _order(study: Study) -> str:
    """The lines that sort rows by time."""
    name = study.question.time
    if name is None:
        return ""
    as_times = f".with_types({code_of({name: 'time'})})" if study.question.table.types[name] == "time" else ""
    return ORDER.format(time=code_of(name), as_times=as_times)


def _some(part: str, rows: int, whole: int, seed: int) -> str:
    """The line that draws the training rows that the budget allowed; empty if those are all."""
    return SOME.format(part=part, rows=rows, seed=seed) if rows < whole else ""


def _made(study: Study) -> tuple[str, str]:
    """The encoder and the model with their hyperparameters, as code."""
    candidate = next(entry.candidate for entry in study.entries if entry.candidate.name == study.recommended)
    pipeline = candidate.pipeline(study.settings.seed).set_params(**study.chosen)
    columns = "" if candidate.columns is None else f"columns={code_of(candidate.columns)}, "
    encoder = f"TableVectorizer({columns}random_state={study.settings.seed})" if candidate.encoded else '"passthrough"'
    return encoder, code_of(pipeline[-1])


def _imports(study: Study, made: str) -> str:
    """The imports of the program, one line for each module."""
    calls = (node.func for node in ast.walk(ast.parse(made)) if isinstance(node, ast.Call))
    encoder = set() if study.question.recommends else {"TableVectorizer"}
    names = {"Pipeline", *encoder, *(call.id for call in calls if isinstance(call, ast.Name))}
    names &= learnable.public_names()
    lines = [f"from learnable import {', '.join(sorted(names))}"]
    if study.source.file is None:
        lines.append("from learnable.app.example import example")
    else:
        lines.append("from learnable.datasets import read_table")
    return "\n".join([*lines, f"from learnable.metrics import {study.metric.code.split('(')[0]}"])


def _targets(study: Study) -> str:
    """The lines of the targets: values, or classes by their codes."""
    positive = "  # the positive class last" * (study.question.task == "binary")
    return CLASSES.format(labels=code_of(list(study.labels)), positive=positive) if study.labels else VALUES
