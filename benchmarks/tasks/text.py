"""Texts as weighed counts of their words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute
from benchmarks.task import AtMost, Contender, Data, Output, Quality, Task

COMPARED = 100  # documents whose similarities are compared


def make(n: int, words: int, vocabulary: int) -> Data:
    """Documents of made-up words, some frequent and many rare, and the numbers of their words."""
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    terms = np.array([f"{''.join(rng.choice(letters, rng.integers(2, 8)))}{k:x}" for k in range(vocabulary)])
    share = 1 / (np.arange(vocabulary) + 50.0) ** 0.8
    numbers = rng.choice(vocabulary, (n, words), p=share / share.sum())
    return {"texts": [" ".join(row) for row in terms[numbers]], "numbers": numbers}


def similarities(numbers: np.ndarray) -> np.ndarray:
    """Cosines of the first documents, computed from the numbers of their words alone."""
    documents, terms = len(numbers), int(numbers.max()) + 1
    counts = np.zeros((COMPARED, terms))
    np.add.at(counts, (np.repeat(np.arange(COMPARED), numbers.shape[1]), numbers[:COMPARED].ravel()), 1)
    pairs = np.unique(np.repeat(np.arange(documents), numbers.shape[1]) * terms + numbers.ravel())
    df = np.bincount(pairs % terms, minlength=terms)
    rows = counts * (np.log((1 + documents) / (1 + df)) + 1)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def similarity_error(data: Data, output: Output) -> float:
    """The largest error of a cosine."""
    return float(np.abs(np.asarray(output["similarities"]) - similarities(data["numbers"])).max())


def read_matrix(X: Any) -> Output:
    first = X[:COMPARED]
    return {"similarities": (first @ first.T).toarray()}


def vectorizer(name: str, where: str, kind: Any = "peer") -> Contender:
    """Fit and transform in one call."""

    def prepare(data: Data) -> Callable[[], Any]:
        cls = attribute(where)
        return lambda: cls().fit_transform(data["texts"])

    return Contender(name, prepare, read_matrix, needs=(where.partition(".")[0],), kind=kind)


def prepare_hashing(data: Data) -> Callable[[], Any]:
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    def call() -> Any:
        counts = HashingVectorizer(norm=None, alternate_sign=False).fit_transform(data["texts"])
        return TfidfTransformer().fit_transform(counts)

    return call


TASKS = (
    Task(
        name="tfidf",
        home="benchmarks.tasks.text",
        size="{n} documents of {words} words, {vocabulary} different",
        make=make,
        full={"n": 20_000, "words": 200, "vocabulary": 40_000},
        quick={"n": 300, "words": 100, "vocabulary": 2_000},
        contenders=(
            vectorizer("learnable", "learnable.feature_extraction.text:TfidfVectorizer", "ours"),
            vectorizer("scikit-learn TfidfVectorizer", "sklearn.feature_extraction.text:TfidfVectorizer"),
            Contender("scikit-learn HashingVectorizer", prepare_hashing, read_matrix, needs=("sklearn",)),
        ),
        quality=Quality("error of cosines", similarity_error, AtMost(0.05)),
    ),
)
