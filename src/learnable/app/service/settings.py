"""Settings of the service."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass

LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Address, token and limits of a service."""

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
        """The allowed host names; None if the service listens on every address and cannot know them."""
        if self.host in ("0.0.0.0", "::"):
            return None
        own = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset((own.lower(),)) | (LOOPBACK_NAMES if is_loopback(self.host) else frozenset())

    @property
    def url(self) -> str:
        """The URL of the service for a browser."""
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


def chosen_token(host: str, given: str | None) -> str | None:
    """The required token: the given one, or a new one if other machines can reach the service."""
    if given:
        return given
    return None if is_loopback(host) else secrets.token_urlsafe(24)
