"""An interrupted study soon ends with a report of the completed part; a second interrupt ends it at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from learnable.app.cli import main
from learnable.app.study import cross_validation, exploration, files, final_test, workflow
from learnable.app.study import unsupervised as unsupervised_module
from learnable.app.study.budget_levels import FEW_ROWS
from learnable.app.study.settings import StudySettings
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import run_study
from learnable.app.task import ask
from learnable.core.runtime import context

from .tables import house_task, houses

QUICK = StudySettings(effort="quick", repeats=1, models=("ridge regression",))
FOREVER = float("inf")


def interrupted_once(monkeypatch, module, name):
    """Interrupt the first call; the times at which later calls must end."""
    work, deadlines = getattr(module, name), []

    def interrupted(*inputs, **named):
        deadlines.append(context.current().deadline)
        if len(deadlines) == 1:
            raise KeyboardInterrupt
        return work(*inputs, **named)

    monkeypatch.setattr(module, name, interrupted)
    return deadlines


def test_an_interrupt_of_the_audit_leaves_the_baseline_and_an_alarm(monkeypatch):
    interrupted_once(monkeypatch, workflow, "audit")
    found = run_study(house_task(3000), QUICK)
    assert found.early == "interrupt" and found.recommended == found.ranking.baseline
    assert [alarm.code for alarm in found.alarms] == ["LB056"] and "interrupted" in found.alarms[0].evidence
    assert found.split.compared == FEW_ROWS, "few rows are enough for it"


def test_an_interrupt_of_the_baseline_makes_it_again(monkeypatch):
    interrupted_once(monkeypatch, cross_validation, "evaluate_fold")
    found = run_study(house_task(60), QUICK)
    assert found.early == "interrupt" and found.recommended == found.ranking.baseline


@pytest.mark.parametrize("name", ["evaluate_on_test_set", "deploy", "diagnose", "rank"])
def test_a_stage_after_the_comparison_that_is_interrupted_runs_again(monkeypatch, name):
    interrupted_once(monkeypatch, workflow, name)
    found = run_study(house_task(60), QUICK)
    assert found.early == "interrupt" and found.recommended == "ridge regression"


def deadlines_of(monkeypatch, module, name):
    """The deadlines under which a function of a module is called from here on."""
    deadlines, before = [], getattr(module, name)

    def timed(*inputs):
        deadlines.append(context.current().deadline)
        return before(*inputs)

    monkeypatch.setattr(module, name, timed)
    return deadlines


def test_the_diagnosis_hurries_after_an_interrupt_and_completed_stages_are_kept(monkeypatch):
    ranked = interrupted_once(monkeypatch, workflow, "rank")
    deadlines = deadlines_of(monkeypatch, workflow, "diagnose")
    run_study(house_task(60), QUICK)
    assert len(ranked) == 2 and len(deadlines) == 1 and deadlines[0] < FOREVER


def test_an_interrupt_of_the_test_does_not_repeat_the_diagnosis(monkeypatch):
    interrupted_once(monkeypatch, workflow, "evaluate_on_test_set")
    deadlines = deadlines_of(monkeypatch, workflow, "diagnose")
    found = run_study(house_task(60), QUICK)
    assert deadlines == [FOREVER] and found.diagnosis.learning_curve is not None


def test_the_final_test_hurries_if_the_diagnosis_was_interrupted(monkeypatch):
    importances = sys.modules["learnable.app.study.diagnosis"]
    interrupted_once(monkeypatch, importances, "importances")
    deadlines = deadlines_of(monkeypatch, final_test, "interval")
    found = run_study(house_task(60), QUICK)
    assert found.early == "interrupt" and deadlines[0] < FOREVER


def test_a_second_interrupt_ends_a_study(monkeypatch):
    def interrupted(*inputs):
        raise KeyboardInterrupt

    monkeypatch.setattr(workflow, "evaluate_on_test_set", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_study(house_task(60), QUICK)


@pytest.mark.parametrize(
    ("module", "name"), [(workflow, "audit"), (exploration, "_explore"), (unsupervised_module, "_evaluate_clustering")]
)
def test_an_interrupt_of_a_study_of_structure_leaves_what_was_found(monkeypatch, module, name):
    interrupted_once(monkeypatch, module, name)
    found = run_unsupervised(ask(houses(3000)), StudySettings())
    assert found.early == "interrupt" and found.outliers and found.chosen is None
    assert found.rows_used == (3000 if name == "_evaluate_clustering" else 2000)


@pytest.mark.parametrize("target", [["--target", "price", "--models", "ridge regression"], []])
def test_an_interrupt_of_the_writing_is_reported(monkeypatch, tmp_path, capsys, target):
    path, out = tmp_path / "table.csv", tmp_path / "out"
    columns = houses(60).columns
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    deadlines = interrupted_once(monkeypatch, files, "write_all" if target else "write_unsupervised")
    with pytest.raises(SystemExit) as end:
        main(["study", str(path), *target, "--quick", "--out", str(out)])
    assert end.value.code == 130 and "the interrupt came before the study was complete" in capsys.readouterr().err
    assert json.loads((out / "report.json").read_text())["partial"] is True
    assert deadlines[0] == FOREVER and deadlines[1] < FOREVER


def test_an_interrupt_before_there_is_anything_to_report_is_said(monkeypatch, tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,2\n3,5\n" * 30)
    interrupted_once(monkeypatch, sys.modules["learnable.app.commands.study"], "_read")
    with pytest.raises(SystemExit) as end:
        main(["study", str(path), "--target", "y", "--out", str(tmp_path / "out")])
    assert end.value.code == 130 and "interrupted before there was a result" in capsys.readouterr().err


def test_an_interrupt_while_arrow_loads_pandas_is_not_lost(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n1,2\n3,5\n")
    program = """
import sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
import learnable.datasets
try:
    learnable.datasets.read_table(sys.argv[1])
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "heard\n"
