"""Fits of estimators to scans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import Array, Classifier, DataError, cloned
from ..core.declare import params
from ..core.roles.estimator import learned_is_finite
from ..core.validate.range_errors import refuse_extremes
from ..engines import passes
from ..engines.passes import RowBlock
from ._locate import Located
from ._task import RawBlock
from ._view import View
from .scalable import is_scalable, refusal

if TYPE_CHECKING:
    from .scans import Scan


def fit_on_scan(rows: Scan, estimator: Any) -> None:
    """Fit `estimator` to the rows of a scan."""
    learn_all = getattr(estimator, "_fit_scan", None)  # of composites, which see the rows as they are
    if not is_scalable(estimator):
        raise refusal(estimator)
    params.check(estimator)
    if learn_all is None and not estimator.traits.weights and rows.view(rows.first_block()).weight is not None:
        raise DataError(f"{type(estimator).__name__} takes no weights; scan the rows without them")
    with estimator._fitting(rows.fingerprint) as trace:
        if learn_all is not None:
            learn_all(rows, trace)
            return
        seen = ScanRows.of(rows, estimator)
        estimator._remember_columns(seen.first.X, seen.first.names)
        if isinstance(estimator, Classifier):
            estimator.classes_ = seen.reader.estimator.classes_
        estimator._fit_blocks(seen, trace)
        if not learned_is_finite(estimator, trace):
            seen.refuse_extremes(estimator)
        if not trace.rows:
            trace.exact("the statistics of the training rows, computed directly")


@dataclass(frozen=True)
class BlockReader:
    """Validates blocks as the `fit` of an estimator validates its rows."""

    view: View
    estimator: Any
    names: tuple[str, ...] | None = None

    def __call__(self, raw: RawBlock) -> RowBlock | None:
        """The validated rows of a block; None where there are none, or all have weight zero."""
        block = self.view(raw)
        if not block.rows or (block.weight is not None and not np.asarray(block.weight).any()):
            return None
        with Located(block):
            data = self.estimator._block_data(block.X, block.y, block.weight)
        X = (
            np.ascontiguousarray(data.X) if isinstance(data.X, np.ndarray) else data.X
        )  # of which formats differ in order
        return RowBlock(X, data.y, data.weight, data.names, block.numbers, block.origin)


@dataclass(frozen=True)
class Summarised:
    """`summarise` of validated blocks."""

    reader: BlockReader
    summarise: Callable[..., Any]

    def __call__(self, raw: RawBlock, *state: Any) -> Any:
        """The summary of a block."""
        block = self.reader(raw)
        if block is None:
            return None
        with Located(block):
            return self.summarise(block, *state)


@dataclass
class ScanRows:
    """The rows of a scan as an estimator learns from them."""

    scan: Scan
    reader: BlockReader
    passes: int = field(default=0)

    @classmethod
    def of(cls, rows: Scan, estimator: Any) -> ScanRows:
        """For the fit of `estimator`; of a classifier all classes are found first."""
        unfitted = cloned(estimator)
        seen = cls(rows, BlockReader(rows.view, unfitted))
        needs = getattr(estimator.traits, "uses_target", "never") == "always" or estimator.traits.task in (
            "classification", "regression",
        )  # fmt: skip
        if needs and rows.view(rows.first_block()).y is None:
            raise DataError(
                f"{type(estimator).__name__} requires y to be passed, but the scan has no target; name its column, as "
                "in scan(source, target='price')"
            )
        if isinstance(estimator, Classifier):
            unfitted.classes_ = all_classes(rows, unfitted)
        return seen

    @cached_property
    def first(self) -> RowBlock:
        """The first block in which a row counts."""
        self.scan.first_block()  # an error if there are no rows
        for task in self.scan.tasks(1):
            for _, raw in task.leaves():
                if (block := self.reader(raw)) is not None:
                    return block
        raise DataError(
            f"{type(self.reader.estimator).__name__}: sample_weight is zero for every row; at least one sample must "
            "count"
        )

    def refuse_extremes(self, estimator: Any) -> None:
        """Raise an error that names the column and the rows too large or small for the fit of `estimator`, if any."""
        for task in self.scan.tasks(1):
            for _, raw in task.leaves():
                if (block := self.reader(raw)) is not None:
                    with Located(block):
                        refuse_extremes(estimator, (block.X, block.y, block.weight))

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.scan.count()

    @property
    def fingerprint(self) -> str:
        """That of the scan."""
        return self.scan.fingerprint

    def total(self, summarise: Callable[..., Any], *state: Any) -> Any:
        """One pass: the sum of `summarise(block, *state)` over all blocks."""
        self.passes += 1
        return passes.total(Summarised(self.reader, summarise), state, self.scan.tasks())


@dataclass(frozen=True)
class Labels:
    """Classes that occur, sorted."""

    values: Array
    owner: str

    def __add__(self, other: Labels) -> Labels:
        kinds = {"text" if part.values.dtype.kind in "OUS" else "numbers" for part in (self, other)}
        if len(kinds) > 1:
            raise DataError(f"{self.owner}: some classes are numbers and some are text; make them all text")
        return Labels(np.unique(np.concatenate([self.values, other.values])), self.owner)


def labels_of(block: RawBlock, estimator: Any) -> Labels:
    """The classes that occur in a block."""
    with Located(block):
        values = estimator._validator.classes(block.y, block.rows)[0]
    return Labels(values, type(estimator).__name__)


def all_classes(rows: Scan, estimator: Any) -> Array:
    """The classes that occur in the rows, sorted; only the target is read where the format allows it."""
    values: Array = rows.target_only().total_of(labels_of, estimator).values
    return values
