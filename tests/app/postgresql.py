"""A PostgreSQL server of the tests' own in a temporary folder, where its binaries are installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NO_ROOT = 65534
PASSWORD = "hush-hush"
TEMPORARY = "/tmp"  # the path of a socket may have 107 characters only


def _folder_of_binaries() -> Path | None:
    """The folder of initdb, if it is installed and can run here: it refuses root, who needs setpriv to be another."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    usable = os.name == "posix" and (os.geteuid() != 0 or shutil.which("setpriv"))
    return folders[-1] if folders and usable else None


BINARIES = _folder_of_binaries()


@dataclass(frozen=True)
class Server:
    """A running server: the folder of its socket, its port, and the user `me` with a password."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """The URL over TCP, with the password."""
        return f"postgresql://me:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def run(self, text: str) -> list[str]:
        """The lines that psql prints for some SQL."""
        host = ["-h", str(self.folder), "-p", str(self.port), "-U", "me", "-d", "postgres"]
        command = _command("psql", *host, "-qAtX", "-v", "ON_ERROR_STOP=1")
        return _run(command, input=text).stdout.splitlines()


def _command(program: str, *arguments: str) -> list[str]:
    assert BINARIES is not None
    user = ["setpriv", f"--reuid={NO_ROOT}", f"--regid={NO_ROOT}", "--clear-groups"] if os.geteuid() == 0 else []
    return [*user, str(BINARIES / program), *arguments]


def _run(command: list[str], **given: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": "/", "LC_ALL": "C.UTF-8", "PGPASSWORD": PASSWORD}
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/", env=environment, **given)


@contextmanager
def running_server() -> Iterator[Server]:
    """A new server with an empty database, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir=TEMPORARY))
    (folder / "password").write_text(PASSWORD)
    if os.geteuid() == 0:
        os.chown(folder, NO_ROOT, NO_ROOT)
    data, secret = str(folder / "data"), f"--pwfile={folder / 'password'}"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = f"-k {folder} -p {port} -c listen_addresses=127.0.0.1 -F"
    try:
        _run(_command("initdb", "-D", data, "-U", "me", "-E", "UTF8", "-A", "scram-sha-256", secret, "--no-sync"))
        _run(_command("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start"))
        yield Server(folder, port)
    finally:
        subprocess.run(_command("pg_ctl", "-D", data, "-m", "immediate", "stop"), capture_output=True, check=False)
        shutil.rmtree(folder)
