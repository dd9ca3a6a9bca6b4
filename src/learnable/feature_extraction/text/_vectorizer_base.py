"""What the vectorizers share: the parameters that say how texts are read and cut, and the counting itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Literal, Self

import numpy as np

from ...core import Estimator, Traits, declaring, param
from ...core.declare import params
from ...core.errors import DataError, ErrorOwner, ParameterError, warn
from . import _analyzer
from ._term_counts import MIN_LENGTH_OF_PATTERN, CountsInPython, Cut, TermCounts
from .stop_words import ENGLISH_STOP_WORDS

StopWords = Literal["english"] | list[str] | tuple[str, ...] | set[str] | frozenset[str] | None
WORDS = r"(?u)\b\w\w+\b"


def is_dtype(value: Any) -> bool:
    """Whether NumPy takes `value` for a number type."""
    try:
        return np.dtype(value).kind in "biuf"
    except TypeError:
        return False


def _is_range(value: Any) -> bool:
    return len(value) == 2 and all(isinstance(n, (int, np.integer)) and n >= 1 for n in value)


@declaring
class TextVectorizer(Estimator):
    """An estimator that turns texts into rows of a sparse matrix."""

    input: Literal["content", "filename", "file"] = param(
        "content", "type of the documents: strings, paths, or open files"
    )
    encoding: str = param("utf-8", "character encoding of bytes")
    decode_error: Literal["strict", "ignore", "replace"] = param("strict", "handling of bytes that cannot be decoded")
    strip_accents: Literal["ascii", "unicode"] | Callable[..., str] | None = param(None, "method that strips accents")
    lowercase: bool = param(True, "whether to convert text to lowercase")
    preprocessor: Callable[..., str] | None = param(
        None, "function that preprocesses a document, instead of strip_accents and lowercase"
    )
    tokenizer: Callable[..., Any] | None = param(
        None, "function that splits a text into tokens, instead of token_pattern"
    )
    stop_words: StopWords = param(None, "words to ignore")
    token_pattern: str | None = param(WORDS, "regular expression of a word")
    ngram_range: tuple[int, int] = param(
        (1, 1),
        "minimum and maximum n of the n-grams",
        accepts=_is_range,
        says="two whole numbers of 1 or more",
    )
    analyzer: Literal["word", "char", "char_wb"] | Callable[..., Any] = param(
        "word", "features: words, characters, characters inside words, or a function of the document"
    )

    traits = Traits(takes="texts", task="transformation", weights=False)

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary (and weights) from the documents; `y` is ignored."""
        self.fit_transform(raw_documents, y)
        return self

    @abstractmethod
    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """The matrix of the documents that are learned from."""

    def decode(self, doc: Any) -> Any:
        """The text of a document, as `input`, `encoding` and `decode_error` say."""
        return _analyzer.decoded(doc, self.input, self.encoding, self.decode_error)

    def build_preprocessor(self) -> Callable[[str], str]:
        """The function that is applied to each text first."""
        if self.preprocessor is not None:
            return self.preprocessor
        lower, strip = self.lowercase, _analyzer.accent_stripper(self.strip_accents)

        def preprocess(text: str) -> str:
            text = text.lower() if lower else text
            return text if strip is None else strip(text)

        return preprocess

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """The function that cuts a text into words."""
        if self.tokenizer is not None:
            return self.tokenizer
        if self.token_pattern is None:
            raise ParameterError(f"{type(self).__name__}: token_pattern must be given if tokenizer is None")
        return _analyzer.token_finder(self.token_pattern)

    def get_stop_words(self) -> frozenset[str] | None:
        """The set of stop words."""
        return _analyzer.stop_list(self.stop_words)

    def build_analyzer(self) -> Callable[[Any], Iterable[Any]]:
        """The function that finds the terms of a document: reading, preprocessing, cutting, n-grams."""
        if callable(self.analyzer):
            find = self.analyzer
            return lambda document: find(self.decode(document))
        preprocess = self.build_preprocessor()
        low, high = self.ngram_range
        if self.analyzer == "word":
            tokenize, stop = self.build_tokenizer(), self.get_stop_words()
            return lambda document: _analyzer.word_ngrams(tokenize(preprocess(self.decode(document))), low, high, stop)
        cut = _analyzer.char_ngrams if self.analyzer == "char" else _analyzer.char_wb_ngrams
        return lambda document: cut(preprocess(self.decode(document)), low, high)

    def _check(self, raw_documents: Any) -> None:
        """Validate parameters and documents; warn about unused parameters."""
        self._check_documents(raw_documents)
        params.check(self)
        low, high = self.ngram_range
        if low > high:
            raise ParameterError(
                f"{type(self).__name__}: ngram_range={self.ngram_range} is not ascending; give (min_n, max_n)"
            )
        for unused, reason in self._unused():
            warn(f"{unused!r} plays no part, as {reason}", UserWarning)
        with ErrorOwner(type(self).__name__):
            self._check_stop_words()

    def _check_documents(self, raw_documents: Any) -> None:
        if hasattr(raw_documents, "columns"):
            first = str(next(iter(getattr(raw_documents, "column_names", raw_documents.columns)), "text"))
            raise DataError(
                f"{type(self).__name__}: a list of documents is needed; got a table; pass one of its columns, such as "
                f"X[{first!r}]"
            )
        if isinstance(raw_documents, str) or not isinstance(raw_documents, Iterable):
            kind = "one text" if isinstance(raw_documents, str) else type(raw_documents).__name__
            raise DataError(f"{type(self).__name__}: a list of documents is needed; got {kind}: put it into a list")

    def _unused(self) -> list[tuple[str, str]]:
        """Parameters that were given and have no effect, each with the reason."""
        free, words = callable(self.analyzer), self.analyzer == "word"
        unused = [
            (
                "token_pattern",
                "a tokenizer is given",
                self.tokenizer is not None and self.token_pattern is not None,
            ),
            ("preprocessor", "the analyzer is a function", free and self.preprocessor is not None),
            ("ngram_range", "the analyzer is a function", free and tuple(self.ngram_range) != (1, 1)),
            ("stop_words", "the analyzer takes no words", not words and self.stop_words is not None),
            (
                "token_pattern",
                "the analyzer takes no words",
                not words and self.token_pattern not in (None, WORDS),
            ),
            ("tokenizer", "the analyzer takes no words", not words and self.tokenizer is not None),
        ]
        return [(name, reason) for name, reason, holds in unused if holds]

    def _check_stop_words(self) -> None:
        stop = self.get_stop_words() if self.analyzer == "word" else None
        if stop is None or stop is ENGLISH_STOP_WORDS or self.preprocessor or self.tokenizer:
            return
        lost = _analyzer.inconsistent_stop_words(stop, self.build_preprocessor(), self.build_tokenizer())
        if lost:
            warn(
                f"stop_words lacks {lost}, which the tokenizer makes of words in it: they will stay in the texts.",
                UserWarning,
            )

    def _cut(self) -> Cut | None:
        """What the compiled counter has to do; None if only Python can."""
        if callable(self.analyzer) or self.preprocessor is not None:
            return None
        words = self.analyzer == "word"
        if words and (self.tokenizer is not None or self.token_pattern not in MIN_LENGTH_OF_PATTERN):
            return None
        shortest = MIN_LENGTH_OF_PATTERN[str(self.token_pattern)] if words else 1
        stop = (self.get_stop_words() if words else None) or frozenset()
        low, high = self.ngram_range
        return Cut(self.analyzer, low, high, shortest, self.lowercase and self.strip_accents is None, tuple(stop))

    def _counted(self, raw_documents: Iterable[Any]) -> TermCounts:
        cut = self._cut()
        if cut is None:
            return CountsInPython(raw_documents, self.build_analyzer())
        texts = [self._text(document, row) for row, document in enumerate(raw_documents)]
        try:
            return cut.count(texts if self.strip_accents is None else list(map(self.build_preprocessor(), texts)))
        except UnicodeEncodeError:  # half a surrogate pair has no UTF-8
            return CountsInPython(texts, self.clone().set_params(input="content").build_analyzer())

    def _text(self, document: Any, row: int) -> str:
        text = document if type(document) is str and self.input == "content" else self.decode(document)
        if not isinstance(text, str):
            raise DataError(
                f"{type(self).__name__}: document {row} is a {type(text).__name__}, not a text; turn it into str first"
            )
        return text
