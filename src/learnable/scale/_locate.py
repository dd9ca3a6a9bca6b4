"""Errors that say which rows of a scan caused them."""

from __future__ import annotations

from typing import Any

from ..core.errors import LearnableError


class Located:
    """Lets errors in the block of code say which rows caused them."""

    def __init__(self, block: Any) -> None:
        self.block = block

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, LearnableError) and "; in rows " not in str(error):
            numbers = self.block.numbers
            error.args = (f"{error}; in rows {numbers[0]} to {numbers[-1]}, {self.block.origin}",)
