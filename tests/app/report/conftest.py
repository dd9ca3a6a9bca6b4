"""What these tests need from the machine: where it has no browser, or no way to drive one, they are not collected."""

from __future__ import annotations

from importlib.util import find_spec

from .browser import BROWSER

collect_ignore = [] if BROWSER and find_spec("playwright") else ["test_in_browser.py", "test_what_if.py"]
