"""Which rows are locked away for the last test, and which train and test models before it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...core.validate.mixed_table import is_missing
from ...engines.folds import Fold
from ..audit.significance import more_pairs_than_expected
from ..task import Question
from .settings import Settings

FEWEST_LOCKED = 4
FEWEST_GROUPS = 3


@dataclass(frozen=True, slots=True)
class Division:
    """Rows for development and rows that stay locked; `folds` divide the development rows, by their places there."""

    development: Array
    locked: Array
    folds: list[Fold]
    manner: str
    drawn: int | None = None  # rows of the sample that the folds divide, if they do not divide all

    @property
    def how(self) -> str:
        """In words, how rows were divided."""
        some = f"; models were compared on {self.drawn} of the other rows, drawn at random"
        return self.manner + some * (self.drawn is not None)

    @property
    def compared(self) -> int:
        """Development rows on which models are compared."""
        return len(self.development) if self.drawn is None else self.drawn

    def sampled(self, most: float, seed: int) -> Division:
        """The same with fewer rows in the folds, those of a smaller sample being among those of a larger."""
        n = len(self.development)
        if self.compared <= most:
            return self
        drawn = np.zeros(n, dtype=bool)
        drawn[np.random.default_rng(seed).permutation(n)[: int(most)]] = True
        folds = [(train[drawn[train]], test[drawn[test]]) for train, test in self.folds]
        return replace(self, folds=folds, drawn=int(most))

    @property
    def test_share(self) -> float:
        """The share of the rows of a fold that are tested on."""
        return float(np.mean([len(test) / (len(train) + len(test)) for train, test in self.folds]))


def divide(question: Question, settings: Settings) -> Division:
    """Which rows are locked away, and which of the others train and test models, of many rows a sample."""
    return _divided(question, settings).sampled(settings.most_compared, settings.seed)


def _divided(question: Question, settings: Settings) -> Division:
    """By time if there is one, else whole groups, else at random with equal shares of each class.

    Copies of a row stay together as a group does: a model that has seen one of them knows the other.
    """
    if question.time is not None:
        return _by_time(question, settings)
    shares = ", equal shares of each class" if question.classifies else ""
    labels = question.y if question.classifies else None
    groups = question.groups
    if groups is not None:
        _check_groups(question, groups)
        how = f"whole groups of {question.group!r}{shares}"
        development, locked = _locked(question.n, labels, groups, settings)
        folds = _folds(len(development), _part(labels, development), groups[development], settings)
        return Division(development, locked, folds, how)
    alike = rows_alike(question)
    first = np.unique(alike, return_index=True)[1]
    how = f"at random{', copies of a row kept together' * (len(first) < question.n)}{shares}"
    locked_first = _locked(len(first), _part(labels, first), None, settings)[1]
    development, locked = _with_copies(alike, locked_first)
    inside = np.unique(alike[development], return_inverse=True)[1]
    own = np.unique(inside, return_index=True)[1]
    folds = _folds(len(own), _part(labels, development[own]), None, settings)
    return Division(development, locked, [_with_copies(inside, test) for _, test in folds], how)


def _check_groups(question: Question, groups: Array) -> None:
    count = len(np.unique(groups))
    if count < FEWEST_GROUPS:
        raise DataError(
            f"{question.group!r} has {count} group{'s' * (count != 1)}; a study needs at least {FEWEST_GROUPS}: some "
            "are locked away, the others learned from and tested on"
        )


def _part(values: Array | None, rows: Array) -> Array | None:
    return None if values is None else values[rows]


def _with_copies(alike: Array, tested: Array) -> Fold:
    """The rows that are not alike to those tested, and those that are."""
    marked = np.zeros(int(alike.max()) + 1, dtype=bool)
    marked[tested] = True
    return np.flatnonzero(~marked[alike]), np.flatnonzero(marked[alike])


def rows_alike(question: Question) -> Array:
    """A number for each row; rows that are copies of each other have the same.

    Rows are copies if they are equal in all features and in the target, and if there are many more such pairs than
    chance would make: in a table of few categories many rows are equal, and none is a copy.
    """
    n, codes, alike = question.n, np.zeros(question.n, dtype=np.int64), []
    for name in (*question.features, *([] if question.target is None else [question.target])):
        values, gone = question.table.columns[name], is_missing(question.table.columns[name])
        entries = np.where(gone, "", values.astype(str)) if values.dtype.kind == "O" else values
        column, counts = np.unique(entries, return_inverse=True, return_counts=True)[1:]
        alike.append(float((counts * (counts - 1.0)).sum()) / max(n * (n - 1), 1))
        codes = np.unique(codes * len(counts) + column, return_inverse=True)[1]
        if int(codes.max()) == n - 1:
            return np.arange(n)
    return codes if more_pairs_than_expected(np.bincount(codes), np.array(alike), n) else np.arange(n)


def _locked(n: int, labels: Array | None, groups: Array | None, settings: Settings) -> tuple[Array, Array]:
    """Development rows and locked rows."""
    from ...model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedGroupShuffleSplit, StratifiedShuffleSplit

    options: dict[str, Any] = {
        "n_splits": 1, "test_size": settings.locked_share, "random_state": settings.seed,
    }  # fmt: skip
    few = labels is not None and np.unique(labels.astype(str), return_counts=True)[1].min() < 2
    if groups is not None:
        splitter: Any = (GroupShuffleSplit if labels is None or few else StratifiedGroupShuffleSplit)(**options)
    else:
        splitter = (ShuffleSplit if labels is None or few else StratifiedShuffleSplit)(**options)
    train, test = next(splitter.split(np.zeros((n, 1)), labels, groups))
    if len(test) < FEWEST_LOCKED:
        raise DataError(
            f"only {len(test)} rows can be locked away for the last test; a study needs more rows or groups"
        )
    return np.sort(train), np.sort(test)


def _folds(n: int, labels: Array | None, groups: Array | None, settings: Settings) -> list[Fold]:
    from ...model_selection import GroupKFold, RepeatedKFold, RepeatedStratifiedKFold, StratifiedGroupKFold

    if groups is not None:
        kind: Any = GroupKFold if labels is None else StratifiedGroupKFold
        count = min(settings.folds, len(np.unique(groups)))
        splitters = [kind(count, shuffle=True, random_state=settings.seed + r) for r in range(settings.repeats)]
    else:
        kind = RepeatedKFold if labels is None else RepeatedStratifiedKFold
        splitters = [kind(n_splits=settings.folds, n_repeats=settings.repeats, random_state=settings.seed)]
    table = np.zeros((n, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds: the audit tells of them
        return [fold for splitter in splitters for fold in splitter.split(table, labels, groups)]


def _by_time(question: Question, settings: Settings) -> Division:
    """The latest rows are locked away; before them, each fold trains on what came before what it tests.

    Rows of one moment are never on both sides, and neither is a group: who was seen before is in no test.
    """
    assert question.moments is not None
    if is_missing(question.moments).any():
        raise DataError(f"the time {question.time!r} is missing in some rows; fill it, or drop these rows")
    order = np.argsort(question.moments, kind="stable")
    moments, groups = question.moments[order], _part(question.groups, order)
    latest = _first_of_moment(moments, question.n - max(1, round(settings.locked_share * question.n)))
    locked = _newcomers(groups, latest, question.n)
    before = _first_of_moment(moments, locked[0]) if len(locked) else latest
    folds = forward_folds(moments[:before], None if groups is None else groups[:before], settings.folds)
    if len(locked) < FEWEST_LOCKED or any(not len(part) for fold in folds for part in fold):
        raise DataError(_too_few_later(question, settings))
    how = f"by time: the latest rows of {question.time!r} are locked away, each part is tested on what came after"
    how += f"; of these, rows whose {question.group!r} was there before are in no test" * (groups is not None)
    return Division(order[:before], order[locked], folds, how)


def _too_few_later(question: Question, settings: Settings) -> str:
    if question.group is None:
        return (
            f"the time {question.time!r} has too few different values to be divided into {settings.folds} parts and "
            "the rows that are locked away; ask for fewer --folds"
        )
    return (
        f"by {question.time!r}, too few of the later rows have a {question.group!r} that was not there before; "
        "leave out --group to be tested on later rows of the same, or --time to be tested on others at any time"
    )


def forward_folds(moments: Array, groups: Array | None, count: int) -> list[Fold]:
    """Folds of rows in the order of time, each tested on the moments after those it trains on, and on new groups."""
    from ...model_selection import TimeSeriesSplit

    cuts = TimeSeriesSplit(n_splits=count).split(np.zeros((len(moments), 1)))
    ends = [(_first_of_moment(moments, test[0]), _first_of_moment(moments, test[-1] + 1)) for _, test in cuts]
    return [(np.arange(begin), _newcomers(groups, begin, end)) for begin, end in ends]


def _newcomers(groups: Array | None, begin: int, end: int) -> Array:
    """The rows from one place to another whose group no row before has."""
    rows = np.arange(begin, end)
    return rows if groups is None else rows[~np.isin(groups[begin:end], groups[:begin])]


def _first_of_moment(moments: Array, place: int) -> int:
    """The first row of the moment that the row at a place has; all rows, where there is none at that place."""
    return int(np.searchsorted(moments, moments[place])) if place < len(moments) else len(moments)
