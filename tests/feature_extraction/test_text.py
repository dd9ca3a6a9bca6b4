"""Text vectorizers give scikit-learn's matrices, vocabularies, warnings and errors, on any text there is."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np
import pyarrow
import pytest
import sklearn.feature_extraction.text as theirs
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.feature_extraction import text as ours
from learnable.metrics import cosine_similarity

WORDS = [
    "the",
    "cat",
    "The",
    "CAT",
    "Straße",
    "ΑΣ",
    "ΑΣ.",
    "İstanbul",
    "ﬁx",
    "naïve",
    "a_b",
    "x1",
    "½",
    "Ⅷ",
    "日本",
    "e\u0301",
]
SPACES = [" ", "  ", "\n", "\t\t", "\u00a0", "\u2003 ", ", ", "-", "'", "", "\x1c"]
MIXED = st.lists(st.sampled_from(WORDS + SPACES), max_size=25).map("".join)
TEXTS = st.one_of(MIXED, st.text(max_size=30), st.text(alphabet="aAbB cC.", max_size=30))
DOCUMENTS = st.lists(TEXTS, min_size=1, max_size=6)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "lowercase": st.booleans(),
        "strip_accents": st.sampled_from([None, "ascii", "unicode"]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3), (1, 5)]),
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "binary": st.booleans(),
    },
)
WORD_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "stop_words": st.sampled_from([None, "english", ["cat", "the"]]),
        "token_pattern": st.sampled_from([r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\w+", r"[a-z]+", r"(\w)\w*"]),
        "tokenizer": st.sampled_from([None, str.split]),
    },
)


def outcome(kind: Any, documents: list[str], more: list[str], **options: Any) -> Any:
    """Everything a vectorizer says, or that it refuses."""
    try:
        model = kind(**options)
        X = model.fit_transform(documents)
        Y = model.transform(more)
    except ValueError:
        return "refused"
    assert X.has_sorted_indices or kind.__module__.startswith("sklearn")
    X.sort_indices()
    return [
        (M.shape, M.dtype, M.indptr.tolist(), M.indices.tolist(), M.indices.dtype, M.data.round(12).tolist())
        for M in (X, Y)
    ] + [list(getattr(model, "vocabulary_", {}).items()) and sorted(model.vocabulary_.items())]


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=150, deadline=None)
@given(
    DOCUMENTS,
    DOCUMENTS,
    OPTIONS,
    WORD_OPTIONS,
    st.sampled_from(["CountVectorizer", "HashingVectorizer", "TfidfVectorizer"]),
)
def test_matrices_are_those_of_scikit_learn(documents, more, options, word_options, name):
    if options.get("analyzer", "word") == "word":
        options = {**options, **word_options}
    if name == "HashingVectorizer":
        options = {**options, "n_features": 23, "norm": "l1"}
    mine = outcome(getattr(ours, name), documents, more, **options)
    assert mine == outcome(getattr(theirs, name), documents, more, **options)


LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_df": st.sampled_from([1.0, 0.5, 2]),
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_features": st.sampled_from([None, 1, 3, 10]),
        "binary": st.booleans(),
        "vocabulary": st.sampled_from([None, ["cat", "dog"], {"b": 1, "a": 0}, {"x", "aa", "bb"}]),
    },
)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="aabbc ", max_size=40), min_size=1, max_size=8), LIMITS)
def test_the_vocabulary_is_limited_as_in_scikit_learn(documents, limits):
    options = {"token_pattern": r"(?u)\b\w+\b", **limits}
    mine = outcome(ours.CountVectorizer, documents, documents, **options)
    expected = outcome(theirs.CountVectorizer, documents, documents, **options)
    assert mine == expected


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(["l1", "l2", None]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
    st.booleans(),
)
def test_weights_are_those_of_scikit_learn(norm, use_idf, smooth_idf, sublinear_tf, seed, single):
    counts = np.random.default_rng(seed).poisson(0.7, (6, 4)).astype(np.float32 if single else np.float64)
    counts[0] = 1
    options = {"norm": norm, "use_idf": use_idf, "smooth_idf": smooth_idf, "sublinear_tf": sublinear_tf}
    mine = ours.TfidfTransformer(**options).fit(counts)
    other = theirs.TfidfTransformer(**options).fit(counts)
    assert mine.transform(counts).dtype == counts.dtype
    np.testing.assert_allclose(mine.transform(counts).toarray(), other.transform(counts).toarray(), rtol=1e-6)
    if use_idf:
        np.testing.assert_allclose(mine.idf_, other.idf_, rtol=1e-6)


def test_the_idf_of_the_course():
    """FEX-03: tf = count, idf = log(|D| / df), unseen terms ignored."""
    texts = ["good movie", "not a good movie", "did not like", "I like it", "good one"]
    tfidf = ours.TfidfVectorizer(idf="course", norm=None).fit(texts)
    df = {"good": 3, "movie": 2, "not": 2, "did": 1, "like": 2, "it": 1, "one": 1}
    assert tfidf.vocabulary_.keys() == df.keys()
    for term, column in tfidf.vocabulary_.items():
        assert tfidf.idf_[column] == pytest.approx(np.log(5 / df[term]))
    row = tfidf.transform(["good good unheard"]).toarray()[0]
    assert row[tfidf.vocabulary_["good"]] == pytest.approx(2 * np.log(5 / 3)) and np.count_nonzero(row) == 1
    unit = ours.TfidfVectorizer(smooth_idf=False, idf="course").fit_transform(texts)
    np.testing.assert_allclose(unit.power(2).sum(axis=1), 1)


def test_weight_three_is_three_documents():
    counts = np.random.default_rng(0).poisson(1.0, (5, 3))
    weighted = ours.TfidfTransformer().fit(counts, sample_weight=[3, 0, 1, 2, 1])
    copied = ours.TfidfTransformer().fit(np.repeat(counts, [3, 0, 1, 2, 1], axis=0))
    np.testing.assert_allclose(weighted.idf_, copied.idf_)


def test_bytes_files_and_paths_are_read(tmp_path):
    expected = ours.CountVectorizer().fit_transform(["das Mädchen", "die Straße"]).toarray()
    for encoding in ("utf-8", "latin-1"):
        as_bytes = ["das Mädchen".encode(encoding), "die Straße".encode(encoding)]
        paths = [tmp_path / f"{encoding}{i}" for i in range(2)]
        for path, content in zip(paths, as_bytes, strict=True):
            path.write_bytes(content)
        for given_as, documents in (
            ("content", as_bytes),
            ("file", [io.BytesIO(content) for content in as_bytes]),
            ("filename", paths),
        ):
            model = ours.CountVectorizer(input=given_as, encoding=encoding)
            np.testing.assert_array_equal(model.fit_transform(documents).toarray(), expected)


def test_half_a_surrogate_pair_is_counted_in_python():
    texts = ["bad \ud800 text", "Good TEXT é"]
    np.testing.assert_array_equal(
        ours.CountVectorizer().fit_transform(texts).toarray(), theirs.CountVectorizer().fit_transform(texts).toarray()
    )


@pytest.mark.parametrize("name", ["CountVectorizer", "HashingVectorizer", "TfidfVectorizer"])
def test_what_cannot_be_used_is_refused_in_words(name):
    kind = getattr(ours, name)
    with pytest.raises(learnable.DataError, match="got one text"):
        kind().fit("one text")
    with pytest.raises(learnable.DataError, match=r"A document is NaN"):
        kind().fit_transform(["a text", np.nan])
    with pytest.raises(learnable.DataError, match="document 1 is a int, not a text"):
        kind().fit_transform(["a text", 3])
    with pytest.raises(learnable.ParameterError, match="is not ascending"):
        kind(ngram_range=(2, 1)).fit(["a text"])
    with pytest.raises(learnable.ParameterError, match="several groups"):
        kind(token_pattern=r"(a)(b)").fit_transform(["ab"])


def test_empty_vocabularies_are_refused():
    with pytest.raises(learnable.DataError, match="vocabulary would be empty"):
        ours.CountVectorizer(stop_words="english").fit(["the", "of"])
    with pytest.raises(learnable.NotFittedError, match="the vocabulary is not fitted"):
        ours.CountVectorizer().transform(["a"])
    for vocabulary, words in (
        (["a", "a"], "Duplicate term"),
        ({"a": 0, "b": 0}, "repeated indices"),
        ({"a": 0, "b": 2}, "doesn't contain index 1"),
        ([], "vocabulary holds no word"),
    ):
        with pytest.raises(learnable.ParameterError, match=words):
            ours.CountVectorizer(vocabulary=vocabulary).fit(["some text"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tokenizer": str.split}, "'token_pattern' plays no part"),
        ({"analyzer": str.split, "ngram_range": (1, 2)}, "'ngram_range' plays no part"),
        ({"analyzer": "char", "stop_words": ["a"]}, "'stop_words' plays no part"),
        ({"stop_words": ["don't", "cat"]}, "lacks .'don'"),
        ({"vocabulary": ["Cat"]}, "capital letters"),
    ],
)
def test_parameters_without_effect_are_warned_of(options, words):
    with pytest.warns(UserWarning, match=words):
        ours.CountVectorizer(**options).fit(["a cat or dog"])


def test_inverse_and_names():
    texts = ["the cat", "a dog and the cat"]
    mine, other = ours.CountVectorizer(), theirs.CountVectorizer()
    X = mine.fit_transform(texts)
    other.fit(texts)
    assert mine.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    for M in (X, X.toarray()):
        ours_back, theirs_back = mine.inverse_transform(M), other.inverse_transform(M)
        assert [row.tolist() for row in ours_back] == [row.tolist() for row in theirs_back]


def test_documents_by_cosine():
    """FEX-04: the vector-space model finds the document that is about the query."""
    texts = ["a cat sat on the mat", "dogs chase cats", "stocks fell sharply today", "the market and stocks"]
    tfidf = ours.TfidfVectorizer()
    X = tfidf.fit_transform(texts)
    similar = cosine_similarity(X, tfidf.transform(["stocks market"])).ravel()
    assert similar.argmax() == 3 and similar[0] == 0
    counts = ours.CountVectorizer().fit_transform(texts)
    lengths = np.linalg.norm(counts.toarray(), axis=1)
    np.testing.assert_allclose(cosine_similarity(counts), (counts @ counts.T).toarray() / np.outer(lengths, lengths))
    np.testing.assert_allclose(cosine_similarity(X), (X @ X.T).toarray(), atol=1e-12, err_msg="rows have length one")


def test_one_hot_words():
    """FEX-01: a vector as long as the vocabulary with a single one."""
    X = ours.one_hot_words(["b", "a", "c", "a"]).toarray()
    np.testing.assert_array_equal(X, np.eye(3, dtype=int)[[1, 0, 2, 0]])
    np.testing.assert_array_equal(ours.one_hot_words(["x", "a"], {"a": 1, "b": 0}).toarray(), [[0, 0], [0, 1]])


def test_cooccurrence_and_pmi_by_hand():
    texts = ["new york city", "new york times", "old times"]
    counts, terms = ours.cooccurrence_matrix(texts, window=1)
    C = {(s, t): counts[i, j] for i, s in enumerate(terms) for j, t in enumerate(terms)}
    assert C["new", "york"] == C["york", "new"] == 2 and C["new", "city"] == 0 and counts.sum() == 10
    together, _ = ours.cooccurrence_matrix(texts, window=None)
    both = np.array([[t in text.split() for t in terms] for text in texts]).astype(int)
    np.testing.assert_array_equal(together.toarray(), both.T @ both * (1 - np.eye(len(terms), dtype=int)))
    pmi = ours.pmi_matrix(counts).toarray()
    p = counts.toarray() / counts.sum()
    i, j = list(terms).index("new"), list(terms).index("york")
    assert pmi[i, j] == pytest.approx(np.log(p[i, j] / p[i].sum() / p[:, j].sum()))
    positive = ours.pmi_matrix(counts, positive=True).toarray()
    np.testing.assert_allclose(positive, np.maximum(pmi, 0))
    with pytest.raises(learnable.DataError, match="0 or more"):
        ours.pmi_matrix([[0, -1], [1, 0]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_is_not_a_list_of_documents(library: str) -> None:
    table = importlib.import_module(library).DataFrame({"text": ["good movie", "bad movie"], "n": [1, 2]})
    with pytest.raises(learnable.DataError, match=r"CountVectorizer: .* pass one of its columns, such as X\['text'\]"):
        ours.CountVectorizer().fit(table)
    assert ours.CountVectorizer().fit_transform(table["text"]).shape == (2, 3)


@pytest.mark.parametrize("column", [pyarrow.array, lambda texts: pyarrow.chunked_array([texts])])
@pytest.mark.parametrize("options", [{}, {"token_pattern": r"\w+"}, {"analyzer": "char"}], ids=str)
def test_columns_of_arrow_are_documents(column, options):
    texts = ["red dog", "blue cat", "red cat"]
    found = ours.CountVectorizer(**options).fit_transform(column(texts))
    np.testing.assert_array_equal(found.toarray(), ours.CountVectorizer(**options).fit_transform(texts).toarray())
