"""The harness with contenders that are good, wrong, noisy, broken, missing or asleep."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from benchmarks import race, store
from benchmarks.ranking import rank_outcomes
from tests.benchmarks import toys


@pytest.fixture(scope="module")
def outcomes() -> dict[str, race.Outcome]:
    found = race.race(toys.TASKS[0], quick=False, threads=1, rounds=2, limit=60)
    return {outcome.contender.name: outcome for outcome in found}


def test_every_contender_has_an_outcome(outcomes: dict[str, race.Outcome]) -> None:
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "exact": "ok",
        "wrong": "ok",
        "not a number": "ok",
        "ours": "ok",
        "wasteful": "ok",
        "noisy": "ok",
        "failing": "failed",
        "absent": "not available",
        "dying": "failed",
        "missing": "not installed",
    }


def test_failures_say_why(outcomes: dict[str, race.Outcome]) -> None:
    assert outcomes["failing"].note == "ValueError: a peer that fails"
    assert outcomes["dying"].note == "the process ended: a peer that dies"
    assert outcomes["missing"].note == "no_such_package"
    assert outcomes["absent"].note.startswith("ImportError")


def test_quality_is_measured_on_the_full_data(outcomes: dict[str, race.Outcome]) -> None:
    assert outcomes["exact"].figure == 0
    assert outcomes["noisy"].figure == 0
    assert outcomes["wrong"].figure == 1
    assert math.isnan(outcomes["not a number"].figure)


def test_runs_are_counted_and_timed(outcomes: dict[str, race.Outcome]) -> None:
    assert len(outcomes["exact"].seconds) == 2
    assert all(seconds > 0 for seconds in outcomes["exact"].seconds)
    assert outcomes["failing"].seconds == []


def test_memory_above_the_data_is_seen(outcomes: dict[str, race.Outcome]) -> None:
    assert outcomes["wasteful"].peak == pytest.approx(toys.WASTE / 1024**2, rel=0.25)
    assert outcomes["exact"].peak < 8


def test_the_whole_benchmark_is_summarised(outcomes: dict[str, race.Outcome]) -> None:
    rows = {row.outcome.contender.name: row for row in rank_outcomes(list(outcomes.values()), toys.TASKS[0].quality)}
    assert rows["wrong"].worse
    assert rows["not a number"].worse
    assert not rows["ours"].worse
    assert json.loads(json.dumps(rows["wrong"].plain()))["ratio"] is None


def test_a_contender_that_hangs_is_given_up() -> None:
    found = race.race(toys.TASKS[1], quick=False, threads=1, rounds=1, limit=5)
    assert [outcome.status for outcome in found] == ["ok", "too slow"]


def test_turns_rotate() -> None:
    assert race.rotated([1, 2, 3], 0) == [1, 2, 3]
    assert race.rotated([1, 2, 3], 4) == [2, 3, 1]
    assert race.rotated([], 1) == []


def test_stored_data_come_back_the_same(tmp_path: object) -> None:
    from pathlib import Path

    from scipy import sparse

    folder = Path(str(tmp_path))
    S = sparse.random_array((5, 4), density=0.5, rng=0, format="csc")
    F = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    store.save(folder, {"S": S, "F": F, "alpha": 0.25, "flags": np.array([True, False])})
    back = store.load(folder)
    assert back["S"].format == "csc"
    np.testing.assert_array_equal(back["S"].toarray(), S.toarray())
    assert back["F"].flags.f_contiguous
    np.testing.assert_array_equal(back["F"], F)
    assert back["alpha"] == 0.25
    assert back["flags"].tolist() == [True, False]
