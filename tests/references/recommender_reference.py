"""Computes `recommender_reference.json`: predictions by Surprise 1.1 and implicit 0.7 for planted ratings.

Made with `pip install scikit-surprise==1.1.5 implicit==0.7.3`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tests.recommend.films import planted

PLACE = Path(__file__).with_suffix(".json")
SHOWN = 40  # hidden pairs whose predictions are kept
FACTORS, EPOCHS, SEEDS = 3, 300, 20


def rmse(found: Any, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((np.asarray(found) - y) ** 2)))


def implicit_objective(P: np.ndarray, Q: np.ndarray, pattern: Any, reg: float) -> float:
    """The squared errors of all pairs, those observed with the confidence two, and the penalties."""
    product = P @ Q.T
    seen = pattern.toarray() > 0
    return float((np.where(seen, 2 * (1 - product) ** 2, product**2)).sum() + reg * ((P**2).sum() + (Q**2).sum()))


def pattern_of(X: np.ndarray) -> Any:
    return sparse.csr_matrix((np.ones(len(X)), tuple(X.T)), shape=(60, 40))


def main() -> None:
    import implicit
    import surprise
    from implicit.cpu.als import AlternatingLeastSquares
    from surprise import SVD, BaselineOnly, Dataset, KNNWithMeans, Reader, SVDpp

    X, y, hidden, y_hidden = planted()
    rows = [(str(user), str(item), float(value), None) for (user, item), value in zip(X, y, strict=True)]
    table = Dataset(Reader(rating_scale=(-100, 100))).construct_trainset(rows)

    def predictions(model: Any, count: int) -> list[float]:
        model.fit(table)
        return [model.predict(str(user), str(item)).est for user, item in hidden[:count]]

    compared = {"name": "pearson", "min_support": 1}
    exact = {
        "baseline": BaselineOnly({"method": "als", "n_epochs": 500, "reg_u": 15, "reg_i": 10}, verbose=False),
        "user_knn": KNNWithMeans(10, sim_options={**compared, "user_based": True}, verbose=False),
        "item_knn": KNNWithMeans(10, sim_options={**compared, "user_based": False}, verbose=False),
    }
    errors = {}
    for name, made in (("svd", SVD), ("svdpp", SVDpp)):
        runs = [made(n_factors=FACTORS, n_epochs=EPOCHS, random_state=seed) for seed in range(SEEDS)]
        errors[name] = [rmse(predictions(run, len(hidden)), y_hidden) for run in runs]
    pattern = pattern_of(X)
    best = []
    for seed in range(5):
        model = AlternatingLeastSquares(
            FACTORS, regularization=0.1, alpha=1.0, iterations=100, use_cg=False, random_state=seed, dtype=np.float64
        )
        model.fit(pattern, show_progress=False)
        best.append(implicit_objective(model.user_factors, model.item_factors, pattern, 0.1))
    found = {
        "surprise": surprise.__version__, "implicit": implicit.__version__,
        "predictions": {name: predictions(model, SHOWN) for name, model in exact.items()},
        "rmse": errors, "implicit_objective": min(best),
    }  # fmt: skip
    PLACE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
