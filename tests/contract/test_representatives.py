"""The ordinary run leaves out nothing that a representative does not keep, and the whole run leaves out nothing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.contract.cases import CLASSES, PUBLIC
from tests.contract.promise import PROMISES
from tests.contract.representatives import (
    ENGINES,
    REPRESENTATIVE,
    THOROUGH,
    all_engines,
    binds,
    engines_of,
    is_left_to_representative,
)
from tests.contract.test_contract import CASES

ROOT = Path(__file__).parents[2]
LISTED = [
    (engine, representative, name)
    for engine, lists in ENGINES.items()
    for representative, represented in lists.items()
    for name in represented
]


@pytest.mark.parametrize(("engine", "representative", "name"), LISTED, ids=[name for *_, name in LISTED])
def test_a_representative_has_the_same_engine(engine, representative, name):
    assert {representative, name} <= PUBLIC.keys()
    assert representative not in REPRESENTATIVE, f"{representative} is itself represented"
    assert engine in engines_of(PUBLIC[representative]) & engines_of(PUBLIC[name])
    assert sum(name == listed for *_, listed in LISTED) == 1, f"{name} stands in two lists"


def test_every_engine_is_tested_thoroughly_by_a_class():
    thorough = set().union(*(engines_of(cls) for name, cls in PUBLIC.items() if name not in REPRESENTATIVE))
    assert not all_engines() - thorough


@pytest.mark.parametrize("promise", sorted(THOROUGH))
def test_no_engine_loses_a_promise(promise):
    made = [name for name in PUBLIC if binds(name, promise)]
    whole = set().union(*(engines_of(PUBLIC[name]) for name in made))
    ordinary = [name for name in made if not is_left_to_representative(name, promise)]
    assert whole == set().union(*(engines_of(PUBLIC[name]) for name in ordinary))


def test_thorough_promises_exist_and_are_a_minority():
    assert PROMISES.keys() >= THOROUGH
    assert len(THOROUGH) < len(PROMISES) / 2
    assert len(REPRESENTATIVE) < len(PUBLIC) / 2


def test_every_class_keeps_every_promise_in_the_whole_run():
    tried = {(case.values[0], case.values[1].name): case.marks for case in CASES}
    assert tried.keys() == {(name, promise) for name in CLASSES for promise in PROMISES if binds(name, promise)}
    for (name, promise), marks in tried.items():
        assert bool(marks) == is_left_to_representative(name, promise)


def test_a_new_class_is_tested_whole():
    new = set(CLASSES) - set(REPRESENTATIVE)
    assert not any(case.marks for case in CASES if case.values[0] in new)


def test_the_whole_run_selects_everything():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "-m 'not slow and not exhaustive'" in options["addopts"]
    recipe = re.search(r"^test-all:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe is not None
    runs = [line for line in recipe[1].splitlines() if "pytest" in line]
    assert runs and all('-m ""' in line for line in runs)
    assert not any(option in recipe[1] for option in (" -k", "--deselect", "--ignore"))
