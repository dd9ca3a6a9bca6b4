"""The held-out test set, and the cross-validation folds of the other rows."""

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
from ..time_series import step_of
from .settings import StudySettings

MIN_TEST_ROWS = 4
MIN_GROUPS = 3


@dataclass(frozen=True, slots=True)
class DevelopmentTestSplit:
    """Development rows and test rows of a table; `folds` split the development rows, by their index among them."""

    development: Array
    test_rows: Array
    folds: list[Fold]
    manner: str
    drawn: int | None = None  # size of the sample that the folds split, if they do not split all rows

    @property
    def how(self) -> str:
        """A description of the split."""
        some = f"; models were compared on {self.drawn} of the other rows, drawn at random"
        return self.manner + some * (self.drawn is not None)

    @property
    def compared(self) -> int:
        """Number of development rows on which models are compared."""
        return len(self.development) if self.drawn is None else self.drawn

    def sampled(self, most: float, seed: int) -> DevelopmentTestSplit:
        """The same split with a sample of the rows in the folds; smaller samples are subsets of larger ones."""
        n = len(self.development)
        if self.compared <= most:
            return self
        drawn = np.zeros(n, dtype=bool)
        drawn[np.random.default_rng(seed).permutation(n)[: int(most)]] = True
        folds = [(train[drawn[train]], test[drawn[test]]) for train, test in self.folds]
        return replace(self, folds=folds, drawn=int(most))

    @property
    def test_fraction(self) -> float:
        """Mean fraction of test rows in a fold."""
        return float(np.mean([len(test) / (len(train) + len(test)) for train, test in self.folds]))


def split_rows(question: Question, settings: StudySettings) -> DevelopmentTestSplit:
    """Hold out the test set, and split the other rows, or a sample of them, into folds."""
    return _split_all(question, settings).sampled(settings.most_compared(len(question.features)), settings.seed)


def _split_all(question: Question, settings: StudySettings) -> DevelopmentTestSplit:
    """Split by time if there is a time column, otherwise by groups, otherwise at random; stratified by class.

    Copies of a row stay together like a group, as a model trained on one of them knows the other.
    """
    if question.time is not None:
        return _by_time(question, settings)
    stratified = ", stratified by class" if question.classifies else ""
    labels = question.y if question.classifies else None
    groups = question.groups
    if groups is not None:
        _check_groups(question, groups)
        how = f"whole groups of {question.group!r}{stratified}"
        development, test_rows = _hold_out(question.n, labels, groups, settings)
        folds = _folds(len(development), _part(labels, development), groups[development], settings)
        return DevelopmentTestSplit(development, test_rows, folds, how)
    alike = rows_alike(question)
    first = np.unique(alike, return_index=True)[1]
    how = f"at random{', copies of a row kept together' * (len(first) < question.n)}{stratified}"
    held_out_first = _hold_out(len(first), _part(labels, first), None, settings)[1]
    development, test_rows = _with_copies(alike, held_out_first)
    inside = np.unique(alike[development], return_inverse=True)[1]
    own = np.unique(inside, return_index=True)[1]
    folds = _folds(len(own), _part(labels, development[own]), None, settings)
    return DevelopmentTestSplit(development, test_rows, [_with_copies(inside, test) for _, test in folds], how)


def _check_groups(question: Question, groups: Array) -> None:
    count = len(np.unique(groups))
    if count < MIN_GROUPS:
        raise DataError(
            f"{question.group!r} has {count} group{'s' * (count != 1)}; a study needs at least {MIN_GROUPS}: "
            "for the test set, for training and for validation"
        )


def _part(values: Array | None, rows: Array) -> Array | None:
    return None if values is None else values[rows]


def _with_copies(alike: Array, tested: Array) -> Fold:
    """The rows that are not copies of tested rows, and those that are."""
    marked = np.zeros(int(alike.max()) + 1, dtype=bool)
    marked[tested] = True
    return np.flatnonzero(~marked[alike]), np.flatnonzero(marked[alike])


def rows_alike(question: Question) -> Array:
    """A code for each row; copies of a row have the same code.

    Rows are copies if they are equal in all features and in the target, and if there are many more such pairs than
    expected by chance: in a table of few categories many rows are equal without being copies.
    """
    n, codes, alike = question.n, np.zeros(question.n, dtype=np.int64), []
    for name in (*question.features, *([] if question.target is None else [question.target])):
        values, missing = question.table.columns[name], is_missing(question.table.columns[name])
        entries = np.where(missing, "", values.astype(str)) if values.dtype.kind == "O" else values
        column, counts = np.unique(entries, return_inverse=True, return_counts=True)[1:]
        alike.append(float((counts * (counts - 1.0)).sum()) / max(n * (n - 1), 1))
        codes = np.unique(codes * len(counts) + column, return_inverse=True)[1]
        if int(codes.max()) == n - 1:
            return np.arange(n)
    return codes if more_pairs_than_expected(np.bincount(codes), np.array(alike), n) else np.arange(n)


def _hold_out(n: int, labels: Array | None, groups: Array | None, settings: StudySettings) -> tuple[Array, Array]:
    """Development rows and test rows."""
    from ...model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedGroupShuffleSplit, StratifiedShuffleSplit

    options: dict[str, Any] = {
        "n_splits": 1, "test_size": settings.test_fraction, "random_state": settings.seed,
    }  # fmt: skip
    few = labels is not None and np.unique(labels.astype(str), return_counts=True)[1].min() < 2
    if groups is not None:
        splitter: Any = (GroupShuffleSplit if labels is None or few else StratifiedGroupShuffleSplit)(**options)
    else:
        splitter = (ShuffleSplit if labels is None or few else StratifiedShuffleSplit)(**options)
    train, test = next(splitter.split(np.zeros((n, 1)), labels, groups))
    if len(test) < MIN_TEST_ROWS:
        raise DataError(f"only {len(test)} rows are available for the test set; a study needs more rows or groups")
    return np.sort(train), np.sort(test)


def _folds(n: int, labels: Array | None, groups: Array | None, settings: StudySettings) -> list[Fold]:
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
        warnings.simplefilter("ignore")  # classes with fewer rows than folds: the audit reports them
        return [fold for splitter in splitters for fold in splitter.split(table, labels, groups)]


def _by_time(question: Question, settings: StudySettings) -> DevelopmentTestSplit:
    """The latest rows are the test set; before them, each fold trains on the rows before its test rows.

    Rows of the same time are never on both sides of a split; rows of groups seen before are not tested.
    """
    assert question.moments is not None
    missing = np.flatnonzero(is_missing(question.moments))
    if len(missing):
        first = int(question.numbers(missing[:1])[0])
        raise DataError(
            f"the time {question.time!r} is missing in {len(missing)} of {question.n} rows, such as row {first} (the "
            "first row is 0); fill it, or drop these rows"
        )
    order = np.argsort(question.moments, kind="stable")
    moments, groups = question.moments[order], _part(question.groups, order)
    latest = _first_of_moment(moments, question.n - max(1, round(settings.test_fraction * question.n)))
    test_rows = _newcomers(groups, latest, question.n)
    before = _first_of_moment(moments, test_rows[0]) if len(test_rows) else latest
    steps, horizon = step_of(question.rows(order)), 1 if question.lags is None else question.lags.horizon
    known = before if steps is None else _last_known(steps, before, horizon)
    if known <= settings.folds:
        raise DataError(_too_few_later(question, settings))
    groups, steps = _part(groups, np.arange(known)), _part(steps, np.arange(known))
    folds = forward_folds(moments[:known], groups, steps, count=settings.folds, horizon=horizon)
    if len(test_rows) < MIN_TEST_ROWS or any(not len(part) for fold in folds for part in fold):
        raise DataError(_too_few_later(question, settings))
    how = f"by time: the latest rows of {question.time!r} are the test set, each fold is tested on later rows"
    how += f"; rows of a {question.group!r} seen in training are not tested" * (groups is not None)
    if horizon > 1:
        how += f"; the last {horizon - 1} steps before test rows are not trained on, as their targets were not known"
    return DevelopmentTestSplit(order[:known], order[test_rows], folds, how)


def _too_few_later(question: Question, settings: StudySettings) -> str:
    if question.group is None:
        return (
            f"the time {question.time!r} has too few different values for {settings.folds} folds and the test set; "
            f"reduce --folds{' or --horizon' * (question.lags is not None and question.lags.horizon > 1)}"
        )
    return (
        f"by {question.time!r}, too few of the later rows have a {question.group!r} that does not occur before; "
        "omit --group to test on later rows of known groups, or --time to test on new groups at any time"
    )


def forward_folds(
    moments: Array, groups: Array | None, steps: Array | None = None, *, count: int, horizon: int = 1
) -> list[Fold]:
    """Forward-chaining folds of rows in time order: each is tested on later times, and on new groups only.

    Where rows have steps, models train on targets that were known a horizon before the first test row.
    """
    from ...model_selection import TimeSeriesSplit

    cuts = TimeSeriesSplit(n_splits=count).split(np.zeros((len(moments), 1)))
    ends = [(_first_of_moment(moments, test[0]), _first_of_moment(moments, test[-1] + 1)) for _, test in cuts]
    known = [begin if steps is None else _last_known(steps, begin, horizon) for begin, _ in ends]
    tested = (_newcomers(groups, begin, end) for begin, end in ends)
    return [(np.arange(last), rows) for last, rows in zip(known, tested, strict=True)]


def _last_known(steps: Array, row: int, horizon: int) -> int:
    """The number of sorted rows whose targets are known a horizon before a row."""
    return int(np.searchsorted(steps, steps[row] - horizon, side="right")) if row < len(steps) else row


def _newcomers(groups: Array | None, begin: int, end: int) -> Array:
    """The rows of an index range whose group does not occur before it."""
    rows = np.arange(begin, end)
    return rows if groups is None else rows[~np.isin(groups[begin:end], groups[:begin])]


def _first_of_moment(moments: Array, row: int) -> int:
    """The first row with the same time as a row; the number of rows if there is no such row."""
    return int(np.searchsorted(moments, moments[row])) if row < len(moments) else len(moments)
