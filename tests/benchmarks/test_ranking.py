"""Ratios, marks and the written table, from outcomes made by hand."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__, report
from benchmarks.machine import busy
from benchmarks.race import Outcome
from benchmarks.ranking import Row, rank_outcomes
from benchmarks.task import AtMost, Contender, Kind, Near, Quality
from benchmarks.tasks import TASKS


def outcome(name: str, seconds: float, figure: float, kind: Kind = "peer") -> Outcome:
    contender = Contender(name, lambda data: lambda: None, kind=kind)
    return Outcome(contender, seconds=[seconds, 3 * seconds, seconds / 2], peaks=[1.0, 5.0], figure=figure)


def rows(*outcomes: Outcome, rule: Near | AtMost) -> dict[str, Row]:
    quality = Quality("figure", lambda data, output: 0.0, rule)
    return {row.outcome.contender.name: row for row in rank_outcomes(list(outcomes), quality)}


def test_ratio_is_the_fastest_counted_peer_over_the_median() -> None:
    made = rows(
        outcome("ours", 0.5, 1.0, "ours"),
        outcome("slow", 4.0, 1.0),
        outcome("fast", 2.0, 1.0),
        outcome("wrong", 0.1, 1.5),
        outcome("reference", 0.2, 1.0, "reference"),
        rule=Near(1e-3),
    )
    assert {name: row.ratio for name, row in made.items() if row.counts} == {
        "ours": 4.0,
        "slow": 0.5,
        "fast": 1.0,
        "reference": 10.0,
    }
    assert made["wrong"].worse
    assert math.isnan(made["wrong"].ratio)
    assert list(made) == ["reference", "ours", "fast", "slow", "wrong"]


def test_without_a_counted_peer_there_is_no_ratio() -> None:
    made = rows(outcome("ours", 1.0, 0.0, "ours"), outcome("peer", 1.0, 2.0), rule=AtMost(1.0))
    assert math.isnan(made["ours"].ratio)
    assert made["ours"].counts


def test_a_worse_result_of_ours_does_not_count() -> None:
    made = rows(outcome("ours", 1.0, 2.0, "ours"), outcome("peer", 9.0, 1.0), rule=Near(1e-6))
    assert made["ours"].worse
    assert math.isnan(made["ours"].ratio)


@pytest.mark.parametrize(
    ("rule", "figure", "worse"),
    [
        (Near(0.1), 1.05, False),
        (Near(0.1), 1.2, True),
        (Near(0.1), 0.5, False),
        (Near(0.1, higher_is_better=True), 0.95, False),
        (Near(0.1, higher_is_better=True), 0.8, True),
        (Near(0.1), math.nan, True),
        (AtMost(0.1), 0.1, False),
        (AtMost(0.1), 0.2, True),
        (AtMost(0.1), math.nan, True),
    ],
)
def test_rules(rule: Near | AtMost, figure: float, worse: bool) -> None:
    assert rule.worse(figure, best=1.0) == worse


def test_the_best_figure_ignores_what_is_not_a_number() -> None:
    assert Near(0.1).best([math.nan, 3.0, 2.0]) == 2.0
    assert Near(0.1, higher_is_better=True).best([math.nan, 3.0, 2.0]) == 3.0
    assert math.isnan(AtMost(0.1).best([math.nan]))


@pytest.fixture
def record() -> dict[str, Any]:
    task = TASKS["ols_1e6x50"]
    made = rank_outcomes(
        [
            outcome("ours", 0.5, 1.0, "ours"),
            outcome("peer", 2.0, 1.0),
            outcome("wrong", 1e-5, 1.5),
            Outcome(Contender("gone", lambda data: lambda: None), status="not installed", note="gone"),
        ],
        task.quality,
    )
    return report.as_json(task, made, quick=False, threads=2, rounds=3, load=0.0)


def test_json_has_the_documented_fields(record: dict[str, Any]) -> None:
    record = json.loads(json.dumps(record, allow_nan=False))
    assert set(record) == {
        *("name", "size", "quick", "threads", "rounds", "load", "quality", "rule", "machine", "versions", "rows")
    }
    assert record["size"] == "1000000 x 50"
    assert set(record["machine"]) == {"processor", "cores", "python"}
    assert record["versions"].keys() >= {"sklearn", "sklearnex", "celer", "skglm", "glum", "statsmodels"}
    fields = {"contender", "kind", "status", "note", "seconds", "runs", "figure", "worse", "ratio", "peak_mb"}
    assert all(set(row) == fields for row in record["rows"])
    ours = next(row for row in record["rows"] if row["kind"] == "ours")
    assert (ours["seconds"], ours["ratio"], ours["peak_mb"]) == (0.5, 4.0, 5.0)
    gone = next(row for row in record["rows"] if row["contender"] == "gone")
    assert (gone["status"], gone["seconds"], gone["ratio"]) == ("not installed", None, None)


def test_text_marks_the_worse_and_names_the_missing(record: dict[str, Any]) -> None:
    lines = {line.split()[0]: line for line in report.text(record).splitlines()}
    assert "4.00" in lines["ours"]
    assert lines["wrong"].endswith("worse")
    assert "10 us" in lines["wrong"]
    assert lines["gone"].endswith("not installed: gone")


def test_a_busy_machine_is_reported(record: dict[str, Any]) -> None:
    assert "busy" not in report.text(record)
    assert "busy machine, load 3.0" in report.text({**record, "load": 3.0})
    assert "busy machine, load 3.0" in report.page([{**record, "load": 3.0}])


def test_busy_processors_are_counted() -> None:
    assert 0 <= busy(0.05) <= (os.cpu_count() or 1)


def test_writing_replaces_the_same_task_and_keeps_the_others(record: dict[str, Any], tmp_path: Path) -> None:
    other = {**record, "name": "other"}
    report.write(tmp_path, [record, other])
    report.write(tmp_path, [{**record, "size": "new size"}])
    kept = json.loads((tmp_path / "benchmarks.json").read_text())
    assert [(one["name"], one["size"]) for one in kept] == [
        ("ols_1e6x50", "new size"),
        ("other", "1000000 x 50"),
    ]
    page = (tmp_path / "benchmarks.md").read_text()
    assert "| ours | 500 ms | 4.00 |" in page
    assert "## other" in page


@pytest.mark.parametrize(("seconds", "words"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 us")])
def test_durations_have_a_unit(seconds: float, words: str) -> None:
    assert report.duration(seconds) == words


def test_names_and_prefixes_choose_tasks() -> None:
    assert __main__.chosen(["lasso_path"]) == ["lasso_path_dense", "lasso_path_sparse"]
    assert __main__.chosen([]) == list(TASKS)
    with pytest.raises(SystemExit, match="no task called nothing"):
        __main__.chosen(["nothing"])


def test_contenders_can_be_chosen() -> None:
    kept = __main__.restricted(TASKS["ols_1e6x50"], ["numpy", "scikit-learn-intelex"]).contenders
    assert [one.name for one in kept] == [
        *("learnable", "scikit-learn-intelex", "numpy lstsq", "numpy normal equations"),
    ]
    assert __main__.restricted(TASKS["huber"], None) is TASKS["huber"]


@pytest.mark.parametrize("option", ["--quick", "--only=numpy", "--rounds=1"])
def test_less_than_the_whole_is_never_written(option: str) -> None:
    with pytest.raises(SystemExit):
        __main__.main([option, "--write"])
