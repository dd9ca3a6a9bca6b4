"""The server process: socket, protocol and shutdown."""

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
from ..predict.predictor import Predictor
from .application import application
from .protocol import strict_protocol
from .settings import ServiceSettings

GRACE = 10  # seconds for running requests to finish at shutdown
BACKLOG = 2048


def serve(predictor: Predictor, settings: ServiceSettings, started: Callable[[ServiceSettings], None]) -> None:
    """Serve until a signal; then finish running requests, and return."""
    listening = _listening(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    _allow_many_connections()
    app = application(predictor, settings)
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
    """Server with a callback at startup, whose exit by a signal is a success."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening, then call the callback."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # otherwise every full collection scans all modules and the model while requests wait
        if self.started:
            self.on_started()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first signal lets running requests finish, the second does not."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, RuntimeError):  # only the main thread can handle signals
                loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _listening(settings: ServiceSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    found = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # otherwise asyncio delays responses until ACKs
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
    """Raise the limit of open files to its maximum."""
    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
