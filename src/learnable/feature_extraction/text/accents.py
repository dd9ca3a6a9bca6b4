"""Plain letters: accents and markup taken off a text."""

from __future__ import annotations

import re
import unicodedata

from ...core.declare.checked_functions import checked

_tag = re.compile(r"<([^>]+)>", flags=re.UNICODE)


@checked()
def strip_accents_unicode(s: str) -> str:
    """The text with accents off its letters: characters are decomposed (NFKD) and combining marks dropped.

    >>> strip_accents_unicode("Zoë naïve ½")
    'Zoe naive 1⁄2'
    """
    if s.isascii():
        return s
    return "".join(c for c in unicodedata.normalize("NFKD", s) if not unicodedata.combining(c))


@checked()
def strip_accents_ascii(s: str) -> str:
    """The text in ASCII: letters without their accents, and whatever else ASCII does not have left out.

    >>> strip_accents_ascii("Zoë, 25 €")
    'Zoe, 25 '
    """
    return unicodedata.normalize("NFKD", s).encode("ASCII", "ignore").decode("ASCII")


@checked()
def strip_tags(s: str) -> str:
    """The text with a blank for each <tag>; for real HTML, use a parser.

    >>> strip_tags("a <b>bold</b> word")
    'a  bold  word'
    """
    return _tag.sub(" ", s)
