"""Studies that are killed or interrupted: files are whole, and what was done is not lost."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import learnable

COMMAND = [sys.executable, "-m", "learnable", "study", "--quick", "--models", "ridge regression", "--models", "lasso"]
FILES = ("report.html", "report.json", "model.learnable", "predictions.csv", "code.py")


def begun(folder, *more):
    return subprocess.Popen([*COMMAND, "--out", str(folder), *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def exit_code(process):
    process.communicate(timeout=300)
    return process.returncode


def without_times(text):
    return re.sub(r"<!-- times.*?end of times -->", "", text, flags=re.DOTALL)


def killed_and_resumed(tmp_path, moments):
    """The files of a study killed after the given fractions of its usual duration, and those of an undisturbed one."""
    began = time.monotonic()
    assert exit_code(begun(tmp_path / "whole")) == 0
    usual = time.monotonic() - began
    for moment in moments:
        process = begun(tmp_path / "killed", "--resume")
        time.sleep(moment * usual)
        process.kill()
        process.communicate()
        for name in FILES:
            if (tmp_path / "killed" / name).exists():
                check_whole(tmp_path / "killed" / name)
    assert exit_code(begun(tmp_path / "killed", "--resume")) == 0
    left = sorted(path.name for path in (tmp_path / "killed").iterdir())
    assert left == sorted([*FILES, "journal.jsonl"]), "nothing half-written is left behind"
    return [contents(tmp_path / name) for name in ("killed", "whole")]


def contents(folder):
    """What must not depend on when it was made."""
    same = {name: (folder / name).read_bytes() for name in ("model.learnable", "predictions.csv", "code.py")}
    return {**same, "report.html": without_times((folder / "report.html").read_text())}


def check_whole(path):
    if path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix == ".learnable":
        learnable.load(path)
    elif path.suffix == ".html":
        assert path.read_text().rstrip().endswith("</html>")


def test_a_killed_study_goes_on_and_ends_with_the_same_files(tmp_path):
    killed, whole = killed_and_resumed(tmp_path, [0.6, 0.9])
    assert killed == whole


@pytest.mark.slow
def test_fifty_kills(tmp_path):
    moments = np.random.default_rng(0).uniform(0.1, 1.0, 50)
    killed, whole = killed_and_resumed(tmp_path, moments)
    assert killed == whole


def test_an_interrupt_leaves_a_report_of_what_was_done(tmp_path):
    process = begun(tmp_path / "o", "--folds", "5x500")
    journal = tmp_path / "o" / "journal.jsonl"
    deadline = time.monotonic() + 600
    while not (journal.exists() and journal.read_bytes().count(b"\n") > 40) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, talk = process.communicate(timeout=600)
    assert process.returncode == 130, talk.decode()
    content = json.loads((tmp_path / "o" / "report.json").read_text())
    assert content["partial"] is True and "with --resume" in " ".join(talk.decode().split())
    assert learnable.load(tmp_path / "o" / "model.learnable").task == "regression"
