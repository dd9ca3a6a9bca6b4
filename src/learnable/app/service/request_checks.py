"""Checks of every request before the application handles it."""

from __future__ import annotations

import hmac
import logging
import re
import time
import traceback
from asyncio import timeout
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from .budget import Budget, Reservation
from .metrics import Metrics
from .problems import HttpError, failed, headers_of, malformed, too_busy, too_large
from .protocol import SECURITY_HEADERS
from .settings import ServiceSettings

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
OPEN = frozenset(("/health", "/ready"))  # for health checks, which have no token
BODIES = frozenset(("application/json", "text/csv"))
PIECE = 65_536  # bytes of a response that are sent at once
_host = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]*)(?::([0-9]{0,5}))?", re.IGNORECASE)


class Guard:
    """ASGI middleware that checks Host, Origin, token, body type, body length and concurrency, and counts responses."""

    def __init__(self, app: App, settings: ServiceSettings, metrics: Metrics, budget: Budget) -> None:
        self.app, self.settings, self.metrics, self.budget = app, settings, metrics, budget

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Pass a request on, or respond with a problem."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        held = Reservation(self.budget)
        scope["held"] = held
        if scope["method"] == "HEAD":  # as GET; the server leaves the body out
            scope = {**scope, "method": "GET"}

        async def sent(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *SECURITY_HEADERS]
            await self._send(message, send)

        self.metrics.running += 1
        try:
            self._check(scope)
            await self.app(scope, receive, sent)
        except HttpError as problem:
            await respond(problem, sent, close=may_be_long(scope))
        except Exception as error:
            if not status or not isinstance(error, TimeoutError):  # the caller may not have read the response in time
                log(error)
            if not status:
                await respond(failed(), sent)
        finally:
            held.unpin()
            self.metrics.running -= 1
            self.metrics.ended(scope["path"], status or 500, time.perf_counter() - began)

    async def _send(self, message: dict[str, Any], send: Any) -> None:
        """Send a long body in parts within the time limit, so that one that is not read does not fill a buffer."""
        body = message.get("body", b"")
        if len(body) <= PIECE:
            await send(message)
            return
        async with timeout(self.settings.seconds):
            for begin in range(0, len(body), PIECE):
                more = message.get("more_body", False) or begin + PIECE < len(body)
                await send({**message, "body": body[begin : begin + PIECE], "more_body": more})

    def _check(self, scope: dict[str, Any]) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        self._check_host(host)
        self._check_origin(headers.get(b"origin"), host)
        if scope["path"] not in OPEN:
            self._check_token(headers.get(b"authorization", ""), scope)
        if scope["method"] == "POST" and scope["path"] == "/predict":
            self._check_body(headers)
        if self.metrics.running > self.settings.most_requests and scope["path"] not in OPEN:
            raise too_busy(self.settings.most_requests)

    def _check_host(self, host: str) -> None:
        """Reject other host names, which mean that a foreign page uses DNS rebinding."""
        allowed, name = self.settings.hosts, name_of(host)
        if name is None:
            raise malformed("the header Host is malformed")
        if allowed is not None and name not in allowed:
            raise HttpError(
                421, "wrong_host", f"{host[:80]!r} is not a name of this service", f"use {self.settings.url}"
            )

    def _check_origin(self, origin: str | None, host: str) -> None:
        """Reject requests of browsers from pages of other origins."""
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise HttpError(
                403,
                "foreign_origin",
                f"requests from pages of {origin[:80]!r} are not allowed",
                "send the request from a program",
            )

    def _check_token(self, authorization: str, scope: dict[str, Any]) -> None:
        if self.settings.token is None:
            return
        kind, _, given = authorization.partition(" ")
        given = given if kind.lower() == "bearer" else ""
        if scope["path"] == "/" and scope["method"] == "GET" and not authorization:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.settings.token.encode()):
            raise HttpError(
                401,
                "wrong_token",
                "the request does not have the token of this service",
                "send the header `Authorization: Bearer TOKEN`, as set by --token or printed at startup",
            )

    def _check_body(self, headers: dict[bytes, str]) -> None:
        kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        if kind not in BODIES:
            raise HttpError(
                415, "wrong_type", f"the body has the type {kind[:40]!r}", f"send {' or '.join(sorted(BODIES))}"
            )
        length = headers.get(b"content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 18 or int(length) > self.settings.most_bytes:
            raise too_large(self.settings.most_bytes)


def name_of(host: str) -> str | None:
    """A host without its port; None if it is malformed.

    >>> name_of("LOCALHOST:80"), name_of("[::1]:80"), name_of("127.0.0.1")
    ('localhost', '[::1]', '127.0.0.1')
    >>> name_of("[::1]evil"), name_of("user@localhost"), name_of("localhost:99999")
    (None, None, None)
    """
    found = _host.fullmatch(host)
    return None if found is None or int(found[2] or 0) > 65_535 else found[1].lower()


def may_be_long(scope: dict[str, Any]) -> bool:
    """Whether an unread body may be long."""
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or int(headers.get(b"content-length", b"0")) > PIECE


def log(error: Exception) -> None:
    """Write an error to the log, escaping what it quotes of the request so that it cannot forge lines."""
    where = "".join(traceback.format_tb(error.__traceback__)[-8:])
    logging.getLogger("uvicorn.error").error(
        "a request failed: %s: %.500r\n%s", type(error).__name__, str(error), where
    )


async def respond(problem: HttpError, send: Any, close: bool = False) -> None:
    """Send a problem as the response."""
    body = problem.body()
    extra = headers_of(problem) | ({"connection": "close"} if close else {})
    headers = [(name.encode(), text.encode()) for name, text in extra.items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
