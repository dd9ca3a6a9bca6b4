"""Word vectors: the formulas, planted relations, files, and the same bits on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.core.errors import DataError
from learnable.feature_extraction.text import (
    WordVectors,
    cooccurrence_matrix,
    glove,
    pmi_matrix,
    read_word2vec,
    skip_gram,
    svd_word_vectors,
)


def texts(rows: int = 400, seed: int = 0) -> list[str]:
    """Sentences about the sea or about bread; the words of one theme occur together."""
    rng = np.random.default_rng(seed)
    themes = (["ship", "boat", "sea", "wave", "sail", "anchor"], ["bread", "butter", "cheese", "wine", "oven", "flour"])
    return [" ".join(rng.choice(themes[k % 2], 8)) for k in range(rows)]


def separated(vectors: WordVectors) -> bool:
    sea = {"ship", "boat", "sea", "wave", "sail", "anchor"}
    near = {word for word, _ in vectors.nearest("ship", 5)}
    return near == sea - {"ship"}


def test_the_ratio_matrix_is_the_formula():
    counts, words = cooccurrence_matrix(["aa bb aa", "bb cc"], window=1)
    C = counts.toarray()
    pairs, single = C.sum(), C.sum(axis=1)
    ratio = np.exp(pmi_matrix(counts).toarray())
    for i in range(3):
        for j in range(3):
            if C[i, j]:
                assert ratio[i, j] == pytest.approx((C[i, j] / pairs) / (single[i] / pairs * single[j] / pairs))
    assert words.tolist() == ["aa", "bb", "cc"]


def test_singular_vectors_of_ppmi():
    counts, words = cooccurrence_matrix(texts(), window=3)
    M = pmi_matrix(counts, positive=True)
    vectors = svd_word_vectors(M, words, n_components=2)
    assert separated(vectors)
    U, s, _ = np.linalg.svd(M.toarray())
    np.testing.assert_allclose(np.abs(vectors.vectors), np.abs(U[:, :2] * np.sqrt(s[:2])), atol=1e-6)


def test_glove_and_skip_gram_put_words_of_one_theme_together():
    counts, words = cooccurrence_matrix(texts(), window=3)
    for vectors in (
        glove(counts, words, n_components=4, max_iter=50, x_max=10, random_state=0),
        skip_gram(texts(), n_components=8, window=3, max_iter=20, learning_rate=0.05, subsample=0, random_state=0),
    ):
        assert vectors.losses[-1] < vectors.losses[0]
        assert np.mean([vectors.similarity("ship", w) for w in ("boat", "sea", "sail")]) > np.mean(
            [vectors.similarity("ship", w) for w in ("bread", "wine", "oven")]
        )
    assert separated(vectors)


def test_bits_of_skip_gram_do_not_depend_on_threads():
    seen = set()
    for count in (1, 3, 8):
        with learnable.threads(count):
            seen.add(skip_gram(texts(60), n_components=6, random_state=0).vectors.tobytes())
    assert len(seen) == 1


def test_analogies_are_sums_of_vectors():
    vectors = WordVectors(
        ["man", "woman", "king", "queen", "fish"], [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0.5, -1]]
    )
    assert vectors.analogy("man", "woman", "king")[0][0] == "queen"
    assert vectors.similarity("man", "king") == pytest.approx(1 / np.sqrt(2))
    assert "fish" in vectors and "bird" not in vectors and len(vectors) == 5
    with pytest.raises(DataError, match="the word 'bird' has no vector"):
        vectors.nearest("bird")


def test_files_of_word2vec(tmp_path):
    vectors = WordVectors(["été", "b"], np.random.default_rng(0).standard_normal((2, 3)))
    vectors.save_word2vec(tmp_path / "v.txt")
    again = read_word2vec(tmp_path / "v.txt")
    assert again.words == ["été", "b"]
    np.testing.assert_array_equal(again.vectors, vectors.vectors)
    (tmp_path / "glove.txt").write_text("a 1 2\nb 3 4\n")
    assert read_word2vec(tmp_path / "glove.txt")["b"].tolist() == [3.0, 4.0]
    (tmp_path / "bad.txt").write_text("2 2\na 1 2\nb 3\n")
    with pytest.raises(DataError, match="line 3 of"):
        read_word2vec(tmp_path / "bad.txt")
    with pytest.raises(DataError, match="has blanks"):
        WordVectors(["a b"], [[1.0]]).save_word2vec(tmp_path / "x.txt")


def test_wrong_input_is_refused_by_name():
    with pytest.raises(DataError, match="skip_gram: texts must be texts"):
        skip_gram([3])
    with pytest.raises(DataError, match="occurs at least 9 times"):
        skip_gram(["a few words"], min_count=9)
    with pytest.raises(DataError, match="counts must be a square matrix"):
        glove([[1.0, 2.0]], ["a"])
