"""Linear-chain conditional random fields."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import Array, ParameterError, RandomState, Trace, Traits, estimator, learned, param, seed_of
from ..engines.iterate import State, iterate
from ..engines.minimise.orthant_lbfgs import OrthantLBFGS
from ._tagging.crf_online import calibrated_first, extended_features, restored_state
from ._tagging.crf_pairs import (
    EdgeTokens,
    PairTrainingSet,
    all_names,
    drop_pairs,
    edge_tokens,
    keep_pairs,
    pair_chain,
    pair_features,
    pairs_defect,
    split_edges,
)  # fmt: skip
from ._tagging.features import Features
from ._tagging.linear_chain_tagger import LinearChainTagger
from ._tagging.objective import CRFObjective, TrainingSet
from ._tagging.online import OnlineTraining, Rule
from ._tagging.pair_chain import LabelPairChain, LabelPairs
from ._tagging.pair_objective import PairObjective
from ._tagging.sentences import Names

Algorithm = Literal["lbfgs", "l2sgd", "ap", "pa", "arow"]
LineSearch = Literal["MoreThuente", "Backtracking", "StrongBacktracking"]
RULES: dict[str, Rule] = {"l2sgd": "gradient", "ap": "perceptron", "pa": "passive_aggressive", "arow": "arow"}
UNLIMITED = 10**9


@estimator
class CRF(LinearChainTagger):
    """Conditional random field: the probability of the labels of a sentence, with features of its tokens.

    minimise over w    - sum over sentences log p(y | x)  +  c1 |w|_1  +  c2 |w|^2,
    p(y | x) = exp( sum_t w[x_t, y_t] + w[y_t-1, y_t] ) / Z(x)

    Parameters, input and attributes are those of sklearn-crfsuite; None is CRFsuite's default. "lbfgs" finds the
    minimum, with gradients by forward-backward; "l2sgd" approaches it (c1 = 0); "ap", "pa" and "arow" are online
    algorithms that count errors instead. Labels of None are summed over. [Lafferty et al., 2001]

    >>> X = [[{"word": "the"}, {"word": "dog"}, {"word": "barks"}], [{"word": "dogs"}, {"word": "bark"}]]
    >>> y = [["DET", "NOUN", "VERB"], ["NOUN", "VERB"]]
    >>> model = CRF(c2=0.1).fit(X, y)
    >>> model.predict([[{"word": "the"}, {"word": "dogs"}, {"word": "bark"}]])
    [['DET', 'NOUN', 'VERB']]
    """

    algorithm: Algorithm | None = param(None, '"lbfgs" (also if None), "l2sgd", "ap", "pa" or "arow"', kw_only=False)
    min_freq: float | None = param(None, "number of occurrences below which features are left out", at_least=0)
    all_possible_states: bool | None = param(None, "whether each attribute has a weight for every label")
    all_possible_transitions: bool | None = param(None, "whether transitions that do not occur have weights")
    c1: float | None = param(None, "factor of the sum of absolute weights (lbfgs), 0 if None", at_least=0)
    c2: float | None = param(None, "factor of the sum of squared weights (lbfgs, l2sgd), 1 if None", at_least=0)
    max_iterations: int | None = param(None, "maximum number of iterations or epochs", at_least=1)
    num_memories: int | None = param(None, "number of steps that lbfgs remembers, 6 if None", at_least=1)
    epsilon: float | None = param(None, "norm of the gradient over that of w (lbfgs), or loss, that ends", at_least=0)
    period: int | None = param(None, "number of iterations over which delta is measured, 10 if None", at_least=1)
    delta: float | None = param(None, "relative improvement over a period that ends the fit", at_least=0)
    linesearch: LineSearch | None = param(None, "accepted for CRFsuite; weak Wolfe, and halving with c1, are used")
    max_linesearch: int | None = param(None, "maximum number of trials of a line search, 20 if None", at_least=1)
    calibration_eta: float | None = param(None, "first step size that l2sgd tries, 0.1 if None", above=0)
    calibration_rate: float | None = param(None, "factor between step sizes, 2 if None", above=1)
    calibration_samples: int | None = param(None, "sentences on which step sizes are tried, 1000 if None", at_least=1)
    calibration_candidates: int | None = param(
        None, "number of step sizes that reduce the loss, 10 if None", at_least=1
    )
    calibration_max_trials: int | None = param(None, "maximum number of step sizes, 20 if None", at_least=1)
    pa_type: Literal[0, 1, 2] | None = param(None, "slack of pa: 0 none, 1 linear (also if None), 2 squared")
    c: float | None = param(None, "aggressiveness of pa, 1 if None", above=0)
    error_sensitive: bool | None = param(None, "whether the margin of pa is the root of the number of errors")
    averaging: bool | None = param(None, "whether pa averages weights over all steps")
    variance: float | None = param(None, "initial variance of arow, 1 if None", above=0)
    gamma: float | None = param(None, "regularisation of arow, 1 if None", above=0)
    edge_features: list[str] | None = param(
        None, "attributes, or keys of dicts, with weights for pairs of adjacent labels too (lbfgs)"
    )
    order: Literal[1, 2] = param(1, "1: transitions between labels; 2: weights of triples of labels too (lbfgs)")
    warm_start: bool = param(False, "whether a fit begins with the weights of the one before")
    random_state: RandomState = param(None, "seed of the order of sentences")
    verbose: bool = param(False, "accepted for sklearn-crfsuite; learnable.progress() shows the iterations")
    step_weights_: Array = learned("weights before averaging", optional=True)
    step_second_: Array = learned("sums of weights, or their variances", optional=True)
    n_steps_: int = learned("number of sentences that online training has visited", optional=True)
    edge_attributes_: Any = learned("names of the edge attributes, as an array of texts", optional=True)
    edge_coef_: Any = learned("weight of each edge attribute and pair of labels", matrix=True, optional=True)
    pairs_: Array = learned("pairs of labels that are possible, as indices of classes_", optional=True)
    triple_coef_: Array = learned("weight of each triple of labels", optional=True)

    title = "conditional random field"
    reference = "Lafferty, McCallum and Pereira, Conditional random fields, 2001"
    traits = Traits(stochastic=True)
    edges_allowed = True

    def fit(
        self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None, *, lengths: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from sentences: lists of tokens that are dicts or lists of attributes, or a sparse matrix with lengths.

        `y` holds a list of labels for each sentence, with None where a label is unknown (lbfgs). The trace has the
        accuracy on `X_dev`, `y_dev` at the end of the fit. `sample_weight` has a weight for each sentence.
        """
        if (X_dev is None) != (y_dev is None):
            raise ParameterError("CRF: give both X_dev and y_dev, or neither")
        data, attributes, classes = self._learning_data(X, y, lengths, sample_weight, self._labels_before())
        chosen = self.min_freq or 0, bool(self.all_possible_states), bool(self.all_possible_transitions)
        self._refuse_pairs()
        with self._fit_scope(data) as trace:
            drop_pairs(self)
            given = split_edges(self, data, attributes) if self._paired else None
            data, attributes = (given.data, given.names) if given else (data, attributes)
            features = self._find_features(data, len(attributes), len(classes), *chosen)
            first = self._weights_before(features, attributes, classes)
            if given:
                weight = self._minimise_pairs(given, features, first, trace)
            elif self._algorithm == "lbfgs":
                weight = self._minimise(data, CRFObjective(data, features, self._c2), first, trace)
            else:
                self._refuse_unknown(data)
                weight = self._train_online(data, features, first, trace)
            self._keep_weights(features, weight, attributes, classes)
            if self._algorithm == "lbfgs" and self.c1:
                self._drop_zeros()
            if X_dev is not None:
                trace.rows[-1]["dev_accuracy"] = self.score(X_dev, y_dev)
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, *, lengths: Any = None, sample_weight: Any = None
    ) -> Self:
        """One epoch over more sentences, whose attributes and labels may be new: "ap", "pa" and "arow" only."""
        self._refuse_pairs()
        if self._algorithm not in ("ap", "pa", "arow"):
            raise ParameterError('CRF: partial_fit needs algorithm="ap", "pa" or "arow"; others see all sentences')
        before = self.classes_.tolist() if "classes_" in self.__dict__ else []
        data, names, labels = self._learning_data(X, y, lengths, sample_weight, [*before, *(classes or ())])
        self._refuse_unknown(data)
        with self._fit_scope(data, going_on=True) as trace:
            data, features, attributes, state = extended_features(self, data, names, labels)
            self._train_online(data, features, state["weight"], trace, state, epochs=1)
            weight = self._online(data, features).result(self._kept_state())
            self._keep_weights(features, weight, attributes, labels)
        return self

    @property
    def _algorithm(self) -> str:
        return self.algorithm or "lbfgs"

    def _labels_before(self) -> list[str]:
        return self.classes_.tolist() if self.warm_start and "classes_" in self.__dict__ else []

    def _refuse_unknown(self, data: TrainingSet) -> None:
        if (data.labels < 0).any():
            raise ParameterError('CRF: labels of None need algorithm="lbfgs", which sums over them')

    @property
    def _c2(self) -> float:
        return float(_or(self.c2, 1.0))

    @property
    def _paired(self) -> bool:
        """Whether the model has weights of pairs of labels with attributes, or of triples."""
        edges = self.templates is not None and any(rule.strip()[:1] == "B" and rule.strip() != "B"
                                                   for rule in self.templates.splitlines())  # fmt: skip
        return self.order == 2 or self.edge_features is not None or edges

    def _refuse_pairs(self) -> None:
        if self._paired and (self._algorithm != "lbfgs" or self.warm_start):
            raise ParameterError(
                'CRF: edge features (edge_features, templates B01:...) and order=2 need algorithm="lbfgs" and '
                "warm_start=False"
            )

    def _minimise_pairs(self, given: PairTrainingSet, features: Features, first: Array, trace: Trace) -> Array:
        """The weights of attributes and transitions; those of edge features and triples are stored."""
        extra = pair_features(self, given, features)
        objective = PairObjective(given.data, features, extra, given.edges, self._c2, self.order)
        found = self._minimise(given.data, objective, np.append(first, np.zeros(extra.size)), trace)
        keep_pairs(self, extra, found[len(first) :], given.edge_names)
        return found[: len(first)]

    def predict_edge_marginals(self, X: Any, lengths: Any = None) -> list[Array]:
        """The probability of each pair of adjacent labels, (tokens - 1, labels, labels) for each sentence."""
        tokens, chain = self._chain(X, lengths, None)
        if not isinstance(chain, LabelPairChain):
            K = len(self.classes_)
            pairs = LabelPairs.of(K, np.ones((K, K), dtype=bool))
            score = np.zeros((len(chain.node), pairs.n_pairs))
            lengths_of = tokens.lengths[tokens.lengths > 0]
            chain = LabelPairChain(
                pairs, chain.start, chain.transition, chain.node, score, np.zeros(len(pairs.previous)), lengths_of
            )
        found, ends = chain.edge_marginals(), np.cumsum(tokens.lengths)
        begins = ends - tokens.lengths
        return [found[begin + 1 : end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]

    def _read_tokens(self, X: Any, lengths: Any, names: Names | None = None) -> Any:
        if names is not None or "pairs_" not in self.__dict__:
            return super()._read_tokens(X, lengths, names)
        known = all_names(self)
        return edge_tokens(self, super()._read_tokens(X, lengths, known), known)

    def _potentials(self, tokens: Any) -> tuple[Array, Array, Array]:
        return super()._potentials(tokens.tokens if isinstance(tokens, EdgeTokens) else tokens)

    def _chain_of(self, tokens: Any, start: Array, transition: Array, node: Array, lengths: Array) -> Any:
        if not isinstance(tokens, EdgeTokens):
            return super()._chain_of(tokens, start, transition, node, lengths)
        return pair_chain(self, tokens.edges, start, transition, node, lengths)

    def _unsound(self) -> str:
        return super()._unsound() or pairs_defect(self)

    def _minimise(self, data: TrainingSet, objective: Any, first: Array, trace: Trace) -> Array:
        """The weights of least regularised negative log likelihood."""
        c1, c2 = _or(self.c1, 0.0), self._c2
        convexity = 2 * c2 if (data.labels >= 0).all() else 0.0
        method = OrthantLBFGS(
            objective, first, c1, _or(self.num_memories, 6), _or(self.epsilon, 1e-5),
            _or(self.period, 10), _or(self.delta, 1e-5), _or(self.max_linesearch, 20), convexity,
        )  # fmt: skip
        state = iterate(method, _or(self.max_iterations, UNLIMITED), trace)
        if method.convexity:
            claim = "the objective is at most this much above its minimum, relative to its value"
            trace.certify(
                "suboptimality", method.excess(state) / max(state["objective"], 1e-300), _or(self.delta, 1e-5), claim
            )
        else:
            claim = "the norm of the gradient relative to that of the weights, or to 1 where these are smaller"
            trace.certify("gradient norm", method.relative_norm(state), method.tolerance, claim)
        weight: Array = state["x"]
        return weight

    def _train_online(
        self, data: TrainingSet, features: Features, first: Array, trace: Trace, before: State | None = None,
        epochs: int | None = None,
    ) -> Array:  # fmt: skip
        online = self._online(data, features, restored_state(first, before, self._variance))
        limit = epochs or _or(self.max_iterations, 1000 if self._algorithm == "l2sgd" else 100)
        state = iterate(online, limit, trace)
        self.step_weights_, self.step_second_, self.n_steps_ = state["weight"], state["second"], int(state["count"])
        online.certify(state, trace)
        return online.result(state)

    @property
    def _variance(self) -> float:
        return _or(self.variance, 1.0) if self._algorithm == "arow" else 0.0

    def _online(self, data: TrainingSet, features: Features, before: State | None = None) -> OnlineTraining:
        rule, sentences = RULES[self._algorithm], len(data.tokens.lengths)
        averaging = rule == "perceptron" or _or(self.averaging, True)
        online = OnlineTraining(
            data, features, rule, averaging, _or(self.epsilon, 0.0), seed_of(self.random_state),
            _or(self.pa_type, 1), _or(self.error_sensitive, True), _or(self.c, 1.0), _or(self.gamma, 1.0),
            self._variance, 2 * _or(self.c2, 1.0) / sentences, 1.0, _or(self.period, 10), _or(self.delta, 1e-6), before,
        )  # fmt: skip
        if rule != "gradient":
            return online
        return calibrated_first(
            online, _or(self.calibration_eta, 0.1), _or(self.calibration_rate, 2.0),
            _or(self.calibration_samples, 1000),
            _or(self.calibration_candidates, 10), _or(self.calibration_max_trials, 20),
        )  # fmt: skip

    def _kept_state(self) -> State:
        return {"weight": self.step_weights_, "second": self.step_second_, "count": float(self.n_steps_)}

    def _drop_zeros(self) -> None:
        """Leave out weights that are zero, and attributes without any other."""
        self.state_coef_.eliminate_zeros()
        used = np.diff(self.state_coef_.indptr) > 0
        self.state_coef_, self.attributes_ = self.state_coef_[used].tocsr(), self.attributes_[used]
        self.n_features_in_ = len(self.attributes_)


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value
