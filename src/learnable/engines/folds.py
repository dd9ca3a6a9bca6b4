"""Cross-validation folds: the (train, test) splits for any value of `cv`."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from ..core.errors import DataError, ParameterError, warn
from ..core.sklearn_api.estimator_type import is_classifier
from ..core.validate.features import Array
from ..core.validate.rows import take_rows
from ..core.validate.target_type import target_kind

Fold = tuple[Array, Array]
Shuffler = np.random.RandomState | np.random.Generator


def folds(
    cv: Any,
    n: int,
    y: Any = None,
    owner: str = "cross-validation",
    groups: Any = None,
    classes: bool = False,
    X: Any = None,
) -> list[Fold]:
    """The (train, test) row indices of `cv` for `n` rows.

    `cv` is None (5 folds), a number of folds, an object with `split(X, y)`, or (train, test) pairs of indices or masks.
    A number gives neighbouring rows the same fold, without shuffling, the first folds being one row larger where n is
    not a multiple; where the target holds `classes`, folds are stratified. Messages name the `owner` of the parameter.

    >>> [test.tolist() for train, test in folds(2, 5)]
    [[0, 1, 2], [3, 4]]
    """
    if not is_splitting(cv):
        raise ParameterError(
            f"{owner}: cv must be None, a number of folds, a splitter, or (train, test) pairs; got {cv!r}"
        )
    if cv is None or isinstance(cv, Integral):
        count = 5 if cv is None else int(cv)
        tests = stratified(count, y, owner) if classes else contiguous(count, n, owner)
        return list(pairs(tests, n))
    splits = hasattr(cv, "split")
    found = _split(cv, np.zeros((n, 1)) if X is None else X, y, groups) if splits else given_pairs(cv, owner)
    try:
        checked = [(_rows(train, n, owner), _rows(test, n, owner)) for train, test in found]
    except TypeError:
        raise ParameterError(f"{owner}: cv must give (train, test) pairs of row numbers or masks; got {cv!r}") from None
    if not checked:
        raise ParameterError(f"{owner}: cv must be at least one (train, test) pair; it gives none")
    return checked


def estimator_folds(owner: str, estimator: Any, X: Any, y: Any, groups: Any, cv: Any, n: int) -> list[Fold]:
    """The folds of `cv` for this estimator: stratified by class if it is a classifier; warns of rows that leak."""
    by_number = cv is None or isinstance(cv, Integral)
    classes = by_number and is_classifier(estimator) and holds_classes(y)
    parts = folds(cv, n, y, owner, groups, classes, X)
    if groups is not None:
        _warn_of_shared_groups(owner, parts, groups)
    if not by_number:
        _warn_of_shared_rows(owner, parts, n)
    return parts


def _warn_of_shared_rows(owner: str, parts: list[Fold], n: int) -> None:
    """Say that a model is tested on rows that it has seen."""
    for place, (train, test) in enumerate(parts):
        seen = np.zeros(n, dtype=bool)
        seen[train] = True
        if seen[test].any():
            warn(
                f"{owner}: {seen[test].sum()} of the {len(test)} test rows of fold {place} are training rows too, so "
                "its score flatters; let cv give test rows that are no training rows",
                UserWarning,
            )
            return


def _warn_of_shared_groups(owner: str, parts: list[Fold], groups: Any) -> None:
    """Say which group has rows on both sides of a fold: what is learned of it there helps on the test rows."""
    names, codes = group_codes(groups, owner)
    for place, (train, test) in enumerate(parts):
        shared = np.intersect1d(codes[train], codes[test])
        if len(shared):
            others = f", and so have {len(shared) - 1} other groups" if len(shared) > 1 else ""
            name = names.tolist()[shared[0]]
            warn(
                f"{owner}: group {name!r} has training rows and test rows in fold {place}{others}: the score flatters; "
                "use cv=GroupKFold() or another splitter of groups",
                UserWarning,
            )
            return


def holds_classes(y: Any) -> bool:
    """Whether `y` is one column of classes, whose shares folds can keep."""
    return y is not None and target_kind(y) in ("binary", "multi-class")


def group_codes(groups: Any, owner: str) -> tuple[Array, Array]:
    """The sorted names of the groups, and the place of each row's group among them."""
    if groups is None:
        raise DataError(f"{owner}: groups is needed; pass the group of each row")
    values = np.asarray(groups.to_numpy() if hasattr(groups, "to_numpy") else groups)
    if values.ndim != 1:
        raise DataError(f"{owner}: groups must name one group per row; got shape {values.shape}")
    missing = np.array([value is None or value != value or value in (np.inf, -np.inf) for value in values.tolist()])
    if missing.any():
        row = int(missing.argmax())
        word = "infinity" if values[row] in (np.inf, -np.inf) else "NaN"
        raise DataError(f"{owner}: Input groups contains {word} in row {row}; every row needs a group")
    names, codes = np.unique(values, return_inverse=True)
    return names, codes


def mean_test_share(parts: list[Fold]) -> float:
    """The share of the rows of a split that are tested on, averaged over splits."""
    return float(np.mean([len(test) / (len(train) + len(test)) for train, test in parts]))


def rows_tested(parts: list[Fold], weight: Any = None) -> float:
    """How many different rows are tested on; those of unequal weight count as (sum w)^2 / sum w^2 equal ones."""
    tested = np.concatenate([test for _, test in parts])
    seen = np.zeros(tested.max(initial=-1) + 1, dtype=bool)
    seen[tested] = True
    rows = np.flatnonzero(seen)
    if weight is None:
        return float(len(rows))
    w = np.asarray(take_rows(weight, rows), dtype=np.float64)
    return float(w.sum() ** 2 / (w @ w)) if w.any() else float(len(rows))


def is_splitting(cv: Any) -> bool:
    """Whether `cv` is something that `folds` understands."""
    if cv is None or isinstance(cv, Integral):
        return not isinstance(cv, bool)
    return not isinstance(cv, str) and (hasattr(cv, "split") or hasattr(cv, "__iter__"))


def given_pairs(cv: Any, owner: str) -> list[Any]:
    """The (train, test) pairs given by the caller."""
    try:
        return [(train, test) for train, test in cv]
    except (TypeError, ValueError):
        raise ParameterError(
            f"{owner}: cv must hold pairs, the rows to train on and the rows to test on; got {cv!r:.60}"
        ) from None


def is_partition(parts: list[Fold], n: int) -> bool:
    """Whether every row is tested exactly once, and trains wherever it is not tested."""
    tested = np.zeros(n, dtype=np.intp)
    for train, test in parts:
        here = np.zeros(n, dtype=bool)
        here[test] = True
        if len(train) + len(test) != n or here[train].any():
            return False
        tested[test] += 1
    return bool((tested == 1).all())


def pairs(tests: Iterator[Array], n: int) -> Iterator[Fold]:
    """Each of the test sets, as sorted row numbers, after all other rows."""
    rows = np.arange(n)
    for test in tests:
        train = np.ones(n, dtype=bool)
        train[test] = False
        yield rows[train], rows[~train]


def contiguous(count: int, n: int, owner: str, order: Array | None = None) -> Iterator[Array]:
    """Test sets of neighbours (in `order`, if there is one), of equal size but for one row."""
    check_count(count, owner)
    if count > n:
        raise DataError(f"{owner}: n_splits={count} folds cannot be formed from n_samples={n} rows; use fewer folds")
    yield from np.array_split(np.arange(n) if order is None else order, count)


def stratified(count: int, y: Any, owner: str, rng: Shuffler | None = None) -> Iterator[Array]:
    """Test sets with equal proportions of each class, neighbours of a class together unless `rng` shuffles them."""
    check_count(count, owner)
    labels, codes = classes_by_appearance(y, owner)
    sizes = np.bincount(codes)
    check_members(count, labels, sizes, owner)
    ordered = np.sort(codes)
    shares = np.array([np.bincount(ordered[i::count], minlength=len(labels)) for i in range(count)])
    fold = np.empty(len(codes), dtype=np.intp)
    for code in range(len(labels)):
        fold_of_row = np.repeat(np.arange(count), shares[:, code])
        if rng is not None:
            rng.shuffle(fold_of_row)
        fold[codes == code] = fold_of_row
    for i in range(count):
        yield np.flatnonzero(fold == i)


def check_count(count: int, owner: str) -> None:
    """Refuse fewer than two folds."""
    if count < 2:
        raise ParameterError(f"{owner}: at least 2 folds are needed; got n_splits={count}")


def check_members(count: int, labels: Array, sizes: Array, owner: str) -> None:
    """Refuse more folds than any class has members; warn of classes that some folds will lack."""
    if len(labels) == 0:
        raise DataError(f"{owner}: n_splits={count} needs rows, but y is empty")
    if (sizes < count).all():
        raise DataError(
            f"{owner}: every class is smaller than n_splits={count}; the largest, "
            f"{labels.tolist()[sizes.argmax()]!r}, has {sizes.max()} rows; use fewer folds"
        )
    if sizes.min() < count:
        warn(
            f"{owner}: class {labels.tolist()[sizes.argmin()]!r} has {sizes.min()} rows for n_splits={count} folds: "
            "some folds are without it",
            UserWarning,
        )


def classes_by_appearance(y: Any, owner: str) -> tuple[Array, Array]:
    """The labels in the order in which they first appear, and the index of each row's label among them."""
    labels, first, codes = np.unique(class_labels(y, owner), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return labels[order], np.argsort(order)[codes]


def class_labels(y: Any, owner: str) -> Array:
    """The target as one column of labels, or an error that names its type."""
    if y is None:
        raise DataError(f"{owner}: y must be the classes of the rows; got None")
    values = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    continuous = values.dtype.kind == "f" and bool((values != np.floor(values)).any())
    if values.ndim != 1 or continuous:
        labels = values.ndim == 2 and not continuous and np.isin(values, (0, 1)).all()
        kind = "'continuous'" if continuous else "'multilabel-indicator'" if labels else "'multiclass-multioutput'"
        raise DataError(
            f"{owner}: Supported target types are: ('binary', 'multiclass'). Got {kind} instead; use KFold, or bin y"
        )
    return values


def _split(cv: Any, X: Any, y: Any, groups: Any) -> Any:
    """What a splitter gives; not every one takes groups."""
    return cv.split(X, y) if groups is None else cv.split(X, y, groups)


def _rows(chosen: Any, n: int, owner: str) -> Array:
    """Indices or a mask as checked indices."""
    rows = np.asarray(chosen)
    if rows.dtype == np.bool_:
        if rows.shape != (n,):
            raise ParameterError(
                f"{owner}: cv must be masks or indices; a mask of shape {rows.shape} does not fit {n} rows"
            )
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ParameterError(f"{owner}: cv must be pairs of non-empty lists of row indices, or of masks")
    if rows.min() < -n or rows.max() >= n:
        raise ParameterError(f"{owner}: cv must be indices of the {n} rows; got {rows.max()}")
    return rows % n
