"""The plain Python that makes the recommended model again, with the same numbers."""

from __future__ import annotations

import re
from typing import Any

import learnable

from .metric import METRICS
from .outcome import Study

PROGRAM = '''"""The model that a study recommends for {target!r}, made again: the same split, fit and score."""

import numpy as np

from learnable import {names}
from learnable.app.question import ask
from learnable.app.study.division import divide
from learnable.app.study.metric import METRICS
from learnable.app.study.settings import Settings
{more}
question = ask({table}, {target!r}, task={task!r}{others})
X, y = question.frame(), question.y

# The same rows are locked away as in the study; no model sees them before the test.
division = divide(question, Settings(seed={seed}, folds={folds}, repeats={repeats}))
train, test = division.development, division.locked

model = Pipeline([
    ("table", TableVectorizer(random_state={seed})),
    ("model", {model}),
])
model.fit(X.take(train), y[train]{weight_train})

{score}
print({label!r}, METRICS[{metric!r}].shown(score))

model.fit(X, y{weight_all})  # from all rows, as in model.learnable
'''


def script(study: Study, path: str | None) -> str:
    """The code; `path` is where the table came from, None if it is the one inside the package."""
    question, settings = study.question, study.settings
    made, weight = repr(study.deployed.model[-1]), question.weight is not None
    names = {"Pipeline", "TableVectorizer", *re.findall(r"\b([A-Z]\w+)\(", made)} | ({"read_table"} if path else set())
    return PROGRAM.format(
        names=", ".join(sorted(names & learnable.public_names())), target=question.target, task=question.task,
        more="" if path else "from learnable.app.example import example\n",
        table=f"read_table({path!r})" if path else "example()", others=_others(study), seed=settings.seed,
        folds=settings.folds, repeats=settings.repeats, model=made, label=study.metric.label,
        metric=_name(study), score=_score(study), weight_train=", sample_weight=question.weights[train]" * weight,
        weight_all=", sample_weight=question.weights" * weight,
    )  # fmt: skip


def _others(study: Study) -> str:
    """What else was said about the columns."""
    question = study.question
    parts = (*question.features, question.target, question.group, question.time, question.weight)
    dropped = [name for name in question.table.columns if name not in parts]
    given: dict[str, Any] = {
        "group": question.group, "time": question.time, "weight": question.weight, "drop": dropped or None,
        "positive": None if question.positive is None else str(question.positive),
    }  # fmt: skip
    return "".join(f", {name}={value!r}" for name, value in given.items() if value is not None)


def _name(study: Study) -> str:
    return next(name for name, metric in METRICS.items() if metric is study.metric)


def _score(study: Study) -> str:
    weight = ", question.weights[test]" if study.question.weight is not None else ""
    if not study.labels:
        return f"score = METRICS[{_name(study)!r}].score(y[test], model.predict(X.take(test)){weight})"
    labels = [label.item() if hasattr(label, "item") else label for label in study.labels]
    return (
        f"labels = {labels!r}  # the positive class last\n"
        "truth = np.array([labels.index(value) for value in y[test].tolist()])\n"
        "order = [model.classes_.tolist().index(label) for label in labels]\n"
        f"score = METRICS[{_name(study)!r}].score(truth, model.predict_proba(X.take(test))[:, order]{weight})"
    )
