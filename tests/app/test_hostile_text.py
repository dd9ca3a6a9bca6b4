"""A whole study of a table of hostile names: every file that it leaves holds them as text alone."""

from __future__ import annotations

import ast
import csv
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from learnable.app import console
from learnable.app.cli import main
from learnable.app.predict.predictor import Predictor
from learnable.app.safe_csv import safe_cell
from learnable.app.service.page import page
from learnable.core.printable import UNPRINTABLE
from tests.hostile import PHRASES

NUMBERS = ("cost_$_per_$", "</script><script>alert(1)</script>", "\x1b]0;title\x07\n\u202e", "{{ 7 * 7 }}", "__proto__")
CATEGORIES = ('"><img src=x onerror=alert(1)>', "col: black")
TARGET = '"""\nimport os; os.abort()\n""" $x_{$ <b onclick="x">'
LABELS = ("$10 - $20", "=HYPERLINK(1) <svg onload=alert(1)> col: black")
PLAIN = SimpleNamespace(
    numbers=[f"number {k}" for k in range(5)], categories=["first kind", "second kind"], target="target",
    labels=["=no", "yes"], values=[f"value {k}" for k in range(12)],
)  # fmt: skip
HOSTILE = SimpleNamespace(
    numbers=NUMBERS, categories=CATEGORIES, target=TARGET, labels=LABELS,
    values=[*[text for text in PHRASES if not text.isspace()][18:29], "\u202eevil\x9b31m"],
)  # fmt: skip


def study(folder, names):
    """The files of a small study whose columns, categories, classes and target are called so."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(240, len(names.numbers)))
    sample_rows = [rng.integers(len(names.values), size=240) for _ in names.categories]
    score = 2 * x[:, 0] + (sample_rows[0] % 2) + rng.normal(size=240)
    values = np.array(names.values, dtype=object)
    columns = dict(zip(names.numbers, map(pa.array, x.T), strict=True))
    columns |= {
        name: pa.array(values[codes].tolist()) for name, codes in zip(names.categories, sample_rows, strict=True)
    }
    columns[names.target] = pa.array(np.array(names.labels, dtype=object)[(score > 0.5).astype(int)].tolist())
    parquet.write_table(pa.table(columns), folder / "table.parquet")
    flags = ["--target", names.target, "--quick", "--folds", "2x1", "--models", "logistic regression", "--models"]
    console.human.cache_clear()
    with pytest.raises(SystemExit) as end:
        main(["study", str(folder / "table.parquet"), *flags, "one split", "--out", str(folder / "out")])
    assert not end.value.code
    return folder / "out"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return study(tmp_path_factory.mktemp("plain"), PLAIN)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return study(tmp_path_factory.mktemp("hostile"), HOSTILE)


class Page(HTMLParser):
    """The elements of a page with their attributes, the texts in them, and the programs."""

    def __init__(self, content):
        super().__init__()
        self.elements, self.texts, self.programs, self.inside = set(), [], [], ""
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        self.elements.add((tag, tuple(sorted(name for name, _ in attributes))))

    def handle_data(self, data):
        (self.programs if self.inside == "script" else self.texts).append(data)


def checked_page(content, usual):
    """A page that has the elements, attributes and programs of a usual one, and no others."""
    page, expected = Page(content), Page(usual)
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in expected.elements}
    assert {name for _, names in page.elements for name in names} <= {
        n for _, names in expected.elements for n in names
    }
    assert not any(name.startswith("on") for _, names in page.elements for name in names)
    return page, expected


def test_the_report_has_no_elements_from_data(hostile, plain):
    content, usual = ((folder / "report.html").read_text(encoding="utf-8") for folder in (hostile, plain))
    page, expected = checked_page(content, usual)
    assert page.programs == expected.programs and "49" not in "".join(page.texts[:12])
    assert not UNPRINTABLE.search(content.replace("\n", "").replace("\t", ""))
    text = "".join(page.texts)
    for name in (*LABELS, *NUMBERS[:2], NUMBERS[3], *CATEGORIES):
        assert name in text, name
    assert "col: currentColor" not in content
    assert json.loads((hostile / "report.json").read_text())["failures"] == []


def test_pictures_are_xml_and_write_names_letter_by_letter(hostile, plain):
    pictures = [
        re.findall(r"<svg .*?</svg>", (folder / "report.html").read_text(encoding="utf-8"), re.DOTALL)
        for folder in (hostile, plain)
    ]
    assert len(pictures[0]) == len(pictures[1]) > 5
    text, tags = "", []
    for found in pictures:
        trees = [ElementTree.fromstring(picture) for picture in found]
        tags.append({(element.tag, name) for tree in trees for element in tree.iter() for name in element.attrib})
        text = text or " ".join("".join(tree.itertext()) for tree in trees)
    assert tags[0] <= tags[1]
    assert "cost_$_per_$" in text and "$10 - $20" in text and "col: black" in text


def test_programs_json_and_csv_hold_the_names(hostile, plain):
    trees = [ast.parse((folder / "code.py").read_text(encoding="utf-8")) for folder in (hostile, plain)]
    assert [type(one) for one in trees[0].body] == [type(one) for one in trees[1].body]
    assert {TARGET, *LABELS, *NUMBERS, *CATEGORIES} <= {
        node.value for node in ast.walk(trees[0]) if isinstance(node, ast.Constant)
    }
    report = json.loads((hostile / "report.json").read_text(encoding="utf-8"))
    assert report["question"]["target"] == TARGET
    assert set(report["data"]["columns"]) == {*NUMBERS, *CATEGORIES, TARGET}
    with (hostile / "predictions.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 241 and {len(row) for row in rows} == {6}
    assert {row[2] for row in rows[1:]} == {safe_cell(label) for label in LABELS}
    assert not any(cell.startswith(tuple("=+@\t\r")) for row in rows for cell in row)
    lines = (hostile / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert [*map(json.loads, lines)]


def test_the_page_of_a_service_has_no_elements_from_data(hostile, plain):
    pages = [page(Predictor.opened(folder / "model.learnable"), "nonce", 0.9) for folder in (hostile, plain)]
    found, expected = checked_page(*pages)
    assert found.programs == expected.programs
    assert "Object.create(null)" in "".join(found.programs), "a column may be called __proto__"


def test_a_study_says_nothing_that_a_terminal_obeys(tmp_path, capsys):
    study(tmp_path, HOSTILE)
    out, err = capsys.readouterr()
    assert not UNPRINTABLE.search((out + err).replace("\n", ""))
    assert not any(line.startswith("import os") for line in (out + err).splitlines())
    assert "</script>" in err and ":smile:" not in err
