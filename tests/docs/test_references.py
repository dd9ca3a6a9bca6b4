"""Completeness of the documentation: a page per family, a table per group of topics, and references that resolve."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import learnable
from learnable.app.audit import CATALOGUE
from tests import syllabus
from tests.docs.test_docstrings import docstrings, pages

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "user_guide").glob("*.md")])
GALLERY = sorted((ROOT / "examples").glob("*/plot_*.py"))
_role = re.compile(r"\{(obj|func|class)\}`(?:[^`<]*<)?\.([\w.]+)>?`")
_gallery_link = re.compile(r"gallery/(\w+)/(plot_\w+)")
_rst_role = re.compile(r":(?:func|class|obj|meth):`~?(learnable[\w.]+)`")


@cache
def targets(kind: str) -> Counter[str]:
    """How many objects of the reference a role `.name` may refer to: functions, classes, or anything, methods too."""
    found: Counter[str] = Counter()
    for family in ("", *pages.FAMILIES):
        for name, value in (pages.public(family) if family else pages.core_names()).items():
            is_class = inspect.isclass(value)
            if kind == "obj" or is_class == (kind == "class"):
                found[name] += 1
            if kind == "obj" and is_class:
                found.update(key for key in dir(value) if not key.startswith("_") and callable(getattr(value, key)))
    return found


def test_every_family_has_a_page() -> None:
    listed = set(pages.FAMILIES)
    assert {family for family in listed if not family.startswith("parts.")} == set(learnable._FAMILIES)
    for family in listed:
        page = pages.reference().get(family.replace(".", "_"))
        assert bool(page) == bool(pages.public(family))
        assert all(re.search(rf"^   {name}$", page, re.MULTILINE) for name in pages.public(family))


def test_the_reference_shows_the_titles_of_estimators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learnable.Ridge, "title", "ridge regression of the test")
    monkeypatch.setattr(learnable.Lasso, "title", "")
    page = pages.reference()["linear_model"]
    assert "   * - :py:obj:`Ridge`\n     - ridge regression of the test\n" in page and "py:obj:`Lasso`\n" not in page
    shown = docstrings.titled(["One sentence.", "", "More."], learnable.Ridge)
    assert shown == ["One sentence.", "", "In textbook terms: ridge regression of the test.", "", "More."]
    assert docstrings.titled(["One sentence."], learnable.Lasso) == ["One sentence."]


def test_the_course_map_has_every_group() -> None:
    groups = {key.rpartition("-")[0] for key in syllabus.topics()}
    assert groups <= set(pages.GROUPS)
    shown = pages.course_map(ROOT)
    assert all(topic.topic in shown for topic in syllabus.topics().values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_references_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    counts = {kind: targets(kind) for kind in ("obj", "func", "class")}
    wrong = [(kind, name) for kind, name in _role.findall(text) if counts[kind][name.rpartition(".")[2]] != 1]
    assert wrong == [], "names that are not in the reference, or more than once there (then write {func} or {class})"
    links = _gallery_link.findall(text)
    assert [link for link in links if not (ROOT / "examples" / link[0] / f"{link[1]}.py").exists()] == []


# Families whose chapters are complete: every public name is explained in the guide.
EXPLAINED = (
    "preprocessing", "impute", "feature_extraction", "feature_selection", "imbalance", "pipeline", "compose", "dummy",
    "inference", "information", "theory",
)  # fmt: skip


@pytest.mark.parametrize("family", EXPLAINED)
def test_every_name_is_explained_somewhere(family: str) -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES if page.name != "benchmarks.md")
    assert [name for name in pages.public(family) if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("example", GALLERY, ids=lambda example: example.stem)
def test_gallery_pages_refer_to_what_there_is(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    for name in _rst_role.findall(text):
        family, _, below = name.removeprefix("learnable.").rpartition(".")
        assert below in (pages.public(family) if family in pages.FAMILIES else pages.core_names()), name
    assert (example.parent / "README.rst").exists()
    pictures = text.count("plt.show()")
    assert pictures >= 1 and re.match(r'"""\n\S.*\n=+\n', text)
    assert int((re.findall(r"thumbnail_number = (\d+)", text) or ["1"])[0]) <= pictures


def test_every_alarm_has_a_row_on_its_page():
    rows = pages.alarms().splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == list(CATALOGUE)
    assert all(row.count("|") == 6 and "{" not in row for row in rows)
