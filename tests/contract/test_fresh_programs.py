"""Files that one program has written are read by another, which has used no model before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import learnable
from tests.contract.cases import PUBLIC, fit_quietly, make, problem

# Each file is loaded by a child of its own: the parent knows nothing but the library's name.
PROGRAM = """
import os, sys
import learnable

assert "learnable.engines" not in sys.modules
for path in sys.argv[1:]:
    if os.fork() == 0:
        print(type(learnable.load(path)).__name__, flush=True)
        os._exit(0)
    os.wait()
"""


def test_values_in_files_are_known_to_a_program_that_has_used_no_model(tmp_path: Path) -> None:
    holding: list[str] = []
    for name, cls in PUBLIC.items():
        learnable.save(fit_quietly(make(cls), *problem(cls, 30, 3)), tmp_path / name)
        text = (tmp_path / name).read_bytes()
        holding += [name] if rb"\"value\": " in text and b"Toy" not in text else []
    assert {"RandomForestClassifier", "SVC", "C45Classifier"} <= set(holding)
    files = [str(tmp_path / name) for name in holding]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *files], capture_output=True, text=True)
    assert done.stdout.split() == holding, done.stderr[-2000:]
