"""Short labels for figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.printable import printable


def shortened(names: Sequence[Any], most: int = 16) -> list[str]:
    """Names of about `most` characters, still distinct: long ones lose their middle, some get a number.

    >>> shortened(["blue", "species number 1 of 30", "species number 1 of 40"])
    ['blue', 'species …1 of 30', 'species …1 of 40']
    >>> shortened(["aaaa", "aaba"], 3)
    ['1: a…a', '2: a…a']
    """
    texts = [printable(str(name)) for name in names]
    head = most // 2
    cut = [text if len(text) <= most else f"{text[:head]}…{text[len(text) - (most - head - 1) :]}" for text in texts]
    if len(set(cut)) == len(set(texts)):
        return cut
    return [f"{k}: {name}" for k, name in enumerate(cut, 1)]
