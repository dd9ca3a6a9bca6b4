"""Text from data as terminals, logs, pages and pictures may show it: what cannot be seen stands there as an escape."""

from __future__ import annotations

import re

UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters: escape sequences of terminals begin with one of them
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"  # marks that reorder or hide text, and invisible operators
    "\u180e\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
    "\u2028\u2029\ud800-\udfff]"  # line and paragraph separators; halves of characters, which no file can hold
)


def printable(text: str, keep: str = "") -> str:
    r"""`text` with control characters, line breaks and marks of writing direction as escapes, but for those to `keep`.

    Letters of all languages stay as they are, also joined ones.

    >>> printable("caf\u00e9\x1b[31m\nerror: \u202eno")
    'café\\x1b[31m\\nerror: \\u202eno'
    >>> printable("two\nlines\x00", keep="\n")
    'two\nlines\\x00'
    """
    return UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
