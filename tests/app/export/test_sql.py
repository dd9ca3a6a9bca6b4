"""Queries that score rows inside a database: equal to the model, and nothing in data becomes SQL."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

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


SERVER = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None) if os.geteuid() == 0 else None
AS_USER = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """Runs SQL in a real server of its own, as another user than root; its lines as texts."""
    assert SERVER is not None
    folder = Path("/tmp") / f"pg{os.getpid()}"
    folder.mkdir(mode=0o777)
    os.chown(folder, 65534, 65534)
    run = {"check": True, "capture_output": True, "text": True, "cwd": "/", "env": {"HOME": "/", "LC_ALL": "C.UTF-8"}}
    data, options = str(folder / "data"), f"-k {folder} -c listen_addresses="
    subprocess.run([*AS_USER, str(SERVER / "initdb"), "-D", data, "-U", "me", "-E", "UTF8"], **run)
    control = [*AS_USER, str(SERVER / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log")]
    subprocess.run([*control, "-o", options, "start"], **run)

    def query(text):
        command = [str(SERVER / "psql"), "-h", str(folder), "-U", "me", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run([*AS_USER, *command], input=text, **run)
        return done.stdout.splitlines()

    yield query
    subprocess.run([*control, "-m", "immediate", "stop"], **run)
    shutil.rmtree(folder)


if SERVER is not None and shutil.which("setpriv"):

    @pytest.mark.parametrize(("task", "model"), CASES[1::3], ids=IDS[1::3])
    def test_postgresql_gives_the_predictions_of_the_model(postgres, task, model):
        columns = table()
        predictor, frame = deployed(model, task, targets(columns, task, model), columns)
        query = convert_to_sql(predictor, frame, "houses; --", ["key"]).content
        name = identifier("houses; --")
        rows = zip(range(200), *(column.to_pylist() for column in frame.columns), strict=True)
        written = ",".join(
            f"({', '.join('NULL' if v is None else text_literal(v) if isinstance(v, str) else repr(v) for v in row)})"
            for row in rows
        )
        kinds = "key INT, size DOUBLE PRECISION, age DOUBLE PRECISION, town TEXT"
        postgres(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({kinds}); INSERT INTO {name} VALUES {written};")
        numbers = "prediction" if task == "regression" else identifier(f"probability_{predictor.classes[0]}")
        lines = postgres(f"SELECT key, {numbers} FROM ({query}) AS scored ORDER BY key;")
        expected = predictor.predict(frame)
        right = expected.prediction if task == "regression" else expected.probabilities[:, 0]
        np.testing.assert_allclose([float(line.split("|")[1]) for line in lines], right, rtol=1e-9, atol=1e-12)
