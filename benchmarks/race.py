"""Runs the contenders of one task side by side: a process each, one round after the other."""

from __future__ import annotations

import importlib.util
import json
import math
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import store
from benchmarks.task import Contender, Task
from benchmarks.threads import environment

ROOT = Path(__file__).resolve().parent.parent
PAUSE = 0.05  # seconds between runs: lets the spinning threads of the last one go to sleep


@dataclass
class Outcome:
    """What one contender did: status is ok, not installed, not available, failed or too slow."""

    contender: Contender
    status: str = "ok"
    note: str = ""
    seconds: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    figure: float = math.nan

    @property
    def ok(self) -> bool:
        """Whether it ran to the end."""
        return self.status == "ok"

    @property
    def median(self) -> float:
        """The median of the seconds of its runs."""
        return statistics.median(self.seconds) if self.seconds else math.nan

    @property
    def peak(self) -> float:
        """The highest peak of its runs, in megabytes above the data."""
        return max(self.peaks, default=math.nan)


class ChildError(Exception):
    """A child process that cannot go on: carries the status of the outcome and a note."""


class Child:
    """The process of one contender, and the pipe to it."""

    def __init__(self, task: Task, contender: Contender, folder: Path, threads: int, limit: float) -> None:
        self.limit = limit
        self.log = (folder / f"log.{len(list(folder.iterdir()))}").open("w+")
        arguments = [task.home, task.name, contender.name, str(folder), str(threads)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment(threads),
            cwd=ROOT,
            text=True,
        )

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()
        self.log.close()

    def ask(self, command: str) -> dict[str, Any]:
        """Send a command and wait for its reply."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.reply()

    def reply(self) -> dict[str, Any]:
        """The next message of the child."""
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], self.limit)[0]:
            raise ChildError("too slow", f"no reply in {self.limit:.0f} s")
        line = self.process.stdout.readline()
        if not line:
            raise ChildError("failed", f"the process ended: {self.last_words()}")
        message: dict[str, Any] = json.loads(line)
        if "error" in message:
            raise ChildError("not available" if message["missing"] else "failed", message["error"])
        return message

    def last_words(self) -> str:
        """The last line that the child wrote to its log."""
        self.log.seek(0)
        return (self.log.read().strip().splitlines() or ["without a word"])[-1]


def race(task: Task, *, quick: bool, threads: int, rounds: int, limit: float) -> list[Outcome]:
    """Every contender on the same data: rounds times in turn, each round starting with another one."""
    outcomes = [Outcome(contender) for contender in task.contenders]
    with tempfile.TemporaryDirectory(prefix="learnable-benchmark-") as name, ExitStack() as stack:
        folder = Path(name)
        store.save(folder, task.data(quick))
        children = []
        for outcome in outcomes:
            if installed(outcome):
                children.append((stack.enter_context(Child(task, outcome.contender, folder, threads, limit)), outcome))
                attempt(outcome, children[-1][0].reply)
        for turn in range(rounds):
            for child, outcome in rotated(children, turn):
                run(child, outcome)
        for child, outcome in children:
            if message := attempt(outcome, child.ask, "measure"):
                outcome.figure = message["figure"]
    return outcomes


def installed(outcome: Outcome) -> bool:
    """Whether the modules that a contender needs are there; says so in its outcome if not."""
    absent = [name for name in outcome.contender.needs if importlib.util.find_spec(name) is None]
    if absent:
        outcome.status, outcome.note = "not installed", ", ".join(absent)
    return not absent


def attempt(outcome: Outcome, action: Callable[..., dict[str, Any]], *arguments: str) -> dict[str, Any]:
    """Do it if all went well so far; write down what went wrong. Empty when it did not work."""
    if not outcome.ok:
        return {}
    try:
        return action(*arguments)
    except ChildError as error:
        outcome.status, outcome.note = error.args
    except BrokenPipeError:
        outcome.status, outcome.note = "failed", "the process ended"
    return {}


def run(child: Child, outcome: Outcome) -> None:
    """One timed run."""
    if message := attempt(outcome, child.ask, "run"):
        outcome.seconds.append(message["seconds"])
        outcome.peaks.append(message["peak"])
        time.sleep(PAUSE)


def rotated(items: list[Any], turn: int) -> list[Any]:
    """The items, starting with another one each turn."""
    first = turn % len(items) if items else 0
    return items[first:] + items[:first]
