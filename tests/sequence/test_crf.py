"""Conditional random fields: enumeration of labellings, CRFsuite's optimum, online training, decoding, input."""

from __future__ import annotations

import json
from contextlib import nullcontext
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnable
from learnable import DataError, ParameterError
from learnable.sequence import CRF
from learnable.sequence._tagging.features import find_features
from learnable.sequence._tagging.objective import CRFObjective, TrainingSet
from learnable.sequence._tagging.sentences import Names, label_codes, read_tokens
from tests.sequence.tagging_data import all_scores, negative_log_likelihood, random_sentences

REFERENCE = json.loads((Path(__file__).parents[1] / "references" / "crfsuite_reference.json").read_text())
PENALTIES = {"l2": {"c1": 0.0, "c2": 0.5}, "l1": {"c1": 0.7, "c2": 0.0}, "elastic": {"c1": 0.3, "c2": 0.1}}
TIGHT = {"epsilon": 1e-7, "delta": 1e-13, "max_iterations": 3000}
X, Y = random_sentences()


@pytest.mark.parametrize("case", PENALTIES)
def test_the_optimum_is_that_of_crfsuite(case):
    model = CRF(all_possible_transitions=True, **PENALTIES[case], **TIGHT).fit(X, Y)
    assert model.trace_["objective"][-1] == pytest.approx(REFERENCE[case]["loss"], abs=2e-6)
    transitions = {"".join(pair): weight for pair, weight in model.transition_features_.items()}
    states = {"|".join(pair): weight for pair, weight in model.state_features_.items()}
    assert transitions == pytest.approx(REFERENCE[case]["transitions"], abs=5e-6)
    assert states == pytest.approx(REFERENCE[case]["states"], abs=5e-6)


def test_the_objective_is_the_enumeration_of_all_labellings():
    model = CRF(c2=0.3).fit(X, Y)
    squares = sum(w**2 for w in [*model.state_features_.values(), *model.transition_features_.values()])
    assert model.trace_["objective"][-1] == pytest.approx(negative_log_likelihood(model, X, Y) + 0.3 * squares)
    assert model.certificate_.holds and model.certificate_.kind == "suboptimality"


@pytest.mark.parametrize("unknown", [False, True], ids=["labelled", "partly labelled"])
def test_the_gradient_is_that_of_finite_differences(unknown):
    rng = np.random.default_rng(1)
    names = Names()
    tokens = read_tokens("CRF", X[:8], names)
    labels = label_codes([label for labels in Y[:8] for label in labels], ["A", "B", "C"])
    if unknown:
        labels[rng.random(len(labels)) < 0.4] = -1
    data = TrainingSet(tokens, labels, rng.random(8) + 0.5)
    features = find_features(tokens, labels, 3, len(names.codes), 0, False, False)
    objective = CRFObjective(data, features, 0.2)
    weight = rng.normal(size=features.size + 9) * np.append(np.ones(features.size), features.transitions.ravel())
    _, gradient = objective(weight)
    for f in range(len(weight)):
        if f >= features.size and not features.transitions.ravel()[f - features.size]:
            assert gradient[f] == 0
            continue
        step = np.zeros(len(weight))
        step[f] = 1e-5
        derivative = (objective(weight + step)[0] - objective(weight - step)[0]) / 2e-5
        assert gradient[f] == pytest.approx(derivative, abs=1e-6)


def test_partly_labelled_sentences_sum_over_labellings():
    known = [[label if t % 2 else None for t, label in enumerate(labels)] for labels in Y]
    model = CRF(c2=0.1).fit(X, known)
    loss = 0.0
    for sentence, labels in zip(X, known, strict=True):
        scores = all_scores(model, sentence)
        agree = [s for path, s in scores.items() if all(a in (None, b) for a, b in zip(labels, path, strict=True))]
        loss += np.log(np.sum(np.exp(list(scores.values())))) - np.log(np.sum(np.exp(agree)))
    squares = sum(w**2 for w in [*model.state_features_.values(), *model.transition_features_.values()])
    assert model.trace_["objective"][-1] == pytest.approx(loss + 0.1 * squares)


def test_decoding_and_marginals_are_those_of_the_enumeration():
    model = CRF(c2=0.2).fit(X, Y)
    for sentence in [s for s in X if 2 <= len(s) <= 5][:6]:
        scores = all_scores(model, sentence)
        whole = np.log(np.sum(np.exp(list(scores.values()))))
        ranked = sorted(scores, key=scores.get, reverse=True)
        assert tuple(model.predict_single(sentence)) == ranked[0]
        best = model.predict_k_best([sentence], k=4)[0]
        assert [tuple(labels) for labels, _ in best] == ranked[:4]
        np.testing.assert_allclose([p for _, p in best], np.exp([scores[r] - whole for r in ranked[:4]]), rtol=1e-9)
        for t, marginals in enumerate(model.predict_marginals_single(sentence)):
            for label, probability in marginals.items():
                expected = sum(np.exp(s - whole) for path, s in scores.items() if path[t] == label)
                assert probability == pytest.approx(expected)
        span = sum(np.exp(s - whole) for path, s in scores.items() if path[:2] == ("A", "B"))
        assert model.span_probability(sentence, 0, ["A", "B"]) == pytest.approx(span)


def test_a_weight_of_two_is_two_copies():
    weight = np.where(np.arange(len(X)) % 3 == 0, 2.0, 1.0)
    copies = [s for s, w in enumerate(weight) for _ in range(int(w))]
    weighted = CRF(c2=0.5, **TIGHT).fit(X, Y, sample_weight=weight)
    copied = CRF(c2=0.5, **TIGHT).fit([X[s] for s in copies], [Y[s] for s in copies])
    assert weighted.state_features_ == pytest.approx(copied.state_features_, abs=1e-5)


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap", "pa", "arow", "l2sgd"])
def test_every_algorithm_learns_and_gives_the_same_bits_on_any_number_of_threads(algorithm):
    X, Y = random_sentences(400, seed=2)
    seen = set()
    for threads in (1, 2, 3, 8):
        with learnable.threads(threads):
            model = CRF(algorithm, max_iterations=10, delta=0.0 if algorithm == "lbfgs" else None, random_state=0)
            with pytest.warns(learnable.ConvergenceWarning) if algorithm == "lbfgs" else nullcontext():
                model.fit(X[:300], Y[:300])
            seen.add(model.state_coef_.data.tobytes() + model.transition_coef_.tobytes())
    assert len(seen) == 1
    assert model.score(X[300:], Y[300:]) > 0.6


def test_the_perceptron_is_a_plain_loop():
    X, Y = random_sentences(15, seed=3)
    every = {"all_possible_states": True, "all_possible_transitions": True}
    model = CRF("ap", max_iterations=3, random_state=0, **every).fit(X, Y)
    weights: dict = {}
    total: dict = {}
    count = 0
    for epoch in range(3):
        for s in learnable.core.generator(0, epoch).permutation(len(X)):
            names = [
                [(f"{k}:{v}", 1.0) if isinstance(v, str) else (k, float(v)) for k, v in token.items()] for token in X[s]
            ]
            best = max(_paths(len(names)), key=lambda path, names=names: _score(weights, names, path))
            for path, sign in ((tuple(Y[s]), 1), (best, -1)):
                for key, value in _counted(names, path):
                    weights[key] = weights.get(key, 0.0) + sign * value
            for key, value in weights.items():
                total[key] = total.get(key, 0.0) + value
            count += 1
    possible = {**model.state_features_, **model.transition_features_}
    for key, weight in possible.items():
        assert weight == pytest.approx(total.get(key, 0.0) / count, abs=1e-9)


def _paths(length):
    """All labellings; of equally good ones Viterbi's algorithm takes that whose last labels come first."""
    return sorted(product("ABC", repeat=length), key=lambda path: path[::-1])


def _counted(names, path):
    found = [((name, label), value) for token, label in zip(names, path, strict=True) for name, value in token]
    return found + [(pair, 1.0) for pair in pairwise(path)]


def _score(weights, names, path):
    return sum(weights.get(key, 0.0) * value for key, value in _counted(names, path))


def test_partial_fit_goes_on_with_new_attributes_and_labels():
    model = CRF("ap", random_state=0)
    model.partial_fit([[{"w": "a"}, {"w": "b"}]], [["A", "B"]])
    before = model.num_attributes_
    for _ in range(5):
        model.partial_fit([[{"w": "c"}, {"w": "a"}]], [["C", "A"]])
    assert model.num_attributes_ == before + 1 and model.classes_.tolist() == ["A", "B", "C"]
    assert model.predict([[{"w": "c"}, {"w": "a"}]]) == [["C", "A"]]
    with pytest.raises(ParameterError, match="partial_fit needs algorithm"):
        CRF().partial_fit(X, Y)


def test_a_warm_start_begins_at_the_optimum():
    model = CRF(c2=0.5, warm_start=True, **TIGHT).fit(X, Y)
    first = model.trace_.iterations
    model.fit(X, Y)
    assert model.trace_.iterations < first / 3


def test_templates_and_dicts_give_the_same_model():
    words = [[(token["word"], "n" if token["size"] < 0.5 else "p") for token in sentence] for sentence in X]
    templates = "# words\nU00:%x[0,0]\nU01:%x[-1,0]/%x[0,1]\nU02:%x[2,1]\nB"
    by_template = CRF(c2=0.5, templates=templates).fit(words, Y)

    def cell(sentence, t, column):
        if t < 0:
            return f"_B-{-t}"
        return sentence[t][column] if t < len(sentence) else f"_B+{t - len(sentence) + 1}"

    lists = [
        [[f"U00:{w}", f"U01:{cell(s, t - 1, 0)}/{tag}", f"U02:{cell(s, t + 2, 1)}"] for t, (w, tag) in enumerate(s)]
        for s in words
    ]
    by_hand = CRF(c2=0.5).fit(lists, Y)
    assert by_template.attributes_.tolist() == by_hand.attributes_.tolist()
    np.testing.assert_allclose(by_template.state_coef_.toarray(), by_hand.state_coef_.toarray(), rtol=1e-9, atol=1e-12)
    assert by_template.predict(words) == by_hand.predict(lists)


def test_sparse_rows_with_lengths_are_sentences():
    rng = np.random.default_rng(0)
    rows = csr_array(rng.random((40, 6)) * (rng.random((40, 6)) < 0.5))
    lengths = [10, 5, 25]
    labels = [["A", "B"][int(v > 0.2)] for v in rows.toarray()[:, 0]]
    dicts = [{str(c): v for c, v in enumerate(row) if v} for row in rows.toarray().tolist()]
    ends = np.cumsum([0, *lengths])
    listed = [dicts[a:b] for a, b in pairwise(ends.tolist())]
    model = CRF(c2=0.1).fit(rows, labels, lengths=lengths)
    other = CRF(c2=0.1).fit(listed, [labels[a:b] for a, b in pairwise(ends.tolist())])
    assert model.predict(rows, lengths) == other.predict(listed)
    with pytest.raises(DataError, match="expecting 6 features"):
        model.predict(csr_array((3, 5)))


def test_constraints_hold_in_every_prediction():
    rng = np.random.default_rng(5)
    tags = ["B-X", "I-X", "O", "B-Y", "I-Y"]
    X = [[{"w": str(rng.integers(4))} for _ in range(rng.integers(1, 7))] for _ in range(30)]
    Y = [[tags[rng.integers(5)] for _ in s] for s in X]
    free = CRF(all_possible_transitions=True).fit(X, Y)
    bound = CRF(all_possible_transitions=True, allowed="IOB2").fit(X, Y)

    def valid(labels):
        return all(b[0] != "I" or (a[0] in "BI" and a[2:] == b[2:]) for a, b in pairwise(["O", *labels]))

    assert not all(map(valid, free.predict(X))) and all(map(valid, bound.predict(X)))
    assert bound.predict_proba(X)[0, bound.classes_.tolist().index("I-X")] == 0
    first = [["O"], *[None] * 20]
    fixed = bound.predict(X, allowed_labels=[first[: len(s)] for s in X])
    assert all(labels[0] == "O" for labels in fixed)
    matrix = np.ones((5, 5), dtype=bool)
    matrix[:, 4] = False
    labels = CRF(allowed=matrix).fit(X, Y).predict(X)
    assert all("O" not in s[1:] for s in labels)


def test_whole_searches_and_pipelines_take_it():
    model = learnable.GridSearchCV(CRF(max_iterations=20), {"c2": [0.01, 100.0]}, cv=3)
    with pytest.warns(learnable.ConvergenceWarning):
        model.fit(X, Y)
    assert model.best_params_ == {"c2": 0.01}


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ("text", [["A"]], "X must be a list of sentences"),
        ([], [], "at least one sentence"),
        ([[{"a": 1}]], [["A", "B"]], "sentence 0 has 1 tokens, but 2 labels"),
        ([[{"a": object()}]], [["A"]], "token 0 of sentence 0"),
        ([[{"a": float("nan")}]], [["A"]], "finite"),
        ([[{"a": 1}]], [[1]], "labels in y must be texts"),
        ([["word"]], [["A"]], "token 0 of sentence 0"),
        ([[{"a": 1}]], [[None]], "at least one token"),
    ],
)
def test_input_that_cannot_be_is_refused(X, y, words):
    with pytest.raises(DataError, match=words):
        CRF().fit(X, y)


def test_degenerate_sentences_are_tagged():
    one = CRF().fit([[{"a": 1}]], [["A"]])
    assert one.predict([[{"a": 1}, {"never": 2}], []]) == [["A", "A"], []]
    assert one.predict_marginals([[], [{"a": 1}]])[1] == [{"A": 1.0}]
    assert one.predict_single([]) == []
    empty = CRF().fit([[{"a": 1}], [], [{"b": 1}]], [["A"], [], ["B"]])
    assert empty.predict([[{"b": 1}]]) == [["B"]]
    long = [[{"a": 1}] * 20_000]
    assert set(empty.predict(long)[0]) == {"A"}
    assert np.isfinite(empty.predict_proba(long)).all()


def test_attributes_with_negative_values_have_weights():
    X = [[{"a": -1.0}, {"a": 1.0}]] * 3
    model = CRF(c2=0.01).fit(X, [["A", "B"]] * 3)
    assert model.predict([[{"a": -2.0}]]) == [["A"]]
    assert {key: np.sign(weight) for key, weight in model.state_features_.items()} == {("a", "A"): -1, ("a", "B"): 1}
