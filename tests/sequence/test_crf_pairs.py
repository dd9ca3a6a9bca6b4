"""Conditional random fields with edge features and of the second order: enumeration, gradients, constraints."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import learnable
from learnable import ParameterError
from learnable.sequence import CRF, StructuredPerceptron
from learnable.sequence._tagging.crf_pairs import pair_features, split_edges
from learnable.sequence._tagging.pair_objective import PairObjective
from tests.sequence.tagging_data import random_sentences

X, Y = random_sentences()
KEY = sorted({key for sentence in X for token in sentence for key in (token if isinstance(token, dict) else ())})[0]
MODELS = {
    "edges": {"edge_features": [KEY]},
    "second order": {"order": 2},
    "both, all pairs": {"edge_features": [KEY], "order": 2, "all_possible_transitions": True},
}


def attributes_of(token: dict) -> dict[str, float]:
    return {f"{k}:{v}" if isinstance(v, str) else k: 1.0 if isinstance(v, str) else float(v) for k, v in token.items()}


def every_score(model: CRF, sentence: list[dict]) -> dict[tuple[str, ...], float]:
    """The scores of all labellings, by plain sums over the learned weights."""
    labels, state, transition = model.classes_.tolist(), model.state_features_, model.transition_features_
    pairs = {(labels[a], labels[b]): place for place, (a, b) in enumerate(model.pairs_.tolist())}
    edges = dict(zip(model.edge_attributes_.tolist(), model.edge_coef_.toarray(), strict=True))
    triples, place = {}, 0
    starts = [("", label) for label in labels]
    ends = [*starts, *pairs]
    for before, after in pairs:
        for first in [end for end in ends if end[1] == before]:
            triples[first, (before, after)] = model.triple_coef_[place]
            place += 1
    found = {}
    for path in product(labels, repeat=len(sentence)):
        if any(pair not in pairs for pair in pairwise(path)):
            continue
        steps = list(zip(["", *path[:-1]], path, strict=True))
        score = sum(transition.get(pair, 0.0) for pair in pairwise(path))
        for token, step in zip(sentence, steps, strict=True):
            for name, value in attributes_of(token).items():
                score += value * state.get((name, step[1]), 0.0)
                if step[0] and name in edges:
                    score += value * edges[name][pairs[step]]
        found[path] = score + sum(triples[pair] for pair in pairwise(steps))
    return found


@pytest.mark.parametrize("case", MODELS)
def test_objective_and_predictions_are_those_of_the_enumeration(case):
    model = CRF(c2=0.3, epsilon=1e-7, delta=1e-9, **MODELS[case]).fit(X, Y)
    squares = sum(w**2 for w in [*model.state_features_.values(), *model.transition_features_.values()])
    squares += (model.edge_coef_.toarray() ** 2).sum() + (model.triple_coef_**2).sum()
    loss = 0.0
    for sentence, labels in zip(X, Y, strict=True):
        if sentence:
            scores = every_score(model, sentence)
            loss += np.logaddexp.reduce(list(scores.values())) - scores[tuple(labels)]
    assert model.trace_["objective"][-1] == pytest.approx(loss + 0.3 * squares)
    for sentence in [s for s in X if 2 <= len(s) <= 5][:5]:
        scores = every_score(model, sentence)
        whole = np.logaddexp.reduce(list(scores.values()))
        ranked = sorted(scores, key=scores.get, reverse=True)
        assert tuple(model.predict_single(sentence)) == ranked[0]
        best = model.predict_k_best([sentence], k=3)[0]
        assert [tuple(labels) for labels, _ in best] == ranked[:3]
        marginals, edges = model.predict_marginals_single(sentence), model.predict_edge_marginals([sentence])[0]
        for t in range(len(sentence)):
            for code, label in enumerate(model.classes_):
                here = {path: np.exp(s - whole) for path, s in scores.items() if path[t] == label}
                assert marginals[t][label] == pytest.approx(sum(here.values()))
                for next_code, after in enumerate(model.classes_ if t + 1 < len(sentence) else ()):
                    both = sum(p for path, p in here.items() if path[t + 1] == after)
                    assert edges[t, code, next_code] == pytest.approx(both, abs=1e-12)
        span = sum(np.exp(s - whole) for path, s in scores.items() if path[:2] == ("A", "B"))
        assert model.span_probability(sentence, 0, ["A", "B"]) == pytest.approx(span, abs=1e-12)


@pytest.mark.parametrize("unknown", [False, True], ids=["labelled", "partly labelled"])
@pytest.mark.parametrize("case", MODELS)
def test_the_gradient_is_that_of_finite_differences(case, unknown):
    rng = np.random.default_rng(1)
    model = CRF(**MODELS[case])
    labels = [[None if unknown and rng.random() < 0.4 else label for label in y] for y in Y[:6]]
    data, names, classes = model._learning_data(X[:6], labels, None, rng.random(6) + 0.5)
    given = split_edges(model, data, names)
    features = model._find_features(given.data, len(given.names), len(classes))
    extra = pair_features(model, given, features)
    objective = PairObjective(given.data, features, extra, given.edges, 0.2, model.order)
    base = features.size + len(classes) ** 2
    weight = rng.normal(size=base + extra.size)
    weight[features.size : base] *= features.transitions.ravel()
    free = np.ones(len(weight), dtype=bool)
    free[features.size : base] = features.transitions.ravel() > 0
    if len(extra.triples):
        free[-len(extra.triples) :] = extra.triples
        weight[~free] = 0
    _, gradient = objective(weight)
    for f in np.flatnonzero(free)[:: 1 + len(weight) // 150]:
        step = np.zeros(len(weight))
        step[f] = 1e-5
        derivative = (objective(weight + step)[0] - objective(weight - step)[0]) / 2e-5
        assert gradient[f] == pytest.approx(derivative, abs=2e-6)


def test_without_edge_features_it_is_the_model_of_the_first_order():
    plain = CRF(c2=0.2, all_possible_transitions=True, epsilon=1e-8, delta=1e-14).fit(X, Y)
    paired = CRF(c2=0.2, all_possible_transitions=True, edge_features=[], epsilon=1e-8, delta=1e-14).fit(X, Y)
    assert paired.trace_["objective"][-1] == pytest.approx(plain.trace_["objective"][-1], abs=1e-8)
    np.testing.assert_allclose(paired.predict_proba(X), plain.predict_proba(X), atol=1e-5)
    found, expected = paired.predict_edge_marginals(X[:4]), plain.predict_edge_marginals(X[:4])
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    tokens = [token for token in plain.predict_edge_marginals(X[:4]) if len(token)]
    assert all(np.allclose(edges.sum(axis=(1, 2)), 1) for edges in tokens)


def test_transitions_that_depend_on_the_token_need_edge_features():
    """The label changes exactly where the token says so: no weight of a single label helps."""
    rng = np.random.default_rng(0)
    sentences, labels = [], []
    for _ in range(60):
        moves = rng.integers(0, 2, 12)
        labels.append([f"L{state}" for state in np.cumsum(moves) % 2])
        first = {"first": labels[-1][0]}
        sentences.append([{"move": str(move), **(first if t == 0 else {})} for t, move in enumerate(moves)])
    plain, edges = CRF(c2=0.01).fit(sentences[:40], labels[:40]), CRF(c2=0.01, edge_features=["move"])
    assert plain.score(sentences[40:], labels[40:]) < 0.8
    assert edges.fit(sentences[:40], labels[:40]).score(sentences[40:], labels[40:]) == 1.0
    lines = "U00:%x[0,1]\nB01:%x[0,0]\nB"
    rows = [[[token["move"], token.get("first", "-")] for token in sentence] for sentence in sentences]
    templates = CRF(c2=0.01, templates=lines).fit(rows[:40], labels[:40])
    assert templates.score(rows[40:], labels[40:]) == 1.0
    assert templates.edge_attributes_.tolist() == ["B01:0", "B01:1"]


def test_labels_of_period_three_need_the_second_order():
    rng = np.random.default_rng(0)
    labels = [[("A", "A", "B")[(shift + t) % 3] for t in range(9)] for shift in rng.integers(0, 3, 40)]
    sentences = [[{f"first{t}": pair[0] + pair[1]} if t < 2 else {} for t in range(9)] for pair in labels]
    first, second = CRF(c2=0.01).fit(sentences, labels), CRF(c2=0.01, order=2).fit(sentences, labels)
    assert first.score(sentences, labels) < 0.9 < second.score(sentences, labels)


def test_constraints_files_and_penalties_apply(tmp_path):
    model = CRF(c1=0.2, c2=0.1, order=2, edge_features=[KEY]).fit(X, Y)
    learnable.save(model, tmp_path / "model")
    assert np.array_equal(learnable.load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
    sentence = next(s for s in X if len(s) == 4)
    allowed = [[["B"], None, ["A", "B"], None]]
    found = model.predict([sentence], allowed_labels=allowed)[0]
    assert found[0] == "B" and found[2] in ("A", "B")
    ruled = model.clone().set_params(allowed=[[True, True, True], [True, False, True], [True, True, True]]).fit(X, Y)
    assert ("B", "B") not in {pair for labels in ruled.predict(X) for pair in pairwise(labels)}
    assert model.predict([[{"never": "seen"}, {}]])[0]
    plain = CRF(c2=0.1).fit(X, Y)
    again = model.set_params(order=1, edge_features=None, c1=0.0).fit(X, Y)
    assert np.array_equal(again.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("options", [{"order": 2}, {"edge_features": ["word"]}])
def test_sentences_longer_than_those_of_training_are_labelled(options):
    """Nothing follows B in training: its successor has no weights, but is possible, as in the first order."""
    a, b = {"word": "a"}, {"word": "b"}
    model = CRF(**options).fit([[a, b]] * 4, [["A", "B"]] * 4)
    assert model.predict([[a, b, a], [a], []]) == [["A", "B", "A"], ["A"], []]
    assert CRF(**options).fit([[a]], [["A"]]).predict([[b, a]]) == [["A", "A"]]


def test_what_needs_lbfgs_is_refused_elsewhere():
    for options in ({"algorithm": "ap"}, {"warm_start": True}):
        with pytest.raises(ParameterError, match="order=2 need algorithm"):
            CRF(order=2, **options).fit(X, Y)
    with pytest.raises(ParameterError, match="need a CRF"):
        StructuredPerceptron(templates="U0:%x[0,0]\nB0:%x[0,0]").fit([["a"]], [["A"]])
