"""What every request has to pass before anything else looks at it."""

from __future__ import annotations

import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from .metrics import Metrics
from .problems import Problem, headers_of, too_busy, too_large
from .settings import Settings

App = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
OPEN = frozenset(("/health", "/ready"))  # for machines that look after others and have no token
BODIES = frozenset(("application/json", "text/csv"))
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Checks Host, Origin, token, type and length of a body, and how many requests run; counts what was answered."""

    def __init__(self, app: App, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500
        if scope["method"] == "HEAD":  # as GET; the server leaves the body out
            scope = {**scope, "method": "GET"}

        async def sent(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        self.metrics.running += 1
        try:
            self._check(scope)
            await self.app(scope, receive, sent)
        except Problem as problem:
            await answer(problem, sent)
        finally:
            self.metrics.running -= 1
            self.metrics.ended(scope["path"], status, time.perf_counter() - began)

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
        """Another name for this machine means that a page elsewhere made it point here."""
        allowed = self.settings.hosts
        if allowed is not None and name_of(host) not in allowed:
            raise Problem(421, "wrong_host", f"this service is not called {host[:80]!r}", f"call {self.settings.url}")

    def _check_origin(self, origin: str | None, host: str) -> None:
        """Only pages of the service itself may ask through a browser."""
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise Problem(403, "foreign_origin", f"pages of {origin[:80]!r} may not ask", "ask from a program instead")

    def _check_token(self, authorization: str, scope: dict[str, Any]) -> None:
        if self.settings.token is None:
            return
        kind, _, given = authorization.partition(" ")
        given = given if kind.lower() == "bearer" else ""
        if scope["path"] == "/" and scope["method"] == "GET" and not authorization:
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.settings.token.encode()):
            raise Problem(
                401,
                "wrong_token",
                "the request does not carry the token of this service",
                "send the header `Authorization: Bearer TOKEN`; --token sets it, or the service says it at its start",
            )

    def _check_body(self, headers: dict[bytes, str]) -> None:
        kind = headers.get(b"content-type", "").partition(";")[0].strip().lower()
        if kind not in BODIES:
            raise Problem(415, "wrong_type", f"a body of type {kind[:40]!r}", f"send {' or '.join(sorted(BODIES))}")
        length = headers.get(b"content-length", "0")
        if not length.isdigit() or len(length) > 18 or int(length) > self.settings.most_bytes:
            raise too_large(self.settings.most_bytes)


def name_of(host: str) -> str:
    """A host without its port.

    >>> name_of("LOCALHOST:80"), name_of("[::1]:80"), name_of("127.0.0.1")
    ('localhost', '[::1]', '127.0.0.1')
    """
    return host[: host.find("]") + 1].lower() if host.startswith("[") else host.partition(":")[0].lower()


async def answer(problem: Problem, send: Any) -> None:
    """Send a problem to the one who asked."""
    body = problem.body()
    headers = [(name.encode(), text.encode()) for name, text in headers_of(problem).items()]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
