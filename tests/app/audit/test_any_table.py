"""An audit of any table ends with alarms, not with an error, and gives the same result twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from learnable.app.audit import CATALOGUE, audit
from learnable.app.task import Question
from learnable.datasets import Dataset

Rng = np.random.Generator
EXTREMES = [0.0, -0.0, 1.0, -999.0, 1e308, -1e308, 5e-324, 1e-200, np.inf, -np.inf, np.nan]
THINGS = [
    None,
    0,
    1,
    True,
    2.5,
    np.nan,
    "x",
    "X ",
    "?",
    "7",
    "",
    "ß\udc80",
    date(2024, 1, 1),
    (1,),
    [1],
    b"b",
    Decimal(3),
]


def objects(entries: list[Any], rng: Rng, rows: int) -> Any:
    column = np.empty(rows, dtype=object)
    for row, index in enumerate(rng.integers(len(entries), size=rows)):
        column[row] = entries[index]
    return column


KINDS: dict[str, Callable[[Rng, int], Any]] = {
    "normal": lambda rng, rows: rng.normal(size=rows),
    "huge": lambda rng, rows: rng.normal(size=rows) * 1e307,
    "tiny": lambda rng, rows: rng.normal(size=rows) * 1e-310,
    "extreme": lambda rng, rows: rng.choice(EXTREMES, rows),
    "partial": lambda rng, rows: rng.choice([0.0, 1.0, np.nan], rows),
    "empty": lambda rng, rows: np.full(rows, np.nan),
    "constant": lambda rng, rows: np.full(rows, 3.0),
    "single": lambda rng, rows: rng.normal(size=rows).astype(np.float32),
    "whole": lambda rng, rows: rng.integers(-(2**62), 2**62, rows),
    "few": lambda rng, rows: rng.integers(0, 3, rows).astype(np.uint8),
    "numbered": lambda rng, rows: np.arange(rows),
    "truth": lambda rng, rows: rng.random(rows) < 0.5,
    "times": lambda rng, rows: rng.choice(np.array(["2024-01-01", "1677-10-01", "NaT"], dtype="datetime64[ns]"), rows),
    "days": lambda rng, rows: np.datetime64("2000-01-01") + rng.integers(0, 9999, rows),
    "spans": lambda rng, rows: rng.integers(0, 9, rows).astype("timedelta64[s]"),
    "complex": lambda rng, rows: rng.normal(size=rows) + 1j,
    "text": lambda rng, rows: np.array([f"w{k}" for k in rng.integers(0, rows, rows)]),
    "words": lambda rng, rows: objects(["a", "A", "b ", None, "3"], rng, rows),
    "things": lambda rng, rows: objects(THINGS, rng, rows),
    "nothing": lambda rng, rows: objects([None], rng, rows),
}
TARGETS: dict[str, tuple[str, ...]] = {
    "regression": ("normal", "huge", "tiny", "constant", "whole", "few", "numbered", "truth"),
    "binary": ("truth", "partial"),
    "multi-class": ("few", "words", "text", "constant", "things"),
}


@st.composite
def questions(draw: st.DrawFn) -> Question:
    rows, seed = draw(st.sampled_from([1, 2, 3, 21, 60, 130])), draw(st.integers(0, 2**30))
    names = draw(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=7, unique=True))
    kinds = {name: draw(st.sampled_from(sorted(KINDS))) for name in names}
    task = draw(st.sampled_from(["unsupervised", *TARGETS]))
    target = None if task == "unsupervised" else "target"
    if target is not None:
        kinds[target] = draw(st.sampled_from(TARGETS[task]))
    held = {name: KINDS[kind](np.random.default_rng([seed, k]), rows) for k, (name, kind) in enumerate(kinds.items())}
    types = {name: "time" if values.dtype.kind == "M" else "categorical" for name, values in held.items()}
    group, time = (draw(st.sampled_from([None, None, *names])) for _ in range(2))
    features = tuple(name for name in names if name not in (group, time))
    return Question(Dataset(held, types), task, features, target, group, time)  # type: ignore[arg-type]  # a drawn task


@settings(max_examples=120)
@given(questions())
def test_an_audit_never_raises(question: Question) -> None:
    found = audit(question)
    assert audit(question) == found
    for alarm in found:
        json.dumps(alarm.as_dict())
        assert alarm.level == CATALOGUE[alarm.code].level
        assert alarm.evidence and len(alarm.evidence) < 3000
        assert set(alarm.columns) <= set(question.table.columns)
