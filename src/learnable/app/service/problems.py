"""What can be wrong with a request: a code for programs, a message and a remedy for people."""

from __future__ import annotations

import json
from dataclasses import dataclass

MAX_HEADER = 2**20  # bytes of the lines of CSV up to the one that names the columns


@dataclass
class Problem(Exception):
    """A refusal with its HTTP status.

    >>> Problem(413, "body_too_large", "the body is too large", "raise --max-bytes").body()
    b'{"error": {"code": "body_too_large", "message": "the body is too large", "remedy": "raise --max-bytes"}}'
    """

    status: int
    code: str
    message: str
    remedy: str

    def body(self) -> bytes:
        """The problem as JSON."""
        return json.dumps({"error": {"code": self.code, "message": self.message, "remedy": self.remedy}}).encode()


def headers_of(problem: Problem) -> dict[str, str]:
    """What else a caller has to know; a body that is not read to its end ends the connection."""
    found = {"content-type": "application/json"}
    if problem.status == 503:
        found["retry-after"] = "1"
    if problem.status == 401:
        found["www-authenticate"] = "Bearer"
    if problem.status in (400, 408, 413, 414, 431):
        found["connection"] = "close"
    return found


def too_large(most: int) -> Problem:
    """A body of more bytes than are taken, as it comes or when it is unpacked."""
    return Problem(
        413,
        "body_too_large",
        f"the body has more than {most} bytes",
        "send fewer rows at a time, or start the service with a larger --max-bytes",
    )


def too_many_rows(most: int) -> Problem:
    """More rows than one request may ask for."""
    return Problem(
        413,
        "too_many_rows",
        f"the request has more than {most} rows",
        "send fewer rows at a time, start the service with a larger --max-rows, or use `learnable predict`",
    )


def too_many_columns(most: int) -> Problem:
    """A header of far more columns than the model takes."""
    return Problem(
        413,
        "too_many_columns",
        f"the header names more than {most} columns, or stands below too many lines or bytes",
        "send the columns that the model takes; they are listed at /openapi.json",
    )


def too_much_held(most: int) -> Problem:
    """Requests that together hold more bytes than may be in memory."""
    return Problem(
        503,
        "memory_budget",
        f"the requests in progress hold {most} bytes, which is the maximum",
        "try again in a moment, send fewer rows at a time, or start the service with a larger --max-total-bytes",
    )


def malformed(message: str, status: int = 400) -> Problem:
    """A request that is not well-formed HTTP, or beyond the limits of its head."""
    return Problem(status, "malformed_request", message, "send a well-formed HTTP/1.1 request")


def too_slow(seconds: float, what: str) -> Problem:
    """Something took longer than a request may."""
    return Problem(
        408 if what.startswith("the body") else 503,
        "too_slow",
        f"{what} took more than {seconds:g} seconds",
        "send less at a time, or start the service with a longer --timeout",
    )


def too_busy(most: int) -> Problem:
    """More requests at once than are taken."""
    return Problem(
        503,
        "too_busy",
        f"{most} requests are being answered, which is the most at once",
        "try again in a moment, or start the service with a larger --concurrency",
    )


def broken_off() -> Problem:
    """A caller who hung up."""
    return Problem(400, "broken_off", "the body breaks off", "send all of it")


def failed() -> Problem:
    """Something that should not happen."""
    return Problem(500, "failed", "the model failed on these rows", "the service says more where it was started")


def unusable(message: str, remedy: str = "the schema is at /openapi.json, a form at /") -> Problem:
    """Rows that the model cannot answer."""
    return Problem(422, "unusable_rows", message, remedy)
