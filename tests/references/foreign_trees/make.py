"""Makes the models of XGBoost and LightGBM here, and their predictions, again; needs both packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
XGBOOST = {
    "numbers": "reg:squarederror",
    "two": "binary:logistic",
    "three": "multi:softprob",
    "counts": "count:poisson",
}
LIGHTGBM = {"numbers": "regression", "two": "binary", "three": "multiclass", "counts": "poisson"}


def rows() -> tuple[Any, dict[str, Any]]:
    """Numbers with missing values, a column of categories, and four targets."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(200, 3)).round(2)
    X[:, 2] = draws.integers(0, 5, 200)
    y = X[:, 0] + 2 * np.isin(X[:, 2], [1, 3]) + 0.1 * draws.normal(size=200)
    X[draws.random(X.shape) < 0.05] = np.nan
    targets = {"numbers": y, "two": y > 1, "three": np.digitize(y, [0, 1.5]), "counts": np.round(np.exp(y / 2))}
    return X, targets


def main() -> None:
    """Write the files."""
    import lightgbm
    import xgboost

    X, targets = rows()
    predictions: dict[str, Any] = {"rows": [[None if np.isnan(v) else v for v in row] for row in X[:40].tolist()]}
    for name, target in targets.items():
        several = {"num_class": 3} if name == "three" else {}
        data = xgboost.DMatrix(X, target)
        model = xgboost.train({"objective": XGBOOST[name], "max_depth": 2, **several}, data, 3)
        model.save_model(HERE / f"xgboost_{name}.json")
        predictions[f"xgboost_{name}"] = model.predict(data)[:40].tolist()
        options = {"objective": LIGHTGBM[name], "num_leaves": 4, "min_data_in_leaf": 5, "verbose": -1, **several}
        other = lightgbm.train(options, lightgbm.Dataset(X, target), 3)
        other.save_model(HERE / f"lightgbm_{name}.txt")
        predictions[f"lightgbm_{name}"] = other.predict(X[:40]).tolist()
    kinds = xgboost.DMatrix(X, targets["numbers"], feature_types=["q", "q", "c"], enable_categorical=True)
    model = xgboost.train({"max_depth": 2, "max_cat_to_onehot": 1}, kinds, 3)
    model.save_model(HERE / "xgboost_kinds.json")
    predictions["xgboost_kinds"] = model.predict(kinds)[:40].tolist()
    both = xgboost.DMatrix(X, np.column_stack([targets["numbers"], targets["counts"], X[:, 2] == 1]))
    model = xgboost.train({"max_depth": 2, "multi_strategy": "multi_output_tree"}, both, 3)
    model.save_model(HERE / "xgboost_vectors.json")
    predictions["xgboost_vectors"] = model.predict(both)[:40].tolist()
    options = {"num_leaves": 4, "min_data_in_leaf": 5, "min_data_per_group": 5, "cat_smooth": 1, "verbose": -1}
    other = lightgbm.train(options, lightgbm.Dataset(X, targets["numbers"], categorical_feature=[2]), 3)
    other.save_model(HERE / "lightgbm_kinds.txt")
    predictions["lightgbm_kinds"] = other.predict(X[:40]).tolist()
    (HERE / "predictions.json").write_text(json.dumps(predictions) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
