"""Values as Python code: the only way by which text from data enters a program that is written."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from ..core.declare.display import changed_params
from ..core.declare.registry import UFUNCS
from ..core.errors import DataError
from ..core.roles.estimator import Estimator


def code_of(value: Any) -> str:
    r"""The expression for a value: literals, lists, tuples and dictionaries of them, and estimators.

    Text stands in it as `repr` writes it, so that it cannot end the literal or the line.

    >>> import learnable
    >>> print(code_of(["it's\n", None, np.float64(0.5)]), code_of(learnable.Ridge(alpha=2.0)))
    ["it's\n", None, 0.5] Ridge(alpha=2.0)
    """
    if isinstance(value, Estimator):
        inside = ", ".join(f"{name}={code_of(given)}" for name, given in changed_params(value).items())
        return f"{type(value).__name__}({inside})"
    if isinstance(value, (np.ndarray, np.generic)):
        found = code_of(value.tolist())
        return f"np.array({found})" if isinstance(value, np.ndarray) else found
    if isinstance(value, np.ufunc) and value.__name__ in UFUNCS:
        return f"np.{value.__name__}"
    if isinstance(value, str):
        return repr(str(value))
    return _code_of_plain(value)


def _code_of_plain(value: Any) -> str:
    """The expression for a number, None, or several values."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{code_of(key)}: {code_of(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(code_of, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(value) == 1)})"
    if isinstance(value, float) and not isfinite(value):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    raise DataError(f"a {type(value).__name__} cannot be written as Python code")
