"""Tables over categorical variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core import Array, ParameterError
from ..core.validate.features import all_finite
from ._elimination import multiply


@dataclass(frozen=True, eq=False)
class Factor:
    """A factor: a table of non-negative numbers over categorical variables, such as the posterior of a query.

    `values` has an axis for each of `variables`, along which `states` names the entries. Approximate inference adds
    the ends of a confidence `interval` for every entry.

    >>> rain = Factor(("rain",), (np.array(["no", "yes"]),), np.array([0.8, 0.2]))
    >>> rain["yes"]
    0.2
    """

    variables: tuple[str, ...]
    states: tuple[Array, ...]
    values: Array
    interval: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        shape = tuple(map(len, self.states))
        if np.shape(self.values) != shape or len(self.variables) != len(shape):
            raise ParameterError(
                f"Factor: values must have the shape {shape}, an axis for each of the variables "
                f"{', '.join(map(str, self.variables))}; got {np.shape(self.values)}"
            )
        if len(set(self.variables)) < len(self.variables):
            raise ParameterError(f"Factor: the variables {self.variables} must differ")
        if not all_finite(np.asarray(self.values, dtype=np.float64)) or np.min(self.values, initial=0) < 0:
            raise ParameterError("Factor: values must be finite and at least 0")

    def __getitem__(self, state: Any) -> float:
        """The entry of a state, or of a tuple of states where there are several variables."""
        return float(self.values[self._index(state)])

    def _index(self, state: Any) -> tuple[int, ...]:
        chosen = state if isinstance(state, tuple) and len(self.variables) > 1 else (state,)
        if len(chosen) != len(self.variables):
            raise ParameterError(f"Factor: give a state of each of {', '.join(self.variables)}; got {state!r:.60}")
        return tuple(
            state_index(name, known, one) for name, known, one in zip(self.variables, self.states, chosen, strict=True)
        )

    def to_dict(self) -> dict[Any, float]:
        """The entries by state, or by tuple of states where there are several variables."""
        keys = np.ndindex(*np.shape(self.values))
        named = [tuple(states.tolist()[k] for states, k in zip(self.states, key, strict=True)) for key in keys]
        single = len(self.variables) == 1
        return {key[0] if single else key: float(v) for key, v in zip(named, np.ravel(self.values), strict=True)}

    def normalized(self) -> Self:
        """The table divided by its sum."""
        return type(self)(self.variables, self.states, self.values / self.values.sum())

    def marginalize(self, variables: Any) -> Self:
        """The table summed over some variables."""
        axes = tuple(self._axis(name) for name in ([variables] if isinstance(variables, str) else variables))
        kept = [axis for axis in range(len(self.variables)) if axis not in axes]
        names, states = tuple(self.variables[axis] for axis in kept), tuple(self.states[axis] for axis in kept)
        return type(self)(names, states, self.values.sum(axis=axes))

    def reduce(self, evidence: Mapping[str, Any]) -> Self:
        """The table of the other variables at these states."""
        index: list[Any] = [slice(None)] * len(self.variables)
        for name, state in evidence.items():
            axis = self._axis(name)
            index[axis] = state_index(name, self.states[axis], state)
        kept = [axis for axis, name in enumerate(self.variables) if name not in evidence]
        names, states = tuple(self.variables[axis] for axis in kept), tuple(self.states[axis] for axis in kept)
        return type(self)(names, states, self.values[tuple(index)])

    def __mul__(self, other: Factor) -> Factor:
        """The product, over the variables of both."""
        names = list(dict.fromkeys([*self.variables, *other.variables]))
        states = {**dict(zip(other.variables, other.states, strict=True))}
        states |= dict(zip(self.variables, self.states, strict=True))
        position = {name: k for k, name in enumerate(names)}
        ours = tuple(position[name] for name in self.variables), self.values
        theirs = tuple(position[name] for name in other.variables), other.values
        scope, values = multiply(ours, theirs)
        whole = tuple(names[k] for k in scope)
        return Factor(whole, tuple(states[name] for name in whole), values)

    def _axis(self, name: str) -> int:
        if name not in self.variables:
            raise ParameterError(f"Factor: {name!r} is not one of its variables {', '.join(self.variables)}")
        return self.variables.index(name)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}: {value:.6g}" for key, value in list(self.to_dict().items())[:8])
        more = ", ..." if np.size(self.values) > 8 else ""
        return f"<Factor({', '.join(self.variables)}): {shown}{more}>"


def state_index(name: str, states: Array, state: Any) -> int:
    """The index of a state; of text that stands for a number or a flag too."""
    known = states.tolist()
    if state in known:
        return int(known.index(state))
    as_text = [str(one) for one in known]
    if str(state) in as_text:
        return as_text.index(str(state))
    raise ParameterError(f"{name!r} has no state {state!r:.40}; its states are {', '.join(as_text[:12])}")
