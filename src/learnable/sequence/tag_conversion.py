"""Conversion of tags between the schemes of chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core import DataError
from ..core.declare.checked_functions import checked
from ._tagging.tag_schemes import Scheme, find_chunks, write_chunks


@checked()
def convert_tags(tags: Sequence[Any], scheme: Scheme) -> list[Any]:
    """Tags of a sentence, or of several, in another scheme: IOB1, IOB2 (BIO) or IOBES (BIOES).

    The scheme of the input is recognised tag by tag, as conlleval does; it may also be BILOU.

    >>> convert_tags(["I-NP", "I-NP", "B-NP", "O"], "IOB2")
    ['B-NP', 'I-NP', 'B-NP', 'O']
    >>> convert_tags([["B-NP", "I-NP"], ["B-VP"]], "IOBES")
    [['B-NP', 'E-NP'], ['S-VP']]
    """
    if isinstance(tags, str):
        raise DataError(f"convert_tags: tags must be a list of tags, or of lists of them; got the text {tags!r:.40}")
    if len(tags) and not isinstance(tags[0], str):
        return [convert_tags(sentence, scheme) for sentence in tags]
    return list(write_chunks(find_chunks("convert_tags", tags), len(tags), scheme))
