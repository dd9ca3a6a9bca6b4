"""Studies of tables with known answers, from end to end."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import learnable
from learnable.app.report.page import page
from learnable.app.report.structure_page import structure_page
from learnable.app.study.candidates import candidates
from learnable.app.study.dataset_view import learned
from learnable.app.study.diagnosis import _regime
from learnable.app.study.files import predictions, write_all
from learnable.app.study.plan import Plan
from learnable.app.study.settings import Settings
from learnable.app.study.story import told, verdict
from learnable.app.study.structure import structure
from learnable.app.study.workflow import data_hash, study
from learnable.app.table_source import Source
from learnable.app.task import ask
from learnable.datasets import Dataset
from learnable.deployment import DeployedModel, ExpectedColumn
from learnable.model_selection._journal import Journal

from .tables import houses, noise, passengers

QUICK = Settings(effort="quick", repeats=1)


@pytest.fixture(scope="module")
def found():
    return study(ask(passengers(), "survived"), QUICK)


def without_times(text: str) -> str:
    return re.sub(r"<!-- times.*?end of times -->", "", text, flags=re.DOTALL)


def test_a_signal_is_found_and_the_simplest_of_the_best_is_recommended(found):
    assert found.ranking.useful and found.question.positive == "yes"
    line = found.ranking.standing(found.recommended)
    assert line.compared.verdict == "better" and line.compared.group == 1
    assert found.last_test.low <= found.last_test.score <= found.last_test.high
    assert found.last_test.score > 0.7 and found.last_test.baseline == 0.5
    order = [entry.candidate.name for entry in found.entries]
    best = found.ranking.best
    assert order.index(found.recommended) <= order.index(best.name)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_what_is_scored_is_what_the_saved_model_answers(positive):
    """A column of few values, so that many leaves hold as many rows of one class as of the other."""
    rng = np.random.default_rng(3)
    coarse, y = rng.integers(0, 30, 120).astype(float), rng.choice(["no", "yes"], 120).astype(object)
    question = ask(Dataset.of({"x": coarse, "y": y}, name="ties"), "y", positive=positive)
    plan = Plan.of(question, QUICK)
    for candidate in candidates(question, QUICK):
        model = learned(candidate, {}, plan.whole, QUICK)
        chances = plan.whole.answers(model)
        assert np.array_equal(model.predict(plan.whole.frame), chances.argmax(axis=1)), candidate.name
        named = learned(candidate, {}, plan.whole, QUICK, question.y)
        order = [named.classes_.tolist().index(label) for label in plan.whole.labels]
        scored = named.predict_proba(plan.whole.frame)[:, order].argmax(axis=1)
        saved = DeployedModel(named, "binary", "y", [ExpectedColumn.of("x", coarse)], np.array([0.5]), positive)
        assert saved.predict(question.frame()).tolist() == [plan.whole.labels[code] for code in scored], candidate.name


def test_what_matters_is_told_from_what_does_not(found):
    losses = {one.column: one.loss for one in found.diagnosis.importances}
    assert losses["fare"] > losses["age"] and losses["cabin"] > losses["age"]
    answers = {one.column: one.answers for one in found.diagnosis.dependences}
    assert answers["fare"][0, -1] > answers["fare"][0, 0]


@pytest.mark.parametrize("train", [1.0, 0.8])
def test_whether_more_rows_help_is_said_once(train):
    remedies = _regime(np.full(5, train), np.full(5, 0.8))[1]
    assert len(remedies) == 3 and not [remedy for remedy in remedies if "rows" in remedy]


def test_every_development_row_is_answered_by_a_model_that_had_not_seen_it(found):
    assert found.diagnosis.tested.all()
    rows = list(csv.DictReader(io.StringIO(predictions(found))))
    assert sorted(int(row["row"]) for row in rows) == list(range(300))
    right = np.mean([row["truth"] == row["answer"] for row in rows if row["part"] == "unseen"])
    assert right == pytest.approx(0.78, abs=0.1)
    chances = np.array([[float(row["probability of no"]), float(row["probability of yes"])] for row in rows])
    assert np.allclose(chances.sum(axis=1), 1)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_better_than_the_baseline(seed):
    found = study(ask(noise(seed=seed), "y"), replace(QUICK, models=("logistic regression", "nearest neighbours")))
    assert not found.ranking.useful and found.recommended == "most frequent class"
    assert "No model is reliably better than the baseline" in verdict(found)
    assert any("Do not use a model yet" in line for line in told(found).advice)


def test_where_nothing_was_learned_there_is_nothing_to_look_at():
    found = study(ask(noise(), "y"), replace(QUICK, models=("logistic regression",)))
    assert not found.ranking.useful and not found.learned_something
    story, shown = told(found), page(found)
    best = next(one for one in found.ranking.standings if not one.baseline)
    assert f"the true score of {best.name} lies within" in story.sure and "allowing for 2 models" in story.sure
    assert [line for line in story.advice if "rows of the same kind" in line] == []
    assert "without --quick" in story.advice[-1]
    for gone in ('id="answers"', 'href="#columns"', 'id="rows"', "Importance of columns"):
        assert gone not in shown
    assert shown.count("<svg") == 1 and "so that is what was kept" in shown


def test_numbers_are_predicted_with_intervals_that_hold():
    found = study(ask(houses(400), "price"), replace(QUICK, models=("ridge regression",)))
    assert found.recommended == "ridge regression"
    assert found.metric.shown(found.last_test.score) == pytest.approx(10, rel=0.25)
    assert found.last_test.covered_low <= 0.9 <= found.last_test.covered_high
    assert "probably help" not in found.diagnosis.learning.more_rows
    fresh = houses(300, seed=5).with_target("price")
    low, high = found.deployed.interval(ask(fresh, "price").frame()).T
    assert np.mean((low <= fresh.y) & (fresh.y <= high)) == pytest.approx(0.9, abs=0.06)


def test_several_classes_weights_and_groups_go_through():
    rng = np.random.default_rng(1)
    x = rng.normal(size=240)
    columns = {
        "x": x, "noise": rng.normal(size=240), "kind": np.where(x < -0.5, "low", np.where(x < 0.5, "mid", "top")),
        "person": np.repeat(np.arange(80), 3), "copies": rng.integers(1, 4, 240),
    }  # fmt: skip
    table = Dataset.of(
        {name: values.astype(object) if values.dtype.kind == "U" else values for name, values in columns.items()}
    )
    found = study(ask(table, "kind", group="person", weight="copies"), replace(QUICK, models=("pruned tree",)))
    assert found.question.task == "multi-class" and found.recommended == "pruned tree"
    assert found.last_test.score > 0.8


def test_a_page_says_that_parameters_were_chosen_only_where_they_were(found):
    assert found.settings.effort == "quick" and found.learned_something
    shown = page(found)
    assert "with the parameters it comes with, tested once" in shown and "training parts chose" not in shown
    assert "Every model learned on the training part" in shown


def test_one_locked_group_tells_nothing_of_others_and_one_group_is_enough_to_choose_parameters(tmp_path):
    sites = Dataset.of({**houses().columns, "site": np.arange(200) % 3}, name="sites")
    found = study(ask(sites, "price", group="site"), Settings(folds=2, repeats=1, models=("ridge regression",)))
    assert found.recommended == "ridge regression" and not any(entry.reason for entry in found.entries)
    assert (found.last_test.low, found.last_test.high) == (-np.inf, 0)
    text = page(found)
    assert "these rows are of one site, and others may differ" in text and "to ∞" in text
    learnable.load(write_all(found, tmp_path)["model.learnable"])


def test_the_same_question_gives_the_same_page_but_for_the_times(found):
    again = study(ask(passengers(), "survived"), QUICK)
    assert without_times(page(found)) == without_times(page(again))
    first, second = found.as_json(), again.as_json()
    assert first.pop("timing") and second.pop("timing") and first == second


def test_the_page_needs_nothing_else(found):
    text = page(found)
    assert len(text.encode()) < 2e6
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#|data:image)", text) and "@import" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert len(re.findall(r'\bid="([^"]+)"', text)) == len(set(re.findall(r'\bid="([^"]+)"', text)))
    assert text.count("<svg") == text.count('role="img"') > 5


def test_names_that_look_like_markup_stay_names():
    columns = {"<script>alert(1)</script>": houses().columns["rooms"], "age": houses().columns["age"]}
    table = Dataset.of({**columns, "<b>": houses().columns["price"]}, name="<i>x</i>")
    text = page(study(ask(table, "<b>"), replace(QUICK, models=("ridge regression",)), source=Source("<i>x</i>")))
    assert "<script>alert" not in text and "<i>x</i>" not in text and "&lt;b&gt;" in text


def test_a_stopped_study_goes_on_and_gives_the_same_report(tmp_path, found, monkeypatch):
    class Stop(Exception):
        pass

    def stopping(text: str) -> None:
        if "pruned tree, part 3" in text:
            raise Stop

    question = ask(passengers(), "survived")
    with pytest.raises(Stop), Journal(tmp_path / "journal") as journal:
        study(question, QUICK, journal=journal, tell=stopping)
    told_of = []
    with Journal(tmp_path / "journal") as journal:
        again = study(question, QUICK, journal=journal, tell=told_of.append)
    assert not any("naive Bayes, part" in text for text in told_of), "what was done is not done again"
    assert without_times(page(again)) == without_times(page(found))


def test_the_code_makes_the_same_number(tmp_path, found):
    data = tmp_path / "passengers.csv"
    table = passengers()
    with data.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        cells = zip(*(values.tolist() for values in table.columns.values()), strict=True)
        writer.writerows([["" if value != value else value for value in row] for row in cells])
    told_from_file = study(ask(learnable.read_table(data), "survived"), QUICK, source=Source(str(data)))
    assert number_of_code(told_from_file, tmp_path) == pytest.approx(found.metric.shown(found.last_test.score))
    elsewhere = replace(told_from_file, source=Source("nowhere.csv"))
    assert number_of_code(elsewhere, tmp_path, data) == pytest.approx(found.metric.shown(found.last_test.score))


def number_of_code(found, folder, *table):
    """The number that code.py prints, which must be that of the study."""
    write_all(found, folder)
    ended = subprocess.run(
        [sys.executable, "code.py", *map(str, table)], cwd=folder, capture_output=True, text=True, check=True
    )
    number = float(ended.stdout.split()[-1])
    assert number == found.metric.shown(found.last_test.score)
    assert "learnable.app" not in (folder / "code.py").read_text(), "plain Python needs nothing of the command line"
    return number


@pytest.mark.parametrize(
    ("more", "model", "metric"),
    [
        ({"time": "day"}, "random forest", None),
        ({"time": "day", "group": "wave", "drop": ["person"]}, "ridge regression", None),
        ({"group": "person", "weight": "copies"}, "pruned tree", "mae"),
        ({"task": "classification", "drop": ["day", "person"]}, "support vector machine", "accuracy"),
        ({"positive": "0", "task": "binary", "weight": "copies"}, "logistic regression", "average-precision"),
    ],
)
def test_the_code_knows_times_groups_weights_and_rows_without_a_target(tmp_path, more, model, metric):
    rng = np.random.default_rng(3)
    x, rows = rng.normal(size=(160, 2)), 160
    y = x.sum(axis=1) + 0.3 * rng.normal(size=rows)
    target = ["" if row % 16 == 5 else int(y[row] > 0) if "task" in more else y[row] for row in range(rows)]
    columns = {
        "u": x[:, 0], "v": x[:, 1], "day": rng.permutation(rows) // 2, "person": np.arange(rows) // 4,
        "copies": rng.integers(1, 4, rows), "y": target,
    }  # fmt: skip
    columns |= {"wave": columns["day"] // 10} if more.get("group") == "wave" else {}
    path = tmp_path / "table.csv"
    path.write_text(
        "\n".join([";".join(columns), *(";".join(map(str, row)) for row in zip(*columns.values(), strict=True))])
    )
    source = Source(str(path), delimiter=";")
    settings = replace(QUICK, models=(model,), metric=metric)
    found = study(ask(source.read(), "y", **more), settings, source=source)
    assert found.recommended == model
    number_of_code(found, tmp_path)
    written = [int(row["row"]) for row in csv.DictReader(io.StringIO((tmp_path / "predictions.csv").read_text()))]
    assert not {row for row in range(rows) if row % 16 == 5} & set(written), (
        "rows are told by their numbers in the file"
    )
    assert {one.row for one in found.diagnosis.worst} <= set(written)


def test_files_are_there_and_the_model_answers_as_it_did(tmp_path, found):
    places = write_all(found, tmp_path)
    assert sorted(places) == ["code.py", "model.learnable", "predictions.csv", "report.html", "report.json"]
    content = json.loads(places["report.json"].read_text())
    assert content["schema"] == 3 and content["recommended"] == found.recommended
    model = learnable.load(places["model.learnable"])
    X = ask(passengers(20, seed=3), "survived").frame()
    assert np.array_equal(model.predict_proba(X), found.deployed.predict_proba(X))


def test_a_budget_gives_a_comparison_of_what_was_done():
    few = Settings(repeats=200, models=("naive Bayes",))
    found = study(ask(passengers(), "survived"), few, seconds=8.0)
    counts = {len(entry.attempts) for entry in found.entries if entry.attempts}
    assert found.early == "budget" and len(counts) == 1
    assert 5 <= max(counts) < 1000


def test_equal_tables_have_equal_names_and_others_have_not():
    columns = {"a": np.array(["x", "yz", None] * 10, dtype=object), "y": np.arange(30.0)}

    def name(**more):
        return data_hash(ask(Dataset.of({**columns, **more}), "y"))

    shifted = np.array(["xy", "z", None] * 10, dtype=object)
    mixed = np.array(["x", 2, None] * 10, dtype=object)
    assert name() == name() and len({name(), name(a=shifted), name(a=mixed), name(y=np.arange(1.0, 31))}) == 4


def test_probabilities_of_a_machine_where_a_class_has_few_rows():
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "rare"], [80, 80, 4]).astype(object)
    x = rng.normal(size=164) + np.repeat([0.0, 2.0, 6.0], [80, 80, 4])
    table = Dataset.of({"x": x, "noise": rng.normal(size=164), "kind": kind}, name="kinds")
    found = study(ask(table, "kind"), replace(QUICK, models=("support vector machine",)))
    entry = next(one for one in found.entries if one.candidate.name == "support vector machine")
    assert entry.attempts and found.recommended == "support vector machine"
    assert np.allclose(found.last_test.answers.sum(axis=1), 1.0)


def test_a_model_for_few_rows_is_left_out_of_many(monkeypatch):
    from learnable.app.study import workflow

    def few(question, settings):
        return [replace(one, most_rows=50) if one.name == "naive Bayes" else one for one in usual(question, settings)]

    usual = workflow.candidates
    monkeypatch.setattr(workflow, "candidates", few)
    found = study(ask(passengers(), "survived"), replace(QUICK, models=("naive Bayes", "logistic regression")))
    reasons = {entry.candidate.name: entry.reason for entry in found.entries}
    assert "at most 50 rows" in reasons["naive Bayes"] and "naive Bayes" in page(found)


def test_a_budget_that_ends_before_groups_are_looked_for(monkeypatch):
    from learnable.app.study import structure as module

    def too_late(*inputs):
        raise learnable.BudgetError("time is up")

    monkeypatch.setattr(module, "_grouping", too_late)
    found = structure(ask(Dataset.of({f"x{j}": np.random.default_rng(j).normal(size=60) for j in range(3)})))
    assert found.early == "budget" and found.verdict == "The budget came before groups were looked for."
    assert found.verdict in structure_page(found) and "Do groups come back" not in structure_page(found)


def test_groups_that_are_there_are_found_and_one_cloud_is_one_cloud():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 4)) * 8
    blobs = np.concatenate([centre + rng.normal(size=(60, 4)) for centre in centres])
    found = structure(ask(Dataset.of({f"x{j}": column for j, column in enumerate(blobs.T)})))
    assert found.chosen is not None and found.chosen.groups == 3
    assert sorted(group.rows for group in found.groups) == [60, 60, 60]
    assert structure_page(found).startswith("<!DOCTYPE html>")
    assert "group 3" in structure_page(found) and found.groups[0].marks
    assert all(abs(shift) >= 0.25 for group in found.groups for _, shift in group.marks[1:])
    cloud = rng.normal(size=(180, 4))
    cloud[7] = 15.0
    alone = structure(ask(Dataset.of({f"x{j}": column for j, column in enumerate(cloud.T)})))
    assert alone.chosen is None and "one cloud" in alone.verdict
    assert alone.outliers[0][0] == 7


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_parts_of_an_even_square_come_back_and_are_no_groups(seed):
    square = np.random.default_rng(seed).uniform(size=(300, 2))
    found = structure(ask(Dataset.of({"x": square[:, 0], "y": square[:, 1]})))
    assert any(one.stable for one in found.groupings)
    assert found.chosen is None and found.verdict.startswith("No groups stand apart")


def test_times_are_days_and_parts_may_lack_a_class():
    days = np.arange("2024-01-01", "2024-06-29", dtype="datetime64[D]").astype("datetime64[us]")
    table = houses(len(days))
    found = study(
        ask(Dataset.of({**table.columns, "day": days}), "price", time="day"),
        replace(QUICK, models=("ridge regression",)),
    )
    assert found.recommended == "ridge regression" and "by time" in found.division.how
    late = (np.arange(len(days)) >= 70).astype(float)
    late[::9] = 1 - late[::9]
    late[22:50] = 0
    classes = Dataset.of({**table.columns, "day": days, "late": late})
    found = study(ask(classes, "late", time="day", drop=["price"]), replace(QUICK, models=("naive Bayes",)))
    assert len(found.ranking.scores["naive Bayes"]) == 4, "one part has no row of the class"
    sorted_by_day = Dataset.of({**table.columns, "day": days, "late": np.sort(late)})
    with pytest.raises(learnable.DataError, match="they lack a class; choose another --metric, such as log-loss"):
        study(ask(sorted_by_day, "late", time="day"), replace(QUICK, models=("naive Bayes",)))


def test_a_table_without_an_entry_is_no_question_of_time():
    columns = {"empty": np.full(40, np.nan), "y": np.arange(40.0)}
    with pytest.raises(learnable.DataError, match="no column besides the target 'y' has a value in any row"):
        study(ask(Dataset.of(columns), "y"), QUICK)


@pytest.mark.parametrize(
    ("columns", "shown"), [(40, ["model", "score"]), (76, ["model", "score", "95 %"]), (120, None)]
)
def test_the_table_of_models_leaves_out_columns_rather_than_letters(columns, shown):
    from rich.console import Console

    from learnable.app.commands.study import HEADINGS, _leaderboard

    found = study(
        ask(passengers(), "survived"), Settings(effort="quick", repeats=1, models=("support vector machine",))
    )
    console = Console(width=columns, record=True, file=io.StringIO())
    console.print(_leaderboard(found, columns))
    text = console.export_text()
    assert "…" not in text and "support vector machine" in text
    assert all(heading in text for heading in (HEADINGS if shown is None else shown))
    assert ("kB" in text) == (shown is None)
    assert all(len(line.rstrip()) <= columns for line in text.splitlines()[1:])
