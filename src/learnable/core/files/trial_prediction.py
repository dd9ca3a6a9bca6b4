"""A prediction by a model that was just loaded: what was learned must fit together where no declaration says how."""

from __future__ import annotations

import inspect
import os
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..declare import params
from ..errors import LearnableError, ModelFileError
from ..roles.traits import traits_of

PACKAGE, STANDARD = Path(__file__).parents[2], Path(os.__file__).parent
USED = ("numpy", "scipy", "joblib")  # packages whose code a model runs
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
MAY_RUN_LONG = (
    "estimators_",
    "estimators_samples_",
    "trees_",
)  # copies of the whole model, or lists of all rows
ROWS = 2
MAX_COLUMNS = 2**16  # of the rows that are made for it
RAW = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What Python, NumPy and compiled code raise where the arrays of a model do not fit together."""
TABLES = ("numbers", "table", "parts", "sequence")


def tried(model: Any, where: str) -> Any:
    """The model, which was read from a file, after a prediction has shown that what it learned fits together."""
    if flaw := flaw_of_trial(model):
        raise ModelFileError(f"{where}: {type(model).__name__}: {flaw}")
    return model


def flaw_of_trial(model: Any) -> str:
    """Why a loaded model cannot predict two rows of zeros, or compute an attribute; empty if it can, or says why not.

    An error in a function of the user's own, such as a kernel, is none of the file.
    """
    if not params.learned_shapes(type(model)).keys() & model.__dict__ and "trace_" not in model.__dict__:
        return ""
    calls = [(name, partial(getattr, model, name)) for name in _properties(type(model))]
    if flaw := _flaw_of("its declaration", partial(_rows_for, model)):
        return flaw
    if (rows := _rows_for(model)) is not None:
        calls += [(method, partial(_call, model, method, rows)) for method in METHODS]
        calls += [("inverse_transform", partial(_there_and_back, model, rows))]
        if flaw := _flaw_of_widths(model, rows):
            return flaw
    calls += [("get_feature_names_out", partial(_call, model, "get_feature_names_out"))]
    return next(filter(None, (_flaw_of(name, call) for name, call in calls)), "")


@params.per_class
def _properties(cls: type[Any]) -> list[str]:
    """Public attributes that are computed from what was learned, but for those that take long."""
    names = (name for name in dir(cls) if not name.startswith("_") and name not in MAY_RUN_LONG)
    return [name for name in names if isinstance(inspect.getattr_static(cls, name), property)]


def _call(model: Any, method: str, *rows: Any) -> Any:
    """The result of a method on the rows; None if the model lacks it."""
    call = getattr(model, method, None)
    if call is None:
        return None
    try:
        return call(*rows)
    except AttributeError as error:
        error.name = None  # what a part lacks is not what the model lacks
        raise


def _flaw_of_widths(model: Any, rows: Any) -> str:
    """Why the columns of scores are not those of the classes that predictions index; empty if they are."""
    classes = model.__dict__.get("classes_")
    if not isinstance(classes, np.ndarray):
        return ""
    pairs = len(classes) * (len(classes) - 1) // 2
    for method, allowed in (("predict_proba", (len(classes),)), ("decision_function", (len(classes), pairs))):
        found: list[Any] = []
        _flaw_of(method, partial(_append_result, found, model, method, rows))
        if not found or found[0] is None or isinstance(found[0], list):
            continue
        width = (*np.shape(found[0])[1:], 2)[0]  # a single column is that of two classes
        if width not in allowed:
            return f"{method} gives scores of {width} columns for the {len(classes)} classes of classes_"
    return ""


def _append_result(found: list[Any], model: Any, method: str, rows: Any) -> None:
    found.append(_call(model, method, rows))


def _there_and_back(model: Any, rows: Any) -> None:
    """Transform rows and what that gives back."""
    if hasattr(model, "inverse_transform") and hasattr(model, "transform"):
        model.inverse_transform(model.transform(rows))


def _rows_for(model: Any) -> Any:
    """Rows that have the columns of the model; None where none can be made."""
    columns = model.__dict__.get("n_features_in_")
    takes = traits_of(model).takes
    if takes in WITHOUT_NUMBERS:
        return WITHOUT_NUMBERS[takes](model)
    tables = takes in TABLES and not callable(getattr(model, "kernel", None))
    if not tables or type(columns) is not int or columns > MAX_COLUMNS:
        return None
    return np.zeros((ROWS, columns))


def _first_and_last_pair(model: Any) -> Any:
    """Two pairs of a user and an item that a recommender knows."""
    known = (model.__dict__["users_"], model.__dict__["items_"])
    return np.array([[ids[place] for ids in known] for place in (0, -1)], dtype=object)


WITHOUT_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "texts": lambda model: ["a text", ""],
    "sentences": lambda model: [["a", "sentence"]],
    "ratings": _first_and_last_pair,
}
"""Rows for those whose rows are not numbers."""


def _flaw_of(method: str, call: Callable[[], Any]) -> str:
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
    """What failed, unless it is an error on purpose, or a function of the user's own had a part in it.

    An attribute that a component lacks is one that the model does not have.
    """
    if isinstance(error, AttributeError) and error.name == method and error.obj is not None:
        return ""
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
