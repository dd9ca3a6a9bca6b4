"""A prediction by a model that was just loaded: what was learned must fit together where no declaration says how."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LearnableError, ModelFileError
from ..roles.traits import traits_of
from ..runtime.trace import Trace

PACKAGE, STANDARD = Path(__file__).parents[2], Path(os.__file__).parent
USED = ("numpy", "scipy", "joblib")  # packages whose code a model runs
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples", "get_feature_names_out")
ROWS = 2
MOST_COLUMNS = 2**16  # of the rows that are made for it
RAW = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
"""What Python, NumPy and compiled code raise where the arrays of a model do not fit together."""
TABLES = ("numbers", "table", "parts")


def tried(model: Any, where: str) -> Any:
    """The model, which was read from a file, after a prediction has shown that what it learned fits together."""
    if flaw := flaw_of_trial(model):
        raise ModelFileError(f"{where}: {type(model).__name__}: {flaw}")
    return model


def flaw_of_trial(model: Any) -> str:
    """Why a loaded model cannot predict two rows of zeros; empty if it can, or says in words why not.

    An error in a function of the user's own, such as a kernel, is none of the file.
    """
    rows = _rows_for(model)
    if rows is None:
        return ""
    for method in METHODS:
        try:
            call = getattr(model, method, None)
        except RAW as error:
            return _flaw(method, error)
        if call is None:
            continue
        flaw = _tried(method, call if method == "get_feature_names_out" else partial(call, rows))
        if flaw:
            return flaw
    return ""


def _rows_for(model: Any) -> Any:
    """Rows that have the columns of the model; None where none can be made."""
    columns = model.__dict__.get("n_features_in_")
    fitted = isinstance(model.__dict__.get("trace_"), Trace)
    tables = traits_of(model).takes in TABLES and not callable(getattr(model, "kernel", None))
    if not fitted or not tables or type(columns) is not int or columns > MOST_COLUMNS:
        return None
    return np.zeros((ROWS, columns))


def _tried(method: str, call: Callable[[], Any]) -> str:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except (LearnableError, NotImplementedError):
            return ""
        except RAW as error:
            return _flaw(method, error)
    return ""


def _flaw(method: str, error: Exception) -> str:
    """What failed, unless it is an error on purpose, or a function of the user's own had a part in it."""
    frames = traceback.extract_tb(error.__traceback__)
    meant = Path(frames[-1].filename).is_relative_to(PACKAGE) and (frames[-1].line or "").startswith("raise ")
    if meant or not all(_is_known(frame.filename) for frame in frames):
        return ""
    return f"what was learned does not fit together: {method} fails ({error!s:.120})"


def _is_known(filename: str) -> bool:
    """Whether code stands in this package or in what it uses, and is not a function of the user's own."""
    path = Path(filename)
    if path.is_relative_to(PACKAGE) or filename.startswith("<frozen "):
        return True
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1] in USED
    return path.is_relative_to(STANDARD)
