"""Many hostile clients at once: the service serves a healthy one meanwhile, and its memory returns to its level."""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import signal
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from learnable.app.service.request_checks import log
from tests.app.saved_models import classifier, saved
from tests.app.service.service_process import Running, read_all, service
from tests.app.service.test_hostile_requests import head, many_classes, small_window

ROW = {"age": 30.0, "income": 40.0, "city": "Rome"}
MB = 2**20
TOTAL = 16 * MB
ROOM = 96  # MB that reading one body, and fragments, may take beyond the budget
LIMITS = ("--max-bytes", str(4 * MB), "--max-total-bytes", str(TOTAL), "--timeout", "4", "--concurrency", "100")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(saved(classifier(), tmp_path_factory.mktemp("served") / "buys.learnable"), *LIMITS) as running:
        for _ in range(3):
            assert running.predict([ROW] * 1000)[0] == 200
        yield running


@pytest.fixture(autouse=True)
def still_serving(running: Running):
    """After every test the service makes the same prediction, and its memory returns."""
    before, memory = running.predict([ROW]), running.memory()
    yield
    assert running.predict([ROW]) == before
    assert eventually(lambda: running.memory() - memory < 32), f"{memory} MB became {running.memory()} MB"


def eventually(condition, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@contextmanager
def clients(running: Running, count: int, send):
    """Connections that each send something of their own from a thread, as far as the service reads it."""
    with ExitStack() as stack:
        opened = [stack.enter_context(running.opened()) for _ in range(count)]

        def work(connection: socket.socket) -> None:
            with suppress(OSError):
                send(connection)

        threads = [threading.Thread(target=work, args=(connection,), daemon=True) for connection in opened]
        for thread in threads:
            thread.start()
        yield opened
        for connection in opened:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(60)


def held_body(size: int):
    content = head(f"Content-Length: {size + 1}") + b" " * size
    return lambda connection: connection.sendall(content)


def test_bodies_that_are_held_are_bounded_in_sum(running: Running):
    before, largest = running.memory(), 0
    with clients(running, 90, held_body(4 * MB - 1)) as opened:
        for _ in range(20):
            assert running.predict([ROW])[0] == 200, "small requests are served whatever large ones hold"
            largest = max(largest, running.memory())
            time.sleep(0.1)
        refused = [read_all(connection) for connection in opened]
    assert largest - before < TOTAL // MB + ROOM
    first = [content.split(b"\r\n")[0] for content in refused if content]
    assert any(b" 503 " in line for line in first) and any(b" 408 " in line for line in first)
    problem = next(content for content in refused if b" 503 " in content.split(b"\r\n")[0])
    assert b"retry-after" in problem.lower() and b"--max-total-bytes" in problem


def test_bodies_that_unpack_are_counted_unpacked(running: Running):
    rows = json.dumps([ROW] * 1000).encode()
    body = gzip.compress(rows + b" " * (4 * MB - len(rows) - 1))
    before, largest, found = running.memory(), 0, []

    def send(connection: socket.socket) -> None:
        connection.sendall(head("Content-Encoding: gzip", f"Content-Length: {len(body)}", "Connection: close") + body)
        found.append(int(read_all(connection).split(b" ", 2)[1]))

    with clients(running, 60, send):
        while len(found) < 60:
            largest = max(largest, running.memory())
            time.sleep(0.05)
    assert set(found) <= {200, 503} and 200 in found
    assert largest - before < TOTAL // MB + ROOM


def test_slow_heads_and_slow_bodies(running: Running):
    content = head("Content-Length: 100000")

    def trickle(connection: socket.socket) -> None:
        for byte in content:
            connection.sendall(bytes((byte,)))
            time.sleep(0.05)

    with clients(running, 150, trickle) as opened:
        for _ in range(30):
            assert running.predict([ROW])[0] == 200
        for connection in opened:
            connection.settimeout(60)
            read_all(connection)  # which ends as the service closes each of them


def test_responses_that_are_not_read(tmp_path):
    body = json.dumps([{"x": place / 4000} for place in range(4000)]).encode()
    with (
        service(many_classes(tmp_path), "--timeout", "3", "--max-total-bytes", str(TOTAL)) as other,
        ExitStack() as stack,
    ):
        assert other.predict([{"x": 0.5}] * 4000)[0] == 200
        before = other.memory()
        deaf = [stack.enter_context(small_window(other)) for _ in range(12)]
        for connection in deaf:
            connection.sendall(head(f"Content-Length: {len(body)}") + body)
        largest = 0
        for _ in range(30):
            assert other.predict([{"x": 0.5}])[0] == 200
            largest = max(largest, other.memory())
            time.sleep(0.1)
        assert largest - before < TOTAL // MB + 160  # one response at a time is written, of objects first
        for connection in deaf:
            connection.settimeout(60)
        lengths = [len(read_all(connection)) for connection in deaf]
        assert max(lengths) < 30 * MB
        assert eventually(lambda: "learnable_requests_running 1\n" in other.ask("GET", "/metrics")[1])
        assert eventually(lambda: other.memory() - before < 48)


def test_half_open_connections_and_those_that_are_reset(running: Running):
    content = head("Content-Length: 100000") + b"[" * 50
    for place in range(200):
        connection = running.opened()
        connection.sendall(content[: 20 + place])
        if place % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close by a reset
        else:
            connection.shutdown(socket.SHUT_WR)
        connection.close()
    assert running.predict([ROW])[0] == 200
    assert eventually(lambda: "learnable_requests_running 1\n" in running.ask("GET", "/metrics")[1])


def test_more_connections_than_are_kept_open(running: Running):
    """The service closes those that have been without a request for the longest, and takes new ones."""
    before, idle = len(os.listdir(f"/proc/{running.process.pid}/fd")), []
    try:
        for _ in range(1500):
            idle.append(running.opened())
        assert running.predict([ROW])[0] == 200
        assert len(os.listdir(f"/proc/{running.process.pid}/fd")) - before <= 1030
    finally:
        for connection in idle:
            connection.close()


def test_a_flood_of_malformed_requests(running: Running):
    rounds = 60

    def send(connection: socket.socket) -> None:
        connection.sendall(b"GET / HTTP/1.1\r\nHost : x\r\n\r\n" * 100)
        read_all(connection)

    for _ in range(rounds // 20):
        with clients(running, 20, send):
            assert running.predict([ROW])[0] == 200

    def refused() -> int:
        text = running.ask("GET", "/metrics")[1]
        found = re.search(r'learnable_requests_total\{path="other",status="400"\} (\d+)', text)
        return int(found[1]) if found else 0

    assert eventually(lambda: refused() >= rounds)


def test_pipelined_requests_are_served_in_turn(running: Running):
    one = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with running.opened() as connection:
        connection.sendall(one * 1000 + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert read_all(connection).count(b"HTTP/1.1 200 ") == 1001


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("columns", ",".join(f"c{place}" for place in range(500_000)).encode() + b"\n1\n", 413),
        ("columns below a comment", b"# by hand\n" + b",".join([b"c"] * 1_500_000) + b"\n1\n", 413),
        ("columns between blanks", b" ".join(b"c%d" % place for place in range(500_000)) + b"\n1 2\n", 413),
        ("columns in two bytes", ",".join(["c"] * 900_000).encode("utf-16")[: 4 * MB - 2], 413),
        ("comments", b"#\n" * 2_000_000, 413),
        ("empty lines", b"\n" * 4_000_000, 413),
        ("rows", b"age,income,city\n" + b"1,1,R\n" * 600_000, 413),
        ("quotes", b"age,income,city\n" + b'""\n' * 1_000_000, 422),
        ("a wide name", b'age,income,city,"' + b"a" * 200_000 + b'"\n1,1,R,x\n', 422),
        ("a wide cell", b"age,income,city\n1,1," + b"a" * (4 * MB - 100) + b"\n", 422),
        ("zero bytes", b"age,income,city\n1,1,\0\n", 422),
        ("late zero bytes", b"age,income,city\n" + b"1,1,R\n" * 900 + b"\0\n" * 60_000, 422),
        ("a long number", b"age,income,city\n" + b"9" * 1_000_000 + b",1,R\n", 422),
    ],
)
def test_tables_that_cost_much(running: Running, name: str, body: bytes, status: int):
    began = running.seconds()
    found, reply = running.ask("POST", "/predict", body, Content_Type="text/csv")
    assert found == status and reply["error"]["remedy"]
    assert running.seconds() - began < 5


@pytest.mark.parametrize("first", [b"PAR1 x\n1 2\n", b"PK\x03\x04 x\nxl/ 2\n", b'[{"a b":1}\n', b"ARROW1 x\n1 2\n"])
def test_text_that_begins_like_another_format_is_read_as_text(running: Running, first: bytes):
    """A body of declared text reached the reader of Parquet, of workbooks or of Arrow files by its first letters."""
    status, reply = running.ask("POST", "/predict", first, Content_Type="text/csv")
    assert status == 422 and "no column" in reply["error"]["message"]


ONE = b'{"age": 1, "income": 1, "city": "R"'


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'[{"age": 1, "age": 2, "income": 1, "city": "R"}]', "'age' occurs twice"),
        (b'{"rows": [' + ONE + b'}], "rows": [' + ONE + b"}]}", "'rows' occurs twice"),
        (b"[" + ONE + b', "c\\u0069ty": "Oslo"}]', "'city' occurs twice"),
        (b"[" + ONE + b', "more": NaN}]', "NaN is not JSON"),
        (b"[" + ONE + b', "more": [-Infinity]}]', "-Infinity is not JSON"),
        (b"[" + ONE + b', "more": ' + b"9" * 100_000 + b"}]", "number out of range"),
        (b'[{"age": ' + b"9" * 400 + b', "income": 1, "city": "R"}]', "row 1, column 'age'"),
        (b'[{"age": 1e999999, "income": 1, "city": "R"}]', "row 1, column 'age'"),
        (b"[" + ONE + b', "more": ' + b"[" * 100_000 + b"}]", "recursion limit"),
        (b"[" + ONE + b', "more": ' + b'{"a":' * 100_000 + b"}]", "recursion limit"),
        (b'[{"age": 1, "income": 1, "city": "\\ud800"}]', "invalid JSON"),
    ],
)
def test_json_that_can_be_read_in_two_ways_or_not_at_all(running: Running, body: bytes, words: str):
    status, reply = running.predict(body)
    assert status == 422 and words in reply["error"]["message"]


def test_large_bodies_are_read_while_small_requests_are_served(running: Running):
    rows = [{**ROW, "more": [{}] * 300}] * 1000
    body = json.dumps(rows).encode()
    content = head(f"Content-Length: {len(body)}", "Connection: close") + body
    found: list[bytes] = []

    def send(connection: socket.socket) -> None:
        connection.sendall(content)
        found.append(read_all(connection))

    with clients(running, 10, send):
        served = 0
        while len(found) < 10:
            assert running.predict([ROW])[0] == 200
            served += 1
    assert served > 5 and any(b" 200 " in reply.split(b"\r\n")[0] for reply in found)


def test_reading_ends_with_the_time_of_a_request(tmp_path):
    """What waits for the reader of large bodies, or for the model, is refused when its time is over."""
    body = json.dumps([ROW] * 10_000).encode()
    with service(saved(classifier(), tmp_path / "buys.learnable"), "--timeout", "0.1") as other:
        statuses: list[int] = []

        def send(connection: socket.socket) -> None:
            connection.sendall(head(f"Content-Length: {len(body)}", "Connection: close") + body)
            statuses.append(int(read_all(connection).split(b" ", 2)[1]))

        with clients(other, 30, send):
            assert eventually(lambda: len(statuses) == 30)
        assert 503 in statuses and set(statuses) <= {200, 408, 503}
        assert eventually(lambda: other.predict([ROW])[0] == 200)


def test_a_service_that_is_stopped_ends_while_clients_hold_bodies_and_read_nothing(tmp_path):
    with service(saved(classifier(), tmp_path / "buys.learnable"), "--timeout", "60") as other, ExitStack() as stack:
        stack.enter_context(clients(other, 10, held_body(MB)))
        assert eventually(lambda: "learnable_requests_running 11\n" in other.ask("GET", "/metrics")[1])
        other.process.send_signal(signal.SIGTERM)
        assert other.process.wait(60) == 0


def test_errors_in_the_log_keep_to_their_lines(caplog):
    """What a request says may not look like a line of the log."""
    with caplog.at_level(logging.ERROR, "uvicorn.error"):
        log(RuntimeError("bad value 'x\nERROR: all is lost\r\x1b[31m'"))
    text = caplog.messages[0]
    assert "\nERROR" not in text and "\x1b" not in text and "\\nERROR" in text


def test_help_names_the_limits():
    import subprocess
    import sys

    command = [sys.executable, "-m", "learnable", "serve", "--help"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "200"})
    page = (Path(__file__).parents[3] / "docs" / "user_guide" / "deployment.md").read_text(encoding="utf-8")
    for flag in ("--max-rows", "--max-bytes", "--max-total-bytes", "--timeout", "--concurrency"):
        assert flag in found.stdout and flag in page
