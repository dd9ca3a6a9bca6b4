"""Base class of taggers: models that give every token of a sentence a label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...core import Array, DataError, Estimator, ParameterError, Traits, declaring, learned, param
from ...engines.chain import Chain
from .._hmm.inference import whole_number
from .sentences import by_sentence, label_codes, read_labels
from .tag_schemes import ValidTags, valid_tags


@declaring
class Tagger(Estimator):
    """Base class of taggers: decoding by Viterbi, marginals, k best labellings, accuracy.

    A subclass reads sentences (`_read_tokens`) and scores labels and transitions (`_potentials`).
    """

    traits = Traits(task="sequence labelling", takes="sentences", weights=True)

    allowed: str | Array | None = param(
        None, 'labels that may follow one another in a prediction: "IOB2", "IOBES", or a matrix of truth values'
    )
    classes_: Array = learned("labels, sorted", shape="classes")

    @abstractmethod
    def _read_tokens(self, X: Any, lengths: Any) -> Any:
        """The tokens of sentences, with the attributes that the model knows."""

    @abstractmethod
    def _potentials(self, tokens: Any) -> tuple[Array, Array, Array]:
        """Log potentials of the first label, of transitions, and of labels at tokens."""

    def predict(self, X: Any, lengths: Any = None, *, allowed_labels: Any = None) -> list[list[str]]:
        """The most probable labels of each sentence.

        `allowed_labels` holds, for each sentence, a collection of labels or None (any) for each token.
        """
        tokens, chain = self._chain(X, lengths, allowed_labels)
        path, score = chain.viterbi()
        self._refuse_impossible(score, tokens)
        return by_sentence(self.classes_[path].tolist(), tokens.lengths)

    def predict_single(self, xseq: Any) -> list[str]:
        """The most probable labels of one sentence."""
        return self.predict([xseq])[0] if len(xseq) else []

    def predict_proba(self, X: Any, lengths: Any = None, *, allowed_labels: Any = None) -> Array:
        """The marginal probability of each label, a row for each token of all sentences."""
        tokens, chain = self._chain(X, lengths, allowed_labels)
        found = chain.forward_backward()
        self._refuse_impossible(found.log_likelihood, tokens)
        return np.asarray(found.states)

    def predict_marginals(self, X: Any, lengths: Any = None) -> list[list[dict[str, float]]]:
        """The marginal probabilities of the labels of each token, as a dict."""
        tokens, chain = self._chain(X, lengths, None)
        found = chain.forward_backward()
        self._refuse_impossible(found.log_likelihood, tokens)
        names = self.classes_.tolist()
        rows = [dict(zip(names, row, strict=True)) for row in found.states.tolist()]
        return by_sentence(rows, tokens.lengths)

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """The marginal probabilities of the labels of each token of one sentence."""
        return self.predict_marginals([xseq])[0] if len(xseq) else []

    def predict_k_best(self, X: Any, lengths: Any = None, *, k: int = 5) -> list[list[tuple[list[str], float]]]:
        """The `k` most probable labellings of each sentence with their conditional probabilities, best first."""
        count = whole_number(self, "k", k, 1)
        tokens, chain = self._chain(X, lengths, None)
        paths, scores = chain.k_best(count)
        whole = chain.filter()[0]
        names, ends, found = self.classes_, np.cumsum(tokens.lengths), []
        s = -1
        for end, length in zip(ends.tolist(), tokens.lengths.tolist(), strict=True):
            s += length > 0
            own = range(count) if length else ()
            found.append(
                [
                    (names[paths[end - length : end, n]].tolist(), float(np.exp(scores[s, n] - whole[s])))
                    for n in own
                    if np.isfinite(scores[s, n])
                ]
            )
        return found

    def span_probability(self, xseq: Any, first: int, labels: Sequence[str]) -> float:
        """The probability that the tokens of one sentence from index `first` have exactly these labels."""
        begin = whole_number(self, "first", first, 0)
        if begin + len(labels) > len(xseq):
            raise ParameterError(
                f"{type(self).__name__}: the sentence has {len(xseq)} tokens; {len(labels)} labels do not fit from "
                f"token {begin}"
            )
        _, chain = self._chain([xseq], None, None)
        codes = self._known_codes(labels)
        node = chain.node.copy()
        others = np.arange(node.shape[1]) != codes[:, None]
        node[begin : begin + len(labels)][others] = -np.inf
        fixed = replace(chain, node=node)
        return float(np.exp(fixed.filter()[0][0] - chain.filter()[0][0]))

    def score(self, X: Any, y: Any, lengths: Any = None, sample_weight: Any = None) -> float:
        """The fraction of tokens with the correct label; `sample_weight` has a weight for each sentence."""
        self._require_fit()
        tokens = self._read_tokens(X, lengths)
        labels = np.array(read_labels(type(self).__name__, y, tokens), dtype=object)
        predicted = np.array([label for labels in self.predict(X, lengths) for label in labels], dtype=object)
        known = labels != None  # noqa: E711  elementwise
        weight = np.ones(len(labels))
        if sample_weight is not None:
            weight = np.repeat(np.asarray(sample_weight, dtype=np.float64), tokens.lengths)
        return float(np.average((labels == predicted)[known], weights=weight[known]))

    def _chain(self, X: Any, lengths: Any, allowed_labels: Any) -> tuple[Any, Any]:
        """The tokens, and the chain of labels of the sentences that have any."""
        self._require_fit()
        tokens = self._read_tokens(X, lengths)
        start, transition, node = self._potentials(tokens)
        filled = tokens.lengths[tokens.lengths > 0]
        if self.allowed is not None:
            rules = self._rules()
            start = np.where(rules.start, start, -np.inf)
            transition = np.where(rules.transition, transition, -np.inf)
            last = np.cumsum(filled) - 1
            node = node.copy()
            node[last] = np.where(rules.end, node[last], -np.inf)
        if allowed_labels is not None:
            node = np.where(self._label_mask(allowed_labels, tokens), node, -np.inf)
        return tokens, self._chain_of(tokens, start, transition, node, filled)

    def _chain_of(self, tokens: Any, start: Array, transition: Array, node: Array, lengths: Array) -> Any:
        """The chain of labels with these log potentials, for sentences of these lengths."""
        return Chain.of(start, transition, node, lengths)

    def _rules(self) -> ValidTags:
        owner, count = type(self).__name__, len(self.classes_)
        if isinstance(self.allowed, str):
            return valid_tags(owner, self.classes_.tolist(), self.allowed)
        matrix = np.asarray(self.allowed)
        if matrix.shape != (count, count):
            raise ParameterError(f"{owner}: allowed must have the shape {(count, count)}; it has {matrix.shape}")
        every = np.ones(count, dtype=bool)
        return ValidTags(every, matrix.astype(bool), every)

    def _label_mask(self, allowed_labels: Any, tokens: Any) -> Array:
        flat: list[Collection[str] | None] = [token for sentence in allowed_labels for token in sentence]
        if len(flat) != int(tokens.lengths.sum()):
            raise DataError(
                f"{type(self).__name__}: allowed_labels must have a collection of labels, or None, for each of the "
                f"{int(tokens.lengths.sum())} tokens; it has {len(flat)}"
            )
        mask = np.ones((len(flat), len(self.classes_)), dtype=bool)
        for t, labels in enumerate(flat):
            if labels is not None:
                mask[t] = False
                mask[t, self._known_codes(list(labels))] = True
        return mask

    def _known_codes(self, labels: Sequence[str]) -> Array:
        codes = label_codes(labels, self.classes_.tolist())
        if (codes < 0).any():
            raise DataError(
                f"{type(self).__name__}: the label {labels[int(np.argmax(codes < 0))]!r:.40} is not in classes_"
            )
        return codes

    def _refuse_impossible(self, score: Array, tokens: Any) -> None:
        wrong = ~np.isfinite(score)
        if wrong.any():
            s = int(np.flatnonzero(tokens.lengths > 0)[int(np.argmax(wrong))])
            raise DataError(
                f"{type(self).__name__}: sentence {s} has no labelling that allowed and allowed_labels permit"
            )
