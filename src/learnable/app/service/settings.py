"""What a service is started with."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to listen, what to ask of those who come, and how much one of them may use."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    most_rows: int = 10_000
    most_bytes: int = 10 * 2**20
    seconds: float = 30.0
    most_requests: int = 256
    share: float = 0.9
    max_total_bytes: int = 80 * 2**20

    @property
    def most_connections(self) -> int:
        """How many connections may be open; beyond them, one without a request is closed for each new one."""
        return max(1024, 8 * self.most_requests)

    @property
    def hosts(self) -> frozenset[str] | None:
        """The names by which the service may be called; None if it listens to every address and cannot know them."""
        if self.host in ("0.0.0.0", "::"):
            return None
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset((own.lower(),)) | (LOOPBACK_NAMES if is_loopback(self.host) else frozenset())

    @property
    def url(self) -> str:
        """Where a browser finds the service."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def chosen_token(host: str, wished: str | None) -> str | None:
    """The token that callers must have: the one that is wished, or a new one where others can reach the service."""
    if wished:
        return wished
    return None if is_loopback(host) else secrets.token_urlsafe(24)
