"""Factor graphs and Markov random fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError
from ._discrete_inference import DiscreteInference
from ._loopy import loopy_marginals
from .factor import Factor, state_index


class FactorGraph:
    """A factor graph: a distribution over categorical variables proportional to a product of factors.

    p(x) = 1 / Z  prod_f f(variables of f)

    Marginals, the partition function Z and the most probable states are exact by a junction tree; loopy belief
    propagation is an approximation for graphs that are too large. [Kschischang, Frey and Loeliger, 2001]

    >>> coin = np.array(["head", "tail"])
    >>> same = Factor(("a", "b"), (coin, coin), np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> round(FactorGraph([same]).marginals({"a": "head"})["b"]["head"], 4)
    0.6667
    """

    def __init__(self, factors: Sequence[Factor]) -> None:
        self.factors = list(factors)
        states: dict[str, Array] = {}
        for factor in self.factors:
            if not isinstance(factor, Factor) or not factor.variables:
                raise ParameterError(f"FactorGraph: factors must be a list of Factor; got {factor!r:.60}")
            for name, known in zip(factor.variables, factor.states, strict=True):
                if list(states.setdefault(name, known)) != list(known):
                    raise ParameterError(f"FactorGraph: the states of {name!r} differ from factor to factor")
        if not states:
            raise ParameterError("FactorGraph: factors must hold at least one factor")
        self.variables = tuple(states)
        self.states = tuple(states.values())

    @cached_property
    def _inference(self) -> DiscreteInference:
        position = {name: v for v, name in enumerate(self.variables)}
        scopes = [tuple(position[name] for name in factor.variables) for factor in self.factors]
        tables = [factor.values for factor in self.factors]
        return DiscreteInference([len(known) for known in self.states], scopes, tables, "FactorGraph")

    def _evidence(self, evidence: Mapping[str, Any] | None) -> dict[int, Array]:
        found = {}
        for name, state in (evidence or {}).items():
            if name not in self.variables:
                raise ParameterError(
                    f"FactorGraph: {name!r} is not a variable; they are {', '.join(self.variables[:12])}"
                )
            v = self.variables.index(name)
            found[v] = np.eye(len(self.states[v]))[state_index(name, self.states[v], state)]
        return found

    def log_partition(self, evidence: Mapping[str, Any] | None = None) -> float:
        """The logarithm of the sum of the product of all factors, over the states that agree with the evidence."""
        return self._inference.marginals(self._evidence(evidence))[1]

    def marginals(
        self, evidence: Mapping[str, Any] | None = None, *, method: Literal["exact", "loopy"] = "exact"
    ) -> dict[str, Factor]:
        """The distribution of every variable given states of some."""
        likelihood = self._evidence(evidence)
        if method == "loopy":
            inference = self._inference
            scopes = [*inference.scopes, *((v,) for v in likelihood)]
            tables, _ = loopy_marginals(inference.cards, scopes, [*inference.tables, *likelihood.values()])
        else:
            tables, log_evidence = self._inference.marginals(likelihood)
            if log_evidence == -np.inf:
                raise ParameterError("FactorGraph: the product of the factors is 0 for all states; check the evidence")
        return {
            name: Factor((name,), (known,), table)
            for name, known, table in zip(self.variables, self.states, tables, strict=True)
        }

    def map_query(self, evidence: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The states of all variables whose product of factors is greatest."""
        chosen, _ = self._inference.best_states(self._evidence(evidence))
        return {
            name: known.tolist()[int(k)] for name, known, k in zip(self.variables, self.states, chosen, strict=True)
        }

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.variables)} variables and {len(self.factors)} factors>"


class MarkovRandomField(FactorGraph):
    """A pairwise Markov random field: a factor for each node and for each edge of an undirected graph.

    p(x) = 1 / Z  prod_v f_v(x_v)  prod_(u, v) f_uv(x_u, x_v)

    >>> smooth = MarkovRandomField.ising((1, 3), coupling=1.0, field=[[2.0, 0.0, 0.0]])
    >>> smooth.map_query()
    {'0,0': 1, '0,1': 1, '0,2': 1}
    """

    def __init__(self, nodes: Mapping[str, Factor], edges: Mapping[tuple[str, str], Factor]) -> None:
        for (a, b), factor in edges.items():
            if set(factor.variables) != {a, b} or a not in nodes or b not in nodes:
                raise ParameterError(f"MarkovRandomField: the factor of the edge {(a, b)} must be over its two nodes")
        for name, factor in nodes.items():
            if factor.variables != (name,):
                raise ParameterError(f"MarkovRandomField: the factor of the node {name!r} must be over this node alone")
        self.edges = list(edges)
        super().__init__([*nodes.values(), *edges.values()])

    @classmethod
    def ising(cls, shape: tuple[int, int], coupling: float, field: Any = 0.0) -> MarkovRandomField:
        """The Ising model on a grid: states -1 and 1, log factors `coupling` x_u x_v and `field` x_v."""
        spin = np.array([-1, 1])
        strength = np.broadcast_to(np.asarray(field, dtype=np.float64), shape)
        names = np.array([[f"{i},{j}" for j in range(shape[1])] for i in range(shape[0])], dtype=object)
        nodes = {
            str(names[index]): Factor((str(names[index]),), (spin,), np.exp(strength[index] * spin))
            for index in np.ndindex(*shape)
        }
        pair = np.exp(coupling * np.outer(spin, spin))
        ends = [*zip(names[:, :-1].ravel(), names[:, 1:].ravel(), strict=True)]
        ends += [*zip(names[:-1].ravel(), names[1:].ravel(), strict=True)]
        return cls(nodes, {(a, b): Factor((a, b), (spin, spin), pair) for a, b in ends})
