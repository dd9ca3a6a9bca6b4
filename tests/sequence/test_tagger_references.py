"""Taggers on an excerpt of the English Web Treebank: the optimum and the predictions of CRFsuite.

`python -m benchmarks.taggers FOLDER` checks the whole corpora.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.taggers import chunking_attributes, word_attributes
from learnable.sequence import CRF, HMMTagger, read_conll

EXCERPT = Path(__file__).parents[1] / "references" / "ud_ewt_excerpt.conllu.gz"


@pytest.fixture(scope="module")
def corpus() -> tuple[list[list[str]], list[list[str]]]:
    sentences = read_conll(EXCERPT, columns=["form", "upos"])
    return [[token[0] for token in s] for s in sentences], [[token[1] for token in s] for s in sentences]


def test_the_conditional_random_field_is_that_of_crfsuite(corpus):
    """python-crfsuite 0.9.12, lbfgs, c2=0.5, epsilon=1e-7: loss 525.571653, 356 of 485 tokens correct."""
    words, tags = corpus
    X = [word_attributes(sentence) for sentence in words]
    model = CRF(c2=0.5, epsilon=1e-6, delta=1e-12, max_iterations=3000).fit(X[:120], tags[:120])
    assert model.trace_["objective"][-1] == pytest.approx(525.571653, abs=2e-5)
    assert model.score(X[120:], tags[120:]) == pytest.approx(356 / 485)


def test_the_hidden_markov_model_tags_unknown_words(corpus):
    words, tags = corpus
    model = HMMTagger().fit(words[:120], tags[:120])
    every = [tag for labels in tags[:120] for tag in labels]
    most_frequent = max(set(every), key=every.count)
    baseline = sum(tag == most_frequent for labels in tags[120:] for tag in labels) / 485
    assert model.score(words[120:], tags[120:]) >= 0.71 > baseline + 0.4


def test_chunking_attributes_end_at_the_sentence():
    found = chunking_attributes([("He", "PRP"), ("runs", "VBZ")])
    assert found[0] == ["w[0]=He", "w[1]=runs", "w[0]|w[1]=He|runs", "p[0]=PRP", "p[1]=VBZ", "p[0]|p[1]=PRP|VBZ",
                        "__BOS__"]  # fmt: skip
    assert "__EOS__" in found[1] and "w[-1]|w[0]=He|runs" in found[1]
