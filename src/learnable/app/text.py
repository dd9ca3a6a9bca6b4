"""Counts, percentages and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAX_LISTED, MAX_NAMED = 5, 12  # entries that a sentence lists, and column names


def counted(count: int, thing: str) -> str:
    """A count with its noun.

    >>> counted(1, "row"), counted(2, "row"), counted(3, "class"), counted(0, "category"), counted(2, "day")
    ('1 row', '2 rows', '3 classes', '0 categories', '2 days')
    """
    changed = thing.endswith("y") and thing[-2] not in "aeiou"
    plural = f"{thing[:-1]}ies" if changed else f"{thing}es" if thing.endswith("ss") else f"{thing}s"
    return f"{count} {thing if count == 1 else plural}"


def agree(verb: str, count: int) -> str:
    """A verb, given in the singular, in agreement with a count.

    >>> agree("is", 1), agree("is", 2), agree("repeats", 1), agree("repeats", 0)
    ('is', 'are', 'repeats', 'repeat')
    """
    return verb if count == 1 else {"is": "are", "was": "were", "has": "have"}.get(verb, verb.removesuffix("s"))


def percent(fraction: float, decimals: int = 1) -> str:
    """A fraction in percent, never rounded to 0 % or 100 %.

    >>> percent(0.25), percent(0.99996), percent(0.00001), percent(0.034, 0), percent(0.9999, 0), percent(1.0)
    ('25 %', '> 99.9 %', '< 0.1 %', '3 %', '> 99 %', '100 %')
    """
    least, found = 10.0**-decimals, 100 * fraction
    if 0 < found < least:
        return f"< {least:g} %"
    return f"> {100 - least:g} %" if 100 - least < found < 100 else f"{round(found, decimals):g} %"


def listed(entries: Sequence[Any], most: int = MAX_LISTED) -> str:
    """The first few entries, and the number of the others.

    >>> listed(["a", "b"]), listed(list("abcdefgh"))
    ('a, b', 'a, b, c, d, e and 3 more')
    """
    more = len(entries) - most
    return ", ".join(map(str, entries[:most])) + (f" and {more} more" if more > 0 else "")


def quoted(names: Sequence[str], most: int = MAX_NAMED) -> str:
    """The first few names in quotes.

    >>> quoted(["age", "sex, of birth"])
    "'age', 'sex, of birth'"
    """
    return listed(list(map(repr, names)), most)


def together(words: Sequence[str], most: int = MAX_LISTED) -> str:
    """The first few words joined by commas and `and`.

    >>> together(["a"]), together(["a", "b", "c"]), together(list("abcdefgh"))
    ('a', 'a, b and c', 'a, b, c, d, e and 3 more')
    """
    if len(words) > most:
        return listed(words, most)
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
