"""The report: one file that needs nothing else, the same every time, safe with hostile names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from learnable.app import report, study
from learnable.app.table import Table, example

VOID = {"meta", "br", "img", "input", "link", "path", "use", "line", "hr"}


class Balance(HTMLParser):
    """Counts elements and finds tags that are closed out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page() -> str:
    return report.html(study.run(example()))


def test_page_is_well_formed_and_has_its_parts(page: str) -> None:
    parser = Balance()
    parser.feed(page)
    assert parser.open == []
    assert parser.seen.count("svg") == 3
    assert parser.seen.count("tr") == 2 + len(study.MODELS)
    assert "learnable study --target progression --folds 5 --repeats 4 --seed 0" in page


def test_page_needs_nothing_else(page: str) -> None:
    assert "http" not in page
    assert "<script" not in page
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    assert len(page) < 300_000


def test_colours_follow_the_reader(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert "currentColor" in page
    assert report.INK not in page
    assert report.ACCENT not in page


def test_same_seed_same_bytes_but_for_the_seconds() -> None:
    def without_seconds(text: str) -> str:
        return re.sub(r'<td class="wide">[^<]*</td>', "", text)

    first, again, other = (report.html(study.run(example(), seed=seed)) for seed in (3, 3, 4))
    assert without_seconds(first) == without_seconds(again)
    assert without_seconds(first) != without_seconds(other)


def test_names_are_text_not_markup() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    rows = Table("<b>f</b>.csv", ["<script>alert(1)</script>", "a$b$_c^d"], X, "<i>y</i>", X[:, 0], ["<u>note</u>"])
    page = report.html(study.run(rows))
    for tag in ("<b>", "<i>", "<u>", "<script"):
        assert tag not in page
    assert "&lt;script&gt;" in page


def test_large_tables_give_small_pages() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 60))
    rows = Table("large", [f"column {j}" for j in range(60)], X, "y", X @ rng.normal(size=60), [])
    page = report.html(study.run(rows, folds=2, repeats=1))
    assert len(page) < 400_000
    assert "The 20 largest of 60." in page
