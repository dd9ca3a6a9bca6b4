"""The target number of rows of each class: `sampling_strategy` in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Literal

from ..core import DataError, ParameterError

Kind = Literal["under", "over", "clean"]
NAMES = ("auto", "minority", "not minority", "not majority", "majority", "all")
SAYS = "a name, a ratio, a dictionary of numbers by class, a list of classes, or a function of y"


def is_strategy(value: Any) -> bool:
    """Whether it can be a `sampling_strategy`."""
    if isinstance(value, str):
        return value in NAMES
    if isinstance(value, bool):
        return False
    return isinstance(value, (Real, Mapping, list, tuple)) or callable(value)


def requested(strategy: Any, counts: dict[Any, int], kind: Kind, owner: str, y: Any = None) -> dict[Any, int]:
    """Class -> how many rows stay ("under"), or come ("over"), or are there before cleaning ("clean").

    >>> requested("auto", {"rare": 10, "common": 90}, "under", "RandomUnderSampler")
    {'common': 10}
    >>> requested(0.5, {"rare": 10, "common": 90}, "over", "SMOTE")
    {'rare': 35}
    """
    if len(counts) < 2:
        raise DataError(f"{owner}: the target y needs to have more than 1 class; got {len(counts)} class instead")
    if callable(strategy):
        strategy = strategy(y)
    if isinstance(strategy, str):
        return _by_name(strategy, counts, kind, owner)
    if isinstance(strategy, Mapping):
        return _by_number(strategy, counts, kind, owner)
    if isinstance(strategy, Real):
        return _by_ratio(float(strategy), counts, kind, owner)
    if kind != "clean":
        raise ParameterError(
            f"{owner}: sampling_strategy cannot be a list, as numbers of rows are needed; use a dictionary"
        )
    _refuse_unknown(strategy, counts, owner)
    return {label: counts[label] for label in counts if label in strategy}


def _by_name(name: str, counts: dict[Any, int], kind: Kind, owner: str) -> dict[Any, int]:
    least, most = min(counts, key=lambda c: counts[c]), max(counts, key=lambda c: counts[c])
    if name == "auto":
        name = "not majority" if kind == "over" else "not minority"
    if name == ("majority" if kind == "over" else "minority"):
        verb = "over-sampling" if kind == "over" else "under-sampling"
        raise ParameterError(f"{owner}: sampling_strategy={name!r} cannot be used with {verb}")
    chosen = {
        "minority": [least],
        "majority": [most],
        "not minority": [label for label in counts if label != least],
        "not majority": [label for label in counts if label != most],
        "all": list(counts),
    }[name]
    if kind == "over":
        return {label: counts[most] - counts[label] for label in chosen}
    return {label: counts[least] if kind == "under" else counts[label] for label in chosen}


def _by_number(numbers: Mapping[Any, Any], counts: dict[Any, int], kind: Kind, owner: str) -> dict[Any, int]:
    if kind == "clean":
        raise ParameterError(
            f"{owner}: sampling_strategy cannot be a dictionary when cleaning; list the classes instead"
        )
    _refuse_unknown(numbers, counts, owner)
    for label, number in numbers.items():
        if number < 0:
            raise ParameterError(f"{owner}: sampling_strategy asks for {number} rows of class {label!r}")
        if (number < counts[label]) if kind == "over" else (number > counts[label]):
            how, than = ("over", "fewer") if kind == "over" else ("under", "more")
            raise ParameterError(
                f"{owner}: with {how}-sampling methods, no class can get {than} rows than it has; class {label!r} has "
                f"{counts[label]}, and {number} are requested"
            )
    chosen = {label: int(numbers[label]) for label in counts if label in numbers}
    return {label: number - counts[label] for label, number in chosen.items()} if kind == "over" else chosen


def _by_ratio(ratio: float, counts: dict[Any, int], kind: Kind, owner: str) -> dict[Any, int]:
    if not 0 < ratio <= 1:
        raise ParameterError(f"{owner}: sampling_strategy as a ratio must be above 0 and at most 1; got {ratio}")
    if len(counts) != 2:
        raise ParameterError(
            f'{owner}: "sampling_strategy" can be a float only when the type of target is binary; there are '
            f"{len(counts)} classes: use a dictionary"
        )
    if kind == "clean":
        raise ParameterError(f"{owner}: sampling_strategy cannot be a ratio when cleaning; list the classes instead")
    (rare, few), (common, many) = sorted(counts.items(), key=lambda item: item[1])
    result = {rare: int(many * ratio) - few} if kind == "over" else {common: int(few / ratio)}
    if next(iter(result.values())) < 0 or (kind == "under" and result[common] > many):
        raise ParameterError(
            f"{owner}: the ratio {ratio} asks to go the other way: class {rare!r} has {few} rows and {common!r} {many}"
        )
    return result


def _refuse_unknown(chosen: Any, counts: dict[Any, int], owner: str) -> None:
    strange = [label for label in chosen if label not in counts]
    if strange:
        raise ParameterError(
            f"{owner}: the {strange!r} target class is not present in the data; there are {list(counts)!r:.80}"
        )
