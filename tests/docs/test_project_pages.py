"""ARCHITECTURE.md, CONTRIBUTING.md and CHANGELOG.md name files that exist and follow their own rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import learnable

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "learnable"
_path = re.compile(r"`((?:\w+/)+(?:\w+\.(?:py|pyi|cpp|hpp|toml|md))?)`")


def missing_paths(text: str) -> list[str]:
    """The files and folders named in a text that do not exist: below the root, the package, or `native`."""
    bases = (ROOT, PACKAGE, ROOT / "native", ROOT / "native" / "include" / "learnable", PACKAGE / "engines",
             PACKAGE / "engines" / "minimise", PACKAGE / "engines" / "trees")  # fmt: skip
    named = (found.rstrip("/") for found in _path.findall(text))
    return [name for name in named if not any((base / name).exists() for base in bases)]


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_paths_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(_path.findall(text)) >= 10
    assert missing_paths(text) == []


def test_missing_paths_are_found() -> None:
    assert missing_paths("`core/roles/estimator.py`, `engines/nothing.py` and `no/folder/`") == [
        "engines/nothing.py", "no/folder",
    ]  # fmt: skip


def test_architecture_is_one_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 110


def test_the_changelog_has_an_unreleased_section_above_the_current_version() -> None:
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert re.fullmatch(re.escape(learnable.__version__) + r" \(\d{4}-\d\d-\d\d\)", sections[1])
