"""How good predictions are: scores of classes, numbers, rankings, probabilities and clusters; distances of rows."""

from importlib import import_module
from typing import Any

from ..lazy import attach

_load, __dir__, __all__ = attach(__name__, __file__, ("cluster", "pairwise"))


def __getattr__(name: str) -> Any:
    """A name of this package; Displays of `learnable.plot` are found here too, where scikit-learn has them."""
    if name.endswith("Display"):
        return getattr(import_module("learnable.plot"), name)
    return _load(name)
