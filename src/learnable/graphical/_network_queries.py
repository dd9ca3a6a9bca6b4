"""Queries of probabilities in a fitted network, interventions, numeric independence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np

from ..core import Array, ParameterError, declaring
from ._approximate import approximate
from ._gaussian_inference import MixedPosterior, condition, mixed_posterior
from ._network import log
from ._network_graph import NetworkGraph
from .factor import Factor, state_index

Method = Literal["exact", "likelihood_weighting", "gibbs", "loopy"]


class NormalPosterior(NamedTuple):
    """The posterior of continuous nodes: a mixture of normal densities with these weights, means and covariances."""

    variables: tuple[str, ...]
    weights: Array
    means: Array
    covariances: Array

    @property
    def mean(self) -> Array:
        """The posterior mean of each variable."""
        return np.asarray(self.weights @ self.means)

    @property
    def covariance(self) -> Array:
        """The posterior covariance of the variables."""
        centred = self.means - self.mean
        between = np.einsum("c,ci,cj->ij", self.weights, centred, centred)
        return np.asarray(np.einsum("c,cij->ij", self.weights, self.covariances) + between)


class NetworkPosterior(NamedTuple):
    """The posterior of every node by name, and the log probability (or density) of the evidence."""

    marginals: dict[str, Factor | NormalPosterior]
    log_evidence: float


@declaring
class NetworkQueries(NetworkGraph):
    """Base class of `BayesianNetwork`: queries, interventions, numeric independence."""

    def query(
        self,
        variables: Any,
        evidence: Mapping[str, Any] | None = None,
        *,
        soft_evidence: Mapping[str, Any] | None = None,
        method: Method = "exact",
        n_samples: int = 10_000,
        random_state: Any = None,
    ) -> Factor | NormalPosterior:
        """The posterior of one or several nodes, jointly, given states and values of others.

        `soft_evidence` gives likelihoods of the states of a node, as an uncertain observation has them. Approximate
        methods report an interval for every probability.
        """
        targets = self._indices(variables)
        if not targets or len(set(targets)) < len(targets):
            raise ParameterError(f"{type(self).__name__}: query needs one or more different nodes; got {variables!r}")
        network = self._network
        likelihood, value = self._evidence(evidence, soft_evidence)
        both = {network.names[v] for v in targets} & {network.names[v] for v in (*likelihood, *value)}
        if both - set(soft_evidence or ()):
            raise ParameterError(
                f"{type(self).__name__}: {min(both)!r} is queried and observed; remove it from one of the two"
            )
        if method not in get_args(Method):
            known = ", ".join(get_args(Method))
            raise ParameterError(f"{type(self).__name__}: method of query must be one of {known}; got {method!r:.40}")
        if method != "exact":
            return approximate(network, targets, likelihood, value, method, n_samples, random_state)
        kinds = {bool(network.card[v]) for v in targets}
        if len(kinds) > 1:
            raise ParameterError(
                f"{type(self).__name__}: query categorical and continuous nodes one after the other; "
                f"got {', '.join(self._names(targets))}"
            )
        if value or not kinds.pop():
            found: Factor | NormalPosterior = self._mixed(targets, likelihood, value)
            return found
        return self._discrete(targets, likelihood)

    def _discrete(self, targets: list[int], likelihood: dict[int, Array]) -> Factor:
        network = self._network
        inner = {network.rank[v]: values for v, values in likelihood.items()}
        used = [network.rank[v] for v in network.graph.ancestors([*targets, *likelihood])]
        table = network.inference.joint([network.rank[v] for v in targets], inner, used)
        total = table.sum()
        if not total > 0:
            raise self._impossible()
        return self._factor(targets, table / total)

    def _factor(self, nodes: list[int], table: Array) -> Factor:
        network = self._network
        return Factor(tuple(network.names[v] for v in nodes), tuple(network.states[v] for v in nodes), table)

    def _mixed(self, targets: list[int], likelihood: dict[int, Array], value: dict[int, float]) -> Any:
        network = self._network
        categorical = bool(network.card[targets[0]])
        found = mixed_posterior(
            network, likelihood, value, targets if categorical else [], [] if categorical else targets
        )
        if found.log_evidence == -np.inf:
            raise self._impossible()
        if categorical:
            return self._factor(targets, table_of(found, targets, network.card))
        return NormalPosterior(tuple(network.names[v] for v in targets), found.weight, found.mean, found.covariance)

    def _impossible(self) -> ParameterError:
        return ParameterError(
            f"{type(self).__name__}: the evidence has probability 0 under the network; check it, or learn the "
            "parameters with a prior such as prior='bdeu'"
        )

    def marginals(
        self, evidence: Mapping[str, Any] | None = None, *, soft_evidence: Mapping[str, Any] | None = None
    ) -> NetworkPosterior:
        """The posterior of every node, and the log probability of the evidence, in one pass over the junction tree."""
        network = self._network
        likelihood, value = self._evidence(evidence, soft_evidence)
        if network.continuous:
            return self._marginals_one_by_one(likelihood, value)
        tables, log_evidence = network.inference.marginals(likelihood)
        if log_evidence == -np.inf:
            raise self._impossible()
        each = zip(network.names, network.states, tables, strict=True)
        found: dict[str, Factor | NormalPosterior] = {
            name: Factor._checked((name,), (states,), table) for name, states, table in each
        }
        return NetworkPosterior(found, log_evidence)

    def _marginals_one_by_one(self, likelihood: dict[int, Array], value: dict[int, float]) -> NetworkPosterior:
        network = self._network
        log_evidence = mixed_posterior(network, likelihood, value, [], []).log_evidence
        if log_evidence == -np.inf:
            raise self._impossible()
        free = [v for v in range(len(network.names)) if v not in value]
        found = {network.names[v]: self._mixed([v], likelihood, value) for v in free}
        return NetworkPosterior(found, log_evidence)

    def log_evidence(self, evidence: Mapping[str, Any], *, soft_evidence: Mapping[str, Any] | None = None) -> float:
        """The log probability of states of some nodes, or the log density with values of continuous ones."""
        network = self._network
        likelihood, value = self._evidence(evidence, soft_evidence)
        if network.continuous:
            return mixed_posterior(network, likelihood, value, [], []).log_evidence
        inner = {network.rank[v]: row for v, row in likelihood.items()}
        used = [network.rank[v] for v in network.graph.ancestors(likelihood)]
        return float(log(network.inference.joint([], inner, used).sum()))

    def map_query(
        self, variables: Any = None, evidence: Mapping[str, Any] | None = None,
        *, soft_evidence: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """The most probable states of some nodes together (MAP), or of all that are not observed (MPE)."""
        network = self._network
        likelihood, value = self._evidence(evidence, soft_evidence)
        free = [v for v in network.discrete if v not in likelihood or np.count_nonzero(likelihood[v]) > 1]
        targets = free if variables is None else self._indices(variables)
        continuous = [v for v in targets if network.card[v] == 0]
        if continuous:
            raise ParameterError(
                f"{type(self).__name__}: map_query is for categorical nodes; query {self._names(continuous)[0]!r}"
            )
        if variables is None and not network.continuous:
            state, log = network.inference.best_states({network.rank[v]: row for v, row in likelihood.items()})
            if log == -np.inf:
                raise self._impossible()
            chosen = {v: int(state[network.rank[v]]) for v in targets}
        else:
            joint: Any = self._mixed(targets, likelihood, value) if value else self._discrete(targets, likelihood)
            best: Any = np.unravel_index(int(np.argmax(joint.values)), joint.values.shape)
            chosen = dict(zip(targets, best, strict=True))
        return {network.names[v]: network.states[v].tolist()[int(k)] for v, k in chosen.items()}

    def do(self, values: Mapping[str, Any]) -> Self:
        """The network after an intervention that sets nodes: the arrows into them are removed. [Pearl, 1995]"""
        network = self._network
        likelihood, value = self._evidence(values, None)
        cut = network.graph.without_parents([*likelihood, *value])
        model = self.clone()
        model.__dict__.update({name: self.__dict__[name] for name in self.__dict__ if name.endswith("_")})
        model.__dict__.pop("statistics_", None)
        model.parents_ = [np.array(parents, dtype=np.int64) for parents in cut.parents]
        model.tables_, model.variances_ = list(self.tables_), list(self.variances_)
        for v, row in likelihood.items():
            model.tables_[v] = np.array(row, dtype=np.float64)[None]
        for v, number in value.items():
            model.tables_[v], model.variances_[v] = np.array([[number]]), np.array([np.finfo(float).tiny])
        return model

    def independent(self, first: Any, second: Any, given: Any = None, *, atol: float = 1e-9) -> bool:
        """Whether the joint distribution itself makes categorical nodes independent: P(a, b | c) = P(a | c) P(b | c).

        It is computed from the numbers, not from the graph: two nodes may be independent without being d-separated.
        """
        sets = [self._indices(names) for names in (first, second, given)]
        every = [v for nodes in sets for v in nodes]
        network = self._network
        if len(set(every)) < len(every):
            raise ParameterError(f"{type(self).__name__}: independent needs different nodes; got {self._names(every)}")
        if any(network.card[v] == 0 for v in every):
            return self._uncorrelated(sets, atol)
        joint = self._discrete(every, {}).values
        sizes = [int(np.prod(network.card[nodes], dtype=np.int64)) for nodes in sets]
        table = joint.reshape(sizes)
        product = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
        return bool(np.abs(table * table.sum(axis=(0, 1)) - product).max() <= atol)

    def _uncorrelated(self, sets: list[list[int]], atol: float) -> bool:
        """Independence of continuous nodes: no partial correlation."""
        network = self._network
        if network.discrete:
            raise ParameterError(
                f"{type(self).__name__}: independent compares categorical nodes, or those of a Gaussian network"
            )
        nodes = range(len(network.names))
        _, covariance = network.joint_normal(nodes, np.zeros((0, 1), dtype=np.int64))
        chosen = [*sets[0], *sets[1]]
        mean = np.zeros((1, len(network.names)))
        _, _, left = condition(mean, covariance, sets[2], mean[0, sets[2]], chosen)
        unit = np.sqrt(np.diag(left[0]))
        across = (left[0] / unit[:, None] / unit)[: len(sets[0]), len(sets[0]) :]
        return bool(np.abs(across).max() <= max(atol, 1e-9))

    def _evidence(
        self, evidence: Mapping[str, Any] | None, soft_evidence: Mapping[str, Any] | None
    ) -> tuple[dict[int, Array], dict[int, float]]:
        """Likelihoods of states, and values of continuous nodes."""
        network = self._network
        likelihood: dict[int, Array] = {}
        value: dict[int, float] = {}
        for name, state in _items(evidence, type(self).__name__):
            v = self._index(name)
            if network.card[v] == 0:
                value[v] = _number(name, state, type(self).__name__)
                continue
            row = np.zeros(network.card[v])
            row[state_index(network.names[v], network.states[v], state)] = 1.0
            likelihood[v] = row
        for name, given in _items(soft_evidence, type(self).__name__):
            v = self._index(name)
            row = self._soft(v, given)
            likelihood[v] = likelihood[v] * row if v in likelihood else row
        return likelihood, value

    def _soft(self, v: int, given: Any) -> Array:
        """Likelihoods of all states, given by state or in their order."""
        network = self._network
        name, states = network.names[v], network.states[v]
        if isinstance(given, Mapping):
            row = np.zeros(len(states))
            for state, number in given.items():
                row[state_index(name, states, state)] = number
        else:
            row = np.array(given, dtype=np.float64)
        if row.shape != (len(states),) or len(states) == 0 or not (row >= 0).all() or not np.isfinite(row).all():
            raise ParameterError(
                f"{type(self).__name__}: soft evidence on {name!r} must be a number of at least 0 for each of its "
                f"{len(states)} states; got {given!r:.60}"
            )
        return row


def table_of(found: MixedPosterior, targets: list[int], card: Array) -> Array:
    """The posterior table of categorical nodes from weighted configurations."""
    table = np.zeros(card[targets])
    np.add.at(table, tuple(found.code[v] for v in targets), found.weight)
    return table


def _items(evidence: Mapping[str, Any] | None, owner: str) -> list[tuple[Any, Any]]:
    if evidence is None:
        return []
    if not isinstance(evidence, Mapping):
        raise ParameterError(f"{owner}: evidence must map nodes to states, as {{'rain': 'yes'}}; got {evidence!r:.60}")
    return list(evidence.items())


def _number(name: Any, given: Any, owner: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ParameterError(f"{owner}: the value of {name!r} must be a finite number; got {given!r:.40}")
    return number
