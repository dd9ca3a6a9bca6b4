"""Hostile files of every class, tried in processes of their own: `python -m tests.fuzz.run [CASES] [CLASS ...]`.

What ends a process (a signal, too much processor time, no memory left) is a flaw of the case that was at work; the next
process goes on after it.
"""

from __future__ import annotations

import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STUCK = 120  # seconds without an end of a process that has a processor only now and then
DEATHS = 40  # of the processes of one class, after which it is left


@dataclass
class Outcome:
    """How many cases of a class were tried, and what was wrong: (class, case, changes, method, flaw)."""

    tried: int = 0
    flaws: list[list[Any]] = field(default_factory=list)


def tried(name: str, count: int, seed: str = "0", first: int = 0) -> Outcome:
    """`count` hostile files of one class."""
    outcome, end = Outcome(), first + count
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(b"\0" * 4096)
        progress.flush()
        for _ in range(DEATHS):
            if first >= end:
                break
            code = _process(name, progress.name, seed, first, end - first, outcome)
            case, changes, method = _at_work(progress.name)
            if code == 0:
                outcome.tried += end - first
                break
            outcome.flaws.append([name, case, changes, method, code])
            outcome.tried += case + 1 - first
            first = case + 1
            if case < 0:
                break
    return outcome


def _process(name: str, progress: str, seed: str, first: int, count: int, outcome: Outcome) -> Any:
    """Run one process; 0, or how it ended."""
    command = [sys.executable, "-m", "tests.fuzz.worker", progress, seed, str(first), str(count), name]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "LEARNABLE_THREADS": "2"}
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
        process = subprocess.Popen(command, stdout=said, stderr=wrong, cwd=ROOT, env=environment)
        try:
            code = process.wait(STUCK + count)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for file in (said, wrong):
            file.seek(0)
        outcome.flaws += [json.loads(line) for line in said if line.endswith("]\n")]
        if code == 0:
            return 0
        return signal.Signals(-code).name if code < 0 else f"ended with {code}: {wrong.read()[-300:]}"


def _at_work(path: str) -> tuple[int, str, str]:
    case, changes, method = Path(path).read_bytes().split(b"\0")[0].decode(errors="replace").split("\t")
    return int(case), changes, method


def main() -> None:
    from tests.contract.cases import CLASSES

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = os.environ.get("LEARNABLE_FUZZ_SEED", "0")
    names = sys.argv[2:] or list(CLASSES)
    kinds: collections.Counter[tuple[str, str, str]] = collections.Counter()
    total = 0
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for name, outcome in zip(names, pool.map(lambda name: tried(name, count, seed), names), strict=True):
            total += outcome.tried
            for flaw in outcome.flaws:
                key = (name, flaw[3], str(flaw[4]).split(": ")[0])
                kinds[key] += 1
                if kinds[key] == 1:
                    print(json.dumps(flaw), flush=True)
            print(name, outcome.tried, len(outcome.flaws), file=sys.stderr, flush=True)
    print(total, "cases,", len(kinds), "kinds of flaws", file=sys.stderr)


if __name__ == "__main__":
    main()
