"""Makes boston_table.csv and stackloss.json again: `python -m tests.references.make`.

The least-squares numbers are exact up to the last rounding; the robust fits come from brute force (absolute
loss), statsmodels (Huber) and SciPy's Nelder-Mead on the likelihood (Student t), none of which is our code.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from tests.references.exact import dot, least_squares, solve

HERE = Path(__file__).parent


def read_fractions(path: Path) -> dict[str, list[Fraction]]:
    """Each column of a CSV file as exact numbers."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return {name: [Fraction(row[name]) for row in rows] for name in rows[0]}


def design(columns: dict[str, list[Fraction]], names: list[str]) -> list[list[Fraction]]:
    """The rows of the model matrix, constant first."""
    return [[Fraction(1), *values] for values in zip(*(columns[name] for name in names), strict=True)]


def boston_table() -> list[list[str]]:
    """The coefficient table of the course: 4 decimals for the coefficients, 3 for the rest."""
    from scipy import stats

    columns = read_fractions(HERE / "boston.csv")
    names = [name for name in columns if name not in {"zn", "chas", "medv"}]
    X = design(columns, names)
    w, inverse, rss = least_squares(X, columns["medv"])
    free = len(X) - len(w)
    quantile = stats.t.ppf(0.975, free)
    table = [["name", "coef", "std_err", "t", "p", "low", "high"]]
    for j, name in enumerate(["const", *names]):
        coef, error = float(w[j]), math.sqrt(rss / free * inverse[j][j])
        t, half = coef / error, quantile * error
        cells = [error, t, 2 * stats.t.sf(abs(t), free), coef - half, coef + half]
        table.append([name, f"{coef:.4f}", *(f"{value:.3f}" for value in cells)])
    return table


def least_absolute(X: list[list[Fraction]], y: list[Fraction]) -> list[Fraction]:
    """The least-absolute fit: some optimum passes through p of the points, so all choices are tried."""

    def loss(w: list[Fraction]) -> Fraction:
        return sum((abs(t - dot(row, w)) for row, t in zip(X, y, strict=True)), Fraction(0))

    best = None
    for chosen in itertools.combinations(range(len(X)), len(X[0])):
        A = [X[i] for i in chosen]
        if abs(np.linalg.det(np.array(A, dtype=float))) < 1e-6:
            continue
        w = [row[0] for row in solve(A, [[y[i]] for i in chosen])]
        candidate = (loss(w), w)
        best = candidate if best is None or candidate[0] < best[0] else best
    assert best is not None
    return best[1]


def student(X: np.ndarray, y: np.ndarray, freedom: float) -> tuple[list[float], float]:
    """Maximum likelihood under Student-t noise of fixed degrees of freedom."""
    from scipy import optimize, stats

    centre, spread = X[:, 1:].mean(axis=0), X[:, 1:].std(axis=0)
    Z = np.c_[np.ones(len(X)), (X[:, 1:] - centre) / spread]

    def loss(v: np.ndarray) -> float:
        return -stats.t.logpdf(y - Z @ v[:-1], freedom, scale=np.exp(v[-1])).sum()

    start = np.r_[np.linalg.lstsq(Z, y, rcond=None)[0], 0.5]
    options = {"xatol": 1e-13, "fatol": 1e-14, "maxiter": 20000}
    for _ in range(20):
        start = optimize.minimize(loss, start, method="Nelder-Mead", options=options).x
    coefs = start[1:-1] / spread
    return [start[0] - coefs @ centre, *coefs], float(np.exp(start[-1]))


def stackloss_fits() -> dict[str, dict[str, object]]:
    """Four fits of the same table under four noises."""
    import scipy
    import statsmodels.api as sm

    columns = read_fractions(HERE / "stackloss.csv")
    names, target = list(columns)[:-1], columns["stack_loss"]
    exact = design(columns, names)
    X, y = np.array(exact, dtype=float), np.array(target, dtype=float)
    w, inverse, rss = least_squares(exact, target)
    free = len(y) - len(w)
    huber = sm.RLM(y, X, M=sm.robust.norms.HuberT(1.345)).fit(tol=1e-13, maxiter=500)
    t_coef, t_scale = student(X, y, 4.0)
    return {
        "least_squares": {
            "by": "rational arithmetic",
            "coef": [float(v) for v in w],
            "std_err": [math.sqrt(rss / free * inverse[j][j]) for j in range(len(w))],
            "residual_sd": math.sqrt(rss / free),
        },
        "least_absolute": {
            "by": "every choice of 4 rows, rational arithmetic",
            "coef": [float(v) for v in least_absolute(exact, target)],
        },
        "huber": {
            "by": f"statsmodels {sm.__version__} RLM, HuberT(1.345), scale = MAD",
            "coef": huber.params.tolist(),
            "scale": float(huber.scale),
        },
        "student_4": {
            "by": f"SciPy {scipy.__version__} Nelder-Mead, 4 degrees of freedom",
            "coef": t_coef,
            "scale": t_scale,
        },
        "outliers": {"by": "agreed in the robust literature, rows counted from 1", "rows": [1, 3, 4, 21]},
    }


def main() -> None:
    with (HERE / "boston_table.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(boston_table())
    (HERE / "stackloss.json").write_text(json.dumps(stackloss_fits(), indent=1) + "\n")


if __name__ == "__main__":
    main()
