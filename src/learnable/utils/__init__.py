"""Paths under which scikit-learn keeps some of its tools."""

from importlib import import_module
from typing import Any

HOMES = {
    "Bunch": "core.bunch",
    "check_random_state": "utils.validation",
    "compute_class_weight": "imbalance",
    "compute_sample_weight": "imbalance",
    "estimator_html_repr": "utils.validation",
    "gen_batches": "utils.slices",
    "gen_even_slices": "utils.slices",
    "resample": "utils.drawing",
    "shuffle": "utils.drawing",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"learnable.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(HOMES)
