"""Hostile files of every class, tried in processes of their own: `python -m tests.fuzz.run [CASES] [CLASS ...]`.

What ends a process (a signal, too much processor time, no memory left) is a flaw of the case that was at work; the next
process goes on after it.
"""

from __future__ import annotations

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


def tried(names: list[str], begin: int, end: int, seed: str = "0") -> Outcome:
    """Cases `begin` to `end` of each of some classes."""
    outcome, left, start, deaths = Outcome(), list(names), begin, 0
    with tempfile.NamedTemporaryFile() as progress:
        progress.write(b"\0" * 4096)
        progress.flush()
        while left:
            code = _process(left, progress.name, (seed, start, begin, end), outcome)
            if code == 0:
                outcome.tried += end - start + (len(left) - 1) * (end - begin)
                break
            name, case, changes, method = _at_work(progress.name)
            outcome.flaws.append([name, case, changes, method, code])
            deaths = deaths + 1 if name == left[0] else 1
            done = left.index(name)
            outcome.tried += done * (end - begin) + case + 1 - (start if done == 0 else begin)
            left, start = left[done:], case + 1
            if case < 0 or start >= end or deaths > DEATHS:
                left, start, deaths = left[1:], begin, 0
    return outcome


def _process(names: list[str], progress: str, numbers: tuple[Any, ...], outcome: Outcome) -> Any:
    """Run one process; 0, or how it ended."""
    command = [sys.executable, "-m", "tests.fuzz.worker", progress, *map(str, numbers), *names]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
        process = subprocess.Popen(command, stdout=said, stderr=wrong, cwd=ROOT, env=environment)
        try:
            code = process.wait(STUCK + numbers[3] * len(names))
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for file in (said, wrong):
            file.seek(0)
        outcome.flaws += [json.loads(line) for line in said if line.endswith("]\n")]
        if code == 0:
            return 0
        return signal.Signals(-code).name if code < 0 else f"ended with {code}: {wrong.read()[-300:]}"


def _at_work(path: str) -> tuple[str, int, str, str]:
    name, case, changes, method = Path(path).read_bytes().split(b"\0")[0].decode(errors="replace").split("\t")
    return name, int(case), changes, method


def is_severe(flaw: list[Any]) -> bool:
    """Whether a process ended, time or memory ran out, or words of the compiled code's tools came through."""
    words = str(flaw[4])
    known = ("SIG", "ended", "slow", "MemoryError", "SystemError", "RecursionError")
    return words.startswith(known) or any(word in words for word in ("bad_", "std::", "incompatible function"))


def main() -> None:
    from tests.contract.cases import CLASSES

    count, names = int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:] or list(CLASSES)
    seed, kinds, total = os.environ.get("LEARNABLE_FUZZ_SEED", "0"), set(), 0
    parts = [names[at : at + 6] for at in range(0, len(names), 6)]
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "2"))) as pool:
        for part, outcome in zip(parts, pool.map(lambda part: tried(part, 0, count, seed), parts), strict=True):
            total += outcome.tried
            for flaw in outcome.flaws:
                key = (flaw[0], flaw[3], str(flaw[4]).split(": ")[0])
                if key not in kinds:
                    print("SEVERE" if is_severe(flaw) else "raw", json.dumps(flaw), flush=True)
                kinds.add(key)
            print(part[-1], total, len(kinds), file=sys.stderr, flush=True)
    print(total, "cases,", len(kinds), "kinds of flaws", file=sys.stderr)


if __name__ == "__main__":
    main()
