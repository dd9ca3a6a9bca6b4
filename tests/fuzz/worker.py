"""A process that loads hostile files and runs what loads; its parent sees how it ends.

python -m tests.fuzz.worker PROGRESS SEED START BEGIN END CLASS ...: cases BEGIN to END of each class, of the first one
from START on. A line of JSON on standard output for each flaw; which case is at work stands in the file PROGRESS, which
outlives the process.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import resource
import sys
import time
import traceback
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from learnable.core import ModelFileError
from learnable.core.files import model_file as files
from learnable.core.files.trial_prediction import tried
from tests.fuzz.edits import Edits
from tests.fuzz.exercise import calls, flaw, quietly
from tests.fuzz.seeds import Seed, drawn

SECONDS = 6  # of processor time that one case may take
SLOW = 3  # seconds that are too many for the smallest file
ROOM = 2**29  # bytes that it may take beyond what the process has
WIDTH = 4096


class Progress:
    """A text in a file that is still there when the process is not."""

    def __init__(self, path: str) -> None:
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), WIDTH)

    def say(self, text: str) -> None:
        encoded = text.replace("\0", "0").encode()[: WIDTH - 1]
        self.map[: len(encoded) + 1] = encoded + b"\0"


def packed(description: Any, tensors: dict[str, Any]) -> tuple[Any, dict[str, Any], int]:
    """What a reader of the file would get: description, arrays that are read only, and bytes."""
    from safetensors.numpy import load, save

    payload, text = save(tensors), json.dumps(description)
    return json.loads(text), load(payload), len(payload) + len(text)


def released() -> None:
    """Lift the limits, which hold for cases and not for the fits behind them."""
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def held_back() -> None:
    """Let no case take more memory than it may."""
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, resource.RLIM_INFINITY))


def timed() -> float:
    """The processor time so far; more than `SECONDS` from now on end the process."""
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used) + SECONDS + 1, resource.RLIM_INFINITY))
    return used


def _unforeseen(error: ModelFileError) -> str:
    """What Python raised while what was read was checked against its declaration; empty if it did not."""
    first: BaseException = error
    while first.__context__ is not None:
        first = first.__context__
    names = [frame.name for frame in traceback.extract_tb(first.__traceback__)]
    return flaw(first) if "_check_state" in names else ""


class Worker:
    """Cases of one class, one after the other."""

    def __init__(self, name: str, progress: Progress, seed: str) -> None:
        self.name, self.progress, self.seed = name, progress, seed
        self.usual: dict[int, set[tuple[str, str]]] = {}

    def _is_usual(self, seed: Seed, method: str, found: str) -> bool:
        """Whether the model has this flaw before anything is changed: what the method was given does not suit it."""
        if id(seed) not in self.usual:
            model = files._decoded(*packed(*seed.fresh())[:2], "file")
            flaws = {(name, quietly(call).split(":")[0]) for name, call in calls(model, seed.X, seed.y)}
            self.usual[id(seed)] = flaws
        return (method, found.split(":")[0]) in self.usual[id(seed)]

    def run(self, case: int) -> None:
        rng = random.Random(f"{self.seed} {self.name} {case}")
        released()
        seed = drawn(self.name, rng)
        held_back()
        edits = Edits(seed, rng)
        edits.make()
        said = "; ".join(edits.said)
        self.progress.say(f"{self.name}\t{case}\t{said[:800]}\tload")
        try:
            description, tensors, size = packed(edits.model, edits.tensors)
        except (ValueError, TypeError):  # a change that no file can hold
            return
        began = timed()
        model = self._loaded(description, tensors, case, said)
        self._check_time(began, size, case, said, "load")
        if model is None:
            return
        for method, call in calls(model, seed.X, seed.y):
            self.progress.say(f"{self.name}\t{case}\t{said[:800]}\t{method}")
            began = timed()
            found = quietly(call)
            if found and not self._is_usual(seed, method, found):
                self.report(case, said, method, found)
            self._check_time(began, size, case, said, method)

    def _loaded(self, description: Any, tensors: Any, case: int, said: str) -> Any:
        try:
            return tried(files._decoded(description, tensors, "file"), "file")
        except ModelFileError as error:
            if os.environ.get("LEARNABLE_FUZZ_STRICT") and (found := _unforeseen(error)):
                self.report(case, said, "load", found)
        except Exception as error:
            self.report(case, said, "load", flaw(error) or repr(error))
        return None

    def _check_time(self, began: float, size: int, case: int, said: str, method: str) -> None:
        took = time.process_time() - began
        if took > SLOW + size / 2e5:
            self.report(case, said, method, f"slow: {took:.1f} s for {size} bytes")

    def report(self, case: int, said: str, method: str, found: str) -> None:
        print(json.dumps([self.name, case, said[:800], method, found]), flush=True)


def main(path: str, seed: str, start: str, begin: str, end: str, *names: str) -> None:
    progress = Progress(path)
    for name in names:
        progress.say(f"{name}\t-1\tfits\tfit")
        worker = Worker(name, progress, seed)
        for case in range(int(start) if name == names[0] else int(begin), int(end)):
            worker.run(case)
    progress.say("\t0\tdone\tend")


if __name__ == "__main__":
    main(*sys.argv[1:])
