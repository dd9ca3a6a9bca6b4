"""What a promise is: a function that takes an estimator class and fails if the class does not keep it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Class = type
Check = Callable[[Class], None]


@dataclass(frozen=True)
class Promise:
    """A named check, and which classes make this promise (by what they declare, never by their name)."""

    name: str
    keep: Check
    made_by: Callable[[Class], bool]
    of_any_input: bool

    def binds(self, cls: Class) -> bool:
        """Whether `cls` makes this promise; most are about matrices and predictions, which not every class has."""
        return (self.of_any_input or (cls.traits.takes in MATRICES and not silent_about_rows(cls))) and self.made_by(
            cls
        )


def draws_classes(cls: Class) -> bool:
    """Whether it draws rows by class: then it has nothing to say about single rows."""
    return cls.traits.task == "resampling" and not hasattr(cls, "kept_rows")


def silent_about_rows(cls: Class) -> bool:
    """Whether it has nothing to say about new rows: it draws rows by class, or finds biclusters of one table."""
    return cls.traits.task == "biclustering" or draws_classes(cls)


MATRICES = ("numbers", "table", "parts")
PROMISES: dict[str, Promise] = {}


def promise(
    made_by: Callable[[Class], bool] = lambda cls: True, of_any_input: bool = False
) -> Callable[[Check], Check]:
    """Register a check as a promise under the name of its function."""

    def register(check: Check) -> Check:
        PROMISES[check.__name__] = Promise(check.__name__, check, made_by, of_any_input)
        return check

    return register


def exemptions() -> dict[str, dict[str, str]]:
    """Promise -> class -> reason, of the few that cannot be kept."""
    return tomllib.loads((Path(__file__).parent / "exemptions.toml").read_text(encoding="utf-8"))
