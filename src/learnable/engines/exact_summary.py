"""Exact statistics of rows, and of which columns they are: what a model needs of its training rows, and no more.

Summaries of several sets of rows add and subtract without rounding errors. A model fitted to them depends on the rows
that they stand for alone, not on how these were distributed, and has equal bytes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from ..core.errors import DataError, ModelFileError
from ..core.files.encoding import Encoder
from ..core.files.model_file import read, write
from ..core.validate.features import Array, Data
from .exact_moments import ExactMoments
from .exact_sums import ExactSums
from .generative.exact_class_moments import ExactClassMoments
from .generative.exact_class_products import ExactClassProducts


class ExactStatistics(Protocol):
    """Statistics that add and subtract without rounding errors."""

    @property
    def sums(self) -> ExactSums:
        """All sums."""

    def __add__(self, other: Self) -> Self:
        """The statistics of both sets of rows together."""

    def __sub__(self, part: Self) -> Self:
        """The statistics of the rows that remain without those of `part`."""

    def flaw(self) -> str:
        """What keeps values of a file from being such statistics; empty if nothing does."""


KINDS: dict[str, Any] = {
    "moments": ExactMoments, "class moments": ExactClassMoments, "class products": ExactClassProducts,
}  # fmt: skip
"""Statistics by what they are of: columns and targets together; columns of each class alone; pairs of them."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactSummary:
    """Exact statistics of rows: `+` adds rows, `-` removes rows, both without rounding errors.

    `kind` names the statistics; `names` the columns, `dtype` their precision; `targets` is their number, None where the
    target is a single column or there is none; `classes` are the labels of a classifier.
    """

    kind: str
    columns: int
    names: tuple[str, ...] | None
    dtype: str
    targets: int | None
    classes: Any
    statistics: Any

    SHARED: ClassVar = ("kind", "columns", "names", "targets")
    """What must be equal in summaries that are added."""

    def __add__(self, other: ExactSummary) -> ExactSummary:
        """The summary of both sets of rows together."""
        self._refuse_other_meaning(other)
        if self.classes is None:
            return self._with(self.statistics + other.statistics, other)
        every = self._united(other)
        first, second = (
            part.statistics.among(np.searchsorted(every, part.classes), len(every)) for part in (self, other)
        )
        return self._with(first + second, other, every)

    def __sub__(self, part: ExactSummary) -> ExactSummary:
        """The summary of the rows that remain without those of `part`; rows that were never added are refused."""
        self._refuse_other_meaning(part)
        if self.classes is None:
            return self._with(self.statistics - part.statistics, self)
        unknown = np.setdiff1d(part.classes, self.classes)
        if unknown.size:
            raise DataError(f"rows of class {unknown.tolist()[0]!r} were never added and cannot be subtracted")
        its = part.statistics.among(np.searchsorted(self.classes, part.classes), len(self.classes))
        rest = self.statistics - its
        kept = rest.occurring()
        return self._with(rest.chosen(kept), self, self.classes[kept])

    def _with(self, statistics: Any, other: ExactSummary, classes: Any = None) -> ExactSummary:
        dtype = np.promote_types(self.dtype, other.dtype).name
        return replace(self, statistics=statistics, dtype=dtype, classes=classes)

    def _united(self, other: ExactSummary) -> Array:
        """All classes of both, sorted."""
        kinds = {"text" if part.classes.dtype.kind in "OUS" else "numbers" for part in (self, other)}
        if len(kinds) > 1:
            raise DataError("summaries whose classes are numbers and text cannot be added; make them all text")
        return np.unique(np.concatenate([self.classes, other.classes]))

    def _refuse_other_meaning(self, other: ExactSummary) -> None:
        """Raise a `DataError` unless both are statistics of the same columns."""
        if not isinstance(other, ExactSummary):
            raise DataError(f"only another summary can be added to a summary or subtracted; got {other!r:.60}")
        for field in self.SHARED:
            ours, theirs = getattr(self, field), getattr(other, field)
            if ours != theirs:
                raise DataError(
                    f"summaries of different {field} cannot be added or subtracted: {ours!r:.80} and {theirs!r:.80}; "
                    "make both of the same columns, in one order, and for the same kind of model"
                )

    @property
    def meaning(self) -> str:
        """A fingerprint of what the sums are of: equal for all summaries that can be added."""
        shared = [getattr(self, field) for field in self.SHARED]
        return sha256(repr(shared).encode()).hexdigest()[:32]

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of what the sums are of, and of all sums: equal for equal rows, however they were added."""
        sums = self.statistics.sums
        classes = None if self.classes is None else self.classes.tolist()
        digest = sha256(repr([self.meaning, self.dtype, classes]).encode())
        digest.update(np.ascontiguousarray(sums.powers).tobytes())
        digest.update(np.ascontiguousarray(sums.digits).tobytes())
        return digest.hexdigest()

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(np.sum(self.statistics.weight))

    def like(self) -> Data:
        """No rows, with the columns, precision and targets of those that are summarised."""
        y = np.empty((0,) if self.targets is None else (0, self.targets), dtype=self.dtype)
        return Data(
            np.empty((0, self.columns), dtype=self.dtype), y, None, None if self.names is None else [*self.names]
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values and arrays, as files hold them."""
        sums = self.statistics.sums
        return {
            "kind": self.kind, "columns": self.columns, "names": None if self.names is None else [*self.names],
            "dtype": self.dtype, "targets": self.targets, "classes": self.classes, "powers": sums.powers,
            "digits": sums.digits,
        }  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to a file of plain numbers and texts; equal summaries give equal bytes."""
        encoder = Encoder()
        write(path, {"summary": encoder.encode(self.as_dict(), "the summary")}, encoder.tensors)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ExactSummary:
        """Load the summary that `save` wrote to `path`; a damaged file is a `ModelFileError`."""
        try:
            return cls.of_dict(read(path, "summary"))
        except ModelFileError as error:
            name = os.fspath(path)
            raise error if str(error).startswith(name) else ModelFileError(f"{name}: {error}") from None

    @classmethod
    def of_dict(cls, values: Any) -> ExactSummary:
        """The summary that a file describes, with all parts checked."""
        if not isinstance(values, dict) or values.keys() != _FIELDS.keys():
            raise ModelFileError("a summary must have the fields " + ", ".join(_FIELDS))
        for name, test in _FIELDS.items():
            if not test(values[name]):
                raise ModelFileError(f"the {name} of a summary are not valid")
        columns, targets, classes = values["columns"], values["targets"], values["classes"]
        kind, sums = KINDS[values["kind"]], ExactSums(values["powers"], values["digits"])
        if (classes is None) != (kind is ExactMoments):
            raise ModelFileError(f"{values['kind']} of a summary must have classes, and moments none")
        if classes is None:
            statistics = kind(columns + (1 if targets is None else targets), sums)
        else:
            statistics = kind(len(classes), columns, values["powers"], values["digits"])
        names = None if values["names"] is None else tuple(values["names"])
        unfit = names is not None and len(names) != columns
        if flaw := ("there must be a name for each column" if unfit else statistics.flaw()):
            raise ModelFileError(f"a summary is damaged: {flaw}")
        return cls(values["kind"], columns, names, values["dtype"], targets, classes, statistics)


_FIELDS: dict[str, Any] = {
    "kind": lambda value: value in KINDS,
    "columns": lambda value: type(value) is int and 0 < value < 2**31,
    "names": lambda value: value is None or (isinstance(value, list) and all(type(name) is str for name in value)),
    "dtype": lambda value: value in ("float32", "float64"),
    "targets": lambda value: value is None or (type(value) is int and 0 <= value < 2**31),
    "classes": lambda value: value is None or (isinstance(value, np.ndarray) and value.ndim == 1 and len(value) > 0),
    "powers": lambda value: isinstance(value, np.ndarray),
    "digits": lambda value: isinstance(value, np.ndarray),
}
