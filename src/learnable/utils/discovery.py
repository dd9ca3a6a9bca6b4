"""Every estimator there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..core.declare import registry
from ..core.declare.checked_functions import checked

Kind = Literal["classifier", "regressor", "cluster", "transformer"]
TASKS = {
    "classifier": "classification",
    "regressor": "regression",
    "cluster": "clustering",
    "transformer": "transformation",
}


@checked()
def all_estimators(type_filter: Kind | Sequence[Kind] | None = None) -> list[tuple[str, type[Any]]]:
    """(name, class) of every estimator of this library, or of those that are of some kinds.

    >>> [name for name, _ in all_estimators("classifier")][:2]
    ['AdaBoostClassifier', 'BaggingClassifier']
    """
    kinds = [] if type_filter is None else [type_filter] if isinstance(type_filter, str) else list(type_filter)
    tasks = {TASKS[kind] for kind in kinds}
    return [(name, cls) for name, cls in registry.all_estimators().items() if not tasks or cls.traits.task in tasks]
