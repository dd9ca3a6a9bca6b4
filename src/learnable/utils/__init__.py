"""Paths under which scikit-learn keeps some of its tools."""

from importlib import import_module
from typing import Any

HOMES = {
    "Bunch": "core.sklearn_api.bunch",
    "ClassifierTags": "core.sklearn_api.custom_tags",
    "DataConversionWarning": "core.errors",
    "InputTags": "core.sklearn_api.custom_tags",
    "RegressorTags": "core.sklearn_api.custom_tags",
    "Tags": "core.sklearn_api.custom_tags",
    "TargetTags": "core.sklearn_api.custom_tags",
    "TransformerTags": "core.sklearn_api.custom_tags",
    "all_estimators": "utils.discovery",
    "as_float_array": "utils.arrays",
    "assert_all_finite": "utils.arrays",
    "check_X_y": "utils.arrays",
    "check_array": "utils.arrays",
    "check_consistent_length": "utils.arrays",
    "check_is_fitted": "utils.validation",
    "check_random_state": "utils.validation",
    "check_scalar": "utils.scalars",
    "check_symmetric": "utils.scalars",
    "column_or_1d": "utils.arrays",
    "compute_class_weight": "imbalance",
    "compute_sample_weight": "imbalance",
    "estimator_html_repr": "utils.validation",
    "gen_batches": "utils.slices",
    "gen_even_slices": "utils.slices",
    "get_tags": "core.sklearn_api.custom_tags",
    "indexable": "utils.indexing",
    "resample": "utils.resampling",
    "safe_mask": "utils.indexing",
    "safe_sqr": "utils.extmath",
    "shuffle": "utils.resampling",
    "_safe_indexing": "utils.indexing",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"learnable.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(HOMES)
