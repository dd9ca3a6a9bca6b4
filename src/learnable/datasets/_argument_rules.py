"""What the arguments of the generators must be: a rule for each name, whichever functions have it."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeVar

from ..core.declare.checked_functions import checked, limits
from ..core.declare.params import ParameterRule

Function = TypeVar("Function", bound=Callable[..., Any])


def _some_rows(value: Any) -> bool:
    """Whether there are rows; a group among several may be empty, but not all of them."""
    return int(value) >= 1 if isinstance(value, Integral) else min(value, default=-1) >= 0 and sum(value) >= 1


def _some_centres(value: Any) -> bool:
    return not isinstance(value, Integral) or int(value) >= 1


def _two(value: Any) -> bool:
    return len(value) == 2


count, amount, positive, share = limits(at_least=1), limits(at_least=0), limits(above=0), limits(at_least=0, at_most=1)
RULES: dict[str, ParameterRule] = {
    "n_samples": limits(accepts=_some_rows, says="at least 1"),
    "centers": limits(accepts=_some_centres, says="at least 1"),
    "shape": limits(at_least=1, accepts=_two, says="two numbers, of rows and columns"),
    "center_box": limits(accepts=_two, says="two numbers, the least and the largest"),
    **dict.fromkeys(["n_features", "n_classes", "n_clusters", "n_clusters_per_class", "n_targets"], count),
    **dict.fromkeys(["n_components", "n_nonzero_coefs", "n_sequences", "n_dim", "length"], count),
    **dict.fromkeys(["effective_rank", "rank"], count),
    **dict.fromkeys(["n_informative", "n_redundant", "n_repeated", "n_labels"], amount),
    **dict.fromkeys(["noise", "cluster_std", "cov", "std", "size", "weights"], amount),
    **dict.fromkeys(["flip_y", "outliers", "tail_strength", "alpha", "smallest_coef", "largest_coef"], share),
    **dict.fromkeys(["class_sep", "scale"], positive),
}


def generating(**own: ParameterRule) -> Callable[[Function], Function]:
    """Let a generator of data refuse arguments that make no sense; `own` rules come before those that all share."""
    return checked(**{**RULES, **own})  # type: ignore[return-value]  # which keeps the signature
