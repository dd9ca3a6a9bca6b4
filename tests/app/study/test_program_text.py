"""The program that a study writes holds text from data as literals alone, whatever names it has."""

from __future__ import annotations

import ast
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.app.study.candidates import candidates
from learnable.app.study.script import script
from learnable.app.study.settings import StudySettings
from learnable.app.study.workflow import run_study
from learnable.app.table_source import TableSource
from learnable.app.task import ask
from learnable.datasets import Dataset
from tests.hostile import CHARACTERS, PAIRS, PHRASES

INJECTION = '"""\nimport os\nos.abort()\n"""'
PLAIN = SimpleNamespace(
    target="target", feature="feature", labels=("no", "yes"), weight="weight", time="day", path="t.csv"
)


def table(names, rows=120):
    """Two classes or numbers, beside the two columns that say so, weights and days."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    days = np.datetime64("2024-01-01") + np.arange(rows)
    y = np.array(names.labels, dtype=object)[(x + rng.normal(size=rows) > 0).astype(int)] if names.labels else x + 1
    columns = {names.feature: x, "kind": rng.choice(["a", "b"], rows).astype(object), names.target: y}
    return Dataset.of({**columns, names.weight: np.ones(rows), names.time: days.astype("M8[us]")}, name="t")


def program(names, models=("ridge", "logistic regression")):
    """The code of a study, whose source may be called anything."""
    question = ask(table(names), names.target, weight=names.weight, time=names.time)
    known = {candidate.name for candidate in candidates(question, StudySettings(effort="quick"))}
    chosen = tuple(name for name in models if name in known)
    found = run_study(
        question, StudySettings(effort="quick", folds=2, repeats=1, models=chosen),
        source=TableSource(names.path, missing=(names.path,), types={names.feature: "continuous"}),
    )  # fmt: skip
    return found, script(found)


@pytest.fixture(scope="module")
def plain():
    return program(PLAIN)


def skeleton(code, feature="feature"):
    """The statements of a program with all texts left out."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)


def texts(code):
    return {node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)}


HOSTILE = SimpleNamespace(
    target=INJECTION, feature=f"feature{INJECTION}", labels=("no" + INJECTION, "yes'''" + INJECTION),
    weight=f"\\{INJECTION}", time=f"{INJECTION}\\", path=f"{INJECTION}.csv",
)  # fmt: skip


@pytest.mark.parametrize("labels", [True, False])
def test_hostile_names_change_no_statement(labels):
    chosen = [SimpleNamespace(**{**vars(one), **({} if labels else {"labels": ()})}) for one in (PLAIN, HOSTILE)]
    (_, before), (_, after) = (program(one) for one in chosen)
    assert skeleton(before) == skeleton(after)
    assert {*vars(chosen[1]).values()} - {chosen[1].labels} <= texts(after) and set(chosen[1].labels) <= texts(after)


def renamed(found, names):
    """The program of a study that had other names throughout, without another fit."""
    question = found.question
    object.__setattr__(question, "target", names[0])
    object.__setattr__(question, "features", list(names))
    object.__setattr__(found, "source", TableSource(names[0], missing=tuple(names), types=dict.fromkeys(names, "text")))
    return script(found)


def check_names(found, names):
    code, usual = renamed(found, names), renamed(found, [f"plain {k}" for k in range(len(names))])
    code.encode("utf-8")
    assert skeleton(code) == skeleton(usual) and set(names) <= texts(code)


def test_every_character_stays_in_its_literal(plain):
    names = tuple(dict.fromkeys((*CHARACTERS, *PAIRS, *PHRASES)))
    check_names(plain[0], names)
    for name in ("\n", "\r", '"', "'", "\\", *PHRASES[:12]):
        check_names(plain[0], [name])


PARTS = st.one_of(st.characters(), st.sampled_from(['"""', "'''", '"', "'", "\\", "\n", "\r", "{", "}", "%", "#"]))


@settings(max_examples=100, deadline=None)
@given(names=st.lists(st.lists(PARTS, min_size=1).map("".join), min_size=1, unique=True))
def test_any_name_stays_in_its_literal(plain, names):
    check_names(plain[0], names)


def test_code_of_a_model_is_all_of_it():
    from learnable.app.python_code import code_of

    model = learnable.RidgeCV(alphas=np.linspace(0.1, 9.7, 40))
    names = {"RidgeCV": learnable.RidgeCV, "np": np}
    again = eval(code_of(model), names)
    assert np.array_equal(again.alphas, model.alphas)
    for value in ({"a'": (1, (2.5,), [])}, -np.inf, True, None, "\ud800\u2028", np.str_("x"), np.int64(3)):
        assert eval(code_of(value), {}) == value
    assert np.isnan(eval(code_of(np.nan), {}))
    with pytest.raises(ValueError, match="object"):
        code_of(object())
