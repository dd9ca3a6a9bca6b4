"""Requests that two programs could frame differently are refused, and the connection is closed."""

from __future__ import annotations

import json
import random
import re

import pytest

from learnable.app.service.framing import MAX_HEAD, Framing
from learnable.app.service.problems import HttpError
from learnable.app.service.request_checks import name_of
from tests.app.saved_models import classifier, saved
from tests.app.service.service_process import Running, service

BODY = json.dumps([{"age": 30.0, "income": 40.0, "city": "Rome"}]).encode()
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
LENGTH = f"Content-Length: {len(BODY)}"
HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(saved(classifier(), tmp_path_factory.mktemp("served") / "buys.learnable")) as running:
        yield running


def head(*lines: str, first: str = "POST /predict HTTP/1.1", host: str = "Host: 127.0.0.1") -> bytes:
    return "\r\n".join([first, host, "Content-Type: application/json", *lines, "", ""]).encode("latin-1")


def statuses(found: bytes) -> list[int]:
    """Those of all responses that came back."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", found)]


WELL_FORMED = {
    "a length": head(LENGTH) + BODY,
    "chunks": head("Transfer-Encoding: chunked") + CHUNKED,
    "chunks, in other letters": head("transfer-encoding: Chunked") + CHUNKED,
    "blanks around a value": head(f"Content-Length: \t {len(BODY)} \t", "X-Empty:") + BODY,
    "letters beyond ASCII": head(LENGTH, "X: é") + BODY,
    "IPv6": head(LENGTH, host="Host: [::1]:8000") + BODY,
}
MALFORMED = {
    "length and chunks": head(LENGTH, "Transfer-Encoding: chunked") + CHUNKED,
    "chunks and length": head("Transfer-Encoding: chunked", "Content-Length: 3") + CHUNKED,
    "two lengths": head(LENGTH, "Content-Length: 3") + BODY,
    "two equal lengths": head(LENGTH, LENGTH) + BODY,
    "a list of lengths": head(f"{LENGTH}, {len(BODY)}") + BODY,
    "a length with a sign": head(f"Content-Length: +{len(BODY)}") + BODY,
    "a negative length": head("Content-Length: -1") + BODY,
    "a hexadecimal length": head("Content-Length: 0x10") + BODY,
    "a length of 30 digits": head("Content-Length: " + "9" * 30) + BODY,
    "an empty length": head("Content-Length:") + BODY,
    "two codings": head("Transfer-Encoding: gzip, chunked") + CHUNKED,
    "chunks twice": head("Transfer-Encoding: chunked, chunked") + CHUNKED,
    "chunked and identity": head("Transfer-Encoding: chunked", "Transfer-Encoding: identity") + CHUNKED,
    "an unknown coding": head("Transfer-Encoding: xchunked") + CHUNKED,
    "chunks in HTTP/1.0": head("Transfer-Encoding: chunked", first="POST /predict HTTP/1.0") + CHUNKED,
    "a folded line": head(LENGTH, "X: a\r\n b") + BODY,
    "a folded coding": head(LENGTH, "Transfer-Encoding:\r\n chunked") + CHUNKED,
    "lines without a carriage return": (head(LENGTH) + BODY).replace(b"\r\n", b"\n"),
    "one line without it": head("X: a\nTransfer-Encoding: chunked", LENGTH) + BODY,
    "a carriage return alone": head("X: a\rTransfer-Encoding: chunked", LENGTH) + BODY,
    "a blank before a colon": head(f"Content-Length : {len(BODY)}") + BODY,
    "a blank before the first header": head(LENGTH, host=" Host: 127.0.0.1") + BODY,
    "a name with brackets": head(LENGTH, "X(y): 1") + BODY,
    "a name beyond ASCII": head(LENGTH, "Xé: 1") + BODY,
    "a header without a name": head(LENGTH, ": 1") + BODY,
    "a header without a colon": head(LENGTH, "X") + BODY,
    "a zero byte in a value": head(LENGTH, "X: a\0b") + BODY,
    "an escape in a value": head(LENGTH, "X: \x1b[31m") + BODY,
    "a blank in the path": head(LENGTH, first="POST /predict x HTTP/1.1") + BODY,
    "a newline in the path": head(LENGTH, first="POST /predict\nX HTTP/1.1") + BODY,
    "another version": head(LENGTH, first="POST /predict HTTP/2.0") + BODY,
    "no version": head(LENGTH, first="POST /predict") + BODY,
    "an empty line first": b"\r\n" + head(LENGTH) + BODY,
    "no host": head(LENGTH, host="X: 1") + BODY,
    "two hosts": head(LENGTH, "Host: 127.0.0.1") + BODY,
    "two types": head(LENGTH, "Content-Type: text/csv") + BODY,
    "two tokens": head(LENGTH, "Authorization: Bearer a", "Authorization: Bearer b") + BODY,
    "more behind an address": head(LENGTH, host="Host: [::1]evil") + BODY,
    "a port that is too large": head(LENGTH, host="Host: 127.0.0.1:99999") + BODY,
    "a port that is not a number": head(LENGTH, host="Host: 127.0.0.1:80a") + BODY,
    "a name before the host": head(LENGTH, host="Host: evil@127.0.0.1") + BODY,
    "a path behind the host": head(LENGTH, host="Host: 127.0.0.1/evil") + BODY,
    "a blank in the host": head(LENGTH, host="Host: 127.0.0.1 evil") + BODY,
    "the extension of a chunk": head("Transfer-Encoding: chunked") + CHUNKED.replace(b"\r\n", b";a=b\r\n", 1),
    "a newline in an extension": head("Transfer-Encoding: chunked") + CHUNKED.replace(b"\r\n", b";\na\r\n", 1),
    "a chunk size with a sign": head("Transfer-Encoding: chunked") + b"+" + CHUNKED,
    "a chunk size with 0x": head("Transfer-Encoding: chunked") + b"0x" + CHUNKED,
    "a chunk size of many digits": head("Transfer-Encoding: chunked") + b"0" * 16 + CHUNKED,
    "a chunk without a size": head("Transfer-Encoding: chunked") + b"\r\n" + CHUNKED,
    "a chunk longer than its size": head("Transfer-Encoding: chunked") + b"2\r\nabcd\r\n0\r\n\r\n",
    "a chunk that ends with a newline": head("Transfer-Encoding: chunked") + CHUNKED.replace(b"]\r\n", b"]\n"),
    "an end without a carriage return": head("Transfer-Encoding: chunked") + CHUNKED[:-2] + b"\n",
    "a trailer": head("Transfer-Encoding: chunked") + CHUNKED[:-2] + b"X: 1\r\n\r\n",
    "a trailer without carriage returns": head("Transfer-Encoding: chunked") + CHUNKED[:-2] + b"X: 1\n\n",
}  # fmt: skip


@pytest.mark.parametrize("name", WELL_FORMED)
def test_well_formed_requests_are_served(running: Running, name: str):
    found = running.sent(WELL_FORMED[name] + LAST)
    assert statuses(found) == [200, 200]


@pytest.mark.parametrize("name", MALFORMED)
def test_ambiguous_requests_are_refused_and_what_follows_them_is_not_read(running: Running, name: str):
    found = running.sent(MALFORMED[name] + HEALTH)
    assert statuses(found) == [400]
    head, _, body = found.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower() and b"nosniff" in head
    assert json.loads(body)["error"]["code"] == "malformed_request"


def test_a_request_inside_the_body_of_another_stays_a_body(running: Running):
    inner = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    found = running.sent(head(f"Content-Length: {len(inner)}") + inner + LAST)
    assert statuses(found) == [422, 200] and b"# HELP" not in found


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (head(LENGTH, "X: " + "a" * MAX_HEAD) + BODY, 431),
        (head(LENGTH, *(f"X-{place}: a" for place in range(200))) + BODY, 431),
        (head(*("X: a" for _ in range(100_000))), 431),
        (head(LENGTH, first="POST /" + "a" * 9000 + " HTTP/1.1") + BODY, 414),
        (head(LENGTH, first="POST /?" + "a" * 200_000 + " HTTP/1.1") + BODY, 414),
        (b"GET /" + b"a" * 200_000, 414),
        (head("Transfer-Encoding: chunked") + b"1\r\n \r\n" * 40_000, 400),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ],
    ids=["long header", "200 headers", "100 000 headers", "path", "query", "no end", "chunks", "TLS", "HTTP/2"],
)
def test_limits_of_a_head_and_of_chunks(running: Running, content: bytes, status: int):
    began, memory = running.seconds(), running.memory()
    assert running.status(content) == status
    assert running.seconds() - began < 2 and running.memory() - memory < 32


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 5))])
def test_requests_are_framed_alike_however_they_arrive(seed: int):
    stream = b"".join(WELL_FORMED.values()) * 3
    rng, framing, found, begin = random.Random(seed), Framing(), b"", 0
    while begin < len(stream):
        end = begin + rng.choice((1, 2, 3, 50, 1000))
        found += framing.verified(stream[begin:end])
        begin = end
    assert found == stream and not framing.kept


@pytest.mark.parametrize("seed", range(5))
def test_ambiguous_requests_are_refused_however_they_arrive(seed: int):
    rng = random.Random(seed)
    checked_by_others = {"no host", "more behind an address"} | {name for name in MALFORMED if "host" in name}
    checked_by_others |= {name for name in MALFORMED if name.startswith("a port")}
    for name in sorted(set(MALFORMED) - checked_by_others | {"two hosts", "a blank before the first header"}):
        framing, begin = Framing(), 0
        with pytest.raises(HttpError):
            while begin < len(MALFORMED[name]):
                end = begin + rng.choice((1, 2, 3, 50))
                framing.verified(MALFORMED[name][begin:end])
                begin = end
            raise AssertionError(f"{name} was taken")


@pytest.mark.parametrize("host", ["[::1]evil", "[::1]:80:80", "[::1", "a b", "a/b", "a@b", "a,b", "a\tb", "é", "a:b"])
def test_malformed_hosts(host: str):
    assert name_of(host) is None


def test_options_and_head(running: Running):
    for path, status in (("/predict", 405), ("/health", 405), ("*", 404), ("/unknown", 404)):
        found = running.sent(LAST.replace(b"GET /health", b"OPTIONS " + path.encode())).lower()
        assert found.startswith(b"http/1.1 %d " % status) and b"access-control" not in found
    for method in (b"TRACE", b"CONNECT"):
        found = running.sent(LAST.replace(b"GET", method).replace(b"\r\n\r\n", b"\r\nX: secret\r\n\r\n"))
        assert statuses(found) == [405] and b"secret" not in found
    found = running.sent(HEALTH.replace(b"GET", b"HEAD") + LAST)
    assert statuses(found) == [200, 200] and found.count(b'"alive"') == 1


def test_input_in_problems_is_data_and_labels_come_from_fixed_sets(running: Running):
    evil = '"><script>alert(1)</script>'
    path = "/%22%3E%3Cscript%3E%0A%7D"
    assert running.ask("GET", path)[0] == 404
    assert running.predict([{"age": evil, "income": 1, "city": evil}])[0] == 422
    found = running.sent(head(LENGTH, host="Host: evil.example") + BODY)
    assert b"content-type: application/json" in found and b"nosniff" in found
    text = running.ask("GET", "/metrics")[1]
    assert "script" not in text and 'path="other",status="404"' in text
