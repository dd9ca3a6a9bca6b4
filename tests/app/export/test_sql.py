"""Queries that score rows inside a database: equal to the model, and nothing in data becomes SQL."""

from __future__ import annotations

import json
import sqlite3
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import learnable as L
from learnable import DataError, TableVectorizer, make_pipeline
from learnable.app.cli import app
from learnable.app.export.convert import convert_to_sql
from learnable.app.export.sql_file import identifier, number_literal, text_literal
from learnable.app.predict.predictor import Predictor
from learnable.deployment import DeployedModel, ExpectedColumn

from ..postgresql import BINARIES, running_server

HOSTILE = ("x'; DROP TABLE rows; --", 'a" FROM secrets; --', "*/ /* --", "O'Brien\\", "line\nbreak;", "$$ {x} %s ?")


def table(rows=200, seed=0, names=("size", "age", "town")):
    rng = np.random.default_rng(seed)
    size, age = rng.normal(size=rows) * 10, rng.uniform(0, 90, rows)
    age[rng.random(rows) < 0.1] = np.nan
    town = rng.choice(np.array(HOSTILE, dtype=object), rows)
    town[rng.random(rows) < 0.1] = None
    return dict(zip(names, (size, age, town), strict=True))


def deployed(model, task, target, columns):
    frame = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    fitted = make_pipeline(TableVectorizer(random_state=0), model).fit(frame, target)
    expected = [ExpectedColumn.of(name, values) for name, values in columns.items()]
    positive = fitted.classes_[-1] if task == "binary" else None
    return Predictor.of(DeployedModel(fitted, task, "y", expected, np.empty(0), positive=positive)), frame


def targets(columns, task, model=None):
    size, age, town = columns.values()
    score = size / 5 + np.nan_to_num(age) / 30 - np.array([len(str(one)) % 3 for one in town])
    if task == "regression":
        return np.exp(score / 4) if getattr(model, "loss", "") == "poisson" else score + 0.1 * np.sin(size)
    cuts = [np.median(score)] if task == "binary" else np.quantile(score, [0.3, 0.6])
    return np.array([HOSTILE[k] for k in np.digitize(score, cuts)], dtype=object)


MODELS = {
    "regression": (
        L.Ridge(), L.DecisionTreeRegressor(max_depth=6, random_state=0), L.RandomForestRegressor(8, random_state=0),
        L.HistGradientBoostingRegressor(max_iter=12), L.HistGradientBoostingRegressor(loss="poisson", max_iter=8),
    ),
    "binary": (
        L.LogisticRegression(), L.RandomForestClassifier(8, random_state=0),
        L.HistGradientBoostingClassifier(max_iter=9),
    ),
    "multi-class": (
        L.LogisticRegression(), L.DecisionTreeClassifier(random_state=0), L.HistGradientBoostingClassifier(max_iter=9),
    ),
}  # fmt: skip
CASES = [(task, model) for task, models in MODELS.items() for model in models]
IDS = [f"{task} {type(model).__name__} {index}" for index, (task, model) in enumerate(CASES)]


@pytest.mark.parametrize(("task", "model"), CASES, ids=IDS)
def test_a_query_gives_the_predictions_of_the_model(task, model):
    columns = table()
    predictor, frame = deployed(model, task, targets(columns, task, model), columns)
    for rows in (frame, None):
        assert convert_to_sql(predictor, rows).rows >= 200


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_in_the_data_becomes_sql(name):
    """Names of tables, columns, keys, categories and classes that would end their literals."""
    columns = table(names=(name, name + "2", name + "3"))
    predictor, frame = deployed(L.LogisticRegression(), "binary", targets(columns, "binary"), columns)
    query = convert_to_sql(predictor, frame, name, [name]).content
    with sqlite3.connect(":memory:") as database:
        listed = ", ".join(identifier(one) for one in columns)
        database.execute(f"CREATE TABLE {identifier(name)} ({listed})")
        database.execute("CREATE TABLE rows (untouched)")
        marks = zip(*(column.to_pylist() for column in frame.columns), strict=True)
        database.executemany(f"INSERT INTO {identifier(name)} VALUES (?, ?, ?)", marks)
        cursor = database.execute(query)  # which runs one statement only
        found = cursor.fetchall()
        assert [column[0] for column in cursor.description] == [
            name, "prediction", *(f"probability_{one}" for one in predictor.classes)
        ]  # fmt: skip
        assert database.execute("SELECT COUNT(*) FROM rows").fetchone() == (0,)
    expected = predictor.predict(frame)
    assert [row[1] for row in found] == expected.prediction.tolist()
    np.testing.assert_allclose([row[2:] for row in found], expected.probabilities, atol=1e-12)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_what_sql_cannot_write_is_refused(text):
    for write in (identifier, text_literal):
        with pytest.raises(DataError, match="SQL cannot write"):
            write(text)
    with pytest.raises(DataError, match="cannot write"):
        number_literal(np.inf)


@pytest.mark.parametrize("letter", [*map(chr, range(1, 128)), "é", "\u2028", "🎈"])
def test_every_character_is_unchanged(letter):
    with sqlite3.connect(":memory:") as database:
        query = f"SELECT {text_literal(letter)} AS {identifier(letter)}"
        cursor = database.execute(query)
        assert cursor.fetchone() == (letter,) and cursor.description[0][0] == letter


def test_models_that_sql_cannot_express_are_refused():
    columns = table()
    predictor, frame = deployed(L.KNeighborsRegressor(), "regression", targets(columns, "regression"), columns)
    with pytest.raises(DataError, match="KNeighborsRegressor"):
        convert_to_sql(predictor, frame)
    notes = {"note": np.array([f"some words about nothing {k}" for k in range(200)], dtype=object)}
    predictor, frame = deployed(L.Ridge(), "regression", np.arange(200.0), notes)
    with pytest.raises(DataError, match="'note' holds times, texts"):
        convert_to_sql(predictor, frame)


def test_the_command_writes_a_query(tmp_path):
    columns = table()
    predictor, _ = deployed(L.Ridge(), "regression", targets(columns, "regression"), columns)
    model, query = tmp_path / "model.learnable", tmp_path / "model.sql"
    L.save(predictor.model, model)
    done = CliRunner().invoke(app, ["convert", str(model), "--to", "sql", "--table", "houses", "-o", str(query)])
    assert done.exit_code == 0 and 'FROM "houses" AS data' in query.read_text()
    refused = CliRunner().invoke(app, ["convert", str(model), "--to", "c", "--table", "houses", "-o", str(query)])
    assert refused.exit_code == 2


def stored(columns):
    """The rows as Python values, NULL where missing, each after its number."""
    lists = [[None if v is None or v != v else v for v in values.tolist()] for values in columns.values()]
    lists = [[v == 1 for v in one] if name == "flag" else one for name, one in zip(columns, lists, strict=True)]
    return list(zip(range(len(lists[0])), *lists, strict=True))


def agree(found, predictor, frame, task):
    """Every row of a database: key, prediction and probabilities."""
    expected = predictor.predict(frame)
    assert [row[0] for row in found] == list(range(frame.num_rows))
    if task == "regression":
        right = np.asarray(expected.prediction)
        np.testing.assert_allclose([float(row[1]) for row in found], right, rtol=1e-9, atol=1e-12)
        return
    assert [row[1] for row in found] == expected.prediction.tolist()
    np.testing.assert_allclose(np.array([row[2:] for row in found], float), expected.probabilities, atol=1e-12)


def test_deep_sums_are_within_the_limits_of_databases():
    """SQLite and DuckDB refuse expressions that are more than 1,000 levels deep."""
    columns = table(400)
    model = L.HistGradientBoostingRegressor(max_iter=1500, max_leaf_nodes=2, learning_rate=0.01)
    predictor, frame = deployed(model, "regression", targets(columns, "regression"), columns)
    query = convert_to_sql(predictor, frame, "houses", ["key"]).content
    if find_spec("duckdb"):
        agree(in_duckdb(query, "houses", columns), predictor, frame, "regression")


def with_flag(columns):
    """Further columns: truth values as numbers and as categories, and numbers between 0 and 1."""
    size, age = columns["size"], columns["age"]
    return {**columns, "flag": 1.0 * (size > 0), "old": age > 50, "part": np.clip(size / 20 + 0.5, 0, 1)}


def in_duckdb(query, name, columns):
    import duckdb

    kinds = {"town": "VARCHAR", "flag": "BOOLEAN", "old": "BOOLEAN"}
    declared = ", ".join(f"{identifier(one)} {kinds.get(one, 'DOUBLE')}" for one in columns)
    with duckdb.connect(":memory:") as database:
        database.execute(f"CREATE TABLE {identifier(name)} (key INTEGER, {declared})")
        marks = ", ".join("?" * (len(columns) + 1))
        database.executemany(f"INSERT INTO {identifier(name)} VALUES ({marks})", stored(columns))
        return sorted(database.execute(query).fetchall())


if find_spec("duckdb"):

    @pytest.mark.parametrize(("task", "model"), CASES, ids=IDS)
    def test_duckdb_gives_the_predictions_of_the_model(task, model):
        columns = table()
        target, columns = targets(columns, task, model), with_flag(columns)
        predictor, frame = deployed(model, task, target, columns)
        query = convert_to_sql(predictor, frame, HOSTILE[1], ["key"]).content
        agree(in_duckdb(query, HOSTILE[1], columns), predictor, frame, task)


@pytest.fixture(scope="module")
def server():
    with running_server() as found:
        yield found


if BINARIES is not None:

    @pytest.mark.parametrize(("task", "model"), CASES, ids=IDS)
    def test_postgresql_gives_the_predictions_of_the_model(server, task, model):
        columns = table()
        target, columns = targets(columns, task, model), with_flag(columns)
        predictor, frame = deployed(model, task, target, columns)
        query = convert_to_sql(predictor, frame, HOSTILE[0], ["key"]).content
        name = identifier(HOSTILE[0])
        written = ",".join(f"({', '.join(map(literal, row))})" for row in stored(columns))
        kinds = "key INT, size FLOAT8, age NUMERIC, town TEXT, flag BOOLEAN, old BOOLEAN, part FLOAT8"
        server.run(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({kinds}); INSERT INTO {name} VALUES {written};")
        lines = server.run(f"SELECT row_to_json(scored) FROM ({query}) AS scored ORDER BY key;")
        agree([list(json.loads(line).values()) for line in lines], predictor, frame, task)


def literal(value):
    """A value as PostgreSQL reads it."""
    return "NULL" if value is None else text_literal(value) if isinstance(value, str) else repr(value)
