"""Ratings from files of the usual layouts."""

from __future__ import annotations

import csv
from typing import Any, NamedTuple

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import checked
from ..core.files.text_files import lines_of

NAMES = {
    "user": ("user", "userid", "user_id", "uid", "customer", "reader"),
    "item": ("item", "itemid", "item_id", "movieid", "movie_id", "iid", "isbn", "product", "book", "track"),
    "rating": ("rating", "score", "stars", "value", "count", "plays"),
    "time": ("timestamp", "time", "date", "unixreviewtime"),
}


class RatingData(NamedTuple):
    """Pairs of user and item, ratings, and the time of each if the file has it."""

    X: Array
    y: Array
    time: Array | None


@checked()
def read_ratings(path: Any, *, sep: str | None = None, missing: float | None = None) -> RatingData:
    """Read ratings from a text file: user, item, rating and perhaps time in each line, or a matrix of ratings.

    Separators (tab, "::", ";", "," or blanks) and a line of names are found by themselves. With `missing`, such as 99
    for Jester, the file is a matrix with a line for each user, in which this number stands for no rating.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = file.write_text("userId,movieId,rating,timestamp\\n1,31,2.5,1260759144\\n7,10,4.0,851868750\\n")
    >>> read_ratings(file).X.tolist()
    [[1, 31], [7, 10]]
    """
    lines = [line for line in lines_of("read_ratings", path) if line.strip()]
    if not lines:
        raise DataError(f"read_ratings: {path} has no lines")
    between = _separator(lines[0]) if sep is None else sep
    rows = _cells(lines, between, str(path))
    if missing is not None:
        return _from_matrix(rows, missing, str(path))
    header = not _is_number(rows[0][2]) if len(rows[0]) > 2 else False
    where = find_columns(rows[0]) if header else {"user": 0, "item": 1, "rating": 2, "time": 3}
    rows = rows[1:] if header else rows
    if not rows:
        raise DataError(f"read_ratings: {path} has a line of names and no ratings")
    width = max(where[name] for name in ("user", "item", "rating")) + 1
    for number, row in enumerate(rows):
        if len(row) < width or not _is_number(row[where["rating"]]):
            raise DataError(
                f"read_ratings: line {number + 1 + header} of {path} is not a user, an item and a rating: {row!r:.60}; "
                "pass sep= for another separator"
            )
    X = _ids([[row[where["user"]], row[where["item"]]] for row in rows])
    y = np.array([float(row[where["rating"]]) for row in rows])
    timed = "time" in where and all(len(row) > where["time"] and _is_number(row[where["time"]]) for row in rows)
    return RatingData(X, y, np.array([float(row[where["time"]]) for row in rows]) if timed else None)


def _separator(line: str) -> str:
    return next((mark for mark in ("::", "\t", ";", ",") if mark in line), " ")


def _cells(lines: list[str], between: str, path: str) -> list[list[str]]:
    if between == " ":
        return [line.split() for line in lines]
    if len(between) > 1:
        return [[cell.strip() for cell in line.split(between)] for line in lines]
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=between)]
    except csv.Error as error:  # such as a quote that nothing closes
        raise DataError(f"read_ratings: {path} cannot be split into cells: {error}") from None


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def find_columns(names: list[str]) -> dict[str, int]:
    """Which column holds what, by the names of a header; the first three in order if it names none."""
    plain = [name.strip().lower().replace("-", "_").replace(" ", "_") for name in names]
    found: dict[str, int] = {}
    for part, known in NAMES.items():
        at = next((k for k, name in enumerate(plain) if name in known or name.replace("_", "") in known), None)
        if at is not None:
            found[part] = at
    return found if {"user", "item", "rating"} <= found.keys() else {"user": 0, "item": 1, "rating": 2, "time": 3}


def _ids(pairs: list[list[str]]) -> Array:
    """Whole numbers where all ids are such, texts otherwise."""
    try:
        return np.array([[int(user), int(item)] for user, item in pairs], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(pairs, dtype=object)


def _from_matrix(rows: list[list[str]], missing: float, path: str) -> RatingData:
    try:
        table = np.array([[float(cell) for cell in row] for row in rows])
    except ValueError:
        raise DataError(f"read_ratings: {path} is not a matrix of numbers with equally long lines") from None
    if np.isnan(table).any() or table.shape[1] < 2:
        raise DataError(f"read_ratings: {path} must have two or more numbers in each line, none of them NaN")
    counts = (table[:, 1:] != missing).sum(axis=1)
    if table.shape[1] > 2 and (table[:, 0] == counts).all():  # the first column of Jester is the number of ratings
        table = table[:, 1:]
    user, item = np.nonzero(table != missing)
    return RatingData(np.column_stack([user, item]), table[user, item], None)
