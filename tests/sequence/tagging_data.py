"""Data of the tests of taggers."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np

LABELS = ["A", "B", "C"]


def random_sentences(count: int = 40, seed: int = 0) -> tuple[list[list[dict[str, Any]]], list[list[str]]]:
    """Sentences of one to eight tokens with a word and a number; labels depend on the word and the label before."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        labels, tokens, state = [], [], 0
        for _ in range(rng.integers(1, 9)):
            state = (state + rng.integers(0, 2)) % 3
            word = f"w{(2 * state + rng.integers(0, 3)) % 6}"
            tokens.append({"word": word, "size": round(abs(float(rng.normal())), 3), "bias": True})
            labels.append(LABELS[state])
        X.append(tokens)
        y.append(labels)
    return X, y


def all_scores(model: Any, sentence: list[dict[str, Any]]) -> dict[tuple[str, ...], float]:
    """The score of every labelling of a sentence by the weights that the model reports."""
    states, transitions = model.state_features_, model.transition_features_
    names = [
        [(f"{k}:{v}", 1.0) if isinstance(v, str) else (k, float(v)) for k, v in token.items()] for token in sentence
    ]
    found = {}
    for labels in product(model.classes_.tolist(), repeat=len(sentence)):
        score = sum(
            value * states.get((name, y), 0.0) for token, y in zip(names, labels, strict=True) for name, value in token
        )
        score += sum(transitions.get(pair, 0.0) for pair in pairwise(labels))
        found[labels] = score
    return found


def negative_log_likelihood(model: Any, X: Any, y: Any) -> float:
    """The loss of the labels by the enumeration of all labellings."""
    total = 0.0
    for sentence, labels in zip(X, y, strict=True):
        scores = all_scores(model, sentence)
        total += np.log(np.sum(np.exp(list(scores.values())))) - scores[tuple(labels)]
    return float(total)
