"""The picture of a report that the README and the first page show: the study of the table inside the package.

It is taken again with every build if a browser is installed; otherwise the existing picture is kept.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from learnable.app.study import study

PICTURE = Path(__file__).parent.parent / "_static" / "report.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDE, HIGH = 1080, 1450
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--hide-scrollbars", f"--window-size={WIDE},{HIGH}",
)  # fmt: skip


def take(report: Path, picture: Path) -> None:
    """The top of a page as a browser shows it."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is not None:
        command = [browser, *OPTIONS, f"--screenshot={picture.resolve()}", report.resolve().as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=300)


def picture_of_a_study(app: Any) -> None:
    """Study the table inside the package and take the picture of its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        study().report(report)
        take(report, PICTURE)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", picture_of_a_study)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
