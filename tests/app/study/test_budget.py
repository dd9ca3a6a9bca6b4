"""A study keeps to its budget, whatever fits cost, and says what it left out for that."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import learnable
from learnable import __main__
from learnable.app.audit import audit, run_audit
from learnable.app.cli import main
from learnable.app.commands import study as command
from learnable.app.report.page import page
from learnable.app.report.unsupervised_page import unsupervised_page
from learnable.app.study import cross_validation, dataset_view, exploration, time_left
from learnable.app.study.budget_levels import ladder
from learnable.app.study.candidates import candidates
from learnable.app.study.model_candidate import FIRST_ROWS
from learnable.app.study.plan import StudyPlan
from learnable.app.study.script import script
from learnable.app.study.settings import MAX_COMPARED, StudySettings
from learnable.app.study.story import verdict
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.core import BudgetError
from learnable.core.runtime import context, memory
from learnable.datasets import Dataset, read_table, reading
from learnable.datasets._reading import delimited_text, sources

from .tables import house_task, houses

SECONDS = 1000.0
QUICK_ALL = StudySettings(effort="quick", repeats=1)
QUICK = StudySettings(effort="quick", repeats=1, models=("ridge regression",))


@pytest.fixture
def slow_fits(monkeypatch):
    """Makes every fit of a ridge regression take a given time, plus a given time per row, on all clocks of a study."""
    passed = [0.0]
    now = SimpleNamespace(
        monotonic=lambda: time.monotonic() + passed[0], perf_counter=lambda: time.perf_counter() + passed[0]
    )
    for module in (context, time_left, dataset_view, cross_validation):
        monkeypatch.setattr(module, "time", now)

    def slow(seconds_of_row, seconds=0.0):
        fit = learnable.Ridge._fit

        def slower(self, data, trace):
            passed[0] += seconds + seconds_of_row * len(data.X)
            return fit(self, data, trace)

        monkeypatch.setattr(learnable.Ridge, "_fit", slower)
        return now.monotonic

    slow.passed = passed
    return slow


@pytest.mark.parametrize("seconds_of_row", [pytest.param(0.002, marks=pytest.mark.exhaustive), 0.02, 0.05, 0.1])
def test_the_last_fits_are_within_the_budget(slow_fits, monkeypatch, seconds_of_row):
    monkeypatch.setitem(MAX_COMPARED, "quick", 500)
    now = slow_fits(seconds_of_row)
    began = now()
    found = run_study(house_task(5000), QUICK, seconds=SECONDS)
    assert now() - began <= 1.05 * SECONDS + 1
    assert found.recommended == "ridge regression"
    short = seconds_of_row > 0.05
    assert (found.fitted_rows < 5000) is short and (found.early == "budget") >= short
    assert ("refitted to a random sample of" in page(found)) is short


def test_time_for_the_predictions_of_the_test_set_is_reserved(slow_fits, monkeypatch):
    now = slow_fits(0.0)
    predict, passed = learnable.Ridge._predict, slow_fits.passed

    def slower(self, X):
        passed[0] += 0.1 * len(X)
        return predict(self, X)

    monkeypatch.setattr(learnable.Ridge, "_predict", slower)
    began = now()
    found = run_study(house_task(5000), QUICK, seconds=SECONDS)
    assert now() - began <= 1.05 * SECONDS + 1
    assert found.recommended == "ridge regression" and found.final_test.rows == 1000


def test_few_rows_are_compared_where_time_is_short(slow_fits):
    now = slow_fits(0.05)
    began = now()
    found = run_study(house_task(5000), QUICK, seconds=SECONDS)
    assert now() - began <= 1.05 * SECONDS + 1
    assert found.recommended == "ridge regression" and "1000 of the other rows" in found.split.how
    assert "The table has 5000 rows. Models were compared on a random sample of 1000 rows." in page(found)


def test_a_constant_cost_of_fits_does_not_reduce_the_rows(slow_fits):
    now = slow_fits(0.001, seconds=20.0)
    began = now()
    found = run_study(house_task(5000), replace(QUICK, repeats=2), seconds=SECONDS)
    assert now() - began <= 1.05 * SECONDS + 1
    assert found.split.compared == 4000 and found.rounds == 2


def test_another_round_is_run_if_there_is_no_time_for_more_rows(slow_fits):
    now = slow_fits(0.08)
    began = now()
    found = run_study(house_task(5000), replace(QUICK, repeats=2), seconds=SECONDS)
    assert now() - began <= 1.05 * SECONDS + 1
    assert found.split.compared == 500 and found.rounds == 2 and found.early == "budget"


def test_the_page_states_the_number_of_repeats(slow_fits):
    twice = replace(QUICK, repeats=2)
    requested = run_study(house_task(60), twice)
    assert requested.rounds == 2 and "folds, 2 times." in page(requested)
    slow_fits(0.05)
    hurried = run_study(house_task(5000), twice, seconds=SECONDS)
    assert hurried.rounds == 1 and "2 times" not in page(hurried)


def test_the_program_of_a_study_that_was_short_of_time_learns_from_the_same_rows(slow_fits, monkeypatch):
    monkeypatch.setitem(MAX_COMPARED, "quick", 500)
    slow_fits(0.1)
    found = run_study(house_task(5000), QUICK, seconds=SECONDS)
    rows = found.fitted_rows
    assert f"known = known[np.sort(np.random.default_rng(0).permutation(len(known))[:{rows}])]" in script(found)


@pytest.mark.parametrize("rows", [1000, 1600, 8000, 38_400])
def test_what_a_search_will_cost_is_what_it_costs(rows):
    x = np.random.default_rng(0).normal(size=(rows, 1))
    for candidate in candidates(house_task(60), StudySettings()):
        tried = np.prod([len(values) for values in candidate.space(StudySettings()).values()], dtype=int)
        search = learnable.HalvingGridSearchCV(
            learnable.Ridge(), {"alpha": list(range(1, tried + 1))}, cv=3, factor=2, min_resources=FIRST_ROWS,
            random_state=0,
        ).fit(x, x[:, 0])  # fmt: skip
        turns = zip(search.n_candidates_, search.n_resources_, strict=True)
        expected = [(3 * some, round(2 / 3 * of)) for some, of in turns] if tried > 1 else []
        assert candidate.searched(StudySettings(), rows, halving=True) == expected


def test_levels_start_with_few_rows_and_end_with_the_plan():
    plan = StudyPlan.of(house_task(30_000), StudySettings())
    levels = ladder(plan)
    sizes = [500, 1000, 2000, 4000, 8000, 16_000, 24_000]
    assert [level.split.compared for level in levels] == [size for size in sizes for _ in range(2)]
    assert [level.settings.searches for level in levels] == [False, True] * len(sizes)
    assert levels[-1] is plan and all(len(level.split.folds) == 10 for level in levels)
    small = StudyPlan.of(house_task(100), replace(QUICK, models=()))
    assert ladder(small) == [small]
    few, many = levels[0].split.folds, levels[2].split.folds
    assert all(np.isin(one[0], more[0]).all() for one, more in zip(few, many, strict=True))


def test_a_table_that_takes_the_whole_budget_is_said_to(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,2\n3,5\n" * 30)
    with context.budget(seconds=1e-9), pytest.raises(BudgetError, match=r"before .*table\.csv was read"):
        read_table(path)


def test_reading_separated_values_ends_with_the_budget(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,2\n3,5\n" * 30)
    monkeypatch.setattr(delimited_text, "time", SimpleNamespace(monotonic=lambda: float("inf")))
    assert read_table(path).n == 60, "without a budget there is no deadline"
    with context.budget(seconds=SECONDS), pytest.raises(BudgetError, match=r"before table\.csv was read"):
        read_table(path)


def test_a_program_that_left_a_table_half_read_ends(tmp_path):
    """Arrow reads a table of many columns in threads, and waits for them when the program ends."""
    path = tmp_path / "wide.csv"
    path.write_text("\n".join([",".join(map(str, range(1, 20_001))), *[",".join(["1"] * 20_000)] * 200]))
    program = f"""
from learnable.core import BudgetError, budget
from learnable.datasets import read_table
from learnable.datasets._reading import delimited_text
class Late(delimited_text.Timely):
    def read(self, size=-1):
        if self.tell() > 2**21:
            self.deadline = 0.0
        return super().read(size)
delimited_text.Timely = Late
try:
    with budget(seconds=600.0):
        read_table({str(path)!r})
except BudgetError:
    print("left")
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert ended.stdout == "left\n"


def test_a_table_is_read_when_no_thread_of_arrow_holds_its_bytes_any_more():
    content, held = delimited_text.Timely(b"x,y"), []
    with content.within_deadline():
        held.append(content)
        threading.Timer(0.05, held.clear).start()
    assert not held


def test_column_types_are_inferred_as_long_as_there_is_time(slow_fits, monkeypatch):
    looks = []

    def slowly(values):
        looks.append(len(values))
        slow_fits.passed[0] += 2 * SECONDS
        return "integer"

    monkeypatch.setattr(reading, "infer_kind", slowly)
    with context.budget(seconds=SECONDS), pytest.raises(BudgetError, match=r"before .* was read"):
        read_table(io.StringIO("a,b,c\n1,2,3\n4,5,6\n"))
    assert looks == [2]


def test_a_packed_file_that_would_never_end_is_left(tmp_path, monkeypatch):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"x,y\n1,2\n"))
    endless = SimpleNamespace(read=lambda size: b"1,2\n" * (size // 4))
    monkeypatch.setitem(sources.PACKED, b"\x1f\x8b", (".gz", lambda file: endless))
    with context.budget(seconds=0.5), pytest.raises(BudgetError, match=r"before table\.csv\.gz was read"):
        read_table(path)
    monkeypatch.setattr(memory, "memory_to_be_had", lambda: 2**28)
    with pytest.raises(learnable.DataError, match=r"table\.csv\.gz has \d+ MB; reading it takes about .* MB are left"):
        read_table(path)


def test_the_start_up_time_of_the_program_counts(tmp_path, monkeypatch, capsys):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,2\n3,5\n" * 30)
    monkeypatch.setattr(command, "SHORT", 1e-9)
    with pytest.raises(SystemExit) as end:
        main(["study", str(path), "--target", "y", "--budget", "1h", "--out", str(tmp_path)], time.monotonic() - 3601)
    assert end.value.code == 4 and "was not read in half of the budget" in capsys.readouterr().err


def test_a_program_knows_when_it_began():
    code = "import time; from learnable.__main__ import _age; print(time.monotonic() - _age())"
    before = time.monotonic()
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert before - 0.1 < float(printed) < time.monotonic(), "to a tick of the clock of processes"


def test_waiting_before_a_program_starts_is_not_its_time(monkeypatch):
    monkeypatch.setattr(time, "process_time", lambda: 0.001)  # of a process that is seconds old
    assert 0 < __main__._age() < 0.1


def test_a_table_that_takes_half_of_the_budget_to_read_is_not_studied(tmp_path, monkeypatch, capsys):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,2\n3,5\n" * 30)
    monkeypatch.setattr(command, "SHORT", 1e-9)
    monkeypatch.setattr(command, "READING", 1e-9)
    with pytest.raises(SystemExit) as end:
        main(["study", str(path), "--target", "y", "--budget", "2s", "--out", str(tmp_path / "out")])
    assert end.value.code == 4
    assert "table.csv was not read in half of the budget" in capsys.readouterr().err


@pytest.mark.parametrize("target", ["price", "sold"])
def test_no_time_at_all_still_gives_the_baseline_and_says_what_is_missing(target):
    columns = houses(3000).columns
    columns = {**columns, "sold": np.where(columns["price"] > 100, "yes", "no").astype(object)}
    del columns["price" if target == "sold" else "sold"]
    found = run_study(ask(Dataset.of(columns), target), QUICK_ALL, seconds=1e-9)
    assert found.early == "budget" and found.recommended == found.ranking.baseline and not found.ranking.tested
    assert [entry.reason for entry in found.entries if not entry.fold_results] == [
        "skipped: the budget came first" for _ in found.entries[1:]
    ]
    assert found.final_test.score == pytest.approx(found.final_test.baseline, rel=0.1)
    assert len(found.deployed.predict(found.plan.test_set.frame)) == found.final_test.rows
    alarm = next(one for one in found.alarms if one.code == "LB056")
    assert alarm.evidence.startswith("0 of ") and "not checked: leakage checks" in alarm.evidence
    assert verdict(found).startswith("No model was evaluated: the budget came first.")
    shown = page(found)
    assert "no other model was evaluated" in shown and "no model beats the baseline" not in shown
    assert "boosted trees: skipped: the budget came first" in shown


def test_an_interrupt_of_the_first_model_leaves_the_baseline(monkeypatch):
    evaluate_fold = cross_validation.evaluate_fold

    def interrupted(candidate, *inputs):
        if not candidate.baseline:
            raise KeyboardInterrupt
        return evaluate_fold(candidate, *inputs)

    monkeypatch.setattr(cross_validation, "evaluate_fold", interrupted)
    found = run_study(house_task(60), QUICK_ALL)
    assert found.early == "interrupt" and found.recommended == found.ranking.baseline
    assert verdict(found).startswith("No model was evaluated: the interrupt came first.")


def test_an_incomplete_audit_has_the_alarms_of_the_completed_checks(monkeypatch):
    columns = houses(200).columns
    question = ask(Dataset.of({**columns, "copy": 2 * columns["price"]}), "price")
    assert "LB056" not in {alarm.code for alarm in audit(question)}

    def slow_check(view):
        raise BudgetError("no time")

    monkeypatch.setattr(
        run_audit, "_checks", lambda question: (run_audit.leakage_checks, slow_check, run_audit.duplicates.drift)
    )
    found = {alarm.code: alarm for alarm in audit(question)}
    assert "LB001" in found and found["LB056"].evidence == "1 of 3 checks was done; not checked: slow check, drift"


def test_a_study_of_structure_without_time_says_so():
    found = run_unsupervised(ask(houses(200)), StudySettings(), seconds=1e-9)
    assert found.early == "budget" and "LB056" in {alarm.code for alarm in found.alarms}
    assert found.verdict == "The budget came before the cluster analysis."


@pytest.mark.parametrize(("seconds_of_row", "used"), [(1e-9, 6000), (0.1, 4000), (10.0, 2000)])
def test_a_study_of_structure_uses_as_many_rows_as_the_time_allows(monkeypatch, seconds_of_row, used):
    passed = [0.0]
    now = SimpleNamespace(monotonic=lambda: time.monotonic() + passed[0])
    for module in (context, time_left, exploration):
        monkeypatch.setattr(module, "time", now)
    outliers = exploration._outliers

    def slower(rows, seed):
        passed[0] += seconds_of_row * len(rows)
        return outliers(rows, seed)

    monkeypatch.setattr(exploration, "_outliers", slower)
    found = run_unsupervised(ask(houses(6000)), StudySettings(), seconds=1200.0)
    assert found.rows_used == pytest.approx(used, rel=0.05)
    short = used < 6000
    assert (found.early == "budget") is short and found.as_json()["rows_used"] == found.rows_used
    assert (f"The time sufficed for a random sample of {found.rows_used} rows" in unsupervised_page(found)) is short


def test_too_little_memory_still_gives_the_baseline(monkeypatch):
    taken = context.resident_bytes()
    monkeypatch.setattr(context, "resident_bytes", lambda: taken)  # what a process gives back is up to its allocator
    with context.budget(memory=2**20):
        whole = run_study(house_task(300), QUICK)
        taken += 2**21
        found = run_study(house_task(300), QUICK_ALL)
    assert whole.early != "budget" and whole.recommended == "ridge regression"
    assert found.recommended == found.ranking.baseline and found.early == "budget"


def test_pictures_that_there_is_no_time_for_are_left_out():
    found = run_study(house_task(60), QUICK)
    assert "Some figures are missing" not in page(found) and page(found).count("<svg") > 3
    with context.budget(seconds=1e-9):
        hurried = page(found)
    assert "Some figures are missing" in hurried and hurried.count("<svg") == 0
