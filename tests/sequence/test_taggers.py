"""Taggers: structured perceptron, maximum-entropy Markov model and label bias, hidden Markov model tagger."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import minimize

from learnable import DataError, ParameterError
from learnable.sequence import CRF, HMMTagger, MaximumEntropyMarkovModel, StructuredPerceptron
from learnable.sequence.hmm_tagger import deleted_interpolation
from tests.sequence.tagging_data import random_sentences

X, Y = random_sentences()
CORPUS = [
    ("the dog barks", "DET NOUN VERB"), ("a cat sleeps", "DET NOUN VERB"), ("the cats sleep", "DET NOUN VERB"),
    ("dogs bark", "NOUN VERB"), ("Anna sees the dog", "PROPN VERB DET NOUN"), ("Ben sees a cat", "PROPN VERB DET NOUN"),
    ("the old dog sleeps", "DET ADJ NOUN VERB"), ("a small cat sees Anna", "DET ADJ NOUN VERB PROPN"),
    ("the bark is old", "DET NOUN VERB ADJ"),
]  # fmt: skip
WORDS, TAGS = [words.split() for words, _ in CORPUS], [tags.split() for _, tags in CORPUS]


def test_the_perceptron_separates_what_can_be_separated():
    model = StructuredPerceptron(random_state=0, averaging=False).fit([[[w] for w in s] for s in WORDS], TAGS)
    assert model.trace_.stopped == "converged" and model.certificate_.holds
    assert model.score([[[w] for w in s] for s in WORDS], TAGS) == 1.0
    assert model.trace_["objective"][-1] == 0


def test_the_perceptron_is_that_of_crf():
    same = {"all_possible_states": True, "all_possible_transitions": True, "random_state": 0}
    one = StructuredPerceptron(max_iter=7, **same).fit(X, Y)
    other = CRF("ap", max_iterations=7, **same).fit(X, Y)
    np.testing.assert_array_equal(one.state_coef_.toarray(), other.state_coef_.toarray())


def test_the_entropy_model_is_a_softmax_regression_of_each_step():
    model = MaximumEntropyMarkovModel(c2=0.4, tol=1e-9, all_possible_states=True, all_possible_transitions=True)
    model.fit(X, Y)
    names = [[{(f"{k}:{v}" if isinstance(v, str) else k): 1.0 if isinstance(v, str) else float(v) for k, v in t.items()}
              for t in s] for s in X]  # fmt: skip
    attributes = model.attributes_.tolist()
    classes = model.classes_.tolist()
    rows, previous, labels = [], [], []
    for s, sentence in enumerate(names):
        for t, token in enumerate(sentence):
            rows.append([token.get(name, 0.0) for name in attributes])
            previous.append(classes.index(Y[s][t - 1]) if t else -1)
            labels.append(classes.index(Y[s][t]))
    onehot = np.eye(3)[previous] * (np.array(previous) >= 0)[:, None]
    design = np.hstack([np.array(rows), onehot])

    def loss(flat):
        weight = flat.reshape(-1, 3)
        scores = design @ weight
        logs = np.log(np.exp(scores - scores.max(axis=1, keepdims=True)).sum(axis=1)) + scores.max(axis=1)
        return (logs - scores[np.arange(len(labels)), labels]).sum() + 0.4 * (flat**2).sum()

    found = minimize(loss, np.zeros(design.shape[1] * 3), method="BFGS", options={"gtol": 1e-6})
    ours = np.vstack([model.state_coef_.toarray(), model.transition_coef_])
    assert model.trace_["objective"][-1] == pytest.approx(found.fun, rel=1e-8)
    np.testing.assert_allclose(ours, found.x.reshape(-1, 3), atol=1e-4)


def test_the_entropy_model_decodes_the_best_product_of_its_steps():
    model = MaximumEntropyMarkovModel(c2=0.2).fit(X, Y)
    for sentence in [s for s in X if 2 <= len(s) <= 5][:6]:
        steps = {label: model.next_label_proba(sentence, label) for label in "ABC"}
        first = model.predict_marginals_single(sentence)[0]
        chains = {}
        for path in product("ABC", repeat=len(sentence)):
            value = first[path[0]]
            for t in range(1, len(path)):
                value *= steps[path[t - 1]][t, "ABC".index(path[t])]
            chains[path] = value
        assert sum(chains.values()) == pytest.approx(1.0)
        assert tuple(model.predict_single(sentence)) == max(chains, key=chains.get)
        best = model.predict_k_best([sentence], k=2)[0]
        assert best[0][1] == pytest.approx(max(chains.values()))


def test_label_bias():
    """ "rob" is rare, so its first letter means label 1, whose usual successor then ignores the "o"."""
    rib, rob = ([[letter] for letter in word] for word in ("rib", "rob"))
    X, y = [rib] * 45 + [rob] * 5, [["1", "2", "3"]] * 45 + [["4", "5", "3"]] * 5
    local, whole = MaximumEntropyMarkovModel(c2=0.01).fit(X, y), CRF(c2=0.01).fit(X, y)
    assert local.predict([rib, rob]) == [["1", "2", "3"], ["1", "2", "3"]]
    assert whole.predict([rib, rob]) == [["1", "2", "3"], ["4", "5", "3"]]
    step = dict(zip(local.classes_.tolist(), local.next_label_proba(rob, "1")[1], strict=True))
    assert step["2"] > 0.6 and whole.predict_marginals_single(rob)[0]["4"] > 0.9


def test_tags_of_known_and_unknown_words():
    model = HMMTagger().fit(WORDS, TAGS)
    assert model.score(WORDS, TAGS) == 1.0
    assert model.predict([["The", "dogs", "sleep"], ["Carl", "sees", "the", "small", "dog"]]) == [
        ["DET", "NOUN", "VERB"], ["PROPN", "VERB", "DET", "ADJ", "NOUN"],
    ]  # fmt: skip


def test_hmm_probabilities_are_relative_frequencies():
    model = HMMTagger().fit(WORDS, TAGS)
    det, noun = (model.classes_.tolist().index(tag) for tag in ("DET", "NOUN"))
    one, two = model.interpolation_
    tokens = sum(map(len, TAGS))
    assert one + two == pytest.approx(1) and model.classprob_[det] == pytest.approx(8 / tokens)
    after_det = sum(a == "DET" and b == "NOUN" for tags in TAGS for a, b in pairwise(tags))
    assert model.transmat_[det, noun] == pytest.approx(one * model.classprob_[noun] + two * after_det / 8)
    np.testing.assert_allclose(model.transmat_.sum(axis=1), 1)
    starts = sum(tags[0] == "DET" for tags in TAGS) / len(TAGS)
    assert model.startprob_[det] == pytest.approx(one * model.classprob_[det] + two * starts)
    assert model.emission_counts_[model.words_.tolist().index("dog"), noun] == 3


def test_deleted_interpolation_by_hand():
    pairs = np.array([[0.0, 4.0], [3.0, 1.0]])
    total = pairs.sum() + 2
    prob = np.array([0.4, 0.6])
    votes = [1.0, 1.0]
    for a, b in product(range(2), repeat=2):
        alone = (prob[b] * total - 1) / (total - 1)
        pair = (pairs[a, b] - 1) / (pairs[a].sum() - 1)
        votes[int(pair > alone)] += pairs[a, b]
    np.testing.assert_allclose(deleted_interpolation(pairs, prob, total), np.array(votes) / sum(votes))


def test_weights_of_sentences_are_copies():
    weight = np.ones(len(WORDS))
    weight[2] = 3
    weighted = HMMTagger().fit(WORDS, TAGS, sample_weight=weight)
    copied = HMMTagger().fit([*WORDS, WORDS[2], WORDS[2]], [*TAGS, TAGS[2], TAGS[2]])
    np.testing.assert_allclose(weighted.transmat_, copied.transmat_)
    np.testing.assert_allclose(weighted.emission_counts_, copied.emission_counts_)


def test_degenerate_corpora_are_tagged():
    model = HMMTagger().fit([["a"]], [["X"]])
    assert model.predict([["a", "b"], [], ["c"]]) == [["X", "X"], [], ["X"]]
    assert np.isfinite(HMMTagger().fit(WORDS, TAGS).predict_proba([["?"] * 5000])).all()
    with pytest.raises(DataError, match="sentence 0 of X must be a list of words"):
        HMMTagger().fit([[1]], [["X"]])
    with pytest.raises(DataError, match="X has no words"):
        HMMTagger().fit([[]], [[]])
    with pytest.raises(ParameterError, match="every tag must be known"):
        HMMTagger().fit([["a"]], [[None]])
    for cls in (StructuredPerceptron, MaximumEntropyMarkovModel):
        with pytest.raises(ParameterError, match="every label must be known"):
            cls().fit([[["a"], ["b"]]], [["A", None]])
