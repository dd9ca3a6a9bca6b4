"""What the graph of a fitted network says: separation, blankets, equivalence, adjustment sets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..core import Array, ParameterError, Table, declaring, learned
from ..core.roles.density_estimator import DensityEstimator
from ._dag import DAG, acyclic
from ._equivalence import adjacency, cpdag
from ._network import Network, unsound_network

_networks: WeakKeyDictionary[Any, tuple[list[Array], Network]] = WeakKeyDictionary()  # read from what was learned


@declaring
class NetworkGraph(DensityEstimator):
    """Base class of `BayesianNetwork`: its learned state, and what the graph alone decides."""

    nodes_: list[str] = learned("names of the nodes, in the order of the columns", counts="nodes")
    parents_: list[Array] = learned("indices of the parents of each node", counts="nodes", each="parents*")
    states_: list[Array] = learned("states of each node, none of continuous ones", counts="nodes")
    tables_: list[Array] = learned(
        "for each node a row per configuration of its categorical parents: probabilities of its states, or intercept "
        "and coefficients of its continuous parents",
        counts="nodes", each="configurations* states*",
    )  # fmt: skip
    variances_: list[Array] = learned(
        "variance of each continuous node in each configuration", counts="nodes", each="configurations*"
    )

    def _unsound(self) -> str:
        """The graph is acyclic, and every table has the shape that it says."""
        return unsound_network(self.nodes_, self.parents_, self.states_, self.tables_, self.variances_)

    @property
    def _network(self) -> Network:
        """The network as numbers, made once for what was learned."""
        self._require_fit()
        known = _networks.get(self)
        if known is None or known[0] is not self.tables_:
            graph = DAG(tuple(tuple(parents.tolist()) for parents in self.parents_))
            network = Network(
                tuple(self.nodes_), tuple(self.states_), graph, tuple(self.tables_), tuple(self.variances_)
            )
            known = _networks[self] = self.tables_, network
        return known[1]

    def _index(self, name: Any) -> int:
        names = self._network.names
        if name in names:
            return names.index(name)
        if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and f"x{name}" in names:
            return names.index(f"x{name}")
        raise ParameterError(
            f"{type(self).__name__}: {name!r:.60} is not a node; the nodes are {', '.join(names[:12])}"
            + (", ..." if len(names) > 12 else "")
        )

    def _indices(self, names: Any) -> list[int]:
        if names is None:
            return []
        single = isinstance(names, (str, int, np.integer)) or not isinstance(names, Iterable)
        return [self._index(name) for name in ([names] if single else names)]

    def _names(self, nodes: Iterable[int]) -> list[str]:
        names = self._network.names
        return [names[v] for v in sorted(nodes)]

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """The edges as pairs (parent, child)."""
        names = self._network.names
        return [(names[parent], names[child]) for parent, child in self._network.graph.edges]

    def ancestors(self, nodes: Any) -> list[str]:
        """The nodes above some nodes, these included."""
        return self._names(self._network.graph.ancestors(self._indices(nodes)))

    def descendants(self, nodes: Any) -> list[str]:
        """The nodes below some nodes, these included."""
        return self._names(self._network.graph.descendants(self._indices(nodes)))

    def d_separated(self, first: Any, second: Any, given: Any = None) -> bool:
        """Whether the graph separates two nodes, or sets of them, given a third: then they are independent given it.

        The ancestral graph of all of them is moralised, directions dropped and the given nodes removed; they are
        separated if no path connects them then.
        """
        sets = [set(self._indices(names)) for names in (first, second, given)]
        if sets[0] & sets[1]:
            shared = ", ".join(self._names(sets[0] & sets[1]))
            raise ParameterError(f"{type(self).__name__}: d_separated needs different nodes; {shared} is on both sides")
        return self._network.graph.d_separated(*sets)

    def markov_blanket(self, node: Any) -> list[str]:
        """The parents, the children and the other parents of the children: given them, no other node matters."""
        return self._names(self._network.graph.blanket(self._index(node)))

    def moral_graph(self, nodes: Any = None) -> list[tuple[str, str]]:
        """The edges of the moral graph, or of that of the ancestors of some nodes: parents of a child are married."""
        graph, names = self._network.graph, self._network.names
        near = graph.moral_neighbours(None if nodes is None else graph.ancestors(self._indices(nodes)))
        return [(names[a], names[b]) for a in near for b in sorted(near[a]) if a < b]

    def cpdag(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The edges whose direction all equivalent networks share, and those that may point either way."""
        matrix, names = cpdag(self._network.graph), self._network.names
        directed = [(names[a], names[b]) for a, b in np.argwhere(matrix & ~matrix.T).tolist()]
        either = [(names[a], names[b]) for a, b in np.argwhere(matrix & matrix.T).tolist() if a < b]
        return directed, either

    def adjustment_sets(self, treatment: Any, outcome: Any, max_size: int = 4) -> list[list[str]]:
        """The minimal sets of at most `max_size` nodes to adjust for, to get the effect of one node on another.

        A set holds no descendants of the treatment and blocks every path that ends with an arrow into the treatment
        (Pearl's criterion). The empty list says that there is none; the empty set, that nothing needs adjusting.
        """
        graph, x, y = self._network.graph, self._index(treatment), self._index(outcome)
        if x == y:
            raise ParameterError(f"{type(self).__name__}: treatment and outcome of adjustment_sets must differ")
        behind = graph.without_edges([(x, child) for child in graph.children[x]])
        allowed = sorted(graph.ancestors([x, y]) - graph.descendants([x]) - {y})
        found: list[set[int]] = []
        for size in range(min(max_size, len(allowed)) + 1):
            for chosen in combinations(allowed, size):
                fresh = not any(known <= set(chosen) for known in found)
                if fresh and behind.d_separated([x], [y], chosen):
                    found.append(set(chosen))
        return [self._names(chosen) for chosen in found]

    def model_string(self) -> str:
        """The structure in the notation of R's bnlearn, such as `[A][B|A]`."""
        network = self._network
        shown = []
        for v in network.graph.order:
            parents = [network.names[parent] for parent in network.graph.parents[v]]
            shown.append(f"[{network.names[v]}{'|' if parents else ''}{':'.join(parents)}]")
        return "".join(shown)

    def adjacency_matrix(self) -> Array:
        """The matrix with a one for an edge from the node of the row to that of the column."""
        return adjacency(self._network.graph).astype(np.int64)

    def _graph_of(self, names: list[str], edges: Iterable[tuple[Any, Any]]) -> DAG:
        """The graph of edges between named nodes, or positions of them."""
        position: dict[Any, int] = {name: k for k, name in enumerate(names)}
        position |= {k: k for k in range(len(names)) if k not in position}
        found = []
        for parent, child in edges:
            for end in (parent, child):
                if end not in position:
                    raise ParameterError(
                        f"{type(self).__name__}: {end!r:.60} in structure is not a column; the columns are "
                        f"{', '.join(names[:12])}"
                    )
            found.append((position[parent], position[child]))
        return acyclic(names, found, type(self).__name__)

    def _names_of(self, table: Table) -> list[str]:
        return [f"x{j}" for j in range(table.shape[1])] if table.names is None else list(table.names)
