"""Journal: finished fits in an append-only file, so that a killed search can resume."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

from ..core.errors import ParameterError


class Journal:
    """Key -> plain data (numbers, text, lists, dictionaries), a line for each; a line is there whole or not at all.

    Keys say what the work was done on, so one file may serve many searches. A broken last line, left by a kill, is
    passed over; a file that is something else is refused. Numbers come back with the same bits.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Journal(Path(folder) / "search.jsonl") as journal:
    ...         journal.put("one", {"score": 0.1})
    ...     with Journal(Path(folder) / "search.jsonl") as again:
    ...         again.get("one")
    {'score': 0.1}
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.known: dict[str, Any] = {}
        self._file: int | None = None

    def __enter__(self) -> Self:
        try:
            content = self.path.read_bytes() if self.path.exists() else b""
            self._refuse_others(content)
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise ParameterError(f"journal: {self.path} cannot be read and written: {error}") from None
        for line in content.split(b"\n"):
            self._recall(line)
        if content and not content.endswith(b"\n"):
            os.write(self._file, b"\n")
        return self

    def __exit__(self, *problem: object) -> None:
        assert self._file is not None
        os.fsync(self._file)
        os.close(self._file)
        self._file = None

    def _refuse_others(self, content: bytes) -> None:
        """A journal begins with an entry, or the start of one that a kill cut short."""
        begin = b'{"key": "'
        if content and not (content.startswith(begin) or begin.startswith(content)):
            raise ParameterError(
                f"journal: {self.path} exists and is not a journal of fits; give the path of a new file or of a journal"
            )

    def _recall(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            self.known[entry["key"]] = entry["value"]
        except (ValueError, TypeError, KeyError):
            return  # a line that a kill cut short

    def get(self, key: str) -> Any:
        """What was put under `key`, or None."""
        return self.known.get(key)

    def put(self, key: str, value: Any) -> None:
        """Remember `value`, in the file too; one write, so that a kill leaves it there or not."""
        assert self._file is not None
        self.known[key] = value
        os.write(self._file, json.dumps({"key": key, "value": value}).encode() + b"\n")


class NoJournal(Journal):
    """Remembers nothing."""

    def __init__(self) -> None:
        super().__init__(os.devnull)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        return None

    def put(self, key: str, value: Any) -> None:
        """Forget it."""
