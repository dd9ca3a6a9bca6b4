"""Tables that are broken are refused with a clear message; odd but sound ones are studied."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.app.commands.test_predict import run

RNG = np.random.default_rng(0)
LINES = [f"{a:.3f},{b:.3f},{a + b:.3f}" for a, b in RNG.normal(size=(60, 2))]
BODY = "\n".join(LINES) + "\n"

BROKEN = {
    "binary garbage": (RNG.bytes(5000), "cannot be read as a table"),
    "no bytes": (b"", "empty"),
    "one row": (b"a,b,y\n1,2,3\n", "row"),
    "all missing": (b"a,b,y\n" + b",,\n" * 60, "no "),
    "duplicate headers": ("a,a,y\n" + BODY, "more than one column called 'a'"),
    "a quote never closed": ("a,b,y\n" + BODY + '1,"2,3\n' + BODY, "line 62 is never closed"),
    "two quotes never closed": ("a,b,y\n" + BODY + '1,"2,3\n' + BODY + '1,"2,3\n', "line 62 is never closed"),
    "a line too long": ("a,b,y\n" + BODY + "1,2,3,4\n", "line 62 has 4 cells"),
    "infinity": ("a,b,y\n" + BODY + "1,inf,3\n", "column 'b' contains infinity in row 60 (the first row is 0)"),
}
SOUND = {
    "unicode names": "größe,重さ,y\n" + BODY,
    "byte order mark": "\ufeffa,b,y\n" + BODY,
    "mixed newlines": "a,b,y\r\n" + "\r\n".join(LINES[:30]) + "\r\n" + "\n".join(LINES[30:]) + "\n",
}


def studied(capsys, tmp_path, content, target):
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    requested = ["--target", "y", "--models", "ridge regression"] if target else []
    return run(capsys, "study", path, "--quick", "--out", tmp_path / "out", *requested)


@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize("kind", BROKEN)
def test_broken_tables_are_refused(capsys, tmp_path, kind, target):
    content, words = BROKEN[kind]
    code, _, err = studied(capsys, tmp_path, content, target)
    assert code == 3 and "error: " in err and words in " ".join(err.split()) and "Traceback" not in err
    assert not (tmp_path / "out" / "report.html").exists()


def test_columns_without_number_are_refused(capsys, tmp_path):
    many = 30_000
    content = ",".join(f"c{k}" for k in range(many)) + ",y\n" + "1," * many + "1\n"
    code, _, err = studied(capsys, tmp_path, content, target=True)
    assert code == 3 and "has 30001 columns; a study takes at most" in " ".join(err.split())


@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize("kind", SOUND)
def test_unusual_tables_are_studied(capsys, tmp_path, kind, target):
    code, _, err = studied(capsys, tmp_path, SOUND[kind], target)
    assert code == 0, err
    content = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (content["data"] if target else content)["rows"] == 60
    assert "Warning" not in err
