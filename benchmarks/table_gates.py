"""Pre-tuned networks for tables against scikit-learn's scaled MLP and our boosted trees.

    python -m benchmarks.table_gates --data ../shared/data [--rows 6000] [--seeds 1] [name ...]

Losses on a held-out quarter: root mean squared error of numbers, log loss of classes. The gate: smaller than that of
the MLP on at least 7 of 8 tables, and a median that is at most 8 % above that of boosting.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import learnable as L

TABLES = {  # file, target, whether it is a number, columns that are left out
    "adult": ("adult/adult_train.csv.gz", "income", False, ()),
    "boston": ("boston/boston.csv", "medv", True, ()),
    "breast_cancer": ("breast_cancer.csv", -1, False, ()),
    "california": ("california/california_sklearn_layout.csv.gz", "MedHouseVal", True, ()),
    "car": ("car_evaluation.csv", "class", False, ()),
    "concrete": ("concrete.csv", "strength", True, ()),
    "german_credit": ("german_credit_uci.csv", -1, False, ()),
    "titanic": ("titanic_kaggle891.csv", "Survived", False, ("PassengerId", "Name", "Ticket", "Cabin")),
}
MODELS = ("network", "MLP of scikit-learn", "boosted trees", "mean of both")


def read_table(folder: Path, name: str, rows: int) -> tuple[Any, np.ndarray, bool]:
    """Columns, target, and whether it is a number; at most `rows` rows."""
    import pandas as pd

    file, target, number, left_out = TABLES[name]
    frame = pd.read_csv(folder / "tabular" / file)
    if len(frame) > rows:
        frame = frame.sample(rows, random_state=0)
    target = frame.columns[target] if isinstance(target, int) else target
    return frame.drop(columns=[target, *left_out]), frame[target].to_numpy(), number


def make_model(kind: str, number: bool, X: Any, seed: int) -> Any:
    """A model by name."""
    if kind == "network":
        return (L.TabularNetworkRegressor if number else L.TabularNetworkClassifier)(random_state=seed)
    if kind == "boosted trees":
        cls = L.HistGradientBoostingRegressor if number else L.HistGradientBoostingClassifier
        return cls(random_state=seed, categorical_features="from_dtype")
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    settings = {"early_stopping": len(X) >= 1000, "max_iter": 500, "random_state": seed}
    return make_pipeline(columns, (MLPRegressor if number else MLPClassifier)(**settings))


def measure(folder: Path, name: str, rows: int, seed: int) -> dict[str, tuple[float, float]]:
    """The loss of every model on a table, and the processor seconds of its fit."""
    X, y, number = read_table(folder, name, rows)
    for column in X.select_dtypes(exclude="number"):
        X[column] = X[column].astype("category")
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[len(y) // 4 :], order[: len(y) // 4]
    found, outputs = {}, {}
    for kind in MODELS[:3]:
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scaled = number and kind.startswith("MLP")
            centre, spread = (y[train].mean(), y[train].std()) if scaled else (0.0, 1.0)
            targets = (y[train] - centre) / spread if scaled else y[train]
            model = make_model(kind, number, X.iloc[train], seed).fit(X.iloc[train], targets)
        seconds = time.process_time() - begin
        prediction = model.predict(X.iloc[test]) * spread + centre if number else model.predict_proba(X.iloc[test])
        outputs[kind] = np.asarray(prediction, dtype=np.float64)
        found[kind] = (loss(outputs[kind], y[test], None if number else model.classes_), seconds)
    both = (outputs["network"] + outputs["boosted trees"]) / 2
    found["mean of both"] = (loss(both, y[test], None if number else np.unique(y[train])), 0.0)
    return found


def loss(output: np.ndarray, y: np.ndarray, classes: Any) -> float:
    """The root mean squared error, or the log loss."""
    if classes is None:
        return float(np.sqrt(np.mean((output - y) ** 2)))
    codes = np.searchsorted(classes, y)
    return float(-np.log(np.clip(output[np.arange(len(y)), codes], 1e-7, 1)).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    print(f"{'table':14}" + "".join(f"{kind:>26}" for kind in MODELS) + f"{'to trees':>12}")
    better, differences = 0, []
    for name in options.names or TABLES:
        runs = [measure(options.data, name, options.rows, seed) for seed in range(options.seeds)]
        mean = {kind: np.mean([run[kind] for run in runs], axis=0) for kind in MODELS}
        better += bool(mean["network"][0] < mean["MLP of scikit-learn"][0])
        differences.append(mean["network"][0] / mean["boosted trees"][0] - 1)
        cells = "".join(f"{f'{mean[kind][0]:.4f} ({mean[kind][1]:.1f} s)':>26}" for kind in MODELS)
        print(f"{name:14}{cells}{differences[-1]:>+12.1%}", flush=True)
    print(
        f"better than the MLP on {better} of {len(differences)}; median to boosted trees {np.median(differences):+.1%}"
    )


if __name__ == "__main__":
    main()
