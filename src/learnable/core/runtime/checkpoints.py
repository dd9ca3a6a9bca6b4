"""Checkpoints: the state of a running fit in a file, from which the same fit resumes after a kill."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ..._version import __version__
from ..errors import ModelFileError, warn
from ..files import model_file
from ..files.encoding import Encoder
from ..files.fingerprint import fingerprint, learned_by
from . import context
from .trace import Stopped, Trace

State = dict[str, Any]


class Checkpoint:
    """The loops of one fit in order: states of the finished ones, and the latest state of the one that runs.

    A file belongs to one fit: class, parameters and data. Another fit's file is left alone until the first write.
    """

    def __init__(self, path: Path, every: float, key: str) -> None:
        self.path, self.every, self.key = path, every, key
        self.loops, self.seeds = self._stored()
        self.position = self.drawn = -1
        self._written = time.monotonic()
        self.refused = False  # a state that no file can hold

    def _stored(self) -> tuple[list[dict[str, Any]], list[int]]:
        if not self.path.exists():
            return [], []
        stored = model_file.read(self.path, "checkpoint")
        key, loops, seeds = stored if isinstance(stored, tuple) and len(stored) == 3 else ("", None, [])
        if not isinstance(loops, list) or not all(map(_is_loop, loops)) or not _are_seeds(seeds):
            raise ModelFileError(f"{self.path}: the checkpoint is malformed; delete it to start again")
        return (loops, seeds) if key == self.key else ([], [])

    def seed(self, fresh: int) -> int:
        """The next seed that this fit takes from nowhere: the one that it took before it was stopped, or `fresh`."""
        self.drawn += 1
        if self.drawn == len(self.seeds):
            self.seeds.append(fresh)
        return self.seeds[self.drawn]

    def next_loop(self) -> dict[str, Any] | None:
        """The stored `state` and `trace` of the next loop of this fit, if there are any."""
        self.position += 1
        return self.loops[self.position] if self.position < len(self.loops) else None

    def keep(self, state: dict[str, Any], rows: list[dict[str, float]], stopped: Stopped, now: bool) -> None:
        """Remember where the present loop stands; write it if `now`, or if the last write is a while ago."""
        if self.refused or (not now and time.monotonic() - self._written < self.every):
            return
        self.loops[self.position :] = [{"state": state, "trace": Trace(None, rows, stopped)}]
        encoder = Encoder()
        try:
            content = encoder.encode((self.key, self.loops, self.seeds), "checkpoint")
        except TypeError as error:  # as of learners of other libraries
            self.refused = True
            warn(f"{error}; the fit continues without checkpoints", UserWarning)
            return
        model_file.write(self.path, {"checkpoint": content}, encoder.tensors)
        self._written = time.monotonic()

    def whole(self, step: Callable[[State], State], state: State) -> State:
        """`step(state)`; loops inside a step are parts of it, done again with it and never kept by themselves."""
        with apart():
            return step(state)


def _is_loop(value: Any) -> bool:
    """Whether a stored value has the form of a loop."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("state"), dict)
        and isinstance(value.get("trace"), Trace)
        and set(value) == {"state", "trace"}
    )


def _are_seeds(value: Any) -> bool:
    """Whether a stored value has the form of the seeds of a fit."""
    return isinstance(value, list) and all(type(seed) is int and seed >= 0 for seed in value)


@contextmanager
def apart() -> Iterator[None]:
    """Keep no loop of the block by itself, as where several fits at once have no order to be found again by."""
    token = context._kept.set("inside a step")
    try:
        yield
    finally:
        context._kept.reset(token)


def keeping(
    path: Path, every: float, estimator: Any, arrays: tuple[Any, ...], begun: bool
) -> AbstractContextManager[None]:
    """Keep the loops of the fit of `estimator` on `arrays` in the file `path`.

    A fit that has `begun`, as it goes on from what the estimator knows, is another one for everything that it may know.

    The loops of fits inside this fit are loops of this fit too, unless they run inside a step of one.
    """
    known = [learned_by(estimator)] if begun else []
    return _kept_in(Checkpoint(path, every, fingerprint(__version__, estimator, *arrays, *known)))


@contextmanager
def _kept_in(checkpoint: Checkpoint) -> Iterator[None]:
    token = context._kept.set(checkpoint)
    try:
        yield
    finally:
        context._kept.reset(token)
