"""Honest scores and the choice of models: splits, cross-validation, curves and searches."""

from importlib import import_module
from typing import Any

from ..lazy import attach

_load, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A name of this package; Displays of `learnable.plot` are found here too, where scikit-learn has them."""
    if name in ("LearningCurveDisplay", "ValidationCurveDisplay"):
        return getattr(import_module("learnable.plot"), name)
    return _load(name)
