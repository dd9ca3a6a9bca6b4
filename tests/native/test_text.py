"""Term counts and TF-IDF weighting against plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import random_array

import learnable
from learnable.core.runtime.native import kernels
from learnable.feature_extraction.text._analyzer import ascii_bitmaps, char_ngrams, char_wb_ngrams, character_bitmaps

RNG = np.random.default_rng(0)
ALPHABET = list("abcdeé日 \n.") + ["Σ", "𝔘", "  "]
TEXTS = ["".join(RNG.choice(ALPHABET, size)) for size in RNG.integers(0, 400, 300)]


def counted(texts: list[str], unit: str, low: int, high: int, shortest: int = 1) -> list[Counter]:
    counts = kernels.count_terms(texts, *character_bitmaps(), unit, low, high, shortest, False, [])
    terms = counts.terms()
    assert terms == sorted(set(terms))
    start, index, value = counts.rows()
    rows = [slice(a, b) for a, b in pairwise(start)]
    return [Counter({terms[j]: int(v) for j, v in zip(index[row], value[row], strict=True)}) for row in rows]


@pytest.mark.parametrize("unit", ["char", "char_wb"])
@pytest.mark.parametrize(("low", "high"), [(1, 1), (1, 3), (2, 4), (5, 9), (30, 40)])
def test_character_grams(unit, low, high):
    cut = {"char": char_ngrams, "char_wb": char_wb_ngrams}[unit]
    assert counted(TEXTS, unit, low, high) == [Counter(cut(text, low, high)) for text in TEXTS]


def test_long_terms_that_differ_at_the_end():
    stem = "x" * 50
    words = [stem + suffix for suffix in ("a", "b", "", "ab", "aa")] + ["y" * length for length in range(1, 40)]
    texts = [" ".join(RNG.choice(words, 100)) for _ in range(20)]
    assert counted(texts, "word", 1, 1) == [Counter(text.split()) for text in texts]


def test_same_bits_on_any_number_of_threads():
    words = [f"w{i}" for i in range(5000)]
    texts = [" ".join(RNG.choice(words, 300)) for _ in range(1500)]
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            counts = kernels.count_terms(texts, *ascii_bitmaps(), "word", 1, 2, 1, True, ["w1", "w2"])
            seen.add((tuple(counts.terms()), *(part.tobytes() for part in counts.rows(real=True))))
    assert len(seen) == 1


def test_columns_signs_and_duplicate_entries():
    counts = kernels.count_terms(["a b b c", "c", "d"], *ascii_bitmaps(), "word", 1, 1, 1, True, [])
    columns, signs = np.array([1, 1, 0, -1], dtype=np.int32), np.array([1, -1, 1, 1], dtype=np.int8)
    start, index, value = counts.rows(columns, signs)
    assert (start.tolist(), index.tolist(), value.tolist()) == ([0, 2, 3, 3], [0, 1, 0], [1, -1, 1])
    with pytest.raises(ValueError, match="a number for each term"):
        counts.rows(columns[:2])


def test_hashes_are_murmur():
    from sklearn.utils import murmurhash3_32

    terms = ["", "a", "ab", "abc", "abcd", "hello world", "日本語"]
    assert kernels.hash_terms(terms, 7).tolist() == [murmurhash3_32(term, seed=7) for term in terms]


@pytest.mark.parametrize("norm", ["l1", "l2", ""])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_weighted_rows(norm, kind, index):
    X = random_array((700, 60), density=0.5, rng=1, format="csr", dtype=kind)
    X.data += 1
    X.data[: X.indptr[1]] = 1e-30
    weight = RNG.random(60).astype(kind)
    expected = (1 + np.log(X.toarray(), where=X.toarray() > 0, out=np.full(X.shape, -1.0))) * weight
    lengths = {"l1": np.abs(expected).sum(axis=1), "l2": np.sqrt((expected**2).sum(axis=1)), "": np.ones(700)}[norm]
    value = X.data.copy()
    kernels.tfidf_rows(X.indptr.astype(index), X.indices.astype(index), value, weight, True, norm)
    ours = type(X)((value, X.indices, X.indptr), shape=X.shape).toarray()
    np.testing.assert_allclose(ours, expected / np.where(lengths, lengths, 1)[:, None], rtol=1e-5, atol=1e-7)
