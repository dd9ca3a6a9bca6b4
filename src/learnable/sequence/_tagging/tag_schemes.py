"""Tags of chunks: schemes such as IOB2 and IOBES, the chunks that tags mean, and the transitions that are valid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...core import Array, DataError

Scheme = Literal["IOB1", "IOB2", "IOBES"]
Chunk = tuple[str, int, int]
MERGED = {"BIO": "IOB2", "BIOES": "IOBES", "BILOU": "IOBES"}
ENDS = {"E", "L", "S", "U"}
BEGINS = {"B", "S", "U"}


class Tag(NamedTuple):
    """The prefix (B, I, O, E, S, and L, U of BILOU) and the type of a tag."""

    prefix: str
    kind: str


def parse_tag(owner: str, tag: str) -> Tag:
    """The parts of a tag such as `B-NP`; the type may be missing.

    >>> parse_tag("chunks", "I-NP-SBJ"), parse_tag("chunks", "O")
    (Tag(prefix='I', kind='NP-SBJ'), Tag(prefix='O', kind=''))
    """
    prefix, _, kind = tag.partition("-")
    if prefix not in ("B", "I", "O", "E", "S", "L", "U") or (prefix == "O" and kind):
        raise DataError(f"{owner}: {tag!r:.40} is not a tag of chunks: O, or B, I, E, S, L or U, a hyphen and a type")
    return Tag(prefix, kind)


def chunk_starts(before: Tag, tag: Tag) -> bool:
    """Whether a chunk begins at `tag`, by the rules of conlleval.

    >>> chunk_starts(Tag("I", "NP"), Tag("I", "VP")), chunk_starts(Tag("I", "NP"), Tag("I", "NP"))
    (True, False)
    """
    if tag.prefix == "O":
        return False
    after_end = before.prefix == "O" or before.prefix in ENDS
    return tag.prefix in BEGINS or after_end or before.kind != tag.kind


def chunk_ends(tag: Tag, after: Tag) -> bool:
    """Whether the chunk of `tag` ends there, by the rules of conlleval."""
    if tag.prefix == "O":
        return False
    return tag.prefix in ENDS or after.prefix == "O" or after.prefix in BEGINS or tag.kind != after.kind


def find_chunks(owner: str, tags: Sequence[str]) -> list[Chunk]:
    """The chunks of a sentence as (type, first token, last token), as conlleval finds them.

    >>> find_chunks("chunks", ["B-NP", "I-NP", "O", "I-VP"])
    [('NP', 0, 1), ('VP', 3, 3)]
    """
    outside = Tag("O", "")
    parsed = [parse_tag(owner, tag) for tag in tags]
    found, first = [], 0
    for t, tag in enumerate(parsed):
        if chunk_starts(parsed[t - 1] if t else outside, tag):
            first = t
        if chunk_ends(tag, parsed[t + 1] if t + 1 < len(parsed) else outside):
            found.append((tag.kind, first, t))
    return found


def write_chunks(chunks: Sequence[Chunk], length: int, scheme: Scheme) -> list[str]:
    """The tags of chunks in a scheme; chunks are in the order of their tokens and do not overlap.

    >>> write_chunks([("NP", 0, 1), ("NP", 2, 2)], 4, "IOB1")
    ['I-NP', 'I-NP', 'B-NP', 'O']
    >>> write_chunks([("NP", 0, 1), ("NP", 2, 2)], 4, "IOBES")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    tags, last = ["O"] * length, ("", -2)
    for kind, first, end in chunks:
        for t in range(first, end + 1):
            tags[t] = f"I-{kind}" if kind else "I"
        begin = "B"
        if scheme == "IOBES":
            begin = "S" if first == end else "B"
            tags[end] = "E" + tags[end][1:]
        if scheme != "IOB1" or last == (kind, first - 1):
            tags[first] = begin + tags[first][1:]
        last = (kind, end)
    return tags


class ValidTags(NamedTuple):
    """Which labels may begin a sentence, follow one another, and end a sentence."""

    start: Array
    transition: Array
    end: Array


def valid_tags(owner: str, classes: Sequence[str], scheme: str) -> ValidTags:
    """The rules of IOB2 or IOBES for these labels: an inside tag continues a chunk of its type."""
    chosen = MERGED.get(scheme, scheme)
    if chosen not in ("IOB1", "IOB2", "IOBES"):
        raise DataError(
            f"{owner}: allowed must be 'IOB2' (BIO), 'IOBES' (BIOES), 'IOB1' or a matrix; got {scheme!r:.40}"
        )
    tags, outside = [parse_tag(owner, label) for label in classes], Tag("O", "")
    follows = _follows_in_iobes if chosen == "IOBES" else _follows_in_iob2 if chosen == "IOB2" else _follows_in_iob1
    return ValidTags(
        np.array([follows(outside, tag) for tag in tags]),
        np.array([[follows(before, tag) for tag in tags] for before in tags]),
        np.array([follows(tag, outside) for tag in tags]),
    )


def _follows_in_iob1(before: Tag, tag: Tag) -> bool:
    return tag.prefix != "B" or (before.prefix != "O" and before.kind == tag.kind)


def _follows_in_iob2(before: Tag, tag: Tag) -> bool:
    return tag.prefix != "I" or (before.prefix in ("B", "I") and before.kind == tag.kind)


def _follows_in_iobes(before: Tag, tag: Tag) -> bool:
    open_ = before.prefix in ("B", "I")
    goes_on = tag.prefix in ("I", "E", "L")
    return open_ == goes_on and (not open_ or before.kind == tag.kind)
