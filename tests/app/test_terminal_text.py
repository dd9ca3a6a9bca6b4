"""Text from data is literal on terminals and in logs: no escape sequences, no markup, no lines of its own."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from rich.table import Table
from rich.text import Text

import learnable
from learnable.app import console
from learnable.app.cli import main
from learnable.core.errors import DataError, warn
from learnable.core.printable import UNPRINTABLE, printable
from tests.app.saved_models import saved
from tests.hostile import CHARACTERS, PHRASES

NAMES = (
    "\x1b]0;title\x07",
    "two\nlines\rover",
    "\u202eevil",
    "[red]x[/red]",
    ":smile:",
    "\x9b31m\u2028",
    "[link=http://x]y[/link]",
)


def unprintable(text):
    return UNPRINTABLE.findall(text.replace("\n", ""))


def test_only_what_cannot_be_seen_is_escaped():
    for character in CHARACTERS:
        shown = printable(character)
        assert (shown == character) == (character.isprintable() or character in "\xa0\xad\u200d"), repr(character)
        assert shown.isprintable() or shown == character
        assert shown == character or shown.encode().decode("unicode_escape") == character
    assert printable("日本語 🙂 ‌می‌خواهم") == "日本語 🙂 ‌می‌خواهم", "letters that are joined or kept apart stay so"
    assert printable("a\nb\tc", keep="\n") == "a\nb\\tc"


@pytest.mark.parametrize("name", [*NAMES, *PHRASES])
def test_what_is_said_is_one_literal_line(capsys, name):
    console.human.cache_clear()
    console.say(f"column {name} is odd")
    console.complain(name)
    console.print_line(name)
    table = Table(name, "second")
    table.add_row(name, Text(name, style="bold"))
    console.output().print(table, name, sep="\n", soft_wrap=True)
    out, err = capsys.readouterr()
    assert not unprintable(out + err)
    assert err == f"column {printable(name)} is odd\nerror: {printable(name)}\n"
    assert out.startswith(printable(name) + "\n") and out.endswith(printable(name) + "\n")
    assert out.count(printable(name)) >= 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=90) for name in NAMES[1:]} | {NAMES[0]: rng.choice(NAMES, 90)}  # fmt: skip
    y = rng.choice(["\x1b[31mred", "two\nlines"], 90).tolist()
    table = pa.table({**columns, "y\x1b[2J\n": y})
    model = learnable.make_pipeline(learnable.TableVectorizer(), learnable.DecisionTreeClassifier(max_depth=2))
    model.fit(table.select([*columns]), np.array(y, dtype=object))
    expected = [
        learnable.ExpectedColumn.of(name, table.column(name).to_numpy(zero_copy_only=False)) for name in columns
    ]
    deployed = learnable.DeployedModel(
        model, "binary", "y\x1b[2J\n", expected, np.array([0.5]), "two\nlines", card={"use\x1b": "any\x9b\nthing"}
    )
    saved(deployed, folder / "m.learnable")
    parquet.write_table(table, folder / "t.parquet")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "m.learnable"], ["explain", "m.learnable"],
        ["explain", "m.learnable", "--data", "t.parquet", "--row", "1"],
        ["compare", "m.learnable", "m.learnable", "t.parquet"], ["convert", "m.learnable", "--to", "c", "-o", "m.c"],
        ["predict", "m.learnable", "t.parquet", "-o", "p.parquet"], ["predict", "m.learnable", "t.parquet", "--json"],
        ["study", "t.parquet", "--quick", "--folds", "2x1", "--target", "y\x1b[2J\n", "--models", "one split"],
        ["study", "no\x1b[2J\nsuch.csv"], ["study", "a", "b\x1b[2J\n"], ["no\x1b[2J\n"], ["study", "--no\x1b\n"],
        ["predict", "m.learnable", "t.parquet", "-o", "a\x1b[2J\n.txt"],
        ["study", "t.parquet", "--target", "x\x1b[2J\n"],
    ],
)  # fmt: skip
def test_commands_print_nothing_that_a_terminal_obeys(folder, arguments, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    console.human.cache_clear()
    with pytest.raises(SystemExit):
        main(arguments)
    out, err = capsys.readouterr()
    assert out + err and not unprintable(out + err)
    assert not any(line.startswith(("lines", "such.csv", "over")) for line in (out + err).splitlines())


def test_warnings_and_errors_of_the_library_are_printable():
    with pytest.warns(UserWarning, match=r"column \\x1b\[2J is odd"):
        warn("column \x1b[2J is odd", UserWarning)
    assert str(DataError("column \x9b is odd\nsecond line")) == "column \\x9b is odd\nsecond line"


@pytest.mark.parametrize("ending", ["warnings.warn('column \\x1b[2J')", "raise RuntimeError('column \\x1b[2J')"])
def test_warnings_and_tracebacks_of_the_program_are_printable(ending):
    program = (
        "import warnings, sys, learnable.app.cli as cli\n"
        f"def app(*a, **k):\n    {ending}\n    sys.exit(0)\n"
        "cli.app = app\ncli.main(['models'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "column \\x1b[2J" in done.stderr and "\x1b" not in done.stderr
    assert warnings.formatwarning.__module__ == "warnings"


def test_a_record_of_a_log_cannot_look_like_two():
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    console.printable_records(handler)
    handler.emit(logging.LogRecord("x", logging.WARNING, "", 0, "column %s", ("a\x1b[2J\nERROR: forged",), None))
    assert written.getvalue() == "WARNING: column a\\x1b[2J\n    ERROR: forged\n"
