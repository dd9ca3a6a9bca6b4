"""What a page says, without the marks that say how it looks."""

from __future__ import annotations

import re
from pathlib import Path


def shown(page: Path) -> str:
    """The source of a page without spans, so that words which belong together stand together."""
    return re.sub(r"</?span[^>]*>", "", page.read_text(encoding="utf-8"))
