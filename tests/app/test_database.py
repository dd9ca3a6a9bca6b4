"""Tables from databases: the same study as from a file, nothing written, no password shown."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from learnable import DataError, ParameterError
from learnable.app.cli import app
from learnable.app.database import public_name, read_query, without_password
from learnable.app.table_source import TableSource

from .study.tables import houses

SECRET = "postgresql://me:hush@host/shop?password=hush"


@pytest.fixture
def shop(tmp_path):
    """The URL of a SQLite file with a table of houses."""
    table, path = houses(), tmp_path / "my shop?#%.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE houses (rooms REAL, age REAL, price REAL, note)")
        rows = zip(*(values.tolist() for values in table.columns.values()), strict=True)
        database.executemany("INSERT INTO houses VALUES (?, ?, ?, NULL)", rows)
        database.commit()
    return "sqlite:///" + str(path).replace("%", "%25").replace("?", "%3F").replace("#", "%23")


def test_a_query_is_a_table(shop):
    found = read_query(shop, "SELECT rooms, age, price, rooms > 4 AS large FROM houses")
    expected = houses()
    assert list(found.columns) == ["rooms", "age", "price", "large"] and found.n == expected.n
    assert found.columns["rooms"].tolist() == expected.columns["rooms"].tolist()


def test_a_study_of_a_query_and_its_program(shop, tmp_path):
    out = tmp_path / "out"
    options = ["--target", "price", "--quick", "--models", "ridge regression", "--out", str(out)]
    done = CliRunner().invoke(app, ["study", shop, "--query", "SELECT rooms, age, price FROM houses", *options])
    assert done.exit_code == 0, done.output
    report = json.loads((out / "report.json").read_text())
    run = subprocess.run([sys.executable, "code.py"], cwd=out, capture_output=True, text=True, check=True)
    assert float(run.stdout.split()[-1]) == pytest.approx(-report["final_test"]["score"], rel=1e-9)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM houses",
        "DROP TABLE houses",
        "SELECT 1; DROP TABLE houses",
        "INSERT INTO houses DEFAULT VALUES",
        "?",
    ],
)
def test_nothing_is_written(shop, query):
    with pytest.raises(DataError):
        read_query(shop, query)
    assert read_query(shop, "SELECT COUNT(*) AS n FROM houses").columns["n"].tolist() == [houses().n]


def test_errors_name_the_remedy(shop, tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_query("sqlite:///nowhere.db", "SELECT 1")
    with pytest.raises(DataError, match="two columns called 'age'"):
        read_query(shop, "SELECT age, age FROM houses")
    with pytest.raises(DataError, match="binary"):
        read_query(shop, "SELECT x'00' AS bytes")
    with pytest.raises(ParameterError, match="--query"):
        TableSource(shop)
    with pytest.raises(ParameterError, match="database"):
        TableSource("shop.csv", query="SELECT 1")
    with pytest.raises(ParameterError, match="--delimiter"):
        TableSource(shop, delimiter=";", query="SELECT 1")


def test_passwords_are_shown_nowhere():
    source = TableSource(SECRET, query="SELECT 1")
    for shown in (public_name(SECRET), without_password(SECRET), source.name, source.code(), *source.flags()):
        assert "hush" not in shown


def test_mixed_types_of_sqlite_are_texts(shop):
    found = read_query(shop, "SELECT CASE WHEN rooms > 4 THEN 'many' ELSE 1 END AS kind FROM houses")
    assert set(found.columns["kind"].tolist()) == {"many", "1"}


if find_spec("duckdb"):

    def test_a_duckdb_file_is_read(tmp_path):
        import duckdb

        path = tmp_path / "shop.duckdb"
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE t AS SELECT range AS x, 'a' || range AS name FROM range(30)")
        found = read_query(f"duckdb:///{path}", "SELECT * FROM t ORDER BY x")
        assert found.columns["x"].tolist() == list(range(30)) and found.columns["name"][3] == "a3"
        with pytest.raises(DataError):
            read_query(f"duckdb:///{path}", "DROP TABLE t")
else:

    def test_a_missing_package_is_named(tmp_path):
        (tmp_path / "shop.duckdb").write_bytes(b"")
        with pytest.raises(DataError, match=r"needs the package duckdb; install learnable\[database\]"):
            read_query(f"duckdb:///{tmp_path / 'shop.duckdb'}", "SELECT 1")
