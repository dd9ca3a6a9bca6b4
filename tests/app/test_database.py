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

from .postgresql import BINARIES, PASSWORD, running_server
from .study.tables import houses, passengers

SECRET = "postgresql://me:hush@host/shop?password=hush"
NAMES = ('a" FROM secrets; --', "it's", "line\nbreak", "$1 %s {x}", "é🎈", "SELECT")


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
        "ATTACH '{folder}/new.db' AS new",
        "VACUUM INTO '{folder}/new.db'",
        "?",
    ],
)
def test_nothing_is_written(shop, query, tmp_path):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(DataError):
        read_query(shop, query.format(folder=tmp_path))
    assert sorted(tmp_path.iterdir()) == before
    assert read_query(shop, "SELECT COUNT(*) AS n FROM houses").columns["n"].tolist() == [houses().n]


def test_errors_name_the_remedy(shop, tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        read_query("sqlite:///nowhere.db", "SELECT 1")
    with pytest.raises(DataError, match="two columns called 'age'"):
        read_query(shop, "SELECT age, age FROM houses")
    with pytest.raises(DataError, match="binary"):
        read_query(shop, "SELECT x'00' AS bytes")
    with pytest.raises(DataError, match="is a folder"):
        read_query(f"sqlite:///{tmp_path}", "SELECT 1")
    with pytest.raises(DataError, match=r"a sqlite file is written as sqlite:///file\.db"):
        read_query("sqlite://shop.db", "SELECT 1")
    with pytest.raises(ParameterError, match="the query is empty"):
        read_query(shop, " ")
    for query in ("SELECT 'a\0b'", "SELECT '\ud800'"):
        with pytest.raises(ParameterError, match="no database reads"):
            read_query(shop, query)
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
    with pytest.raises(DataError) as raised:
        TableSource("mysql://me:hush@host/shop").read()
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize("password", ["hu/sh", "hu?sh", "hu#sh", "hu@sh", "hu:/?#@sh"])
def test_a_password_that_ends_the_host_is_refused_and_not_shown(password):
    url = f"postgresql://me:{password}@host/shop"
    assert public_name(url) == "postgresql://host/shop" and without_password(url) == "postgresql://me@host/shop"
    with pytest.raises(ParameterError, match="PGPASSWORD") as raised:
        read_query(url, "SELECT 1")
    assert "hu" not in str(raised.value) and "sh" not in str(raised.value).replace("show", "")


def test_options_that_are_not_secret_stay():
    url = "postgres://me:hush@/shop?host=/run/pg&sslmode=require&sslpassword=hush&unknown=hush"
    assert without_password(url) == "postgresql://me@/shop?host=/run/pg&sslmode=require"


def test_a_query_without_end_can_be_interrupted(shop):
    program = (
        "import os, signal, threading\nfrom learnable.app.database import read_query\n"
        "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "query = 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT MAX(n) AS n FROM r'\n"
        f"read_query({shop!r}, query)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "KeyboardInterrupt" in done.stderr


def test_mixed_types_of_sqlite_are_texts(shop):
    found = read_query(shop, "SELECT CASE WHEN rooms > 4 THEN 'many' ELSE 1 END AS kind FROM houses")
    assert set(found.columns["kind"].tolist()) == {"many", "1"}


if find_spec("duckdb"):
    import duckdb

    @pytest.fixture
    def lake(tmp_path):
        """The URL of a DuckDB file with a column of most types."""
        path = tmp_path / "lake.duckdb"
        with duckdb.connect(str(path)) as database:
            database.execute(
                "CREATE TABLE t AS SELECT range AS x, 'a' || range AS name, range % 2 = 0 AS flag, "
                "(range / 4)::DECIMAL(10, 2) AS amount, range::HUGEINT AS huge, DATE '2020-01-01' + range::INT AS day, "
                "('k' || range % 2)::ENUM('k0', 'k1') AS kind, uuid() AS id, NULL AS nothing, [range] AS listed "
                "FROM range(30)"
            )
        return f"duckdb:///{path}"

    def test_a_duckdb_file_is_read(lake):
        found = read_query(lake, "SELECT * FROM t ORDER BY x").columns
        assert found["x"].tolist() == found["huge"].tolist() == list(range(30))
        assert found["name"][3] == "a3" and found["flag"].tolist() == [1.0, 0.0] * 15
        assert found["amount"].tolist() == [x / 4 for x in range(30)]
        assert str(found["day"][1]) == "2020-01-02" and found["kind"].tolist() == ["k0", "k1"] * 15
        assert all(len(one) == 36 for one in found["id"]) and found["listed"][2] == "[2]"
        counted = read_query(lake, "PIVOT (SELECT kind FROM t) ON kind USING count(*)").columns
        assert (counted["k0"], counted["k1"]) == (15, 15)

    @pytest.mark.parametrize(
        "query",
        [
            "DROP TABLE t", "SELECT 1 AS a; DROP TABLE t", "CREATE TABLE u AS SELECT 1", "SELECT 1 AS a; SELECT 2 AS b",
            "COPY t TO '{folder}/t.csv'", "EXPORT DATABASE '{folder}/all'", "ATTACH '{folder}/new.duckdb' AS new",
            "INSTALL httpfs", "SET memory_limit = '1GB'", "-- nothing", "SELECT interval 1 day AS a",
            "SELECT 'x'::BLOB AS b", "SELECT 1 AS a, 2 AS a", "SELECT * FROM nothing", "SELECT ? AS a", "SELEC",
        ],
    )  # fmt: skip
    def test_a_duckdb_file_is_not_written_and_errors_are_messages(lake, tmp_path, query):
        before = sorted(tmp_path.iterdir())
        with pytest.raises(DataError):
            read_query(lake, query.format(folder=tmp_path))
        assert sorted(tmp_path.iterdir()) == before and read_query(lake, "SELECT * FROM t").n == 30

    def test_a_study_of_a_duckdb_file_and_its_program(tmp_path):
        path, out, table = tmp_path / "shop.duckdb", tmp_path / "out", houses()
        with duckdb.connect(str(path)) as database:
            arrow = table.arrow(table.names)
            database.register("given", arrow)
            database.execute("CREATE TABLE houses AS SELECT * FROM given")
        options = ["--target", "price", "--quick", "--models", "ridge regression", "--out", str(out)]
        query = ["--query", "FROM houses"]
        done = CliRunner().invoke(app, ["study", f"duckdb:///{path}", *query, *options])
        assert done.exit_code == 0, done.output
        report = json.loads((out / "report.json").read_text())
        run = subprocess.run([sys.executable, "code.py"], cwd=out, capture_output=True, text=True, check=True)
        assert float(run.stdout.split()[-1]) == pytest.approx(-report["final_test"]["score"], rel=1e-9)

    def test_what_is_not_a_duckdb_file_is_said(tmp_path):
        (tmp_path / "junk.db").write_text("hello" * 1000)
        with pytest.raises(DataError, match=r"junk\.db.*not a valid DuckDB database file"):
            read_query(f"duckdb:///{tmp_path / 'junk.db'}", "SELECT 1 AS a")
else:

    def test_a_missing_package_is_named(tmp_path):
        (tmp_path / "shop.duckdb").write_bytes(b"")
        with pytest.raises(DataError, match=r"needs the package duckdb; install learnable\[database\]"):
            read_query(f"duckdb:///{tmp_path / 'shop.duckdb'}", "SELECT 1")


if BINARIES is not None and find_spec("adbc_driver_postgresql"):

    @pytest.fixture(scope="module")
    def server():
        with running_server() as found:
            yield found

    def test_types_of_postgresql(server):
        query = """SELECT 1.50::NUMERIC(10, 2) AS amount, 1e200::NUMERIC AS large, repeat('9', 20)::NUMERIC AS id,
            SUM(g) AS total, COUNT(*) AS rows, AVG(g) AS mean, TRUE AS flag, 'z'::CHAR(4) AS padded,
            DATE '2020-01-01' AS day, 'NaN'::NUMERIC AS missing, NULL::NUMERIC AS nothing, '{"a": 1}'::JSONB AS json,
            '00000000-0000-0000-0000-000000000001'::UUID AS uuid, ARRAY[1, 2] AS listed, 0.1::FLOAT8 AS real
            FROM generate_series(1::BIGINT, 3) AS g"""
        found = read_query(server.url, query).columns
        exact = {"amount": 1.5, "large": 1e200, "total": 6, "rows": 3, "mean": 2, "flag": 1, "real": 0.1}
        texts = {
            "id": "9" * 20, "padded": "z", "json": '{"a": 1}', "uuid": "0" * 8 + "-0000-0000-0000-" + "0" * 11 + "1",
            "listed": "[1, 2]",
        }  # fmt: skip
        assert {name: found[name][0] for name in exact | texts} == exact | texts
        assert str(found["day"][0]) == "2020-01-01"
        assert found["missing"][0] != found["missing"][0] and found["nothing"][0] != found["nothing"][0]

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("SELECT 5::MONEY AS price", r"'price' of the query is of type money; write CAST\("),
            ("SELECT interval '1 day' AS age", "'age' of the query is of type interval; write EXTRACT"),
            ("SELECT '192.0.2.1'::INET AS ip", r"'ip' of the query holds binary data \(inet\)"),
            ("SELECT 'a'::BYTEA AS b", "binary data"),
            ("SELECT 1 AS a, 2 AS a", "two columns called 'a'"),
            ("SELECT 1; SELECT 2", "has to be one SELECT statement"),
            ("CREATE TABLE u (a INT)", "read-only transaction"),
            ("INSERT INTO kept VALUES (1)", "read-only transaction"),
            ("COMMIT", "no result"),
            ("COPY (SELECT 1) TO STDOUT", "no result"),
            ("-- nothing", "no result"),
            ("SELECT 1 / (50000 - g) AS a FROM generate_series(1, 100000) AS g", "postgres: division by zero$"),
            ("SELEC 1", 'postgres: syntax error at or near "SELEC"$'),
            ("SELECT * FROM nothing", 'postgres: relation "nothing" does not exist$'),
            ("SELECT $1", r"there is no parameter \$1$"),
        ],
    )
    def test_errors_of_queries_are_plain_sentences(server, query, said):
        server.run("CREATE TABLE IF NOT EXISTS kept (a INT);")
        with pytest.raises(DataError, match=said):
            read_query(server.url, query)
        assert server.run("SELECT COUNT(*) FROM kept;") == ["0"]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (PASSWORD, "wrong-secret", r'password authentication failed for user "me"; set PGPASSWORD'),
            (f":{PASSWORD}", "", "no password supplied; set PGPASSWORD"),
            ("/postgres", "/nowhere", 'database "nowhere" does not exist; check the names'),
            ("127.0.0.1", "nowhere.invalid", "could not translate host name .*; check the host"),
            (PASSWORD, "hu%zzsh", r'invalid percent-encoded token: "\*\*\*"'),
            ("127.0.0.1", "[::1", r"matching \"\]\" in IPv6 host"),
            ("/postgres", "/postgres?pasword=hush-hush", 'invalid URI query parameter: "pasword"'),
        ],
    )
    def test_errors_of_connections_name_a_remedy_and_no_password(server, old, new, said):
        end = server.url.removeprefix("postgresql://").replace(old, new)
        with pytest.raises(DataError, match=said) as raised:
            read_query(f"postgresql://{end}", "SELECT 1 AS a")
        assert not any(secret in str(raised.value) for secret in (PASSWORD, "wrong-secret", "zzsh", "libpq", "FATAL"))

    def test_a_server_that_does_not_run(server):
        with pytest.raises(
            DataError, match=r"cannot connect to postgresql://127\.0\.0\.1:1/x: Connection refused; check"
        ):
            read_query("postgresql://me:hush@127.0.0.1:1/x", "SELECT 1 AS a")

    @pytest.mark.parametrize("scheme", ["postgresql", "postgres", "PostgreSQL"])
    def test_hostile_names_are_data(server, scheme):
        names = ", ".join('"' + name.replace('"', '""') + '" INT' for name in NAMES)
        table = '"x""; DROP TABLE kept; --"'
        server.run(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({names}); INSERT INTO {table} VALUES (1, 2);")
        found = read_query(scheme + server.url.removeprefix("postgresql"), f"SELECT * FROM {table}")
        assert tuple(found.columns) == NAMES and found.columns[NAMES[1]].tolist() == [2.0]

    def test_a_study_of_a_server_and_its_program(server, tmp_path, monkeypatch):
        """The program has no password in it, and works with the one of the environment."""
        table, out = passengers(), tmp_path / "out"
        rows = zip(*(values.tolist() for values in table.columns.values()), strict=True)
        written = ", ".join(
            "(" + ", ".join("NULL" if value != value else repr(value) for value in row) + ")" for row in rows
        )
        server.run(
            "CREATE TABLE passengers (fare NUMERIC(12, 2), age FLOAT8, cabin CHAR(8), survived TEXT);"
            f"INSERT INTO passengers VALUES {written};"
        )
        options = ["--target", "survived", "--quick", "--models", "logistic regression", "--out", str(out)]
        query = ["--query", "SELECT * FROM passengers"]
        done = CliRunner().invoke(app, ["study", server.url, *query, *options])
        assert done.exit_code == 0, done.output
        assert PASSWORD not in done.output
        assert not any(PASSWORD.encode() in path.read_bytes() for path in out.iterdir() if path.is_file())
        report = json.loads((out / "report.json").read_text())
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        run = subprocess.run([sys.executable, "code.py"], cwd=out, capture_output=True, text=True, check=True)
        assert abs(float(run.stdout.split()[-1])) == pytest.approx(abs(report["final_test"]["score"]), rel=1e-9)
