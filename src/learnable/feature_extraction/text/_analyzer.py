"""How a text is cut into terms, written in Python: what the compiled counter does, for any tokeniser and pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

import numpy as np

from ...core import Array
from ...core.errors import DataError, ParameterError
from .accents import strip_accents_ascii, strip_accents_unicode
from .stop_words import ENGLISH_STOP_WORDS

_spaces = re.compile(r"\s\s+")


def word_ngrams(tokens: list[str], low: int, high: int, stop: Collection[str] | None = None) -> list[str]:
    """Runs of `low` to `high` tokens, joined by blanks; stop words are taken out first."""
    kept = tokens if stop is None else [token for token in tokens if token not in stop]
    if (low, high) == (1, 1):
        return kept
    return [" ".join(kept[i : i + n]) for n in range(low, high + 1) for i in range(len(kept) - n + 1)]


def char_ngrams(text: str, low: int, high: int) -> list[str]:
    """Runs of `low` to `high` characters, spaces squeezed."""
    text = _spaces.sub(" ", text)
    return [text[i : i + n] for n in range(low, high + 1) for i in range(len(text) - n + 1)]


def char_wb_ngrams(text: str, low: int, high: int) -> list[str]:
    """Runs of characters inside words with a blank before and behind; a shorter word counts once, whole."""
    found = []
    for word in text.split():
        padded = f" {word} "
        sizes = range(low, min(high, len(padded)) + 1) or [len(padded)]
        found += [padded[i : i + n] for n in sizes for i in range(len(padded) - n + 1)]
    return found


def stop_list(stop_words: Any) -> frozenset[str] | None:
    """The stop words that a parameter names."""
    if stop_words is None:
        return None
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ParameterError(f"not a built-in stop list: {stop_words}; stop_words is 'english' or a list of words")
        return ENGLISH_STOP_WORDS
    odd = next((word for word in stop_words if not isinstance(word, str)), None)
    if odd is not None:
        raise ParameterError(f"stop_words must be texts; got {odd!r:.40} of type {type(odd).__name__}")
    return frozenset(stop_words)


def accent_stripper(strip_accents: Any) -> Callable[[str], str] | None:
    """The function that a value of the parameter `strip_accents` means."""
    named = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
    return named[strip_accents] if isinstance(strip_accents, str) else strip_accents


def token_finder(pattern: str) -> Callable[[str], list[str]]:
    """The function that finds all tokens of a text."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ParameterError(f"token_pattern={pattern!r} is not a regular expression: {error}") from None
    if compiled.groups > 1:
        raise ParameterError(f"token_pattern={pattern!r} has several groups; one at most can say what the token is")
    return compiled.findall


def decoded(document: Any, given: str, encoding: str, errors: str) -> Any:
    """The text of a document that is a text, some bytes, a path or an open file."""
    if given == "filename":
        with open(document, "rb") as file:
            document = file.read()
    elif given == "file":
        document = document.read()
    if hasattr(document, "as_py"):  # an entry of a column of Arrow
        document = document.as_py()
    if isinstance(document, bytes):
        document = document.decode(encoding, errors)
    if isinstance(document, float) and document != document:
        raise DataError("A document is NaN, not a text: fill or drop missing texts first")
    return document


def inconsistent_stop_words(
    stop: Collection[str], preprocess: Callable[[str], str], tokenize: Callable[[str], list[str]]
) -> list[str]:
    """Tokens that stop words become under the preprocessing and that are no stop words themselves."""
    return sorted({token for word in stop for token in tokenize(preprocess(word))} - set(stop))


@cache
def character_bitmaps() -> tuple[Array, Array]:
    """A bit per code point: does it belong to words (\\w), is it space (\\s), as this Python says."""
    points = np.arange(0x110000, dtype=np.uint32).view("U1")
    word = np.strings.isalnum(points)
    word[ord("_")] = True
    return np.packbits(word, bitorder="little"), np.packbits(np.strings.isspace(points), bitorder="little")


@cache
def ascii_bitmaps() -> tuple[Array, Array]:
    """The same for ASCII only."""
    points = [chr(point) for point in range(128)]
    word = np.packbits([c.isalnum() or c == "_" for c in points], bitorder="little")
    space = np.packbits([c.isspace() for c in points], bitorder="little")
    beyond = (0, 0x110000 // 8 - len(word))
    return np.pad(word, beyond), np.pad(space, beyond)


def first_upper(vocabulary: Collection[Any]) -> Any | None:
    """A term of the vocabulary with a capital letter, which lower-cased texts never have."""
    texts = (term for term in vocabulary if isinstance(term, str))
    return next((term for term in texts if any(map(str.isupper, term))), None)
