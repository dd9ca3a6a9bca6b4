"""A real service in a process of its own, on a free port."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 120  # seconds; only a service that hangs needs them


@dataclass
class Running:
    """A service that was started, and ways to ask it."""

    process: subprocess.Popen[str]
    port: int

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and body of a request; what is JSON comes as what it says."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        json_here = reply.headers["content-type"].startswith("application/json")
        return reply.status, json.loads(content) if json_here else content.decode()

    def predict(self, content: Any, **headers: str) -> tuple[int, Any]:
        """Status and content of the reply to rows as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content)
        return self.ask("POST", "/predict", body, **{"Content_Type": "application/json", **headers})

    def opened(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def sent(self, content: bytes) -> bytes:
        """What comes back for bytes as they are, until the service closes the connection."""
        with self.opened() as connection:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may refuse before it has read everything
                connection.sendall(content)
            return read_all(connection)

    def status(self, content: bytes) -> int:
        """Status of the first response to bytes as they are."""
        return int(self.sent(content).split(b" ", 2)[1])

    def memory(self) -> int:
        """MB that the process has in memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * 4096 // 2**20

    def seconds(self) -> float:
        """Processor time that the process has used."""
        used = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def read_all(connection: socket.socket) -> bytes:
    """All bytes until the other side closes."""
    found = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    return found


@contextmanager
def service(model: Path, *flags: str) -> Iterator[Running]:
    """A service of a model file, until the block ends."""
    command = [sys.executable, "-m", "learnable", "serve", str(model), "--port", "0", "--json", *flags]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True, "env": usual}
    with subprocess.Popen(command, **pipes) as process:
        try:
            assert process.stdout is not None
            assert select.select([process.stdout], [], [], PATIENCE)[0], "the service does not say where it is"
            yield Running(process, urlsplit(json.loads(process.stdout.readline())["url"]).port or 0)
        finally:
            process.kill()
