"""Nested parameters: names such as `outer__inner` for parameters of estimators that are parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ParameterError


def gathered(owner: Any, names: Iterable[str], deep: bool) -> dict[str, Any]:
    """The values of the parameters `names`; with `deep`, also those inside them."""
    found: dict[str, Any] = {}
    for name in names:
        value = getattr(owner, name)
        if deep and hasattr(value, "get_params") and not isinstance(value, type):
            found.update({f"{name}__{inner}": v for inner, v in value.get_params().items()})
        found[name] = value
    return found


def assign(owner: Any, names: Iterable[str], values: dict[str, Any]) -> None:
    """Set some of the parameters `names` of `owner`; `outer__inner` reaches into an estimator among them."""
    declared, nested = list(names), dict[str, dict[str, Any]]()
    for name, value in values.items():
        outer, _, inner = name.partition("__")
        if outer not in declared:
            raise ParameterError(
                f"{type(owner).__name__} has no parameter {outer!r}; it has {', '.join(declared) or 'none'}"
            )
        if inner:
            nested.setdefault(outer, {})[inner] = value
        else:
            setattr(owner, name, value)
    for outer, inside in nested.items():
        part = getattr(owner, outer)
        if not hasattr(part, "set_params"):
            raise ParameterError(f"{type(owner).__name__}: {outer} is {part!r:.40}, which has no parameters to set")
        part.set_params(**inside)
