"""Errors and warnings, each also catchable as scikit-learn's class of the same name when that is loaded."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

from .printable import printable

_OF_NUMPY = re.compile(r"\bnp\.(?:str_|bytes_|u?int\d+|float\d+)\(('[^']*'|\"[^\"]*\"|[^()'\"]*)\)")
_TRUTH_OF_NUMPY = re.compile(r"\bnp\.(True|False)_")


def plain(message: str) -> str:
    """`message` with the values of NumPy written as those of Python.

    >>> plain("got np.str_('a') in row np.int64(3)")
    "got 'a' in row 3"
    """
    return _TRUTH_OF_NUMPY.sub(r"\1", _OF_NUMPY.sub(r"\1", message))


def shown(message: str) -> str:
    """`message` as terminals and logs may show it."""
    return printable(plain(message), keep="\n")


class LearnableError(Exception):
    """Base class of the errors that this library raises."""

    def __init__(self, *words: Any) -> None:
        super().__init__(*(shown(word) if isinstance(word, str) else word for word in words))


class DataError(LearnableError, ValueError):
    """The data cannot be used as given; the message names the column, the row, the value and the remedy."""


class DataTypeError(DataError, TypeError):
    """The data are of a type that cannot be used."""


class UnsupportedTargetError(DataError, NotImplementedError):
    """A target is of a kind that an estimator does not learn."""


class ParameterError(LearnableError, ValueError):
    """A parameter has a value that its declaration does not allow."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter has the wrong type."""


class NotFittedError(LearnableError, ValueError, AttributeError):
    """A method that needs a fitted estimator was called before `fit`."""


class UnsetMetadataPassedError(LearnableError, ValueError):
    """Metadata were passed that a component takes, but neither requests nor declines."""

    def __init__(self, *, message: str, unrequested_params: Any, routed_params: Any) -> None:
        self.args = (shown(message),)  # scikit-learn's class, where this is one, has a constructor of its own
        self.unrequested_params, self.routed_params = unrequested_params, routed_params


class BudgetError(LearnableError, RuntimeError):
    """The budget ended before there was a result to return."""


class ScaleError(LearnableError, RuntimeError):
    """A pass over rows in blocks cannot go on: no worker is alive, or one block ends every worker that reads it."""


class ModelFileError(LearnableError, ValueError):
    """A model file is malformed, too new, or contains something that this version does not support."""


class ConvergenceWarning(UserWarning):
    """An iterative fit ended before its certificate held."""


class FitFailedWarning(RuntimeWarning):
    """A fit among several failed, and a score stands in for it."""


class DataConversionWarning(UserWarning):
    """The data were reshaped to be usable, for example a target with one column."""


class EfficiencyWarning(UserWarning):
    """The data were usable only after work that could have been spared."""


class UndefinedMetricWarning(UserWarning):
    """A metric has no value for the data, and a stand-in was returned."""


class DataDimensionalityWarning(UserWarning):
    """The data have a number of columns that makes the result questionable."""


class PositiveSpectrumWarning(UserWarning):
    """A matrix that should be positive semi-definite has negative eigenvalues."""


_joined_classes: dict[type[Any], type[Any]] = {}


def _joined(ours: type[Any], theirs: type[Any]) -> type[Any]:
    """A class that is both; its pickles open as `ours` where scikit-learn is not loaded."""

    def reduce(self: Any) -> tuple[Any, ...]:
        return _reopened, (ours, self.args, vars(self))

    joined = type(
        ours.__name__, (ours, theirs), {"__module__": ours.__module__, "__doc__": ours.__doc__, "__reduce__": reduce}
    )
    return _joined_classes.setdefault(ours, joined)


def _reopened(ours: type[Any], args: tuple[Any, ...], state: dict[str, Any] | None = None) -> Any:
    opened = compatible(ours).__new__(compatible(ours), *args)
    opened.args = args
    vars(opened).update(state or {})
    return opened


def compatible(ours: type[Any]) -> type[Any]:
    """`ours`, made also a subclass of scikit-learn's exception of the same name if scikit-learn is loaded."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), ours.__name__, None)
    if theirs is None:
        return ours
    return _joined_classes.get(ours) or _joined(ours, theirs)


def not_fitted(estimator: object) -> Exception:
    """The error for a method of an unfitted `estimator`."""
    name = type(estimator).__name__
    error: Exception = compatible(NotFittedError)(f"this {name} is not fitted yet: call fit(X, y) before using it")
    return error


def unrequested(owner: str, method: str, unset: dict[str, Any], routed: dict[str, Any]) -> Exception:
    """The error for metadata that a method of `owner` takes, and for which nothing was requested."""
    setter = method.removesuffix("_transform").removesuffix("_predict")
    error: Exception = compatible(UnsetMetadataPassedError)(
        message=f"[{', '.join(unset)}] are passed but are not explicitly set as requested or not requested for "
        f"{owner}.{method}; call set_{setter}_request({next(iter(unset))}=True), or False, on it",
        unrequested_params=unset,
        routed_params=routed,
    )
    return error


class ErrorOwner:
    """Lets every error that this library raises in the block name its `owner`, and what to do for more time."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, LearnableError):
            message = str(error)
            if isinstance(error, BudgetError) and "give it more" not in message:
                message += "; give it more time or memory"
            named = re.search(rf"\b{self.owner}\b", message)
            error.args = (message if named else f"{self.owner}: {message}",)


class ColumnsNamed:
    """Lets an error of `owner` in the block call a column by its name, where `owner` knows only its number."""

    def __init__(self, owner: str, names: Callable[[], Any]) -> None:
        self.owner = owner
        self.names = names

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if not isinstance(error, DataError):
            return
        numbered = re.match(rf"{self.owner}: [^:]*\bcolumn (\d+)\b", str(error))  # its own words, not those of a part
        names = self.names() if numbered else None
        if numbered and names is not None and int(numbered[1]) < len(names):
            before, after = str(error)[: numbered.start(1)], str(error)[numbered.end(1) :]
            error.args = (f"{before}{str(names[int(numbered[1])])!r}{after}",)


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the first line outside this library."""
    warnings.warn(shown(message), compatible(category), stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    frame, level = sys._getframe(2), 2
    inside = ("learnable.", "contextlib")  # a fit is a context, whose end may warn
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(inside):
        frame, level = frame.f_back, level + 1
    return level
