"""Small data sets with published results. README.md gives the source of each number."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

HERE = Path(__file__).parent
NIST = (
    "Norris",
    "Pontius",
    "NoInt1",
    "NoInt2",
    "Filip",
    "Longley",
    "Wampler1",
    "Wampler2",
    "Wampler3",
    "Wampler4",
    "Wampler5",
)


@dataclass(frozen=True)
class Certified:
    """The certified solution of one NIST set; with an intercept, its values come first."""

    intercept: bool
    coef: np.ndarray
    std_err: np.ndarray
    residual_sd: float
    r_squared: float


def load_nist(name: str) -> tuple[np.ndarray, np.ndarray, Certified]:
    """X without the constant column (powers of x for the polynomial sets), y and the certified solution."""
    columns = _read(HERE / "nist" / f"{name}.csv")
    record = json.loads((HERE / "nist" / "certified.json").read_text())[name]
    y = np.array([float(text) for text in columns.pop("y")])
    intercept = "~ 0 +" not in record["model"]
    X = np.array([[float(text) for text in column] for column in columns.values()]).T
    if record["model"].startswith("polynomial"):
        X = powers(columns["x"], degree=len(record["estimate"]) - 1)
    return X, y, _certified(record, intercept)


def powers(x: list[str], degree: int) -> np.ndarray:
    """x, x^2, ..., each the double nearest to the exact power of the printed number."""
    return np.array([[float(Fraction(text) ** k) for k in range(1, degree + 1)] for text in x])


def boston() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The Boston housing table: 13 columns, the target medv, the names of the columns."""
    return _table("boston.csv", "medv")


def boston_table() -> dict[str, list[str]]:
    """The coefficient table of medv on all columns but zn and chas, as printed: column -> cells."""
    return _read(HERE / "boston_table.csv")


def prostate() -> tuple[np.ndarray, np.ndarray, list[str], np.ndarray]:
    """The prostate table (raw units), the target lpsa, the names of the columns, and which rows train."""
    columns = _read(HERE / "prostate.csv")
    train = np.array([text == "True" for text in columns.pop("train")])
    y = np.array([float(text) for text in columns.pop("lpsa")])
    X = np.array([[float(text) for text in column] for column in columns.values()]).T
    return X, y, list(columns), train


def prostate_numbers() -> dict[str, Any]:
    """The published coefficients and test errors on the prostate table."""
    return json.loads((HERE / "prostate.json").read_text())


def heart_disease() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The heart disease table: 9 columns, whether there is a disease, the names; `famhist` is 1 for "Present"."""
    columns = _read(HERE / "heart_disease.csv")
    y = np.array([int(text) for text in columns.pop("chd")])
    columns["famhist"] = [str(int(text == "Present")) for text in columns["famhist"]]
    return np.array([[float(text) for text in column] for column in columns.values()]).T, y, list(columns)


def heart_scale() -> tuple[np.ndarray, np.ndarray]:
    """LIBSVM's sample: 270 rows of 13 columns, and classes -1 and 1."""
    rows = [line.split() for line in (HERE / "heart_scale.txt").read_text().splitlines()]
    X = np.zeros((len(rows), 13))
    for place, (_, *entries) in enumerate(rows):
        for column, value in (entry.split(":") for entry in entries):
            X[place, int(column) - 1] = float(value)
    return X, np.array([int(row[0]) for row in rows])


def census() -> tuple[sparse.csr_array, np.ndarray, sparse.csr_array, np.ndarray]:
    """LIBSVM's a9a, 123 columns of 0 and 1: training rows and classes -1 and 1, then test rows and theirs.

    The first 3000 of each; all of them where the whole files lie beside the project, in shared/data/libsvm.
    """
    whole = HERE.parents[2] / "shared" / "data" / "libsvm"
    if (whole / "a9a.gz").exists():
        return (*_levels(_lines(whole / "a9a.gz")), *_levels(_lines(whole / "a9a.t.gz")))
    lines = _lines(HERE / "a9a.txt.gz")
    return (*_levels(lines[:3000]), *_levels(lines[3000:]))


def handwritten_digits() -> tuple[np.ndarray, np.ndarray]:
    """800 images of MNIST, 28 x 28 pixels of 0 to 255, and their digits, 80 of each."""
    with np.load(HERE / "mnist_excerpt.npz") as file:
        return file["images"], file["digits"]


def newsgroups() -> tuple[list[str], np.ndarray]:
    """The words of 400 posts with their headers, and their groups: baseball, christian, graphics, guns, space."""
    rows = json.loads(gzip.decompress((HERE / "newsgroups.json.gz").read_bytes()))
    return [text for _, text in rows], np.array([group for group, _ in rows])


def _lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def _levels(lines: list[str]) -> tuple[sparse.csr_array, np.ndarray]:
    """Rows of which a line gives the class and the columns that are 1, perhaps with that value behind a colon."""
    rows = [[int(word) for word in line.replace(":1", "").split()] for line in lines]
    start = np.cumsum([0, *(len(row) - 1 for row in rows)])
    columns = np.concatenate([row[1:] for row in rows]).astype(np.int32) - 1
    X = sparse.csr_array((np.ones(len(columns)), columns, start), shape=(len(rows), 123))
    return X, np.array([row[0] for row in rows])


def card_payments() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Card payments: 28 principal components and the amount, whether each is a fraud, the names of the columns."""
    with gzip.open(HERE / "card_payments.csv.gz", "rt") as file:
        header, *rows = csv.reader(file)
    table = np.array(rows, dtype=float)
    return table[:, 1:-1], table[:, -1].astype(int), header[1:-1]


def stackloss() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Brownlee's stack loss table: 3 columns, the target, the names of the columns."""
    return _table("stackloss.csv", "stack_loss")


def stackloss_fits() -> dict[str, dict[str, Any]]:
    """Least squares, least absolute, Huber and Student-t fits of that table; the constant comes first."""
    return json.loads((HERE / "stackloss.json").read_text())


def correct_digits(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """How many leading digits agree (log relative error; absolute where the truth is 0), at most 15."""
    found, truth = np.asarray(found, dtype=float), np.asarray(truth, dtype=float)
    error = np.abs(found - truth) / np.where(truth == 0, 1.0, np.abs(truth))
    return -np.log10(np.clip(error, 1e-15, None))


def _read(path: Path) -> dict[str, list[str]]:
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    return {name: [row[j] for row in rows] for j, name in enumerate(header)}


def _table(file: str, target: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    columns = _read(HERE / file)
    y = np.array([float(text) for text in columns.pop(target)])
    return np.array([[float(text) for text in column] for column in columns.values()]).T, y, list(columns)


def _certified(record: dict[str, Any], intercept: bool) -> Certified:
    numbers = {key: np.array([float(text) for text in record[key]]) for key in ("estimate", "sd")}
    return Certified(
        intercept=intercept,
        coef=numbers["estimate"],
        std_err=numbers["sd"],
        residual_sd=float(record["residual_sd"]),
        r_squared=float(record["r_squared"]),
    )
