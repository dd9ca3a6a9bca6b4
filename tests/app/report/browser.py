"""A real browser without a window, without a network of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-quic", "--no-first-run",
)  # fmt: skip


@contextmanager
def started() -> Iterator[Any]:
    """A browser, closed at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        plain = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # of sanitizers
        browser = driver.chromium.launch(executable_path=BROWSER, args=list(QUIET), env=plain)
        yield browser
        browser.close()
