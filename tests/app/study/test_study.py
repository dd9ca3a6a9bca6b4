"""Studies of tables with known structure, from end to end."""

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
from learnable.app.report.unsupervised_page import unsupervised_page
from learnable.app.study.candidates import candidates
from learnable.app.study.dataset_view import fit_candidate
from learnable.app.study.diagnosis import _regime
from learnable.app.study.files import predictions_csv, write_all
from learnable.app.study.plan import StudyPlan
from learnable.app.study.settings import StudySettings
from learnable.app.study.story import verdict, write_story
from learnable.app.study.unsupervised import run_unsupervised
from learnable.app.study.workflow import data_hash, run_study
from learnable.app.table_source import TableSource
from learnable.app.task import ask
from learnable.datasets import Dataset
from learnable.deployment import DeployedModel, ExpectedColumn
from learnable.model_selection._journal import Journal

from .tables import house_task, houses, noise, passengers

QUICK = StudySettings(effort="quick", repeats=1)


@pytest.fixture(scope="module")
def found():
    return run_study(ask(passengers(), "survived"), QUICK)


def without_times(text: str) -> str:
    return re.sub(r"<!-- times.*?end of times -->", "", text, flags=re.DOTALL)


def test_a_signal_is_found_and_the_simplest_of_the_best_is_recommended(found):
    assert found.ranking.useful and found.question.positive == "yes"
    line = found.ranking.row_of(found.recommended)
    assert line.compared.verdict == "better" and line.compared.group == 1
    assert found.final_test.low <= found.final_test.score <= found.final_test.high
    assert found.final_test.score > 0.7 and found.final_test.baseline == 0.5
    order = [entry.candidate.name for entry in found.entries]
    best = found.ranking.best
    assert order.index(found.recommended) <= order.index(best.name)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_the_predictions_that_are_scored_are_those_of_the_saved_model(positive):
    """A column of few values, so that many leaves hold as many rows of one class as of the other."""
    rng = np.random.default_rng(3)
    coarse, y = rng.integers(0, 30, 120).astype(float), rng.choice(["no", "yes"], 120).astype(object)
    question = ask(Dataset.of({"x": coarse, "y": y}, name="ties"), "y", positive=positive)
    plan = StudyPlan.of(question, QUICK)
    for candidate in candidates(question, QUICK):
        model = fit_candidate(candidate, {}, plan.all_rows, QUICK)
        probabilities = plan.all_rows.predict(model)
        assert np.array_equal(model.predict(plan.all_rows.frame), probabilities.argmax(axis=1)), candidate.name
        named = fit_candidate(candidate, {}, plan.all_rows, QUICK, question.y)
        order = [named.classes_.tolist().index(label) for label in plan.all_rows.labels]
        scored = named.predict_proba(plan.all_rows.frame)[:, order].argmax(axis=1)
        saved = DeployedModel(named, "binary", "y", [ExpectedColumn.of("x", coarse)], np.array([0.5]), positive)
        assert saved.predict(question.frame()).tolist() == [plan.all_rows.labels[code] for code in scored], (
            candidate.name
        )


def test_informative_features_are_more_important_than_noise(found):
    losses = {one.column: one.loss for one in found.diagnosis.importances}
    assert losses["fare"] > losses["age"] and losses["cabin"] > losses["age"]
    predictions = {one.column: one.predictions for one in found.diagnosis.partial_dependences}
    assert predictions["fare"][0, -1] > predictions["fare"][0, 0]


@pytest.mark.parametrize("train", [1.0, 0.8])
def test_more_rows_are_not_among_the_remedies(train):
    remedies = _regime(np.full(5, train), np.full(5, 0.8))[1]
    assert len(remedies) == 3 and not [remedy for remedy in remedies if "rows" in remedy]


def test_every_development_row_has_an_out_of_fold_prediction(found):
    assert found.diagnosis.tested.all()
    rows = list(csv.DictReader(io.StringIO(predictions_csv(found))))
    assert sorted(int(row["row"]) for row in rows) == list(range(300))
    right = np.mean([row["truth"] == row["prediction"] for row in rows if row["split"] == "cv"])
    assert right == pytest.approx(0.78, abs=0.1)
    probabilities = np.array([[float(row["probability_no"]), float(row["probability_yes"])] for row in rows])
    assert np.allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_better_than_the_baseline(seed):
    found = run_study(ask(noise(seed=seed), "y"), replace(QUICK, models=("logistic regression", "nearest neighbours")))
    assert not found.ranking.useful and found.recommended == "most frequent class"
    assert "No model is significantly better than the baseline" in verdict(found)
    assert any("Do not use a model yet" in line for line in write_story(found).advice)


def test_a_report_of_the_baseline_has_no_diagnosis():
    found = run_study(ask(noise(), "y"), replace(QUICK, models=("logistic regression",)))
    assert not found.ranking.useful and not found.has_model
    story, shown = write_story(found), page(found)
    best = next(one for one in found.ranking.leaderboard if not one.baseline)
    assert (
        f"confidence interval of the score of {best.name} is" in story.uncertainty
        and "for 2 comparisons" in story.uncertainty
    )
    assert [line for line in story.advice if "rows of the same kind" in line] == []
    assert "without --quick" in story.advice[-1]
    for gone in ('id="predictions"', 'href="#features"', 'id="learning"', "Permutation importance"):
        assert gone not in shown
    assert shown.count("<svg") == 1 and "so the baseline was kept" in shown


def test_numbers_are_predicted_with_intervals_that_hold():
    found = run_study(house_task(400), replace(QUICK, models=("ridge regression",)))
    assert found.recommended == "ridge regression"
    assert found.metric.shown(found.final_test.score) == pytest.approx(10, rel=0.25)
    assert found.final_test.coverage_low <= 0.9 <= found.final_test.coverage_high
    assert "probably help" not in found.diagnosis.learning_curve.more_rows
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
    found = run_study(ask(table, "kind", group="person", weight="copies"), replace(QUICK, models=("pruned tree",)))
    assert found.question.task == "multi-class" and found.recommended == "pruned tree"
    assert found.final_test.score > 0.8


def test_a_page_mentions_tuning_only_if_there_was_tuning(found):
    assert found.settings.effort == "quick" and found.has_model
    shown = page(found)
    assert "with default hyperparameters, evaluated once" in shown and "folds selected" not in shown
    assert "Each model was trained on the training folds" in shown


def test_a_test_set_of_one_group_allows_no_statement_about_others(tmp_path):
    sites = Dataset.of({**houses().columns, "site": np.arange(200) % 3}, name="sites")
    found = run_study(
        ask(sites, "price", group="site"), StudySettings(folds=2, repeats=1, models=("ridge regression",))
    )
    assert found.recommended == "ridge regression" and not any(entry.reason for entry in found.entries)
    assert (found.final_test.low, found.final_test.high) == (-np.inf, 0)
    text = page(found)
    assert "all test rows are of one site; others may differ" in text and "to ∞" in text
    learnable.load(write_all(found, tmp_path)["model.learnable"])


def test_the_same_question_gives_the_same_page_but_for_the_times(found):
    again = run_study(ask(passengers(), "survived"), QUICK)
    assert without_times(page(found)) == without_times(page(again))
    first, second = found.as_json(), again.as_json()
    assert first.pop("timing") and second.pop("timing") and first == second


def test_the_page_is_self_contained(found):
    text = page(found)
    assert len(text.encode()) < 2e6
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!#|data:image)", text) and "@import" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert len(re.findall(r'\bid="([^"]+)"', text)) == len(set(re.findall(r'\bid="([^"]+)"', text)))
    assert text.count("<svg") == text.count('role="img"') > 5


def test_names_that_look_like_markup_stay_names():
    columns = {"<script>alert(1)</script>": houses().columns["rooms"], "age": houses().columns["age"]}
    table = Dataset.of({**columns, "<b>": houses().columns["price"]}, name="<i>x</i>")
    text = page(
        run_study(ask(table, "<b>"), replace(QUICK, models=("ridge regression",)), source=TableSource("<i>x</i>"))
    )
    assert "<script>alert" not in text and "<i>x</i>" not in text and "&lt;b&gt;" in text


def test_a_stopped_study_goes_on_and_gives_the_same_report(tmp_path, found, monkeypatch):
    class Stop(Exception):
        pass

    def stopping(text: str) -> None:
        if "pruned tree, fold 3" in text:
            raise Stop

    question = ask(passengers(), "survived")
    with pytest.raises(Stop), Journal(tmp_path / "journal") as journal:
        run_study(question, QUICK, journal=journal, log=stopping)
    messages = []
    with Journal(tmp_path / "journal") as journal:
        again = run_study(question, QUICK, journal=journal, log=messages.append)
    assert not any("naive Bayes, fold" in text for text in messages), "what was done is not done again"
    assert without_times(page(again)) == without_times(page(found))


def test_the_code_makes_the_same_number(tmp_path, found):
    data = tmp_path / "passengers.csv"
    table = passengers()
    with data.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        cells = zip(*(values.tolist() for values in table.columns.values()), strict=True)
        writer.writerows([["" if value != value else value for value in row] for row in cells])
    from_file = run_study(ask(learnable.read_table(data), "survived"), QUICK, source=TableSource(str(data)))
    assert number_of_code(from_file, tmp_path) == pytest.approx(found.metric.shown(found.final_test.score))
    elsewhere = replace(from_file, source=TableSource("nowhere.csv"))
    assert number_of_code(elsewhere, tmp_path, data) == pytest.approx(found.metric.shown(found.final_test.score))


def number_of_code(found, folder, *table):
    """The number that code.py prints, which must be that of the study."""
    write_all(found, folder)
    ended = subprocess.run(
        [sys.executable, "code.py", *map(str, table)], cwd=folder, capture_output=True, text=True, check=True
    )
    number = float(ended.stdout.split()[-1])
    assert number == found.metric.shown(found.final_test.score)
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
    source = TableSource(str(path), delimiter=";")
    settings = replace(QUICK, models=(model,), metric=metric)
    found = run_study(ask(source.read(), "y", **more), settings, source=source)
    assert found.recommended == model
    number_of_code(found, tmp_path)
    written = [int(row["row"]) for row in csv.DictReader(io.StringIO((tmp_path / "predictions.csv").read_text()))]
    assert not {row for row in range(rows) if row % 16 == 5} & set(written), "rows have their numbers in the file"
    assert {one.row for one in found.diagnosis.worst} <= set(written)


def test_files_are_written_and_the_saved_model_predicts_the_same(tmp_path, found):
    paths = write_all(found, tmp_path)
    assert sorted(paths) == ["code.py", "model.learnable", "predictions.csv", "report.html", "report.json"]
    content = json.loads(paths["report.json"].read_text())
    assert content["schema"] == 5 and content["recommended"] == found.recommended
    model = learnable.load(paths["model.learnable"])
    X = ask(passengers(20, seed=3), "survived").frame()
    assert np.array_equal(model.predict_proba(X), found.deployed.predict_proba(X))


def test_a_budget_gives_a_comparison_of_what_was_done():
    few = StudySettings(repeats=200, models=("naive Bayes",))
    found = run_study(ask(passengers(), "survived"), few, seconds=8.0)
    counts = {len(entry.fold_results) for entry in found.entries if entry.fold_results}
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
    found = run_study(ask(table, "kind"), replace(QUICK, models=("support vector machine",)))
    entry = next(one for one in found.entries if one.candidate.name == "support vector machine")
    assert entry.fold_results and found.recommended == "support vector machine"
    assert np.allclose(found.final_test.predictions.sum(axis=1), 1.0)


def test_a_model_for_few_rows_is_left_out_of_many(monkeypatch):
    from learnable.app.study import workflow

    def few(question, settings):
        return [replace(one, most_rows=50) if one.name == "naive Bayes" else one for one in usual(question, settings)]

    usual = workflow.candidates
    monkeypatch.setattr(workflow, "candidates", few)
    found = run_study(ask(passengers(), "survived"), replace(QUICK, models=("naive Bayes", "logistic regression")))
    reasons = {entry.candidate.name: entry.reason for entry in found.entries}
    assert "at most 50 rows" in reasons["naive Bayes"] and "naive Bayes" in page(found)


def test_a_budget_that_ends_before_the_cluster_analysis(monkeypatch):
    from learnable.app.study import unsupervised as module

    def too_late(*inputs):
        raise learnable.BudgetError("time is up")

    monkeypatch.setattr(module, "_evaluate_clustering", too_late)
    found = run_unsupervised(ask(Dataset.of({f"x{j}": np.random.default_rng(j).normal(size=60) for j in range(3)})))
    assert found.early == "budget" and found.verdict == "The budget came before the cluster analysis."
    assert found.verdict in unsupervised_page(found) and "Stability of the clusters" not in unsupervised_page(found)


def test_clusters_are_found_and_a_single_gaussian_has_none():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 4)) * 8
    blobs = np.concatenate([centre + rng.normal(size=(60, 4)) for centre in centres])
    found = run_unsupervised(ask(Dataset.of({f"x{j}": column for j, column in enumerate(blobs.T)})))
    assert found.chosen is not None and found.chosen.clusters == 3
    assert sorted(one.rows for one in found.clusters) == [60, 60, 60]
    assert unsupervised_page(found).startswith("<!DOCTYPE html>")
    assert "cluster 3" in unsupervised_page(found) and found.clusters[0].features
    assert all(abs(shift) >= 0.25 for one in found.clusters for _, shift in one.features[1:])
    cloud = rng.normal(size=(180, 4))
    cloud[7] = 15.0
    alone = run_unsupervised(ask(Dataset.of({f"x{j}": column for j, column in enumerate(cloud.T)})))
    assert alone.chosen is None and alone.verdict.startswith("No stable clusters")
    assert alone.outliers[0][0] == 7


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_partitions_of_a_uniform_square_are_stable_but_not_clusters(seed):
    square = np.random.default_rng(seed).uniform(size=(300, 2))
    found = run_unsupervised(ask(Dataset.of({"x": square[:, 0], "y": square[:, 1]})))
    assert any(one.stable for one in found.clusterings)
    assert found.chosen is None and found.verdict.startswith("No separated clusters")


def test_times_are_days_and_parts_may_lack_a_class():
    days = np.arange("2024-01-01", "2024-06-29", dtype="datetime64[D]").astype("datetime64[us]")
    table = houses(len(days))
    found = run_study(
        ask(Dataset.of({**table.columns, "day": days}), "price", time="day"),
        replace(QUICK, models=("ridge regression",)),
    )
    assert found.recommended == "ridge regression" and "by time" in found.split.how
    late = (np.arange(len(days)) >= 70).astype(float)
    late[::9] = 1 - late[::9]
    late[22:50] = 0
    classes = Dataset.of({**table.columns, "day": days, "late": late})
    found = run_study(ask(classes, "late", time="day", drop=["price"]), replace(QUICK, models=("naive Bayes",)))
    assert len(found.ranking.scores["naive Bayes"]) == 4, "one part has no row of the class"
    sorted_by_day = Dataset.of({**table.columns, "day": days, "late": np.sort(late)})
    with pytest.raises(learnable.DataError, match="they lack a class; choose another --metric, such as log-loss"):
        run_study(ask(sorted_by_day, "late", time="day"), replace(QUICK, models=("naive Bayes",)))


def test_a_table_without_an_entry_is_not_a_question_of_time():
    columns = {"empty": np.full(40, np.nan), "y": np.arange(40.0)}
    with pytest.raises(learnable.DataError, match="no column besides the target 'y' has a value in any row"):
        run_study(ask(Dataset.of(columns), "y"), QUICK)
