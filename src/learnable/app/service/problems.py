"""Problems of requests: a code for programs, a message and a remedy for people."""

from __future__ import annotations

import json
from dataclasses import dataclass

MAX_HEADER = 2**20  # bytes of the lines of CSV up to the header


@dataclass
class HttpError(Exception):
    """An error response with its HTTP status.

    >>> HttpError(413, "body_too_large", "the body is too large", "raise --max-bytes").body()
    b'{"error": {"code": "body_too_large", "message": "the body is too large", "remedy": "raise --max-bytes"}}'
    """

    status: int
    code: str
    message: str
    remedy: str

    def body(self) -> bytes:
        """The problem as JSON."""
        return json.dumps({"error": {"code": self.code, "message": self.message, "remedy": self.remedy}}).encode()


def headers_of(problem: HttpError) -> dict[str, str]:
    """Additional headers; the connection is closed if the body is not read completely."""
    found = {"content-type": "application/json"}
    if problem.status == 503:
        found["retry-after"] = "1"
    if problem.status == 401:
        found["www-authenticate"] = "Bearer"
    if problem.status in (400, 408, 413, 414, 431):
        found["connection"] = "close"
    return found


def too_large(most: int) -> HttpError:
    """A body that is too large, as received or decompressed."""
    return HttpError(
        413,
        "body_too_large",
        f"the body has more than {most} bytes",
        "send fewer rows at a time, or start the service with a larger --max-bytes",
    )


def too_many_rows(most: int) -> HttpError:
    """Too many rows in one request."""
    return HttpError(
        413,
        "too_many_rows",
        f"the request has more than {most} rows",
        "send fewer rows at a time, start the service with a larger --max-rows, or use `learnable predict`",
    )


def too_many_columns(most: int) -> HttpError:
    """A header with far more columns than the model has."""
    return HttpError(
        413,
        "too_many_columns",
        f"the header has more than {most} columns, or follows too many lines or bytes",
        "send the columns of the model, which are listed at /openapi.json",
    )


def too_much_held(most: int) -> HttpError:
    """Concurrent requests that together exceed the memory budget."""
    return HttpError(
        503,
        "memory_budget",
        f"the requests in progress hold {most} bytes, which is the maximum",
        "try again in a moment, send fewer rows at a time, or start the service with a larger --max-total-bytes",
    )


def malformed(message: str, status: int = 400) -> HttpError:
    """A request that is not well-formed HTTP, or exceeds the limits of its head."""
    return HttpError(status, "malformed_request", message, "send a well-formed HTTP/1.1 request")


def too_slow(seconds: float, what: str) -> HttpError:
    """A step that exceeded the time limit of a request."""
    return HttpError(
        408 if what.startswith("the body") else 503,
        "too_slow",
        f"{what} took more than {seconds:g} seconds",
        "send less at a time, or start the service with a longer --timeout",
    )


def too_busy(most: int) -> HttpError:
    """Too many concurrent requests."""
    return HttpError(
        503,
        "too_busy",
        f"{most} requests are in progress, which is the maximum",
        "try again in a moment, or start the service with a larger --concurrency",
    )


def broken_off() -> HttpError:
    """A connection that the caller closed early."""
    return HttpError(400, "broken_off", "the body is incomplete", "send the whole body")


def failed() -> HttpError:
    """An unexpected error."""
    return HttpError(500, "failed", "the model failed on these rows", "the log of the service has the details")


def unusable(message: str, remedy: str = "the schema is at /openapi.json, a form at /") -> HttpError:
    """Rows that the model cannot predict."""
    return HttpError(422, "unusable_rows", message, remedy)
