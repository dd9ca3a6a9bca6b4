"""The structured perceptron."""

from __future__ import annotations

from typing import Any, Self

from ..core import ParameterError, RandomState, Traits, estimator, param, seed_of
from ..engines.iterate import iterate
from ._tagging.linear_chain_tagger import LinearChainTagger
from ._tagging.online import OnlineTraining


@estimator
class StructuredPerceptron(LinearChainTagger):
    """Structured perceptron: a tagger that learns from the errors of its own best labellings.

    w <- w + F(x, y) - F(x, y'),    y' = argmax over labellings of w F(x, y')

    F counts the (attribute, label) and (label, label) of a sentence; y' comes from Viterbi's algorithm. If some weights
    separate the correct labellings from all others by a margin, the number of errors is finite. The average of the
    weights over all steps generalises better than the last ones. [Collins, 2002]

    >>> X = [[["the"], ["dog"], ["barks"]], [["dogs"], ["bark"]]]
    >>> y = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"]]
    >>> StructuredPerceptron(random_state=0).fit(X, y).predict([[["the"], ["dogs"], ["bark"]]])
    [['DET', 'NOUN', 'VERB']]
    """

    max_iter: int = param(100, "maximum number of epochs", at_least=1)
    tol: float = param(0.0, "wrong labels per token, a mean over sentences, that end the fit", at_least=0)
    averaging: bool = param(True, "whether weights are averaged over all steps")
    all_possible_states: bool = param(False, "whether each attribute has a weight for every label")
    all_possible_transitions: bool = param(False, "whether transitions that do not occur have weights")
    random_state: RandomState = param(None, "seed of the order of sentences")

    title = "structured perceptron"
    reference = "Collins, Discriminative training methods for hidden Markov models, 2002"
    traits = Traits(stochastic=True)

    def fit(self, X: Any, y: Any, *, lengths: Any = None, sample_weight: Any = None) -> Self:
        """Learn from sentences, lists of tokens that are dicts or lists of attributes, and lists of labels."""
        data, attributes, classes = self._learning_data(X, y, lengths, sample_weight)
        if (data.labels < 0).any():
            raise ParameterError("StructuredPerceptron: every label must be known; CRF accepts None")
        with self._fit_scope(data) as trace:
            every = self.all_possible_states, self.all_possible_transitions
            features = self._find_features(data, len(attributes), len(classes), 0, *every)
            seed = seed_of(self.random_state)
            training = OnlineTraining(data, features, "perceptron", self.averaging, self.tol, seed)
            state = iterate(training, self.max_iter, trace)
            training.certify(state, trace)
            self._keep_weights(features, training.result(state), attributes, classes)
        return self
