"""Every public method of a model that was loaded, and what may come of it: a result, or an error in words."""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np

import learnable
from learnable.core import LearnableError
from learnable.core.files import model_file

INSIDE = str(Path(learnable.__file__).parent)
NOT_RUN = frozenset((
    "fit", "fit_transform", "fit_predict", "fit_resample", "set_params", "set_output", "path", "dtype", "score_func",
    "set_fit_request", "set_inverse_transform_request", "set_partial_fit_request", "set_predict_request",
    "set_score_request", "set_transform_request", "merge", "get_metadata_routing",
))  # fmt: skip
"""Methods that fit again, change the model, or do not depend on its learned state."""
CHANGING = ("sparsify", "densify", "restrict", "partial_fit", "unlearn")  # come last
CALM = (LearnableError, NotImplementedError)
RAW = ("bad_cast", "bad_alloc", "incompatible function arguments", "std::", "broadcast")


@cache
def native_words() -> tuple[str, ...]:
    """The messages that the compiled code was given for what it refuses."""
    sources = [path.read_text() for path in (Path(__file__).parents[2] / "native").rglob("*.[ch]pp")]
    joined = [re.sub(r'"\s*\n\s*"', "", source) for source in sources]
    found = {words for source in joined for words in re.findall(r'"([^"\\\n]{16,})"', source)}
    return tuple(words for words in found if " " in words and "/" not in words)


def calls(model: Any, X: Any, y: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every public method and property of a model, by name, each ready to be called."""
    cls = type(model)
    names = [name for name in dir(cls) if not name.startswith("_") and name not in NOT_RUN]
    yield "repr", lambda: repr(model)
    yield "html", model._repr_html_ if hasattr(model, "_repr_html_") else lambda: None
    for name in sorted(names, key=lambda name: (name in CHANGING, name)):
        static = inspect.getattr_static(cls, name)
        if isinstance(static, property):
            yield name, lambda name=name: getattr(model, name)
        elif callable(static) or hasattr(static, "__get__"):
            yield name, lambda name=name: _called(model, name, X, y)
    yield "save", lambda: model_file.size_of(model)


def _called(model: Any, name: str, X: Any, y: Any) -> Any:
    """A method called with rows for what it takes."""
    if not hasattr(model, name):
        return None
    method = getattr(model, name)
    if not callable(method):
        return None
    if name == "inverse_transform" and hasattr(model, "transform"):
        X = model.transform(X)
    given = {"X": X, "y": y, "Y": X, "T": X, "K": X, "yt": X, "raw_X": X, "raw_documents": X, "doc": "a text"}
    given |= {"column": 0, "support": np.ones(1, dtype=bool), "cut_distance": 0.5}
    arguments = {}
    for key, parameter in inspect.signature(method).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is parameter.empty or key in ("X", "y"):
            if key not in given:
                return None
            arguments[key] = given[key]
    result = method(**arguments)
    if isinstance(result, GeneratorType):
        for count, _ in enumerate(result):
            if count > 1000:
                break
    return result


def flaw(error: BaseException) -> str:
    """Where an error came from, if its words were not meant for people: nothing raised on purpose by this package."""
    if isinstance(error, CALM) and not any(word in str(error) for word in RAW):
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(INSIDE)]
    last = own[-1] if own else frames[-1]
    meant = linecache.getline(last.filename, last.lineno or 0).strip().startswith("raise ") and last is frames[-1]
    if meant and isinstance(error, (ValueError, TypeError, AttributeError, NotImplementedError)):
        return ""
    if isinstance(error, ValueError) and last is frames[-1] and any(words in str(error) for words in native_words()):
        return ""
    where = f"{last.filename.removeprefix(INSIDE + '/')}:{last.lineno} {last.name}"
    return f"{type(error).__name__} at {where}: {str(error)[:160]}"


def quietly(call: Callable[[], Any]) -> str:
    """The flaw of what a call raises; empty if it returns, or says in words why it cannot."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except Exception as error:
            return flaw(error)
    return ""
