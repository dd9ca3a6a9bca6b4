"""The journal of a study: says so if nothing in it can be used."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...model_selection._journal import Journal
from ..text import counted


class StudyJournal(Journal):
    """The evaluations of a study on disk; `say` hears whether those of an earlier one can be used.

    The first evaluation of a study is the first in its journal, so one look is enough.
    """

    def __init__(self, path: str | os.PathLike[str], say: Callable[[str], None]) -> None:
        super().__init__(path)
        self.say, self.looked_up = say, False

    def get(self, key: str) -> Any:
        """The evaluation under a key, or None."""
        found = super().get(key)
        if not self.looked_up and self.known and found is None:
            self.say(
                f"--resume: {counted(len(self.known), 'evaluation')} in {self.path} cannot be used: they were made by "
                "another version of learnable, on another table or with other options; the study starts again"
            )
        self.looked_up = True
        return found
