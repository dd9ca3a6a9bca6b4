"""Names of the columns and classes of a tree."""

from __future__ import annotations

from typing import Any

from ..core.errors import DataError
from ..core.printable import printable
from ..core.validate.columns import check_names_fit


def column_names(model: Any, given: Any, pattern: str) -> list[str]:
    """Names of the columns: as given, as in the table of `fit`, or formed by a pattern."""
    if given is None:
        given = getattr(model, "feature_names_in_", None)
    if given is None:
        check_names_fit(type(model).__name__, model.n_features_in_)
        given = [pattern.format(j) for j in range(model.n_features_in_)]
    if len(given) != model.n_features_in_:
        raise DataError(f"feature_names must contain {model.n_features_in_} elements, got {len(given)}")
    return [printable(str(name)) for name in given]


def given_class_names(owner: str, classes: Any, given: Any) -> list[str]:
    """The given class names, one for each class."""
    if isinstance(given, str) or len(given) != len(classes):
        raise DataError(f"{owner}: class_names must be a name for each of {len(classes)} classes; got {given!r:.80}")
    return [printable(str(name)) for name in given]
