"""The test set and the folds: whole groups, later rows, copies together, stratified classes."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.app.study.settings import MAX_COMPARED, StudySettings
from learnable.app.study.splits import rows_alike, split_rows
from learnable.app.task import ask
from learnable.core import DataError
from learnable.datasets import Dataset

from .tables import house_task, houses, noise, passengers


def test_the_test_set_is_held_out_and_every_other_row_is_tested_once_a_repeat():
    question = ask(passengers(), "survived")
    split = split_rows(question, StudySettings(folds=4, repeats=3))
    everything = np.sort(np.concatenate([split.development, split.test_rows]))
    assert np.array_equal(everything, np.arange(question.n))
    assert len(split.folds) == 12
    for start in (0, 4, 8):
        tested = np.concatenate([test for _, test in split.folds[start : start + 4]])
        assert np.array_equal(np.sort(tested), np.arange(len(split.development)))
    positive = question.y == "yes"
    assert positive[split.test_rows].mean() == pytest.approx(positive.mean(), abs=0.02)


def test_models_are_compared_on_a_sample_of_many_rows(monkeypatch):
    monkeypatch.setitem(MAX_COMPARED, "standard", 60)
    question = ask(passengers(), "survived")
    split = split_rows(question, StudySettings(folds=4))
    whole = split_rows(question, StudySettings(folds=4, effort="thorough"))
    assert np.array_equal(split.development, whole.development) and np.array_equal(split.test_rows, whole.test_rows)
    tested = np.concatenate([test for _, test in split.folds[:4]])
    assert len(set(tested)) == len(tested) == 60
    for (train, test), (all_train, all_test) in zip(split.folds, whole.folds, strict=True):
        assert len(train) + len(test) == 60 and set(train) <= set(all_train) and set(test) <= set(all_test)
    assert "60 of the other rows" in split.how and "other rows" not in whole.how


def test_groups_are_never_torn():
    table = noise(240)
    table = Dataset.of({**table.columns, "person": np.repeat(np.arange(60), 4).astype(float)}, name="people")
    question = ask(table, "y", group="person")
    split = split_rows(question, StudySettings())
    groups = question.groups
    assert not set(groups[split.test_rows]) & set(groups[split.development])
    inside = groups[split.development]
    assert all(not set(inside[train]) & set(inside[test]) for train, test in split.folds)


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_groups_are_said_to_be(count):
    table = Dataset.of({**noise(240).columns, "person": np.arange(240.0) % count}, name="people")
    with pytest.raises(learnable.DataError, match=rf"'person' has {count} groups?; a study needs at least 3"):
        split_rows(ask(table, "y", group="person"), StudySettings())
    three = Dataset.of({**noise(240).columns, "person": np.arange(240.0) % 3}, name="people")
    assert len(split_rows(ask(three, "y", group="person"), StudySettings(repeats=1)).folds) == 2


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"group": "price"}, "--target and --group both name the column 'price'"),
        ({"time": "age", "weight": "age"}, "--time and --weight both name the column 'age'"),
        ({"drop": ["price"]}, "--target and --drop both name the column 'price'"),
    ],
)
def test_a_column_has_one_part(more, words):
    with pytest.raises(learnable.ParameterError, match=words):
        house_task(**more)
    assert house_task(group="age", drop=["age"]).group == "age"


def test_time_goes_forward():
    rng = np.random.default_rng(0)
    table = houses()
    table = Dataset.of({**table.columns, "day": rng.permutation(table.n).astype(float)}, name="days")
    question = ask(table, "price", time="day")
    split = split_rows(question, StudySettings(folds=4))
    day = question.moments
    assert day[split.test_rows].min() > day[split.development].max()
    inside = day[split.development]
    assert all(inside[train].max() < inside[test].min() for train, test in split.folds)


def test_rows_of_one_moment_are_never_on_both_sides():
    table = Dataset.of({**houses().columns, "week": np.repeat(np.arange(20.0), 10)}, name="weeks")
    split = split_rows(ask(table, "price", time="week"), StudySettings(folds=4))
    week = table.columns["week"]
    assert not set(week[split.test_rows]) & set(week[split.development])
    inside = week[split.development]
    assert all(inside[train].max() < inside[test].min() for train, test in split.folds)
    two = Dataset.of({**houses().columns, "week": np.repeat([0.0, 1.0], 100)}, name="two weeks")
    with pytest.raises(learnable.DataError, match="too few different values"):
        split_rows(ask(two, "price", time="week"), StudySettings())


def test_by_time_no_group_is_on_both_sides():
    rng = np.random.default_rng(0)
    week, newest = np.repeat(np.arange(40.0), 10), np.repeat(np.arange(40), 10)
    more = {"week": week, "person": np.maximum(newest - rng.integers(0, 4, 400), 0).astype(float)}
    table = Dataset.of({**houses(400).columns, **more}, name="weeks")
    question = ask(table, "price", time="week", group="person")
    split = split_rows(question, StudySettings())
    assert "rows of a 'person' seen in training are not tested" in split.how
    assert week[split.test_rows].min() > week[split.development].max()
    persons = question.groups
    assert len(split.test_rows) and not set(persons[split.test_rows]) & set(persons[split.development])
    persons, week = persons[split.development], week[split.development]
    for train, test in split.folds:
        assert len(test) and week[train].max() < week[test].min()
        assert not set(persons[train]) & set(persons[test])
    later = set(range(400)) - {*split.test_rows, *split.development}
    assert later and all(question.groups[row] in persons for row in later), "the rest was there before"


def test_groups_that_are_there_all_the_time_cannot_be_tested_by_time():
    more = {"week": np.repeat(np.arange(20.0), 10), "person": np.arange(200.0) % 7}
    table = Dataset.of({**houses().columns, **more}, name="weeks")
    with pytest.raises(learnable.DataError, match=r"omit --group .* or --time"):
        split_rows(ask(table, "price", time="week", group="person"), StudySettings())


def test_few_whole_numbers_make_no_copies():
    columns = {"a": np.arange(60.0) % 7, "b": (np.arange(60) // 7 % 2).astype(float)}
    assert len(np.unique(rows_alike(ask(Dataset.of(columns), "b")))) == 60


def test_copies_of_a_row_stay_together_but_equal_rows_of_categories_are_not_copies():
    table = houses(100)
    doubled = Dataset.of({name: np.tile(values, 2) for name, values in table.columns.items()}, name="twice")
    question = ask(doubled, "price")
    alike = rows_alike(question)
    assert np.array_equal(alike[:100], alike[100:]) and len(np.unique(alike)) == 100
    split = split_rows(question, StudySettings())
    assert not set(alike[split.test_rows]) & set(alike[split.development])
    inside = alike[split.development]
    assert all(not set(inside[train]) & set(inside[test]) for train, test in split.folds)
    rng = np.random.default_rng(0)
    words = {name: rng.choice(["a", "b"], 80).astype(object) for name in ("u", "v", "y")}
    assert len(np.unique(rows_alike(ask(Dataset.of(words), "y")))) == 80


def test_the_same_seed_gives_the_same_split():
    question = house_task()
    first, second, other = (split_rows(question, StudySettings(seed=seed)) for seed in (1, 1, 2))
    assert np.array_equal(first.test_rows, second.test_rows) and not np.array_equal(first.test_rows, other.test_rows)


@pytest.mark.parametrize(("rows", "task"), [(21, "regression"), (69, "regression"), (70, "multi-class")])
def test_whole_numbers_that_are_each_in_few_rows_are_amounts(rows, task):
    table = Dataset.of({"x": np.arange(float(rows)), "loss": np.arange(rows) % 14})
    assert ask(table, "loss").task == task


def test_classification_of_many_integer_classes_may_be_requested():
    table = Dataset.of({"x": np.arange(300.0), "code": np.arange(300.0) % 30}, name="codes")
    assert ask(table, "code").task == "regression"
    assert ask(table, "code", task="classification").task == "multi-class"


def test_rows_without_a_target_keep_the_numbers_of_the_others():
    price = houses().columns["price"].copy()
    price[[0, 5]] = np.nan
    table = Dataset.of({**houses().columns, "price": price}, name="missing")
    question = ask(table, "price")
    assert question.numbers(np.array([0, 4, 5])).tolist() == [1, 6, 7]
    assert question.rows(np.array([4, 5])).numbers(np.array([1])).tolist() == [7]
    assert len(ask(table, "price").table.notes) == len(question.table.notes) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": "prize"}, r"has no column 'prize'; did you mean 'price'\?"),
        ({"target": "price", "task": "binary"}, "task binary needs two"),
        ({"target": "price", "weight": "age", "drop": ["rooms"]}, "no column besides the target"),
        ({"target": "price", "task": "multi-class"}, "too many for classes"),
    ],
)
def test_invalid_tasks_are_refused(arguments, words):
    with pytest.raises(learnable.DataError, match=words):
        ask(houses(), **arguments)


@pytest.mark.parametrize("name", ["1", "1.0", "true", "TRUE"])
def test_the_positive_class_is_known_however_a_table_writes_it(name):
    table = Dataset.of({"x": np.arange(40.0), "y": np.arange(40.0) % 2}, name="flags")
    assert ask(table, "y", positive=name).positive == 1
    assert ask(table, "y", positive="false").positive == 0
    with pytest.raises(learnable.DataError, match="--positive yes: the target has the classes 0 and 1"):
        ask(table, "y", positive="yes")


@pytest.mark.parametrize("layout", ["%m/%d/%Y", "%d.%m.%Y", "%Y-%m-%d", "%YQ%m"])
def test_texts_that_are_times_have_the_order_of_time(layout):
    """12/31/2022 comes before 01/31/2023."""
    days = np.arange(np.datetime64("2021-01-01"), np.datetime64("2023-09-28"), 10).astype(object)
    texts = np.array([day.strftime(layout) for day in days], dtype=object)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(days))
    table = Dataset.of({"x": rng.normal(size=len(days)), "day": texts[order], "price": rng.normal(size=len(days))})
    split = split_rows(ask(table, "price", time="day"), StudySettings(folds=4))
    assert order[split.test_rows].min() >= order[split.development].max()


def test_texts_without_an_order_of_time_are_refused():
    table = Dataset.of({"x": np.arange(60.0), "month": ["May 2021", "June 2021"] * 30, "price": np.arange(60.0)})
    with pytest.raises(DataError, match="'month' holds 'May 2021', which is not a time"):
        ask(table, "price", time="month")
