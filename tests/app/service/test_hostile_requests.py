"""Requests that mean harm change nothing, read nothing, fill no memory, and the next request is served."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import learnable
from tests.app.saved_models import classifier, saved
from tests.app.service.service_process import Running, read_all, service

ROW = {"age": 30.0, "income": 40.0, "city": "Rome"}
MB = 2**20


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    path = saved(classifier(), tmp_path_factory.mktemp("served") / "buys.learnable")
    limits = ("--max-bytes", str(MB), "--max-rows", "1000", "--timeout", "4", "--concurrency", "32")
    with service(path, *limits) as running:
        assert running.predict([ROW])[0] == 200
        yield running


@pytest.fixture(autouse=True)
def still_serving(running: Running):
    """After every test the service is up, has its memory, and gives the same prediction."""
    before, memory = running.predict([ROW]), running.memory()
    yield
    assert running.predict([ROW]) == before
    assert running.memory() - memory < 64


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "evil.example"}, 421, "wrong_host"),
        ({"Host": "127.0.0.1.evil.example"}, 421, "wrong_host"),
        ({"Host": ""}, 421, "wrong_host"),
        ({"Origin": "http://evil.example"}, 403, "foreign_origin"),
        ({"Origin": "null"}, 403, "foreign_origin"),
        ({"Content_Type": "text/plain"}, 415, "wrong_type"),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415, "wrong_type"),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415, "wrong_type"),
        ({"Content_Encoding": "br"}, 415, "unknown_encoding"),
    ],
)
def test_foreign_callers_and_types(running: Running, headers, status, code):
    found, reply = running.predict([ROW], **headers)
    assert (found, reply["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/..%2f..%2fetc/passwd", "/predict/../../etc/passwd",
     "//etc/passwd", "/?file=/etc/passwd", "/docs", "/redoc", "/%00", "/" + "a" * 5000],
)  # fmt: skip
def test_no_path_reaches_a_file(running: Running, path):
    status, content = running.ask("GET", path)
    assert "root:" not in str(content)
    assert status == (200 if path.startswith("/?") else 404)


WATCHER = """
import os, sys
log = os.open(os.environ["OPENED_FILES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(lambda event, args: event == "open" and os.write(log, (repr(args[0]) + chr(10)).encode()) and None)
"""


def test_no_name_in_a_request_is_opened(tmp_path, monkeypatch):
    secret = tmp_path / "secret.csv"
    secret.write_text("age,income,city\n1,2,Rome\n")
    (tmp_path / "sitecustomize.py").write_text(WATCHER)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    monkeypatch.setenv("OPENED_FILES", str(tmp_path / "opened"))
    saved(classifier(), tmp_path / "model")
    row = {**ROW, "city": str(secret)}
    with service(tmp_path / "model") as running:
        assert running.predict({"rows": [row]})[0] == 200
        for body, kind in ((f"age,income,city\n1,2,{secret}\n", "text/csv"), (str(secret), "application/json")):
            running.ask("POST", "/predict", body, Content_Type=kind)
        for path in (str(secret), f"/{secret}", f"/?file={secret}", f"/predict?path=file://{secret}"):
            running.ask("GET", path, X_File=str(secret), Referer=f"file://{secret}")
        running.predict({"rows": [{str(secret): 1}], "file": str(secret), "model": str(secret)})
    opened = (tmp_path / "opened").read_text()
    assert str(tmp_path / "model") in opened, "the watcher sees what is opened"
    assert secret.name not in opened


def test_other_methods(running: Running):
    for method in ("PUT", "DELETE", "PATCH"):
        assert running.ask(method, "/predict")[0] == 405
    assert running.ask("GET", "/predict")[0] == 405
    reply = running.sent(b"GET /predict HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").lower()
    assert b"\r\nallow: post\r\n" in reply
    assert running.ask("POST", "/health", "{}", Content_Type="application/json")[0] == 405
    assert running.ask("POST", "/metrics")[0] == 405


def head(*lines: str) -> bytes:
    start = ("POST /predict HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json")
    return "\r\n".join([*start, *lines, "", ""]).encode()


def test_a_body_that_claims_a_gigabyte(running: Running):
    reply = running.sent(head(f"Content-Length: {2**30}"))
    assert b" 413 " in reply.split(b"\r\n")[0] and b"--max-bytes" in reply


def test_a_body_that_never_says_its_length(running: Running):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    reply = running.sent(head("Transfer-Encoding: chunked") + chunk * 64)
    assert not reply or b" 413 " in reply.split(b"\r\n")[0]


def test_a_body_that_unpacks_to_a_hundred_megabytes(running: Running):
    bomb = gzip.compress(b" " * 100 * MB)
    assert len(bomb) < MB / 5
    status, reply = running.predict(bomb, Content_Encoding="gzip")
    assert status == 413 and "--max-bytes" in reply["error"]["remedy"]
    assert running.predict(bomb[:1000], Content_Encoding="gzip")[0] in (413, 422)
    assert running.predict(b"no gzip", Content_Encoding="gzip")[0] == 422


def test_too_many_rows(running: Running):
    status, reply = running.predict([ROW] * 1001)
    assert status == 413 and "--max-rows" in reply["error"]["remedy"]


def test_a_gzip_with_something_behind_it(running: Running):
    body = json.dumps([ROW]).encode()
    for more in (gzip.compress(body), b"more"):
        status, reply = running.predict(gzip.compress(body) + more, Content_Encoding="gzip")
        assert status == 422 and "has data after" in reply["error"]["message"]


@pytest.mark.parametrize("entry", [b"{}", b'{"age":1}', b"[]", b"0", b"null"])
def test_hundreds_of_thousands_of_bad_rows_cost_no_more_than_one(running: Running, entry):
    """A message for each of them filled gigabytes."""
    began = running.seconds()
    status, reply = running.predict(b"[" + b",".join([entry] * ((MB - 2) // (len(entry) + 1))) + b"]")
    assert status == 422 and reply["error"]["message"].startswith("row 1")
    assert running.seconds() - began < 5


def test_a_header_of_very_many_names(running: Running):
    """Each was compared with each, which took minutes, and kept, which took gigabytes."""
    names = ",".join(f"column{place}" for place in range(80_000))
    began = running.seconds()
    status, reply = running.ask("POST", "/predict", f"age,income,city,{names}\n1\n", Content_Type="text/csv")
    assert status == 413 and "more than 1000 columns" in reply["error"]["message"]
    assert running.ask("POST", "/predict", f"{names}\n1\n", Content_Type="text/csv")[0] == 413
    assert running.seconds() - began < 5


def test_a_response_that_is_never_read(tmp_path):
    """A connection whose response is not read is closed; it filled the memory for ever."""
    body = json.dumps([{"x": place / 4000} for place in range(4000)]).encode()
    with (
        service(many_classes(tmp_path), "--timeout", "3") as other,
        small_window(other) as deaf,
    ):
        deaf.sendall(head(f"Content-Length: {len(body)}") + body)
        start = deaf.recv(500)
        assert start.startswith(b"HTTP/1.1 200 ")
        time.sleep(7)
        length = int(start.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        assert 500 + len(read_all(deaf)) < length


def small_window(running: Running) -> socket.socket:
    """A connection that takes few bytes at a time."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    found.connect(("127.0.0.1", running.port))
    return found


def many_classes(folder: Path) -> Path:
    """A model with long predictions."""
    x = np.linspace(0, 1, 120)
    y = np.array([f"class number {place:03}" for place in range(120)])
    model = learnable.KNeighborsClassifier(n_neighbors=1).fit(x[:, None], y)
    columns = [learnable.ExpectedColumn.of("x", x)]
    return saved(learnable.DeployedModel(model, "multi-class", "y", columns, np.empty(0)), folder / "classes.learnable")


def test_a_body_that_trickles(running: Running):
    with running.opened() as connection:
        connection.sendall(head("Content-Length: 1000") + b"[")
        reply = read_all(connection)
    assert b" 408 " in reply.split(b"\r\n")[0] and b"--timeout" in reply


def test_a_request_that_never_begins(running: Running):
    with running.opened() as connection:
        connection.sendall(b"POST /predict HTTP/1.1\r\nHost: ")
        began = time.monotonic()
        read_all(connection)
    assert time.monotonic() - began < 60, "the service closed the connection"


@pytest.mark.parametrize("content", [b"\0" * 100, b"GET\r\n\r\n", b"\x16\x03\x01" * 50, b"GET / HTTP/9.9\r\n\r\n"])
def test_what_is_not_a_request(running: Running, content):
    reply = running.sent(content + b"\r\n\r\n")
    assert not reply or reply.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 421 "))


def test_a_thousand_idle_connections(running: Running):
    idle = [running.opened() for _ in range(1000)]
    try:
        for connection in idle:
            connection.sendall(b"GET /health HTTP/1.1\r\n")
        assert running.predict([ROW])[0] == 200
    finally:
        for connection in idle:
            connection.close()


def test_more_requests_at_once_than_are_taken(running: Running):
    waiting = [running.opened() for _ in range(40)]
    try:
        for connection in waiting:
            connection.sendall(head("Content-Length: 1000") + b"[")
        for _ in range(200):
            status, reply = running.predict([ROW])
            if status == 503:
                break
        assert status == 503 and "--concurrency" in reply["error"]["remedy"]
        assert running.ask("GET", "/health")[0] == 200
    finally:
        for connection in waiting:
            connection.close()
    for _ in range(600):
        if running.predict([ROW])[0] == 200:
            return
        time.sleep(0.1)
    raise AssertionError("the service does not recover")


def test_running_requests_end_before_the_service_does(tmp_path):
    with service(saved(classifier(), tmp_path / "buys.learnable")) as running:
        body = json.dumps([ROW]).encode()
        with running.opened() as connection:
            connection.sendall(head(f"Content-Length: {len(body)}") + body[:10])
            while "learnable_requests_running 2" not in running.ask("GET", "/metrics")[1]:  # the other one is this
                time.sleep(0.05)
            running.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            connection.sendall(body[10:])
            reply = read_all(connection)
        assert reply.startswith(b"HTTP/1.1 200 ") and b'"prediction"' in reply
        assert running.process.wait(600) == 0
