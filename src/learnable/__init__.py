"""The whole of a first course in machine learning, fast, certified, behind scikit-learn's interface."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

from ._version import __version__ as __version__
from .lazy import no_such_name, stub_names

_FAMILIES = (
    "active", "calibration", "cluster", "compose", "conjugate", "covariance", "cross_decomposition", "datasets",
    "decomposition", "density", "deployment", "discriminant_analysis", "dummy", "ensemble", "evolution",
    "feature_extraction", "feature_selection", "frozen", "gaussian_process", "graphical", "imbalance", "impute",
    "inference", "information", "inspection", "isotonic", "kernel_approximation", "kernel_machine", "kernel_ridge",
    "kernels", "linear_model", "manifold", "metrics", "mixture", "model_selection", "multiclass", "multioutput",
    "naive_bayes", "neighbors", "neural_network", "pipeline", "plot", "preprocessing", "random_projection",
    "recommend", "reinforcement", "sampling", "scale", "semi_supervised", "sequence", "svm", "tape", "theory", "tree",
)  # fmt: skip
_LAYERS = ("core", "parts", "engines")
_PATHS = ("base", "exceptions", "experimental", "utils")  # where scikit-learn has what is elsewhere here
_CORE = (
    "BudgetError", "Certificate", "ConvergenceWarning", "DataError", "LearnableError", "ModelFileError",
    "NotFittedError", "ParameterError", "ScaleError", "Trace", "budget", "checkpoint", "clone", "config_context",
    "get_config", "load", "progress", "save", "set_config", "target_kind", "threads", "watch",
)  # fmt: skip


@cache
def _homes() -> dict[str, str]:
    """Public name -> the package it comes from."""
    here = Path(__file__).parent
    homes = {name: family for family in _FAMILIES for name in stub_names(str(here / family / "__init__.py"))}
    return homes | dict.fromkeys(_CORE, "core") | {"study": "app.study"}


def public_names() -> set[str]:
    """Every name that `learnable.name` reaches."""
    return set(_homes())


def __getattr__(name: str) -> Any:
    if name in _FAMILIES or name in _LAYERS or name in _PATHS:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _homes():
        raise no_such_name(__name__, name, _homes())
    value = getattr(importlib.import_module(f"{__name__}.{_homes()[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_homes(), *_FAMILIES, *_PATHS, "__version__"])
