"""Bayesian network classifiers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, estimator, learned, param
from ..core.roles.classifier import ProbabilisticClassifier
from ._coded_table import Columns, is_categorical, learn_columns, read_columns, refuse_large
from ._dag import DAG, acyclic
from ._equivalence import graph_of
from ._estimation import Prior, Smoothing
from ._learning import arcs_of, complete_rows, learn_parameters
from ._network import Network, unsound_network
from ._row_density import log_density
from ._search.hill_climbing import ArcRules, SearchOptions, climb
from ._search.scores import ScoreName, family_scores
from ._search.trees import k_dependence, mutual_information, spanning_tree

CLASS = "class"


@estimator
class BayesianNetworkClassifier(ProbabilisticClassifier):
    """Bayesian network classifier: the class is a node, and its posterior given the features is the prediction.

    P(k | x) = P(k) prod_j p(x_j | k, parents of x_j) / sum over classes of the same

    "naive": features have the class as their only parent; "tan": they also form the tree of greatest conditional mutual
    information; "kdb": each has up to `k` more parents; "hill_climbing": any network that maximises the score. Missing
    features are summed over exactly, in training by EM. [Friedman, Geiger and Goldszmidt, 1997; Sahami, 1996]

    >>> X = np.array([["a", "u"], ["a", "v"], ["b", "v"], ["b", "u"]])
    >>> BayesianNetworkClassifier().fit(X, [0, 1, 0, 1]).predict(X)  # exclusive or
    array([0, 1, 0, 1])
    """

    structure: Literal["naive", "tan", "kdb", "hill_climbing"] = param(
        "tan", "arcs between features", kw_only=False, tune=("naive", "tan", "kdb")
    )
    k: int = param(2, "maximum number of parents of a feature beside the class, of 'kdb'", at_least=0)
    prior: Prior = param("dirichlet", "prior of probability tables: none, equal pseudo-counts, BDeu or K2")
    prior_strength: float = param(
        0.1, "pseudo-count of the Dirichlet prior, or equivalent sample size of BDeu", above=0, tune=(0.01, 0.1, 1.0)
    )
    scoring: ScoreName = param("bic", "score that hill climbing maximises")
    max_iter: int = param(1000, "maximum number of steps of the search, and of EM iterations", at_least=1)
    tol: float = param(1e-6, "convergence threshold of EM: gain of the log likelihood per row", at_least=0)

    classes_: Array = learned("class labels, sorted", shape="classes")
    n_iter_: int = learned("number of steps of the search or of EM iterations, 1 for a closed form", least=1)
    nodes_: list[str] = learned("names of the features, and of the class at the end", counts="nodes")
    parents_: list[Array] = learned("indices of the parents of each node", counts="nodes", each="parents*")
    states_: list[Array] = learned("states of each node, none of continuous ones", counts="nodes")
    tables_: list[Array] = learned("table of each node, as in `BayesianNetwork`", counts="nodes")
    variances_: list[Array] = learned("variances of each continuous node", counts="nodes", each="configurations*")

    traits = Traits(takes="table", missing="native")
    title = "Bayesian network classifier"
    reference = "Friedman, Geiger and Goldszmidt, Bayesian network classifiers, Machine Learning, 1997"

    @property
    def smoothing(self) -> Smoothing:
        """The prior of the probability tables."""
        return Smoothing(self.prior, self.prior_strength)

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """The arcs as pairs (parent, child)."""
        return [(self.nodes_[a], self.nodes_[b]) for b, above in enumerate(self.parents_) for a in above.tolist()]

    def _unsound(self) -> str:
        return unsound_network(self.nodes_, self.parents_, self.states_, self.tables_, self.variances_) or (
            "" if len(self.states_[-1]) == len(self.classes_) else "the last node must be the class"
        )

    def _fit(self, data: Data, trace: Trace) -> None:
        owner, table = type(self).__name__, data.X
        names = [f"x{j}" for j in range(table.shape[1])] if table.names is None else list(table.names)
        weight = None if data.weight is None else np.asarray(data.weight, dtype=np.float64)
        y = np.asarray(data.y, dtype=np.int64)
        if weight is not None:
            kept = np.flatnonzero(weight > 0)
            table, weight, y = table[kept], weight[kept], y[kept]
        features = learn_columns(table, names, [is_categorical(part) for part in table.parts], owner)
        refuse_large(features, owner)
        gone = np.flatnonzero(features.missing.all(axis=1))
        if len(gone):
            raise DataError(f"{owner}: column {names[gone[0]]!r} has no entry that is not missing; drop the column")
        columns = self._with_class(features, y)
        graph = self._graph(columns, weight, trace)
        found = learn_parameters(self, columns, graph, weight, trace)
        self.n_iter_ = max(trace.iterations, 1)
        self.nodes_, self.states_ = list(columns.names), list(columns.states)
        self.parents_ = [np.array(parents, dtype=np.int64) for parents in graph.parents]
        self.tables_, self.variances_ = list(found.network.tables), list(found.network.variances)

    def _with_class(self, features: Columns, code: Array) -> Columns:
        """The columns of the features, and then the class."""
        name = CLASS
        while name in features.names:
            name += "_"
        states = [*features.states, np.arange(len(self.classes_))]
        value = np.vstack([features.value, np.full((1, features.rows), np.nan)])
        return Columns(states, np.vstack([features.code, code[None].astype(np.uint16)]), value, [*features.names, name])

    def _graph(self, columns: Columns, weight: Array | None, trace: Trace) -> DAG:
        whole, weight = complete_rows(columns, weight)
        p = len(columns.names)
        allowed = ~np.eye(p, dtype=bool) & ~(~columns.discrete[:, None] & columns.discrete[None])
        if self.structure == "hill_climbing":
            return self._climbed(whole, weight, allowed, trace)
        scores = family_scores(whole, weight, "loglik", 1.0)
        features, target = list(range(p - 1)), p - 1
        if self.structure == "kdb":
            return graph_of(k_dependence(scores, features, target, self.k, allowed))
        arcs = []
        if self.structure == "tan" and len(features) > 1:
            gain = mutual_information(scores, features, [target])
            root = int(np.argmax(columns.discrete[:-1]))
            arcs = spanning_tree(gain, allowed[:-1, :-1], root)
        return acyclic(columns.names, [*((target, v) for v in features), *arcs], type(self).__name__)

    def _climbed(self, columns: Columns, weight: Array | None, allowed: Array, trace: Trace) -> DAG:
        p = len(columns.names)
        scores = family_scores(columns, weight, self.scoring, self.prior_strength)
        rules = ArcRules(allowed, np.zeros((p, p), dtype=bool), p)
        begin = DAG(((),) * p)
        total = float(columns.rows if weight is None else weight.sum())
        found = climb(scores, rules, begin, SearchOptions(10, max_iter=self.max_iter), trace, total)
        trace.certify(
            "local optimum", found.left, 1e-9 * max(abs(found.score), 1.0),
            f"no arc can be added, removed or reversed to raise the {self.scoring} score {found.score:.8g} by more",
        )  # fmt: skip
        return acyclic(columns.names, arcs_of(found.matrix), type(self).__name__)

    def _probabilities(self, X: Matrix) -> Array:
        table: Any = X
        graph = DAG(tuple(tuple(parents.tolist()) for parents in self.parents_))
        network = Network(tuple(self.nodes_), tuple(self.states_), graph, tuple(self.tables_), tuple(self.variances_))
        features = read_columns(table, self.nodes_[:-1], self.states_[:-1], type(self).__name__)
        unknown = features.code >= np.maximum(features.card, 1)[:, None]
        features = replace(features, code=np.where(unknown, np.uint16(65535), features.code))  # as if missing
        logs = np.empty((features.rows, len(self.classes_)))
        for k in range(len(self.classes_)):
            logs[:, k] = log_density(network, self._with_class(features, np.full(features.rows, k)))
        top = logs.max(axis=1, keepdims=True)
        prior = np.log(np.maximum(self.tables_[-1].mean(axis=0), 1e-300))
        logs = np.where(np.isfinite(top), logs - np.where(np.isfinite(top), top, 0.0), prior)
        probability = np.exp(logs)
        return np.asarray(probability / probability.sum(axis=1, keepdims=True))
