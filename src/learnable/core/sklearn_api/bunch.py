"""A dictionary with attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Bunch(dict[str, Any]):
    """A dictionary whose keys are also attributes.

    >>> table = Bunch(rows=3)
    >>> table.rows, table["rows"]
    (3, 3)
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *map(str, self)]
