"""Which candidates are simpler than others, and what can be tuned at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError
from ..core.declare import params
from ..core.declare.checked_functions import checked


@dataclass(frozen=True, slots=True)
class Tunable:
    """A parameter that people choose by cross-validation: what it means, usual values, and which side is simpler."""

    meaning: str
    values: tuple[Any, ...]
    simpler: Literal["", "larger", "smaller"]


@checked()
def tunable_parameters(estimator: Any) -> dict[str, Tunable]:
    """The tunable hyperparameters of an estimator or class, with a grid of usual values for each.

    Parameters that are learned from data are attributes and no part of this.

    >>> from learnable import Ridge
    >>> tunable_parameters(Ridge)["alpha"].simpler
    'larger'
    """
    cls = estimator if isinstance(estimator, type) else type(estimator)
    if not hasattr(cls, "__dataclass_fields__"):
        raise ParameterError(f"tunable_parameters: estimator must be one of learnable; got {estimator!r:.60}")
    rules = {name: field.metadata["rule"] for name, field in params.parameters(cls).items()}
    found = {name: Tunable(rule.meaning, rule.tune, rule.simpler) for name, rule in rules.items() if rule.tune}
    if not isinstance(estimator, type):
        for name, inner in estimator.get_params().items():
            if "__" not in name and hasattr(inner, "get_params") and hasattr(type(inner), "__dataclass_fields__"):
                found.update({f"{name}__{key}": value for key, value in tunable_parameters(inner).items()})
    return found


def simpler_side(estimator: Any, name: str) -> Literal["larger", "smaller"] | None:
    """Whether larger or smaller values of a parameter make simpler models, where the estimator declares it.

    >>> from learnable import Ridge
    >>> simpler_side(Ridge(), "alpha")
    'larger'
    """
    known = tunable_parameters(estimator) if hasattr(type(estimator), "__dataclass_fields__") else {}
    return known[name].simpler or None if name in known else None


def complexities(estimator: Any, candidates: list[dict[str, Any]], simplest: Any, owner: str) -> Array:
    """A number per candidate that grows with its complexity."""
    if callable(simplest):
        return np.array([float(simplest(candidate)) for candidate in candidates])
    named = [simplest] if isinstance(simplest, str) else _declared(estimator, candidates, owner)
    columns = []
    for name in named:
        sign, bare = (1.0, name[1:]) if name.startswith("-") else (-1.0, name)
        columns.append([_complexity(candidate.get(bare, "nothing"), bare, sign, owner) for candidate in candidates])
    indices = [np.unique(column, return_inverse=True)[1] for column in columns]  # ranks, so that scales do not matter
    return np.asarray(np.sum([np.zeros(len(candidates)), *indices], axis=0))


def _complexity(value: Any, name: str, sign: float, owner: str) -> float:
    """What grows with complexity; None, such as of max_depth, sets no limit and is the most complex."""
    try:
        return np.inf if value is None else sign * float(value)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{owner}: simplest names {name!r}, which must be a number, or None for no limit, in every candidate; got "
            f"{value!r}"
        ) from None


def _declared(estimator: Any, candidates: list[dict[str, Any]], owner: str) -> list[str]:
    """The tuned parameters of which the estimator says which side is simpler."""
    known = tunable_parameters(estimator) if hasattr(type(estimator), "__dataclass_fields__") else {}
    first = candidates[0]
    varied = [name for name in first if any(candidate.get(name) != first[name] for candidate in candidates)]
    unknown = [repr(name) for name in varied if name not in known or not known[name].simpler]
    if unknown:
        raise ParameterError(
            f'{owner}: rule="one_se" must know which candidates are simpler; nothing is declared for '
            f'{", ".join(unknown)}: set simplest="alpha" (larger is simpler), simplest="-max_depth" or a function'
        )
    return [name if known[name].simpler == "larger" else f"-{name}" for name in varied]
