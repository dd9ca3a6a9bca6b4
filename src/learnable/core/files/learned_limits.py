"""Validation of learned numbers, lists and arrays from files beyond their types and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare.params import Limits, Shape
from ..errors import ModelFileError
from ..validate.targets import is_sparse

PROBABILITY_ROUNDING = 1e-3  # by which a sum of probabilities in single precision may differ from 1


def check_limits(shapes: dict[str, Shape], state: dict[str, Any], lengths: dict[str, int]) -> None:
    """Refuse counts, lists and indices that do not fit the lengths of the axes that arrays have."""
    for attribute, shape in shapes.items():
        value, limits = state.get(attribute), shape.limits
        if value is None or limits == Limits():
            continue
        if limits.each is not None:
            _check_each(attribute, value, limits.each, lengths)
        if limits.counts is not None:
            _check_count(attribute, value, limits.counts, lengths)
        if limits.index is not None or limits.least is not None:
            _check_entries(attribute, value, limits, lengths)
        if limits.probabilities:
            _check_probabilities(attribute, value)


def flaw_of_members(models: list[Any], columns: int | None, classes: int | None = None) -> str:
    """Why fitted estimators cannot belong to a model of `columns` features and `classes` codes; empty if they can.

    A model of texts or records has no columns, and neither have its members.
    """
    for model in models:
        if getattr(model, "n_features_in_", columns) != columns:
            return f"estimators_ holds a {type(model).__name__} of other columns than the {columns} of the whole"
        known = getattr(model, "classes_", None)
        if classes is None or known is None:
            continue
        codes = np.asarray(known)
        if codes.dtype.kind not in "iub" or codes.ndim != 1 or not ((codes >= 0) & (codes < classes)).all():
            return f"estimators_ holds a {type(model).__name__} of classes that are not the {classes} of the whole"
    return ""


def flaw_of_categories(categories: list[Any], chosen: list[Any] | None = None) -> str:
    """Why lists of the categories of columns are not sound, with masks of chosen ones; empty if they are."""
    if any(not isinstance(values, np.ndarray) or values.ndim != 1 for values in categories):
        return "categories_ must hold a list of values for each column"
    for values, mask in zip(categories, chosen or [], strict=False):
        masks = isinstance(mask, np.ndarray) and mask.dtype == bool and mask.shape == values.shape
        if mask is not None and not masks:
            return "rare_ must hold a flag for each category of a column, or be None"
    return ""


def check_classes(value: Any) -> None:
    """Refuse classes that are not distinct, in the one list or in that of each target."""
    for labels in value if isinstance(value, list) else [value]:
        known = labels.ravel().tolist() if isinstance(labels, np.ndarray) else []
        if isinstance(labels, np.ndarray) and (labels.ndim != 1 or len(set(known)) < len(known)):
            raise ModelFileError("classes_ must hold each class once")


def is_text_array(values: Any) -> bool:
    """Whether this is a list of texts, as an array."""
    known = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "OU"
    return known and all(isinstance(value, str) for value in values.tolist())


def flaw_of_probabilities(attribute: str, values: Any) -> str:
    """Why numbers are not the probabilities of one distribution; empty if they are."""
    sound = (values >= 0).all() and abs(float(values.sum()) - 1) <= PROBABILITY_ROUNDING
    return "" if sound else f"{attribute} must hold probabilities that sum to 1"


def check_matrix(attribute: str, value: Any) -> None:
    """Refuse what is neither an array of numbers nor a sparse matrix."""
    known = isinstance(value, np.ndarray) or is_sparse(value)
    if not known or value.dtype.kind not in "fiub":
        raise ModelFileError(f"{attribute} must be a matrix of numbers; got {type(value).__name__}")


def _check_probabilities(attribute: str, value: Any) -> None:
    for part in value if isinstance(value, list) else [value]:
        numbers = isinstance(part, np.ndarray) and part.dtype.kind == "f" and part.ndim > 0
        if not numbers or not (part >= 0).all() or not (np.abs(part.sum(axis=-1) - 1) <= PROBABILITY_ROUNDING).all():
            raise ModelFileError(f"{attribute} must hold probabilities that sum to 1")


def _check_each(attribute: str, value: Any, axes: tuple[str, ...], lengths: dict[str, int]) -> None:
    """The arrays in a list hold numbers and have the declared axes; one that ends with `*` may have any length."""
    if not isinstance(value, list) or any(
        not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub" or array.ndim != len(axes)
        for array in value
    ):
        raise ModelFileError(f"{attribute} must be a list of arrays of numbers with the axes {' x '.join(axes)}")
    for array in value:
        for axis, length in zip(axes, array.shape, strict=True):
            if not axis.endswith("*") and lengths.setdefault(axis, length) != length:
                raise ModelFileError(f"{attribute} holds an array of {length} {axis}; expected {lengths[axis]}")


def _check_count(attribute: str, value: Any, axis: str, lengths: dict[str, int]) -> None:
    found = len(value) if isinstance(value, (list, tuple, dict)) else value
    if lengths.setdefault(axis, found) != found:
        raise ModelFileError(f"{attribute} counts {found!r:.20} {axis}; expected {lengths[axis]}")


def _check_entries(attribute: str, value: Any, limits: Limits, lengths: dict[str, int]) -> None:
    """Entries that lead to others are there, and numbers are not below their least."""
    least = 0 if limits.least is None else limits.least
    entries = np.asarray(value)
    if limits.index is not None and entries.dtype.kind not in "iu" and entries.size:
        raise ModelFileError(f"{attribute} holds {entries.dtype}; expected whole numbers")
    if entries.dtype.kind not in "fiub" or not ((entries >= least) & (entries < np.inf)).all():
        raise ModelFileError(f"{attribute} must hold numbers of at least {least}")
    most = lengths.get(limits.index or "")
    if most is not None and entries.size and entries.max() >= most:
        raise ModelFileError(f"{attribute} names entry {entries.max()} of {most} {limits.index}")
