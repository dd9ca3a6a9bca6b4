"""Small data sets that come with the package, and generators of problems with a known solution."""

import sys
from typing import Any

from ..lazy import attach

_load, __dir__, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A name of this package; of scikit-learn's functions that download it is said why they are not here."""
    if name.startswith("fetch_"):
        importing = sys._getframe(1).f_globals.get("__name__") == "importlib._bootstrap"
        raise (ImportError if importing else AttributeError)(  # an import would hide the words of an AttributeError
            f"learnable.datasets has no {name}: learnable downloads nothing. Get the file yourself and read it with "
            "read_table, load_files or load_svmlight_file"
        )
    return _load(name)
