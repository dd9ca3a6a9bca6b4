"""The protocol of one connection: strict framing, limits of time and of open connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from .framing import Framing
from .problems import HttpError, headers_of
from .settings import ServiceSettings

SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


class StrictProtocol(H11Protocol):
    """HTTP protocol that parses only verified bytes, and closes connections that are idle or do not read the response.

    It always uses h11: httptools accepts what `Framing` rejects, and saves time only if the model takes almost none.
    """

    settings: ServiceSettings
    refused: Callable[[int], None]
    opened: dict[Any, None]  # connections in the order in which they were opened

    def connection_made(self, transport: Any) -> None:
        """Start the clock; if too many are open, end the one that has been without a request for the longest."""
        super().connection_made(transport)
        self.framing, self.is_refused = Framing(), False
        self.opened[self] = None
        if len(self.opened) > self.settings.most_connections:
            idle = next((one for one in self.opened if not one.is_busy()), self)
            del self.opened[idle]
            idle.transport.abort()
        self.loop.call_later(self.settings.seconds, self.check_progress, (None, False))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.opened.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse verified bytes; reject the rest."""
        if self.is_refused:
            return
        try:
            data = self.framing.verified(data)
        except HttpError as problem:
            self.refuse(problem)
            return
        if data:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Respond to what h11 rejects nevertheless."""
        self.refuse(HttpError(400, "malformed_request", "the request is malformed", "send well-formed HTTP/1.1"))

    def refuse(self, problem: HttpError) -> None:
        """Send a problem in place of any response, and end the connection."""
        self.is_refused = True
        self.refused(problem.status)
        if self.is_busy():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.abort()
                return
        self.transport.write(raw_response(problem))
        self.transport.close()

    def is_busy(self) -> bool:
        """Whether a request has begun whose response is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    def check_progress(self, before: tuple[Any, bool]) -> None:
        """End the connection if no request began and nothing was closed since the last check."""
        closing = self.transport.is_closing()
        if closing and not self.transport.get_write_buffer_size():
            return
        now = (self.cycle, closing)
        if now == before and (closing or not self.is_busy()):
            self.transport.abort()  # and not close, which waits until everything is read
        else:
            self.loop.call_later(self.settings.seconds, self.check_progress, now)


def strict_protocol(settings: ServiceSettings, refused: Callable[[int], None]) -> Any:
    """The class of the connections of a service; `refused` gets the status of each request that is not let through."""
    shared = {"settings": settings, "refused": staticmethod(refused), "opened": {}}
    return type("ServiceProtocol", (StrictProtocol,), shared)


def raw_response(problem: HttpError) -> bytes:
    """A problem as bytes of HTTP, after which the connection is closed."""
    body = problem.body()
    headers = {**headers_of(problem), "connection": "close", "content-length": str(len(body))}
    lines = [b"HTTP/1.1 %d %s" % (problem.status, STATUS_PHRASES[problem.status])]
    lines += [f"{name}: {text}".encode() for name, text in headers.items()]
    lines += [name + b": " + text for name, text in SECURITY_HEADERS]
    return b"\r\n".join([*lines, b"", body])
