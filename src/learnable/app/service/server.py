"""The process that serves: its socket, its protocol and its end."""

from __future__ import annotations

import asyncio
import gc
import logging
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import uvicorn

from ..console import printable_records
from ..predict.predictor import Answering
from .application import application
from .protocol import strict_protocol
from .settings import Settings

GRACE = 10  # seconds that running requests have to end when the service is asked to stop
BACKLOG = 2048


def serve(requested: Answering, settings: Settings, started: Callable[[Settings], None]) -> None:
    """Serve until a signal says stop; then finish what runs, and return."""
    listening = _listening(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    _allow_many_connections()
    app = application(requested, settings)
    config = uvicorn.Config(
        app,
        http=strict_protocol(settings, app.metrics.refused),
        ws="none",
        log_level="error",  # a warning for each malformed request would let callers fill the log
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        backlog=BACKLOG,
    )
    for handler in logging.getLogger("uvicorn").handlers:
        printable_records(handler)
    with listening:
        Server(config, lambda: started(settings)).run([listening])


class Server(uvicorn.Server):
    """Says when it takes requests, and ends with success when a signal asks it to."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self.tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # else every full collection looks through all modules and the model, while requests wait
        if self.started:
            self.tell()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first signal lets running requests end, the second does not."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, RuntimeError):  # only the main thread can listen to signals
                loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _listening(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio lets answers wait for ACKs
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((settings.host, settings.port))
    except OSError as error:
        found.close()
        raise OSError(
            f"cannot listen at {settings.host}:{settings.port}: {error.strerror}; choose another --port or --host"
        ) from None
    return found


def _allow_many_connections() -> None:
    """As many open files as this process may have."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
