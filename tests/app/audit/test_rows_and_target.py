"""Problems of rows, targets and sample sizes are detected, with correct figures in the evidence."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from learnable.app.audit import CATALOGUE, Alarm, audit
from learnable.app.audit.table_view import MAX_ROWS
from learnable.app.task import ask
from learnable.datasets import Dataset, load_iris
from tests.app.audit.tables import alarms, clean, task_of

N = 300


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def rows_of(table: dict[str, Any], chosen: Any) -> dict[str, Any]:
    return {name: values[chosen] for name, values in table.items()}


def above_note(found: dict[str, Alarm]) -> set[str]:
    return {code for code, alarm in found.items() if alarm.level != "note"}


def test_duplicate_rows() -> None:
    found = alarms(rows_of(clean(0, N), rng().permutation(np.append(np.arange(N), np.arange(20)))))
    assert above_note(found) == {"LB036"}
    assert found["LB036"].evidence.startswith("20 rows of 320 (6.2 %) repeat another row")


def test_equal_rows_with_different_targets() -> None:
    table = rows_of(clean(0, N), np.append(np.arange(N), np.arange(20)))
    table["y"][N:] = np.where(table["y"][:20] == "yes", "no", "yes")
    found = alarms(rows_of(table, rng().permutation(N + 20)))
    assert above_note(found) == {"LB037"}
    assert found["LB037"].evidence.startswith("40 rows of 320 (12.5 %) in 20 groups")


@pytest.mark.parametrize(
    ("task", "other", "how"), [("binary", "maybe", "different targets"), ("regression", 99.0, "targets far apart")]
)
def test_duplicates_are_counted_beside_contradicting_rows(task: str, other: Any, how: str) -> None:
    table = rows_of(clean(0, N, task), np.concatenate([np.arange(N), np.arange(20), np.arange(20)]))
    table["y"] = np.array(table["y"].tolist(), dtype=object if task == "binary" else float)
    table["y"][N + 20 :] = other
    found = alarms(rows_of(table, rng().permutation(N + 40)))
    assert found["LB036"].evidence.startswith("20 rows of 340 (5.9 %) repeat another row")
    assert found["LB037"].evidence.startswith(f"60 rows of 340 (17.6 %) in 20 groups with equal features have {how}")


def test_expected_duplicates_raise_no_alarm() -> None:
    table = clean(0, N)
    assert not above_note(alarms({name: table[name] for name in ("town", "flag", "y")}))


def test_near_duplicate_rows() -> None:
    table = rows_of(clean(0, N), np.append(np.arange(N), np.arange(30)))
    for name in ("a", "b", "skewed"):
        table[name] = table[name] + 1e-4 * rng(1).normal(size=N + 30)
    table = rows_of({name: table[name] for name in ("a", "b", "skewed", "y")}, rng().permutation(N + 30))
    found = alarms(table)
    assert above_note(found) == {"LB038"}
    assert found["LB038"].evidence.startswith("60 rows")


def test_groups_with_similar_targets() -> None:
    table, group = clean(0, N, "regression"), np.repeat(np.arange(30), 10)
    table["y"] = table["y"] + 4 * rng().normal(size=30)[group]
    table["person"] = np.array([f"p{k}" for k in group], dtype=object)
    table = rows_of(table, rng().permutation(N))
    found = alarms(table)
    assert above_note(found) == {"LB004"} and found["LB004"].fix.endswith("--group person.")
    assert not above_note(alarms(table, group="person"))
    numbered = {**table, "person": np.array([int(name[1:]) for name in table["person"]])}
    assert "LB004" in alarms(numbered)


def test_a_predictive_number_is_not_a_group() -> None:
    table = clean(0, 1000, "regression")
    age = rng().integers(20, 70, 1000)
    assert not above_note(alarms({**table, "age": age, "y": table["y"] + 0.5 * age}))
    gain = np.where(rng().random(1000) < 0.9, 0, rng(1).integers(1, 40, 1000))
    jumps = 9 * rng(2).normal(size=40) * (np.arange(40) > 0)
    assert not above_note(alarms({**table, "gain": gain, "y": table["y"] + jumps[gain]}))


def test_row_order() -> None:
    table = clean(0, N, "regression")
    assert "LB040" in alarms(rows_of(table, np.argsort(table["y"])))
    slow = {**table, "y": table["y"] + 3 * np.sin(np.arange(N) / 9)}
    assert above_note(alarms(slow)) == {"LB006"}
    classes = clean(0, N)
    assert "LB040" in alarms(rows_of(classes, np.argsort(classes["y"], kind="stable")))
    assert "LB006" in alarms(rows_of(classes, np.argsort((classes["y"] == "yes") + rng().normal(size=N))))


def test_times() -> None:
    table = clean(0, N, "regression")
    when = np.datetime64("2024-01-01") + rng().permutation(N)
    spans = rng(1).integers(1, 60, size=(2, N))
    later = {**table, "when": when, "paid": when + spans[0], "before": when - spans[1]}
    found = alarms(later, time="when")
    assert above_note(found) == {"LB008"} and found["LB008"].columns == ("paid",)
    rising = {**table, "when": when, "y": table["y"] + np.argsort(np.argsort(when)) / 60}
    assert "LB009" in alarms(rising, time="when")


def test_column_named_after_the_target() -> None:
    table = clean(0, N, "regression")
    found = alarms({**table, "y": table["y"]})
    assert "LB003" not in found
    named = {**table, "income": table["y"], "INCOME_per_head": table["y"] + 0.5 * rng().normal(size=N)}
    del named["y"]
    found = {alarm.code: alarm for alarm in audit(ask(Dataset.of(named), "income"))}
    assert found["LB003"].columns == ("INCOME_per_head",)


def test_a_near_copy_of_classes_beside_equally_predictive_columns() -> None:
    flowers = load_iris()
    columns = dict(zip(flowers.feature_names, flowers.data.T, strict=True))
    kinds = np.asarray(flowers.target_names, dtype=object)[flowers.target]
    assert "LB057" not in alarms({**columns, "y": kinds})
    near = np.where(np.arange(150) % 40 == 7, np.roll(kinds, 50), kinds)
    assert alarms({**columns, "near": near, "y": kinds})["LB057"].columns == ("near",)
    assert alarms({**columns, "near": near, "again": near, "y": kinds})["LB057"].columns == ("near", "again")


def test_a_near_copy_of_amounts_beside_equally_predictive_columns() -> None:
    weight, noise = rng().uniform(1, 9, size=N), rng(1).normal(size=N)
    cost = 4 + 2.5 * weight + 0.8 * noise
    table = {"weight": weight, "volume": weight + 0.3 * rng(2).normal(size=N), "y": cost}
    assert not {"LB002", "LB057"} & set(alarms(table))
    near = np.where(np.arange(N) % 50 == 7, cost[::-1], cost)
    assert alarms({**table, "near": near})["LB057"].columns == ("near",)


def test_targets() -> None:
    table = clean(0, N, "regression")
    long_tail = np.exp(1.5 * table["y"] / table["y"].std())
    assert "LB029" in alarms({**table, "y": long_tail})
    assert "LB031" in alarms({**table, "y": np.minimum(table["y"], 2.0)})
    in_pairs = rng().permutation(np.minimum(np.arange(N) // 2 / 10, 14.4))  # and 12 rows at the limit
    assert "LB031" in alarms({**table, "y": in_pairs})
    assert "LB034" in alarms({**table, "y": np.where(np.arange(N) == 3, 1e5, table["y"])})
    assert "LB028" in alarms({**table, "y": np.where(np.arange(N) % 30 == 3, table["y"], 0.0)})
    assert "LB030" in alarms({**table, "y": rng().permutation(N)}, task="regression")
    assert "LB032" in alarms({**table, "y": rng().integers(1, 6, N)})


def test_classes() -> None:
    table = clean(0, N)

    def labelled(label: Any) -> dict[str, Alarm]:
        return alarms({**table, "y": np.array([label(row) for row in range(N)], dtype=object)})

    shuffled = rng().permutation(N)
    assert "LB026" in labelled(lambda row: "rare" if shuffled[row] < 3 else "abc"[shuffled[row] % 3])
    assert above_note(labelled(lambda row: "no" if shuffled[row] > 20 else "yes")) == {"LB027"}
    assert "LB028" in labelled(lambda row: "no" if shuffled[row] else "yes")
    assert "LB035" in labelled(lambda row: ["yes", "no", "Yes "][shuffled[row] % 3])
    assert {"LB030", "LB051"} <= set(labelled(lambda row: f"c{shuffled[row] // 2}"))


def test_labels_that_all_neighbours_contradict() -> None:
    X = rng().normal(size=(N, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, "up", "down").astype(object)
    wrong = np.flatnonzero(np.abs(X[:, 0] + X[:, 1]) > 2.5)[:6]
    y[wrong] = np.where(y[wrong] == "up", "down", "up")
    found = alarms({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    assert not above_note(found) and "rows " in found["LB033"].evidence
    assert set(map(int, found["LB033"].evidence.rpartition("rows ")[2].split(" and ")[0].split(", "))) <= set(wrong)


def test_linearly_separable_classes() -> None:
    X = rng().normal(size=(N, 6))
    y = np.where(X.sum(axis=1) > 0, "up", "down").astype(object)
    assert above_note(alarms({**{f"x{j}": X[:, j] for j in range(6)}, "y": y})) == {"LB046"}


def test_sizes_groups_and_weights() -> None:
    table = clean(0, N)
    assert "LB048" in alarms(rows_of(table, np.arange(60)))
    X = rng().normal(size=(120, 130))
    wide = {**{f"x{j}": X[:, j] for j in range(130)}, "y": table["y"][:120]}
    assert above_note(alarms(wide)) == {"LB049"}
    assert set(alarms({name: wide[name] for name in [*list(wide)[:40], "y"]})) == {"LB050"}
    assert above_note(alarms({**table, "g": np.arange(N) % 3}, group="g")) == {"LB052"}
    assert above_note(alarms({**table, "g": np.maximum(np.arange(N) % 20 - 12, 0)}, group="g")) == {"LB053"}
    assert above_note(alarms({**table, "w": np.where(np.arange(N) < 9, 1e3, 1.0)}, weight="w")) == {"LB054"}


def test_groups_that_span_the_time_split() -> None:
    table = {**clean(0, N), "day": np.arange(N, dtype=float)}
    assert "LB055" in alarms({**table, "g": np.arange(N) % 20}, group="g", time="day")
    assert "LB055" not in alarms({**table, "g": np.arange(N) // 20}, group="g", time="day")
    assert "LB055" not in alarms({**table, "g": np.arange(N) % 20}, group="g")


def test_empty_rows_and_few_complete_ones() -> None:
    table = clean(0, N)
    for name in ("a", "b", "skewed", "partial"):
        table[name] = np.where(np.isin(np.arange(N), [7, 11]), np.nan, table[name])
    few = {name: table[name] for name in ("a", "b", "skewed", "partial", "y")}
    found = alarms(few)
    assert found["LB044"].evidence.endswith("rows 7, 11")
    for name in few.keys() - {"y"}:
        few[name] = np.where(rng(len(name)).random(N) < 0.3, np.nan, few[name])
    assert "LB045" in alarms(few)


def test_a_table_without_a_target() -> None:
    table = Dataset.of({**clean(0, N), "same": np.ones(N), "number": np.arange(N)})
    assert [alarm.code for alarm in audit(ask(table))] == ["LB010", "LB011"]


def test_severe_alarms_come_first_and_codes_are_in_order() -> None:
    table = clean(0, N)
    found = audit(task_of({**table, "same": np.ones(N), "number": np.arange(N), "copy": table["y"] == "yes"}))
    assert [alarm.code for alarm in found] == ["LB001", "LB010", "LB011"]
    assert found[0].as_dict()["columns"] == ["copy"] and "--drop copy" in found[0].fix


def test_the_catalogue_is_complete() -> None:
    assert list(CATALOGUE) == [f"LB{number:03}" for number in range(1, len(CATALOGUE) + 1)]
    assert len({entry.title for entry in CATALOGUE.values()}) == len(CATALOGUE) >= 28
    assert all(entry.why.endswith(".") and entry.fix.endswith(".") for entry in CATALOGUE.values())


def test_a_large_table_is_sampled_and_the_evidence_reports_it() -> None:
    table = clean(0, MAX_ROWS + 5000)
    table["late"] = rng().normal(size=len(table["y"])) + (np.arange(len(table["y"])) > 12_500)
    question = task_of(table)
    found = audit(question)
    assert [alarm.code for alarm in found if alarm.level != "note"] == ["LB039"]
    assert f"(checked on {MAX_ROWS} of {question.n} rows)" in found[0].evidence
    assert audit(question) == found


def test_a_copy_among_very_many_columns_is_detected() -> None:
    X = rng().normal(size=(60, 1000))
    y = np.where(rng(1).random(60) < 0.5, "no", "yes").astype(object)
    columns = {f"x{j}": X[:, j] for j in range(1000)}
    found = {alarm.code: alarm for alarm in audit(ask(Dataset.of({**columns, "leak": y == "yes", "y": y}), "y"))}
    assert found["LB001"].columns == ("leak",)
    assert not {alarm.level for alarm in audit(ask(Dataset.of({**columns, "y": y}), "y"))} & {"severe"}


def test_iris_is_sorted_and_otherwise_clean() -> None:
    iris = load_iris()
    columns = {name: iris.data[:, index] for index, name in enumerate(iris.feature_names)}
    species = np.array(["setosa", "versicolor", "virginica"], dtype=object)[iris.target]
    found = alarms({**columns, "y": species})
    assert "LB040" in found and not above_note(found)


def test_no_scipy_at_import() -> None:
    import subprocess

    program = "import sys, learnable.app.audit; sys.exit(any(name.split('.')[0] == 'scipy' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_rows_without_a_target_are_left_out() -> None:
    table = clean(0, N)
    whole = task_of(table)
    partial: Any = np.where(np.arange(N) % 10 == 0, None, table["y"])
    question = replace(whole, table=Dataset({**whole.table.columns, "y": partial}, whole.table.types))
    assert audit(question) == []
