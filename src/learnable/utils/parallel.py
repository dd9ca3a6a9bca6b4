"""joblib's `Parallel` and `delayed`, under scikit-learn's import path."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name not in ("Parallel", "delayed"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import joblib

    return getattr(joblib, name)
