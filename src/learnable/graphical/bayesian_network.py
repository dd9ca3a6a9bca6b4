"""Bayesian networks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    ParameterError,
    ParameterTypeError,
    RandomState,
    Table,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)
from ..core.runtime.random import requested_samples, stream
from ._building import network_of_cpds
from ._coded_table import Columns, is_categorical, learn_columns, read_columns, refuse_large
from ._dag import DAG
from ._estimation import Prior, Smoothing, add_moments, fit_tables, summarise, unsound_statistics
from ._learning import Learned, learn_parameters, learn_structure
from ._network import Network
from ._network_queries import NetworkQueries
from ._row_density import log_density
from ._sampling import NetworkDraws, draw
from ._search.scores import ScoreName
from ._structure_parsing import read_structure

Search = Literal["hill_climbing", "ges", "pc", "mmhc", "chow_liu", "exact"]


@estimator
class BayesianNetwork(NetworkQueries):
    """Bayesian network: a joint distribution as a directed acyclic graph with a conditional distribution per node.

    p(x_1, ..., x_p) = p(x_1 | parents of x_1) ... p(x_p | parents of x_p)

    Columns of text, categories, flags or whole numbers are categorical nodes with probability tables; floats are linear
    Gaussian nodes, or conditional Gaussian ones below categorical parents. A `structure` is given (pairs, 'a->b<-c', a
    model string, a graph with edges), or learned by maximising a score. Parameters are relative frequencies and
    regressions, smoothed by a prior; with values missing anywhere the EM algorithm sums over them exactly. Inference is
    exact by a junction tree, or approximate with an interval. [Pearl, 1988; Koller and Friedman, 2009]

    >>> X = np.array([["no", "dry"], ["no", "dry"], ["yes", "wet"], ["yes", "dry"]])
    >>> network = BayesianNetwork([(0, 1)]).fit(X)
    >>> network.query("x0", {"x1": "dry"})
    <Factor(x0): no: 0.666667, yes: 0.333333>
    """

    structure: Any = param(
        None, "edges as pairs, text or a graph; learned if None", kw_only=False,
    )  # fmt: skip
    search: Search = param("hill_climbing", "method that learns the structure")
    scoring: ScoreName = param("bic", "score that a learned structure maximises")
    prior: Prior = param("mle", "prior of probability tables: none, equal pseudo-counts, BDeu or K2")
    prior_strength: float = param(
        1.0, "pseudo-count of the Dirichlet prior, or equivalent sample size of BDeu and BGe", above=0
    )
    categorical_features: Any = param(None, "names or positions of columns to be categorical; by their types if None")
    required: Any = param(None, "arcs that a learned structure must have, as pairs")
    forbidden: Any = param(None, "arcs that a learned structure must not have, as pairs")
    max_parents: int | None = param(None, "maximum number of parents in a learned structure", at_least=0)
    tabu_length: int = param(10, "steps of hill climbing without improvement before it ends", at_least=0)
    perturbations: int = param(
        1, "passes of hill climbing in which each node loses its arcs and the climb goes on", at_least=0
    )
    restarts: int = param(0, "further climbs from random structures", at_least=0)
    alpha: float = param(0.05, "significance level of independence tests", above=0, below=1)
    max_iter: int = param(10_000, "maximum number of steps of the search, and of EM iterations", at_least=1)
    tol: float = param(1e-6, "convergence threshold of EM: gain of the log likelihood per row", at_least=0)
    random_state: RandomState = param(None, "seed of restarts, and of samples")

    statistics_: list[Array] = learned(
        "counts of states, or moments of continuous nodes, by configuration of the parents", counts="nodes",
        each="configurations* states*", optional=True,
    )  # fmt: skip
    score_: float = learned("score of the structure on the training rows", optional=True)

    traits = Traits(takes="table", missing="native", by_name=True)
    title = "Bayesian network"
    reference = "Koller and Friedman, 2009"

    def _unsound(self) -> str:
        """The network is sound, and the statistics have the shapes that its graph says."""
        if "statistics_" not in self.__dict__:
            return super()._unsound()
        card = np.array([len(known) for known in self.states_], dtype=np.int64)
        return super()._unsound() or unsound_statistics(self.statistics_, self.parents_, card)

    @classmethod
    def from_cpds(cls, cpds: Sequence[Any], structure: Any = None) -> Self:
        """A network of conditional distributions that are known: `TabularCPD` and `LinearGaussianCPD` of every node.

        >>> from learnable.graphical import TabularCPD
        >>> wet = TabularCPD("wet", 2, [[0.9, 0.2], [0.1, 0.8]], ["rain"], [2])
        >>> BayesianNetwork.from_cpds([TabularCPD("rain", 2, [[0.7], [0.3]]), wet]).query("wet")[1]
        0.31
        """
        return cls._holding(network_of_cpds(cpds, structure, cls.__name__))

    @classmethod
    def _holding(cls, network: Network) -> Self:
        """A fitted estimator with this network."""
        model = cls([(network.names[a], network.names[b]) for a, b in network.graph.edges])
        model.nodes_ = list(network.names)
        model.n_features_in_, model.feature_names_in_ = len(network.names), np.array(model.nodes_, dtype=object)
        model._store(network)
        model.trace_ = Trace()
        model.trace_.exact("the parameters were given")
        if model.trace_.certificate is not None:
            model.certificate_ = model.trace_.certificate
        return model

    def _store(self, network: Network) -> None:
        self.parents_ = [np.array(parents, dtype=np.int64) for parents in network.graph.parents]
        self.states_, self.tables_ = list(network.states), list(network.tables)
        self.variances_ = list(network.variances)

    def _fit(self, data: Data, trace: Trace) -> None:
        table: Table = data.X
        names, owner = self._names_of(table), type(self).__name__
        weight = None if data.weight is None else np.asarray(data.weight, dtype=np.float64)
        if weight is not None:
            table, weight = table[np.flatnonzero(weight > 0)], weight[weight > 0]
        if len(set(names)) < len(names):
            raise DataError(f"{owner}: the columns must have different names")
        columns = learn_columns(table, names, self._categorical(table, names), owner)
        refuse_large(columns, owner)
        gone = np.flatnonzero(columns.missing.all(axis=1))
        if len(gone):
            raise DataError(f"{owner}: column {names[gone[0]]!r} has no entry that is not missing; drop the column")
        graph = self._given_graph(columns)
        self.nodes_ = list(names)
        if graph is None:
            graph, self.score_ = learn_structure(self, columns, weight, trace)
        learned_: Learned = learn_parameters(self, columns, graph, weight, trace)
        self._store(learned_.network)
        self.statistics_ = learned_.statistics

    @property
    def smoothing(self) -> Smoothing:
        """The prior of the probability tables."""
        return Smoothing(self.prior, self.prior_strength)

    def _categorical(self, table: Table, names: list[str]) -> list[bool]:
        if self.categorical_features is None:
            return [is_categorical(part) for part in table.parts]
        given = self.categorical_features
        chosen = [given] if isinstance(given, (str, int)) or not isinstance(given, Iterable) else list(given)
        unknown = [one for one in chosen if one not in names and one not in range(len(names))]
        if unknown:
            raise ParameterTypeError(
                f"{type(self).__name__}: categorical_features must be names or positions of columns; "
                f"got {unknown[0]!r:.40}"
            )
        return [name in chosen or j in chosen for j, name in enumerate(names)]

    def _given_graph(self, columns: Columns) -> DAG | None:
        """The graph of `structure`, if there is one; no continuous node may be a parent of a categorical one."""
        if self.structure is None:
            return None
        found = read_structure(self.structure, type(self).__name__)
        graph = self._graph_of(columns.names, found.edges)
        for parent, child in graph.edges:
            if columns.discrete[child] and not columns.discrete[parent]:
                raise ParameterError(
                    f"{type(self).__name__}: the continuous node {columns.names[parent]!r} cannot be a parent of the "
                    f"categorical node {columns.names[child]!r}; reverse the arc, or discretise the column"
                )
        return graph

    def _columns_of(self, X: Any) -> Columns:
        table: Any = self._read(X)
        return read_columns(table, self.nodes_, self.states_, type(self).__name__)

    def _log_density(self, X: Any) -> Array:
        columns = read_columns(X, self.nodes_, self.states_, type(self).__name__)
        return log_density(self._network, columns).astype(X.dtype)

    def log_likelihood(self, X: Any, sample_weight: Any = None) -> float:
        """The log likelihood of the rows of `X`, whose missing entries are summed over."""
        logs = self.score_samples(X).astype(np.float64)
        return float(logs.sum() if sample_weight is None else np.dot(np.asarray(sample_weight, dtype=float), logs))

    def bic(self, X: Any) -> float:
        """The BIC on `X` as bnlearn has it, the greater the better: log likelihood less log(n) / 2 per parameter."""
        logs = self.score_samples(X)
        return float(logs.sum() - 0.5 * np.log(len(logs)) * self._network.n_parameters)

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters."""
        return self._network.n_parameters

    def _drawn(self, count: int, rng: np.random.RandomState) -> Array:
        return self._decoded(draw(self._network, count, rng))

    def simulate(self, n_samples: int = 1, *, do: dict[str, Any] | None = None, random_state: Any = None) -> Array:
        """New rows, after an intervention that sets the nodes of `do` if there is one."""
        model = self if do is None else self.do(do)
        return model._drawn(requested_samples(self, n_samples), stream(random_state))

    def _decoded(self, drawn: NetworkDraws) -> Array:
        network = self._network
        if not network.discrete:
            return np.ascontiguousarray(drawn.value.T)
        found = np.empty((drawn.code.shape[1], len(network.names)), dtype=object)
        for v, states in enumerate(network.states):
            found[:, v] = states[drawn.code[v]].tolist() if len(states) else drawn.value[v]
        return found

    def merge(self, other: Self) -> Self:
        """Add what another network with the same structure and states learned from other rows."""
        self._combine(other.statistics_, other, 1.0)
        return self

    def unlearn(self, X: Any, sample_weight: Any = None) -> Self:
        """Remove rows that were learned, as if they had never been among the training rows."""
        columns = self._columns_of(X)
        if columns.missing.any():
            raise DataError(f"{type(self).__name__}: unlearn needs rows without missing or unknown entries")
        weight = self._validator.weights(sample_weight, columns.rows)
        found = summarise(columns, self._network.graph, None if weight is None else np.asarray(weight, dtype=float))
        self._combine(found, self, -1.0)
        return self

    def _combine(self, statistics: list[Array], other: Any, sign: float) -> None:
        same = all(np.array_equal(a, b) for a, b in zip(self.states_, other.states_, strict=False))
        if [*map(list, self.parents_)] != [*map(list, other.parents_)] or not same:
            raise ParameterError(f"{type(self).__name__}: merge needs a network with the same structure and states")
        network, total = self._network, []
        for ours, theirs, card in zip(self.statistics_, statistics, network.card, strict=True):
            found = ours + sign * theirs if card > 0 else add_moments(ours, theirs, sign)
            if not np.isfinite(found).all():
                raise DataError(f"{type(self).__name__}: the squares of these rows overflow; divide the columns")
            if (found if card > 0 else found[:, 0]).min() < -1e-9:
                raise DataError(f"{type(self).__name__}: unlearn was given rows that were not learned")
            total.append(np.maximum(found, 0.0) if card > 0 else found)
        floors = np.array([1e-9 * float(v.min(initial=1.0)) for v in self.variances_])
        tables, variances = fit_tables(total, network.card, self.smoothing, floors)
        self.statistics_, self.tables_, self.variances_ = total, tables, variances
