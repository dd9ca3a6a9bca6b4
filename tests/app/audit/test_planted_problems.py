"""Every problem planted into a clean table is detected in its column, without other alarms above a note."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.app.audit.tables import alarms, clean

Columns = dict[str, Any]
RNG = np.random.default_rng(5)
N = 300


def words(*entries: Any) -> Any:
    """A column that repeats the entries in turn."""
    column = np.empty(N, dtype=object)
    column[:] = [entries[row % len(entries)] for row in range(N)]
    return column


def named(prefix: str, numbers: Any) -> Any:
    return np.array([f"{prefix}{number}" for number in numbers], dtype=object)


def days(first: str, offsets: Any) -> Any:
    return np.datetime64(first) + np.asarray(offsets).astype("timedelta64[D]")


FEW = np.arange(N) % 50 == 7  # 2 % of the rows
IDS = named("u", RNG.permutation(N))
PLANTED: dict[str, tuple[str, str, Callable[[Columns], Any]]] = {  # what: (code, task, column `x` for the table)
    "a copy of the classes": ("LB001", "binary", lambda t: (t["y"] == "yes") * 7),
    "classes under other names": ("LB001", "multi-class", lambda t: np.array([v[::-1] for v in t["y"]], dtype=object)),
    "a copy of the amounts": ("LB001", "regression", lambda t: t["y"].copy()),
    "a nonlinear copy of the amounts": ("LB001", "regression", lambda t: np.exp(-t["y"])),
    "amounts with a little noise": ("LB002", "regression", lambda t: t["y"] + 0.03 * t["y"].std() * RNG.normal(size=N)),
    "a number that separates the classes": ("LB002", "binary", lambda t: (t["y"] == "yes") * 8 + RNG.normal(size=N)),
    "classes with a few errors": ("LB057", "binary", lambda t: (t["y"] == "yes") ^ FEW),
    "amounts with a few errors": ("LB057", "regression", lambda t: np.where(FEW, 0, t["y"] + t["skewed"] / 9)),
    "consecutive row numbers": ("LB010", "binary", lambda t: np.arange(N)),
    "shuffled row numbers": ("LB010", "binary", lambda t: RNG.permutation(N) + 1000),
    "names of rows": ("LB010", "binary", lambda t: IDS),
    "names of people": ("LB010", "binary", lambda t: np.array([f"Ann Lee {k}" for k in range(N)], dtype=object)),
    "a constant": ("LB011", "binary", lambda t: np.ones(N)),
    "a constant word": ("LB011", "binary", lambda t: words("same")),
    "a nearly constant column": ("LB012", "binary", lambda t: (np.arange(N) == 77) * 1.0),
    "an empty column": ("LB013", "binary", lambda t: np.full(N, np.nan)),
    "many categories": ("LB014", "binary", lambda t: named("c", RNG.integers(90, size=N))),
    "numbers and a text": ("LB015", "binary", lambda t: words("1.5", "2", "3.25", "4", "7", "8", "9", "10", "none")),
    "mixed types": ("LB016", "binary", lambda t: words("one", 2, "three")),
    "a duplicate column": ("LB017", "binary", lambda t: t["a"].copy()),
    "a duplicate text column": ("LB017", "binary", lambda t: t["town"].copy()),
    "a linear combination": ("LB018", "binary", lambda t: 2 * t["a"] - t["skewed"] + 3),
    "nearly a linear combination": ("LB019", "binary", lambda t: t["a"] + t["skewed"] + 0.05 * RNG.normal(size=N)),
    "an outlier": ("LB020", "binary", lambda t: np.where(np.arange(N) == 9, 1e4, RNG.normal(size=N))),
    "an infinity": ("LB021", "binary", lambda t: np.where(np.arange(N) == 9, np.inf, RNG.normal(size=N))),
    "a code for missing": ("LB022", "binary", lambda t: np.where(RNG.random(N) < 0.03, -999, RNG.normal(50, 9, N))),
    "zeros for missing": ("LB022", "binary", lambda t: np.where(RNG.random(N) < 0.03, 0, RNG.normal(70, 9, N))),
    "spellings": ("LB023", "binary", lambda t: words("Rome", "rome ", "Oslo", "ROME")),
    "texts for missing": ("LB024", "binary", lambda t: words("tall", "short", "unknown")),
    "texts": ("LB025", "binary", lambda t: np.array([f"row {k} came in late today" for k in range(N)], dtype=object)),
    "mostly missing": ("LB041", "binary", lambda t: np.where(RNG.random(N) < 0.7, np.nan, RNG.normal(size=N))),
    "NaN by class": ("LB042", "binary", lambda t: np.where((t["y"] == "yes") & (RNG.random(N) < 0.4), np.nan, t["b"])),
    "NaN by amount": ("LB042", "regression", lambda t: np.where(t["y"] + t["b"] > 2.5, np.nan, t["skewed"])),
    "missing together": ("LB043", "binary", lambda t: np.where(np.isnan(t["partial"]), np.nan, RNG.normal(size=N))),
    "drift of numbers": ("LB039", "binary", lambda t: RNG.normal(size=N) + (np.arange(N) >= N / 2)),
    "text drift": ("LB039", "binary", lambda t: np.where(np.arange(N) < 150, words("p", "q"), words("q", "r"))),
    "days": ("LB007", "binary", lambda t: days("2024-01-01", RNG.integers(900, size=N))),
    "predictive days": ("LB005", "regression", lambda t: days("2024-01-01", 100 * t["y"] + 99 * RNG.normal(size=N))),
    "a value of one class": ("LB047", "binary", lambda t: np.where(t["flag"] & (t["y"] == "yes"), "u", t["town"])),
}  # fmt: skip


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_problem_is_detected(what: str) -> None:
    code, task, plant = PLANTED[what]
    table = clean(1, N, task)
    found = alarms({**table, "x": plant(table)})
    assert code in found, sorted(found)
    assert {"x"} & set(found[code].columns) or code in ("LB017", "LB018"), found[code]
    others = {other for other, alarm in found.items() if alarm.level != "note" and other != code}
    assert not others, [str(found[other]) for other in others]
