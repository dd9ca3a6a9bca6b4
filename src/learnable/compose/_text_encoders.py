"""How a column of free text becomes numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

TextEncoding = Literal["words", "ngrams", "svd"]
MAX_WORDS = 300  # weights of single words
MAX_TERMS = 20_000  # words, and runs of characters, that enter as n-grams
LETTERS = (3, 4)  # shortest and longest run of characters
SVD_TOLERANCE = 0.05  # residual of a component of the SVD beside the largest
TOKEN = r"(?u)\b\w+\b"  # every word counts, so that no text lacks all of them


def text_encoder(way: TextEncoding) -> Any:
    """The transformer of a list of texts: weights of frequent words, or of many words and runs of characters."""
    import learnable as L

    if way == "words":
        return L.TfidfVectorizer(max_features=MAX_WORDS, token_pattern=TOKEN)
    words = L.TfidfVectorizer(sublinear_tf=True, max_features=MAX_TERMS, token_pattern=TOKEN)
    letters = L.TfidfVectorizer(sublinear_tf=True, max_features=MAX_TERMS, analyzer="char_wb", ngram_range=LETTERS)
    return L.FeatureUnion([("words", words), ("characters", letters)])


def fit_text_svd(texts: list[str], components: int, weight: Any, seed: int | None) -> tuple[Any, Any]:
    """A fitted pipeline of n-grams and their truncated SVD, rows scaled to length one, and the transformed texts.

    Few texts have fewer terms than `components`, so their number is known only after the first step.
    """
    import learnable as L

    union = text_encoder("ngrams")
    terms = union.fit_transform(texts)
    svd = L.TruncatedSVD(min(components, *terms.shape), n_iter=1, tol=SVD_TOLERANCE, random_state=seed)
    normalise = L.Normalizer()
    encoded = normalise.fit_transform(svd.fit_transform(terms, sample_weight=weight))
    pipeline = L.Pipeline([("terms", union), ("svd", svd), ("normalise", normalise)])
    pipeline.steps_ = list(pipeline.steps)
    return pipeline, np.asarray(encoded)
