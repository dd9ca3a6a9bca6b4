"""Weights of classes, under the path where people look for them; they live in `learnable.imbalance`."""

from importlib import import_module
from typing import Any

NAMES = ["compute_class_weight", "compute_sample_weight"]


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("learnable.imbalance"), name)


def __dir__() -> list[str]:
    return NAMES
